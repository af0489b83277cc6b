"""Texts that no search may see: the question that stands as a heading over its answer gives the answer away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

from wrac.text.characters import IDEOGRAPHS, KANA, MARKS

SURE = 3
"""Words from which on a mask is taken out wherever it stands; two ideographs or kana count as a word.

A shorter one is taken out only where it is a line or a part of a trail: `Overview` is a heading here and a word of the
text there.
"""

_LETTER = f"[^\\W_{IDEOGRAPHS}{KANA}]"
_WORD = re.compile(f"[{IDEOGRAPHS}{KANA}]|{_LETTER}+(?:[{MARKS}]+{_LETTER}*)*")
_WRITTEN_ALONE = re.compile(f"[{IDEOGRAPHS}{KANA}]")
_EDGE = re.compile(r"[\n\r\u2028\u2029]| [>/|›»·] ")
# What may stand before a heading's words on its line: marks of a list or of Markdown, and "1.2.", "Chapter 1:", "A.".
_NUMBER = re.compile(r"[\W_]*(?:(?:[^\W\d_]+\W+)?(?:\d+(?:\.\d+)*|[A-Za-z]|[IVXLC]+)\W+)?")


Wanted: TypeAlias = dict[tuple[str, ...], list[tuple[str, ...]]]
"""The words of masks, longest first, by their first two."""


class _Word(NamedTuple):
    text: str
    start: int
    end: int


def mask(masks: Sequence[str]) -> Callable[[str], str]:
    """A function that takes the masked texts out of a text: their words in a row, whatever stands between them.

    So numbers, permalink signs, markup and case do not matter, and an entry of a table of contents is its heading.
    """
    wanted: Wanted = {}
    for words in {tuple(word.text for word in _words(one)) for one in masks} - {()}:
        wanted.setdefault(words[:2], []).append(words)
    for alike in wanted.values():
        alike.sort(key=len, reverse=True)

    def hide(text: str) -> str:
        while _may_hold(text, wanted) and (cuts := list(_found(text, wanted))):
            text = _without(text, cuts)  # and again: what a cut brings together may be a mask
        return text

    return hide if wanted else lambda text: text


def _words(text: str) -> list[_Word]:
    return [_Word(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]


def _may_hold(text: str, wanted: Wanted) -> bool:
    """Whether the words of a mask stand in the text, wherever: told at a fifth of the time."""
    words = _WORD.findall(text.casefold())
    starts = chain(enumerate(pairwise(words)), enumerate(zip(words)))
    return any(
        list(one) == words[at : at + len(one)] for at, start in starts if start in wanted for one in wanted[start]
    )


def _found(text: str, wanted: Wanted) -> Iterator[tuple[int, int]]:
    """The ranges to take out, ascending; the longest mask wins where several start."""
    words = _words(text)
    plain = tuple(word.text for word in words)
    at = 0
    while at < len(words):
        for one in (*wanted.get(plain[at : at + 2], ()), *wanted.get(plain[at : at + 1], ())):
            start, end = words[at].start, words[min(at + len(one), len(words)) - 1].end
            if plain[at : at + len(one)] == one and (_sure(one) or _alone(text, start, end)):
                yield start, end
                at += len(one) - 1
                break
        at += 1


def _sure(words: Sequence[str]) -> bool:
    return sum(0.5 if _WRITTEN_ALONE.match(word) else 1.0 for word in words) >= SURE


def _alone(text: str, start: int, end: int) -> bool:
    """Whether the range is all that its line or its part of a trail says, numbers before it aside."""
    line = text.rfind("\n", 0, start) + 1
    before = max((edge.end() for edge in _EDGE.finditer(text, line, start + 1) if edge.end() <= start), default=line)
    edge = _EDGE.search(text, end)
    after = text[end : edge.start() if edge else None]
    return _NUMBER.fullmatch(text, before, start) is not None and not _WORD.search(after)


def _without(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    return " ".join(text[start:end] for start, end in zip(starts, ends, strict=True))
