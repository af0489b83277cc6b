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


class Line(NamedTuple):
    """A finished line."""

    text: str
    marks: tuple[Mark, ...]
    atoms: tuple[Atom, ...]

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
            yield atom, self._replace(marks=tuple(open_))._cut(atom.start, atom.end)

    def _cut(self, start: int, end: int) -> Line:
        end = min(end, len(self.text))
        while end > start and self.text[end - 1] in " \n":
            end -= 1
        while start < end and self.text[start] in " \n":
            start += 1
        marks = tuple(
            mark._replace(start=max(mark.start, start) - start, end=min(mark.end, end) - start)
            for mark in self.marks
            if mark.start < end and mark.end > start
        )
        return Line(self.text[start:end], marks, ())


class Run:
    """Collects the text between two block edges."""

    __slots__ = ("atoms", "frame", "last", "length", "marks", "open", "pieces", "raw", "start")

    def __init__(self) -> None:
        self.open: list[list[Any]] = []
        self._reset()

    def _reset(self) -> None:
        self.pieces: list[str] = []
        self.length = 0
        self.last = ""
        self.raw = False
        self.marks: list[Mark] = []
        self.atoms: list[Atom] = []
        self.start: Any = None
        self.frame: Any = None
        for mark in self.open:
            mark[2] = 0

    def add(self, text: str) -> bool:
        """Adds source text with its white space collapsed; False when nothing of it shows."""
        if not text.isprintable() or "  " in text:
            text = _SPACES.sub(" ", text)
        if text[:1] == " " and self.last in ("", " ", "\n"):
            text = text[1:]
        if not text:
            return False
        self.raw = False
        self._push(text)
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
        self.last = text[-1]

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
            self.marks.append(Mark(kind, start, self.length, value))

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
                self.marks.append(Mark(kind, start, self.length, value))
        text = "".join(self.pieces)
        text = text.removesuffix("\n") if self.raw else text.rstrip(" \n")
        line = Line(text, _tidy(self.marks, text), tuple(self.atoms))
        self._reset()
        return line


def _tidy(marks: list[Mark], text: str) -> tuple[Mark, ...]:
    """Marks inside the text, without white space at their ends, in reading order, outer before inner."""
    if not marks:
        return ()
    result = []
    size = len(text)
    for mark in marks:
        _, start, end, *_ = mark
        end = min(end, size)
        while end > start and text[end - 1] in " \n":
            end -= 1
        while start < end and text[start] in " \n":
            start += 1
        if start < end:
            result.append(mark if (start, end) == (mark.start, mark.end) else mark._replace(start=start, end=end))
    result.sort(key=lambda mark: (mark.start, -mark.end))
    return tuple(result)
