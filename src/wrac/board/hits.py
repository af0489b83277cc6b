"""Hits for people: what of a text answers, what a score is made of, what moved between two searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from wrac.flow.report import Result
from wrac.retrieval import Parts

_GAP: Final = "\n\n"
_LITTLE: Final = 600
"""Characters up to which all of a passage is shown."""
_FEW: Final = 3
NAMES: Final = {"lexical": "words", "dense": "meaning", "page": "page", "rerank": "second reading"}
"""What the parts of a score are called for people."""


class Piece(NamedTuple):
    """A part of a text; `score` says how well it alone answers, 0 for what is around it."""

    text: str
    score: float = 0.0


class Cells(NamedTuple):
    """A row of a table, and how well it alone answers."""

    texts: tuple[str, ...]
    score: float = 0.0


_LEFT_OUT: Final = Piece("…")


class Share(NamedTuple):
    """A part of a score, where it begins and how wide it is in percent of the bar, and the class of its colour."""

    name: str
    value: float
    start: float
    width: float
    colour: str


class Moved(NamedTuple):
    """A hit beside its rank in the other search; 0 where it is not found there."""

    hit: Result
    other: int

    @property
    def told(self) -> str:
        """What that means, in words."""
        if not self.other:
            return "not found there"
        if self.other == self.hit.rank:
            return "same rank"
        return f"{'higher' if self.hit.rank < self.other else 'lower'} than there: {self.other}"

    @property
    def sign(self) -> str:
        """The same as a sign."""
        if not self.other:
            return "only here"
        by = self.other - self.hit.rank
        return f"▲ {by}" if by > 0 else f"▼ {-by}" if by < 0 else "="


def title(hit: Result) -> str:
    """What a hit is called: the heading it begins with, else the one above it, else how it begins."""
    first = hit.text.partition("\n")[0]
    if hit.markdown.startswith("#") or not hit.trail:
        return first
    return hit.trail[-1]


def blocks(hit: Result) -> list[list[Piece]]:
    """The text of a hit in paragraphs, each in pieces, those of its focus with their score; without its title."""
    found: list[list[Piece]] = [[]]
    for piece in _pieces(hit):
        first, *others = [Piece(part, piece.score) for part in piece.text.split(_GAP)]
        found[-1].append(first)
        found += [[one] for one in others]
    if hit.markdown.startswith("#"):
        found = found[1:]
    return [block for block in found if any(piece.text.strip() for piece in block)]


def rows(block: Sequence[Piece]) -> list[Cells]:
    """The rows of a paragraph that is a part of a table; none of any other."""
    lines = [Piece("")]
    for piece in block:
        first, *others = piece.text.split("\n")
        last = lines.pop()
        lines.append(Piece(last.text + first, max(last.score, piece.score if first else 0.0)))
        lines += [Piece(one, piece.score) for one in others]
    said = [line for line in lines if line.text.strip()]
    tabular = all("\t" in line.text for line in said)
    return [Cells(tuple(line.text.split("\t")), line.score) for line in said] if tabular else []


def excerpt(hit: Result) -> list[list[Piece]]:
    """The paragraphs of a hit that answer, with those right beside them, to begin with; all where that is little."""
    found = blocks(hit)
    best = [at for at, block in enumerate(found) if any(piece.score for piece in block)] or [0]
    if len(hit.text) <= _LITTLE or len(found) <= _FEW:
        return found
    near = sorted({at + by for at in best for by in (-1, 0, 1) if 0 <= at + by < len(found)})
    shown = list[list[Piece]]()
    for before, at in zip((-1, *near), near, strict=False):
        shown += [[_LEFT_OUT]] if at > before + 1 else []
        shown.append(found[at])
    return [*shown, [_LEFT_OUT]] if near[-1] + 1 < len(found) else shown


def _pieces(hit: Result) -> list[Piece]:
    """The text in pieces; joined they are the text."""
    found = sorted((at, one) for one in hit.focus if (at := hit.text.find(one.text)) >= 0 and one.text)
    result, end = list[Piece](), 0
    for at, one in found:
        if at >= end:
            result += [Piece(hit.text[end:at]), Piece(one.text, one.score)]
            end = at + len(one.text)
    return [piece for piece in (*result, Piece(hit.text[end:])) if piece.text]


def shares(parts: Parts | None) -> list[Share]:
    """The parts of a score that give something to it, side by side."""
    return list(_shares(parts)) if parts is not None else []


def _shares(parts: Parts) -> Iterator[Share]:
    start = 0.0
    for number, (field, value) in enumerate(parts._asdict().items()):
        if round(value, 3):
            width = max(value, 0.0) * 100
            yield Share(NAMES[field], value, start, width, f"s{number}")
            start += width


def moved(here: Sequence[Result], there: Sequence[Result]) -> list[Moved]:
    """Each hit of one search with its rank in another: that of the same chunk, else of the same text."""
    chunks = {hit.chunk: hit.rank for hit in reversed(there)}
    texts = {" ".join(hit.text.split()): hit.rank for hit in reversed(there)}
    return [Moved(hit, chunks.get(hit.chunk) or texts.get(" ".join(hit.text.split()), 0)) for hit in here]
