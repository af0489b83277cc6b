"""What is drawn on a PDF page beside its text: rules and frames of tables, bullets, pictures."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from pypdfium2 import raw  # type: ignore[import-untyped,unused-ignore]

Handle: TypeAlias = Any
"""A pointer of pdfium's."""
Box: TypeAlias = tuple[float, float, float, float]
View: TypeAlias = Callable[[float, float, float, float], Box]

MAX_OBJECTS: Final = 20_000
"""Objects of one page that are looked at: beyond them it is a drawing, and its lines are no table's."""
_MAX_SEGMENTS: Final = 2_000
_THIN: Final = 3.0
_STRAIGHT: Final = 0.7
_DOT: Final = 8.0


class Rule(NamedTuple):
    """A straight line across (`at` is its y) or down (`at` is its x), from `start` to `end`."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class Drawn:
    """Rules across and down, small round marks, pictures as boxes; `shapes` counts everything drawn."""

    across: list[Rule] = field(default_factory=list)
    down: list[Rule] = field(default_factory=list)
    dots: list[Box] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)
    shapes: int = 0


class _Matrix(NamedTuple):
    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def point(self, x: float, y: float) -> tuple[float, float]:
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def after(self, first: _Matrix) -> _Matrix:
        """The matrix that applies `first`, then this one."""
        e, f = self.point(first.e, first.f)
        return _Matrix(
            self.a * first.a + self.c * first.b,
            self.b * first.a + self.d * first.b,
            self.a * first.c + self.c * first.d,
            self.b * first.c + self.d * first.d,
            e,
            f,
        )


def drawn_on(page: Handle, view: View) -> Drawn:
    """Everything drawn on a page; `view` turns user space to the page as shown."""
    drawn = Drawn()
    for piece, matrix in _objects(page):
        kind = raw.FPDFPageObj_GetType(piece)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            drawn.pictures.append(_bounds(piece, matrix, view))
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            drawn.shapes += 1
            _path(piece, matrix, view, drawn)
    return drawn


def _objects(page: Handle) -> Iterator[tuple[Handle, _Matrix]]:
    """The page's objects and those inside its forms, with the matrix around them."""
    count = min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)
    stack = [(raw.FPDFPage_GetObject(page, index), _Matrix(), 0) for index in range(count - 1, -1, -1)]
    seen = 0
    while stack and seen < MAX_OBJECTS:
        piece, matrix, depth = stack.pop()
        seen += 1
        if raw.FPDFPageObj_GetType(piece) == raw.FPDF_PAGEOBJ_FORM and depth < 8:
            inner = matrix.after(_matrix_of(piece))
            inside = min(raw.FPDFFormObj_CountObjects(piece), MAX_OBJECTS)
            stack.extend((raw.FPDFFormObj_GetObject(piece, n), inner, depth + 1) for n in range(inside - 1, -1, -1))
        else:
            yield piece, matrix


def _matrix_of(piece: Handle) -> _Matrix:
    found = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(piece, found)
    return _Matrix(found.a, found.b, found.c, found.d, found.e, found.f)


def _bounds(piece: Handle, matrix: _Matrix, view: View) -> Box:
    sides = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(piece, *sides)
    left, bottom, right, top = (side.value for side in sides)
    xs, ys = zip(*(matrix.point(x, y) for x in (left, right) for y in (bottom, top)), strict=True)
    return view(min(xs), min(ys), max(xs), max(ys))


def _path(piece: Handle, matrix: _Matrix, view: View, drawn: Drawn) -> None:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(piece, fill, stroke)
    segments = raw.FPDFPath_CountSegments(piece)
    if not (fill.value or stroke.value) or segments > _MAX_SEGMENTS:
        return
    box = _bounds(piece, matrix, view)
    wide, high = box[2] - box[0], box[3] - box[1]
    if _thin(box, drawn):
        return
    if wide < _DOT and high < _DOT:
        if wide > 1 and high > 1:
            drawn.dots.append(box)
        return
    for x0, y0, x1, y1 in _sides(piece, segments, matrix.after(_matrix_of(piece)), view):
        if abs(x1 - x0) <= _STRAIGHT < abs(y1 - y0):
            drawn.down.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
        elif abs(y1 - y0) <= _STRAIGHT < abs(x1 - x0):
            drawn.across.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))


def _thin(box: Box, drawn: Drawn) -> bool:
    """Whether a drawing is one rule, which is then kept."""
    x0, y0, x1, y1 = box
    if y1 - y0 <= _THIN < x1 - x0:
        drawn.across.append(Rule((y0 + y1) / 2, x0, x1))
    elif x1 - x0 <= _THIN < y1 - y0:
        drawn.down.append(Rule((x0 + x1) / 2, y0, y1))
    else:
        return False
    return True


def _sides(piece: Handle, segments: int, matrix: _Matrix, view: View) -> Iterator[Box]:
    """The straight sides of a path, from point to point as shown."""
    x, y = ctypes.c_float(), ctypes.c_float()
    start = at = (0.0, 0.0)
    for index in range(segments):
        segment = raw.FPDFPath_GetPathSegment(piece, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        user = matrix.point(x.value, y.value)
        point = view(*user, *user)[:2]
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = point
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield (*at, *point)
        at = point
        if raw.FPDFPathSegment_GetClose(segment) and at != start:
            yield (*at, *start)
            at = start
