"""A page as a model sees it: a short line a unit, never the text; in segments that are asked, and remembered, apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from wrac.core.types import Document, Kind, Place

WORDS: Final = 10
LETTERS: Final = 72
"""How much of a unit's beginning is shown: words, and characters for scripts without spaces and long paths."""
SEGMENT: Final = 24
WINDOW: Final = 200
"""Units from which a section's end may end a segment, and units no segment and no question exceeds."""

SHORT: Final[dict[Kind, str]] = {
    "heading": "h", "paragraph": "p", "list_item": "li", "table_row": "tr", "caption": "cap", "code": "code",
    "quote": "quote", "term": "dt", "definition": "dd", "question": "q", "math": "math", "image": "img",
    "label": "label",
}  # fmt: skip
_FOLDED: Final = frozenset[Kind](("list_item", "table_row"))
_UNSHOWN: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """Consecutive ordinals of a stream and their lines; the lines count from 1."""

    ordinals: tuple[int, ...]
    lines: tuple[tuple[int, int, str], ...]

    def shown(self, before: int) -> Iterator[str]:
        """The lines with numbers that go on after `before` units."""
        for first, last, text in self.lines:
            numbers = f"{before + first}" if first == last else f"{before + first}-{before + last}"
            yield f"{numbers} {text}"


def segments(document: Document, stream: Sequence[int], count: Callable[[str], int]) -> list[Segment]:
    """A stream cut at the starts of its outer sections, each part of at most WINDOW units.

    Where it is cut depends on the sections alone, not on their distance from the top, so that an edit leaves the
    segments away from it, and what was answered for them, as they were.
    """
    cuts = [0, *_cuts(document, stream), len(stream)]
    return [_segment(document, stream[a:b], count) for a, b in pairwise(cuts) if b > a]


def _cuts(document: Document, stream: Sequence[int]) -> Iterator[int]:
    """Positions at which a segment ends."""
    outer = _outer_headings(document)
    begun = 0
    for position, ordinal in enumerate(stream):
        long = position - begun >= SEGMENT
        if position - begun >= WINDOW or (ordinal in outer and long and _even(document.places[ordinal])):
            yield position
            begun = position


def _even(place: Place) -> bool:
    """One heading in two, drawn by content: a segment then ends where it ended before an edit further up."""
    return int(place.unit[-1], 16) % 2 == 0


def _outer_headings(document: Document) -> frozenset[int]:
    """Headings of the outermost level that has more than one section, and of those above it."""
    sections = [span for span in document.spans if span.kind == "section"]
    levels = sorted({int(span.data["level"]) for span in sections})
    counts = accumulate(sum(span.data["level"] == level for span in sections) for level in levels)
    deepest = next((level for level, upto in zip(levels, counts, strict=True) if upto > 1), 0)
    return frozenset(span.first for span in sections if span.data["level"] <= deepest)


def _segment(document: Document, ordinals: Sequence[int], count: Callable[[str], int]) -> Segment:
    lines: list[tuple[int, int, str]] = []
    position = 0
    while position < len(ordinals):
        end = _alike(document, ordinals, position)
        lines.append((position + 1, end, _line(document, ordinals[position:end], count)))
        position = end
    return Segment(tuple(ordinals), tuple(lines))


def _alike(document: Document, ordinals: Sequence[int], start: int) -> int:
    """The end of the run of list items of one depth, or rows, that begins at a position."""
    first = document.places[ordinals[start]]
    kind = document.units[first.unit].kind
    end = start + 1
    if kind in _FOLDED:
        while end < len(ordinals) and ordinals[end] == ordinals[end - 1] + 1:
            place = document.places[ordinals[end]]
            if document.units[place.unit].kind != kind or place.level != first.level:
                break
            end += 1
    return end


def _line(document: Document, run: Sequence[int], count: Callable[[str], int]) -> str:
    place = document.places[run[0]]
    kind = document.units[place.unit].kind
    name = f"h{place.level}" if kind == "heading" else SHORT[kind]
    tokens = sum(count(document.text(ordinal)) for ordinal in run)
    return f"{name} {tokens} {preview(document.text(run[0]))}".rstrip()


def preview(text: str) -> str:
    """The first words of a text on one line, nothing in it that could end the line or hide in it."""
    words = _UNSHOWN.sub(" ", text[: 8 * LETTERS]).split(" ")
    return " ".join(filter(None, words[: WORDS + 1]))[:LETTERS].rstrip() if words else ""
