"""A page as a model sees it: a short line a unit, never the text; in segments that are asked, and remembered, apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final
from unicodedata import category

from wrac.core.types import Document, Kind, Place
from wrac.text.characters import UNSPACED

WORDS: Final = 10
LETTERS: Final = 72
WIDE: Final = 3
"""How much of a unit's beginning is shown: words, and letters for long ones. A letter of a script without spaces is
nearly a token, and counts as several."""
FOLD: Final = 160
"""Tokens that units of one line may have together: a model can part runs that are longer at places it sees."""
SEGMENT: Final = 24
WINDOW: Final = 200
"""Units from which a section's end may end a segment, and units no segment and no question exceeds."""

SHORT: Final[dict[Kind, str]] = {
    "heading": "h", "paragraph": "p", "list_item": "li", "table_row": "tr", "caption": "cap", "code": "code",
    "quote": "quote", "term": "dt", "definition": "dd", "question": "q", "math": "math", "image": "img",
    "label": "label",
}  # fmt: skip
_FOLDED: Final = frozenset[Kind](("list_item", "table_row"))
_WIDE: Final = re.compile(f"[{UNSPACED}]")
_SPECIAL: Final = re.compile(r"<(?=[|｜/]|[^\W\d])|\[(?=/?[A-Z_]{3,}\])")
"""How the marks begin by which models tell who speaks (`<|im_start|>`, `[INST]`); servers read them in data, too."""


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
    sizes = [count(document.text(ordinal)) for ordinal in ordinals]
    lines: list[tuple[int, int, str]] = []
    position = 0
    while position < len(ordinals):
        end = _alike(document, ordinals, sizes, position)
        line = f"{_name(document, ordinals[position])} {sum(sizes[position:end])}"
        lines.append((position + 1, end, f"{line} {preview(document.text(ordinals[position]))}".rstrip()))
        position = end
    return Segment(tuple(ordinals), tuple(lines))


def _alike(document: Document, ordinals: Sequence[int], sizes: Sequence[int], start: int) -> int:
    """The end of the run of list items of one depth, or rows, that begins at a position and is one line."""
    first = document.places[ordinals[start]]
    kind = document.units[first.unit].kind
    end, size = start + 1, sizes[start]
    if kind in _FOLDED:
        while end < len(ordinals) and ordinals[end] == ordinals[end - 1] + 1:
            place = document.places[ordinals[end]]
            size += sizes[end]
            if document.units[place.unit].kind != kind or place.level != first.level or size > FOLD:
                break
            end += 1
    return end


def _name(document: Document, ordinal: int) -> str:
    """A unit's kind, with a heading's level and the depth of an item inside another."""
    place, kind = document.places[ordinal], document.unit(ordinal).kind
    deep = kind == "heading" or (kind == "list_item" and place.level > 1)
    return f"{SHORT[kind]}{place.level}" if deep else SHORT[kind]


def preview(text: str) -> str:
    """The first words of a text on one line: nothing in it ends the line, is hidden, or marks another speaker."""
    head = text[: 8 * LETTERS]
    if not head.isprintable():
        head = "".join(letter if letter.isprintable() else _blank(letter) for letter in head)
    shown = " ".join(head.split(maxsplit=WORDS)[:WORDS])
    return _SPECIAL.sub("‹", shown[: _fitting(shown)]).rstrip()


def _blank(letter: str) -> str:
    """What is shown of a letter that is not to be seen: nothing where it stands within words, else a space."""
    return "" if category(letter) == "Cf" else " "


def _fitting(text: str) -> int:
    """How many letters of a text are shown."""
    if len(text) * WIDE <= LETTERS or not _WIDE.search(text):
        return LETTERS
    widths = accumulate(WIDE if _WIDE.match(letter) else 1 for letter in text)
    return next((at for at, width in enumerate(widths) if width > LETTERS), len(text))
