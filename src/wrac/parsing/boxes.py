"""The boxes of a page: its elements that hold units and do more than shape a line, an item or a cell."""

from __future__ import annotations

from typing import Final

from wrac.parsing.frames import HOLDER, Frame
from wrac.parsing.names import bits_of

SHAPING: Final = frozenset(
    "p h1 h2 h3 h4 h5 h6 li dt dd tr td th pre figcaption caption summary legend label button option "
    "a span b i em strong small code address hgroup optgroup".split()
)
"""Elements that are no boxes: their names count for the units in them, and that is all there is to them."""


class Boxes:
    """A row for each box, after the row of the box around it (`parent`, 0 at the top).

    `first` and `last` are the ordinals of its units, `names` the bits of its own names and those of shaping elements
    around it, `above` those of all elements down to it, `path` a number for its tags from the root.
    """

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.names: list[int] = []
        self.above: list[int] = []
        self.depth: list[int] = []
        self.path: list[int] = []
        self._places: dict[Frame, tuple[int, int]] = {}
        self._paths: dict[tuple[int, str], int] = {}

    def place(self, frame: Frame, ordinal: int) -> tuple[int, int]:
        """The box that holds unit `ordinal` of a frame, and the bits of the shaping elements inside the box."""
        found = self._places.get(frame)
        if found is None:
            found = self._enter(frame, ordinal)
        self.last[found[0]] = ordinal
        return found

    def _enter(self, frame: Frame, ordinal: int) -> tuple[int, int]:
        places = self._places
        chain = [frame]
        at = frame.parent
        while at is not None and at not in places:
            chain.append(at)
            at = at.parent
        row, bits = (-1, 0) if at is None else places[at]
        while chain:
            link = chain.pop()
            if link.index != HOLDER:
                bits |= bits_of(link.node)
                if row < 0 or link.tag not in SHAPING:
                    row, bits = self._add(row, bits, link.tag, ordinal), 0
            places[link] = row, bits
        return row, bits

    def _add(self, around: int, bits: int, tag: str, ordinal: int) -> int:
        top = around < 0
        self.parent.append(0 if top else around)
        self.first.append(ordinal)
        self.last.append(ordinal)
        self.names.append(bits)
        self.above.append(bits if top else bits | self.above[around])
        self.depth.append(0 if top else self.depth[around] + 1)
        self.path.append(self._paths.setdefault((0 if top else self.path[around], tag), len(self._paths) + 1))
        return len(self.parent) - 1

    def close(self) -> None:
        """Lets each box reach as far as the boxes inside it, and the frames go."""
        self._places = {}
        last, parent = self.last, self.parent
        for row in range(len(parent) - 1, 0, -1):
            last[parent[row]] = max(last[parent[row]], last[row])
