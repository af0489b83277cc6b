"""What an answer says against what was sent: marks, quotations, sentences that cite nothing. Pure functions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from wrac.answering.evidence import Evidence, Source
from wrac.answering.fencing import folded
from wrac.text.characters import UNSPACED
from wrac.text.sentences import ends

Part: TypeAlias = tuple[int, int]
"""Code points `[start, end)` of an answer's text."""

_MARK: Final = r"[a-z]{0,3}[0-9]{1,6}\.[0-9]{1,6}"
_MARKS: Final = re.compile(rf"(?<![ \t])[ \t]*+[\[【]\s*({_MARK}(?:(?:\s*[,;–-]\s*|\s+(?:and\s+)?){_MARK})*)\s*[\]】]")
_RANGE: Final = re.compile(rf"({_MARK})(?:\s*[–-]\s*({_MARK}))?")
_FENCED: Final = re.compile(r"(?<![^\n])[ \t]*(```|~~~)(?:.|\n)*?(?:\n[ \t]*\1[`~]*[ \t]*(?![^\n])|\Z)")
_INLINE: Final = re.compile(r"`[^`\n]+`")
_TABLE: Final = re.compile(r"^[ \t]*\|.*(?:\n[ \t]*\|.*)+", re.MULTILINE)
_QUOTATION: Final = re.compile(
    r'(?<!\w)"([^"\n]+)"(?!\w)|“([^“”\n]+)”|„([^„“”\n]+)[“”]|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』'
)
_HEADING: Final = re.compile(r"\s*#{1,6}\s|\s*\*\*[^*]+\*\*\W*$")
_LONGEST: Final = 50
"""Marks that a range stands for at most."""
_DECIMAL: Final = re.compile(r"[0-9][.,][0-9]")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_LEFT_OUT: Final = re.compile(r"\[…\]|\[\.\.\.\]|…|\.\.\.")
_EDGES: Final = " .,;:!?…。，、；：！？"


