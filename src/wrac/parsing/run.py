"""A line of text under construction: white space as HTML says, marks as ranges, atoms that can stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from wrac.core.types import Kind, Mark, MarkKind
from wrac.parsing.dom import Node

if TYPE_CHECKING:
    from wrac.parsing.frames import Frame

_SPACES = re.compile(r"[ \t\n\r\f]+")


class Atom(NamedTuple):
    """An image, formula or control in the line: a unit of its own when the line holds nothing but such things."""

    start: int
    end: int
    kind: Kind
    node: Node
    frame: Frame
    place: int


class Line:
    """A finished line."""

    __slots__ = ("atoms", "marks", "text")

    def __init__(self, text: str, marks: tuple[Mark, ...] = (), atoms: tuple[Atom, ...] = ()) -> None:
        self.text = text
        self.marks = marks
        self.atoms = atoms

    def atoms_alone(self) -> bool:
        """Whether every non-space code point lies in an atom, so that each atom is a unit."""
        if not self.atoms:
            return False
        at = 0
        for atom in self.atoms:
            if self.text[at : atom.start].strip():
                return False
            at = atom.end
        return not self.text[at:].strip()

    def parts(self) -> Iterator[tuple[Atom, Line]]:
        """Each atom with its part of the line, in one sweep over the marks."""
        open_: list[Mark] = []
        following = 0
        for atom in self.atoms:
            open_ = [mark for mark in open_ if mark.end > atom.start]
            while following < len(self.marks) and self.marks[following].start < atom.end:
                open_.append(self.marks[following])
                following += 1
            yield atom, self._cut(open_, atom.start, atom.end)

    def _cut(self, marks: list[Mark], start: int, end: int) -> Line:
        """The line's range `[start, end)` without white space at its ends, and what of the marks is in it."""
        start, end = trimmed(self.text, start, min(end, len(self.text)))
        inside = [mark for mark in marks if mark.start < end and mark.end > start]
        cut = [moved(mark, max(mark.start, start) - start, min(mark.end, end) - start) for mark in inside]
        return Line(self.text[start:end], tuple(cut))


def new_mark(kind: MarkKind, start: int, end: int, value: str = "") -> Mark:
    """A mark that is no cell; `Mark` itself takes three times as long."""
    return tuple.__new__(Mark, (kind, start, end, value, 1, 1, False))


def moved(mark: Mark, start: int, end: int) -> Mark:
    """The mark over another range."""
    kind, _, _, value, rows, cols, header = mark
    return tuple.__new__(Mark, (kind, start, end, value, rows, cols, header))


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    while end > start and text[end - 1] in " \n":
        end -= 1
    while start < end and text[start] in " \n":
        start += 1
    return start, end


class Run:
    """Collects the text between two block edges."""

    __slots__ = ("atoms", "blank", "frame", "last", "length", "marks", "open", "pieces", "raw", "start")

    def __init__(self) -> None:
        self.open: list[list[Any]] = []
        self._reset()

    def _reset(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.last = ""
        self.blank = True  # whether it is empty or ends in white space
        self.raw = False
        self.marks: list[Mark] = []
        self.atoms: list[Atom] = []
        self.start: Any = None
        self.frame: Any = None
        for mark in self.open:
            mark[2] = 0

    def add(self, text: str) -> bool:
        """Adds source text with its white space collapsed; False when nothing of it shows."""
        if "\n" in text:
            text = text.replace("\n", " ")
        while "  " in text:
            text = text.replace("  ", " ")
        if not text.isprintable():
            text = _SPACES.sub(" ", text)
        if self.blank and text.startswith(" "):
            text = text[1:]
        if not text:
            return False
        self.raw = False
        self.pieces.append(text)  # as `_push` does: of all that a page calls, this is called most
        self.length += len(text)
        self.last = last = text[-1]
        self.blank = last == " "
        return True

    def add_raw(self, text: str) -> bool:
        """Adds preformatted text as it is."""
        if not text:
            return False
        self.raw = True
        self._push(text)
        return True

    def _push(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)
        self.last = last = text[-1]
        self.blank = last == " " or last == "\n"  # noqa: PLR1714  # a comparison costs less than a tuple

    def edge(self) -> None:
        """A block edge inside one unit: ends the line unless it is at a line's start."""
        if self.last not in ("", "\n"):
            self.newline()

    def newline(self) -> None:
        """A `br`: a newline, but for the start of the text."""
        if not self.pieces:
            return
        if self.last == " " and not self.raw:
            self.pieces[-1] = self.pieces[-1][:-1]
            self.length -= 1
        self._push("\n")

    def begin(self, kind: MarkKind | None, value: str = "") -> None:
        """Opens an inline mark; None keeps the stack in step for elements that mark nothing."""
        self.open.append([kind, value, self.length])

    def end(self) -> None:
        """Closes the innermost open mark."""
        kind, value, start = self.open.pop()
        if kind is not None and self.length > start:
            self.marks.append(new_mark(kind, start, self.length, value))

    def atom(self, kind: Kind, node: Node, frame: Frame, place: int, start: int) -> None:
        """Notes that everything since `start` came from one element that can stand alone, with what is in it."""
        while self.atoms and self.atoms[-1].start >= start:
            self.atoms.pop()
        if self.length > start:
            self.atoms.append(Atom(start, self.length, kind, node, frame, place))

    def take(self) -> Line:
        """The line so far, trimmed; the run is empty afterwards, open marks go on in the next line."""
        for kind, value, start in self.open:
            if kind is not None and self.length > start:
                self.marks.append(new_mark(kind, start, self.length, value))
        text = "".join(self.pieces)
        text = text.removesuffix("\n") if self.raw else text.rstrip(" \n")
        line = Line(text, _tidy(self.marks, text), tuple(self.atoms))
        self._reset()
        return line


def _tidy(marks: list[Mark], text: str) -> tuple[Mark, ...]:
    """Marks inside the text, without white space at their ends, in reading order, outer before inner."""
    if not marks:
        return ()
    result: list[Mark] = []
    size, before, ordered = len(text), (-1, 0), True
    for mark in marks:
        start, end = trimmed(text, mark[1], min(mark[2], size))
        if start < end:
            result.append(mark if end == mark[2] and start == mark[1] else moved(mark, start, end))
            ordered = ordered and before <= (start, -end)
            before = (start, -end)
    if not ordered:
        result.sort(key=_outer_first)
    return tuple(result)


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end