class Cited(NamedTuple):
    """A unit that an answer cites, and the first of what it quotes from it."""

    source: Source
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What of an answer holds: the units it cites, in the order of their first marks; sentences that cite none of what
    was sent; quotations that stand in none of the units cited."""

    cited: tuple[Cited, ...]
    uncited: tuple[Part, ...]
    misquoted: tuple[Part, ...]


def check(text: str, evidence: Evidence, language: str = "") -> Checked:
    """What of a text holds. A mark that was not sent is no citation, whatever it looks like."""
    read = _Reading(text, language)
    marked = [(part, [mark for mark in marks if mark in evidence.sources]) for part, marks in read.sentences()]
    quotes = {mark: "" for mark in read.marks() if mark in evidence.sources}
    said = {mark: folded(evidence.sources[mark].said.text) for mark in quotes}
    starts = [part[0] for part, _ in marked]
    misquoted: list[Part] = []
    for start, end in read.quotations:
        at = bisect_left(starts, start + 1) - 1
        own = marked[at][1] if at >= 0 else []
        holder = _holder(text[start:end], dict.fromkeys((*own, *quotes)), said)
        if holder is None:
            misquoted.append((start - 1, end + 1))
        else:
            quotes[holder] = quotes[holder] or text[start:end]
    cited = tuple(Cited(evidence.sources[mark], quote) for mark, quote in quotes.items())
    return Checked(cited, tuple(part for part, marks in marked if not marks), tuple(misquoted))


def _holder(quote: str, marks: Iterable[str], said: Mapping[str, str]) -> str | None:
    """The first of the units that a quotation stands in: its parts between dots, in their order."""
    parts = [folded(one).strip(_EDGES) for one in _LEFT_OUT.split(quote)]
    return next((mark for mark in marks if _holds(said[mark], parts)), None)


def _holds(text: str, parts: Sequence[str]) -> bool:
    """Whether parts stand in a text one after the other, each of whole words and numbers: "5" is not in "5.50"."""
    at = 0
    for part in parts:
        at = text.find(part, at)
        while at >= 0 and (_inside(text, at) or _inside(text, at + len(part))):
            at = text.find(part, at + 1)
        if at < 0:
            return False
        at += len(part)
    return True


def _inside(text: str, at: int) -> bool:
    """Whether a word or a number goes on across a place."""
    before, after = text[max(at - 2, 0) : at], text[at : at + 2]
    if before[-1:].isalnum() and after[:1].isalnum():
        return not _UNSPACED.search(before[-1:] + after[:1])
    return bool(_DECIMAL.fullmatch(before[-1:] + after) or _DECIMAL.fullmatch(before + after[:1]))


class _Reading:
    """An answer's sentences, with their marks, and its quotations, without their quotation marks.

    A mark belongs to the sentence that it stands in or follows, or begins a line of. Quotations, code and tables are in
    one sentence; code goes with what is before it, a heading and what ends in a colon with what follows.
    """

    def __init__(self, text: str, language: str) -> None:
        self._text, self._language = text, language
        self._marks = [found.span() for found in _MARKS.finditer(text)]
        self._fenced = [found.span() for found in _FENCED.finditer(text)]
        self._inline = [found.span() for found in _INLINE.finditer(text)]
        self._tables = [found.span() for found in _TABLE.finditer(text)]
        self.quotations = [span for span in map(_within, _QUOTATION.finditer(text)) if self._says(span)]

    def sentences(self) -> list[tuple[Part, tuple[str, ...]]]:
        """Each sentence that says something, and its marks, in their order."""
        found: list[tuple[Part, list[str]]] = []
        early: list[str] = []
        bare = self._bare()
        for start, end in self._pieces(bare):
            own = [mark for one in self._between(start, end) for mark in self.named(one)]
            if any(map(str.isalnum, bare[start:end])):
                found.append((self._trimmed(start, end), [*early, *own]))
                early = []
            else:
                (found[-1][1] if found else early).extend(own)
        return [(part, tuple(dict.fromkeys(marks))) for part, marks in found]

    def marks(self) -> Iterator[str]:
        """All marks, in their order."""
        for one in self._marks:
            yield from self.named(one)

    def named(self, mark: Part) -> Iterator[str]:
        """The marks that brackets name."""
        return named(self._text[slice(*mark)].strip(" \t[]【】"))

    def _between(self, start: int, end: int) -> list[Part]:
        return self._marks[bisect_left(self._marks, (start,)) : bisect_left(self._marks, (end,))]

    def _says(self, span: Part) -> bool:
        """Whether a quotation holds a word, and is no code."""
        coded = _in(span[0], self._fenced) or _in(span[0], self._inline)
        return not coded and any(map(str.isalnum, self._text[slice(*span)]))

    def _bare(self) -> str:
        """The text, as long as it is, without anything in marks, code and quotations that might end a sentence."""
        bare = list(self._text)
        for filler, spans in (("x", [*self.quotations, *self._inline, *self._fenced]), ("]", self._marks)):
            for start, end in spans:  # a mark is as a bracket that closes the sentence before it
                bare[start:end] = filler * (end - start)
        return "".join(bare)

    def _pieces(self, bare: str) -> Iterator[Part]:
        """Sentences as they were split, those that go together joined."""
        start = 0
        for begin, end in pairwise((0, *ends(bare, self._language))):
            if not (end < len(bare) and _leads(bare[begin:end])) and not self._goes_on(end):
                yield start, end
                start = end

    def _goes_on(self, at: int) -> bool:
        """Whether what begins there belongs to what is before it: code, and the second row of a table."""
        return _in(at, self._fenced) or (_in(at, self._tables) and _in(at - 1, self._tables))

    def _trimmed(self, start: int, end: int) -> Part:
        """A sentence without white space around it and marks behind it."""
        begins = {last: first for first, last in self._between(start + 1, end)}
        while (last := start + len(self._text[start:end].rstrip())) in begins:
            end = begins[last]
        return start + len(self._text[start:last]) - len(self._text[start:last].lstrip()), last


def _leads(piece: str) -> bool:
    """Whether a piece is a heading, or ends in a colon: it goes with what follows."""
    at = len(piece)
    while at and not piece[at - 1].isalnum():
        at -= 1
    return any(colon in piece[at:] for colon in ":：") or bool(_HEADING.match(piece))


def _within(found: re.Match[str]) -> Part:
    return found.span(found.lastindex or 0)


def _in(at: int, spans: Sequence[Part]) -> bool:
    """Whether a place is in one of the spans, which are in order and apart."""
    found = bisect_left(spans, (at + 1,)) - 1
    return found >= 0 and at < spans[found][1]


def named(listed: str) -> Iterator[str]:
    """The marks that a list of them names; of a range inside one passage all of it.

    >>> list(named("1.2, 1.4-1.6"))
    ['1.2', '1.4', '1.5', '1.6']
    """
    for first, last in _RANGE.findall(listed.lower()):
        passage, _, low = first.partition(".")
        other, _, high = last.partition(".")
        if last and other == passage and int(low) <= int(high) < int(low) + _LONGEST:
            yield from (f"{passage}.{number}" for number in range(int(low), int(high) + 1))
        else:
            yield from filter(None, (first, last))
