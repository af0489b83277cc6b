"""What stands in what: spans around places, cells in rows, marks inside marks. Shared by the renderings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from wrac.core.types import Document, HtmlAddress, Mark, MarkKind, Place

_MOST_COLUMNS: Final = 200  # a table declared wider shows its source cells only: column spans are cheap to write
_DD: Final = re.compile(r"(?:.* )?dd\b[^ ]*")
_JOINS: Final = frozenset[MarkKind](("code", "strong", "em"))


class Pen(NamedTuple):
    """How a rendering writes a line: its text at the start and after a mark, its marks.

    `atom` takes the text and the range of a mark whose content is written whole, and gives None for any other mark.
    `pair` takes the text and the range of these, and gives what opens and closes it, None where it cannot be drawn.
    `holds`, where not every pair does, takes the pieces, the position of an opener among them and the character that
    follows in the text, and says whether the pair will be read as one.
    """

    start: Callable[[str], str]
    plain: Callable[[str], str]
    atom: Callable[[str, Mark, int, int], str | None]
    pair: Callable[[str, Mark, int, int], tuple[str, str] | None]
    holds: Callable[[list[str], int, str], bool] | None = None


class _Open(NamedTuple):
    """A mark that is open: where it ends here, what closes it, and where its opener is among the pieces."""

    mark: Mark
    end: int
    closer: str
    at: int


def innermost(document: Document) -> list[int]:
    """The index of the innermost span around each place, -1 when there is none."""
    result = []
    open_: list[int] = []
    spans, following = document.spans, 0
    for ordinal in range(len(document.places)):
        while following < len(spans) and spans[following].first <= ordinal:
            open_.append(following)
            following += 1
        while open_ and spans[open_[-1]].last < ordinal:
            open_.pop()
        result.append(open_[-1] if open_ else -1)
    return result


def leading(marked: Iterable[int], rows: Iterable[int]) -> list[int]:
    """The rows at a table's top that are marked as its header."""
    heads, found = frozenset(marked), []
    for ordinal in rows:
        if ordinal not in heads:
            break
        found.append(ordinal)
    return found


def by_cell(marks: Sequence[Mark], length: int) -> list[tuple[Mark, list[Mark]]]:
    """The cells of a row's text, left to right, and the other marks that reach into each."""
    cells = [mark for mark in marks if mark.kind == "cell"] or [Mark("cell", 0, length)]
    result: list[tuple[Mark, list[Mark]]] = [(cell, []) for cell in cells]
    ends = [cell.end for cell in cells]
    for mark in marks:
        if mark.kind != "cell":
            at = bisect_right(ends, mark.start)
            while at < len(result) and result[at][0].start < mark.end:
                result[at][1].append(mark)
                at += 1
    return result


def expanded(
    rows: Sequence[int], groups: Iterable[int], cells: Callable[[int], Sequence[tuple[str, Mark]]]
) -> dict[int, list[str]]:
    """The contents of a table's rows with row and column spans expanded; `groups` are where row groups begin."""
    starts = frozenset(groups)
    hanging: dict[int, tuple[int, str]] = {}
    result: dict[int, list[str]] = {}
    for ordinal in rows:
        if ordinal in starts:
            hanging = {}
        row = cells(ordinal)
        wide = sum(mark.cols for _, mark in row) + len(hanging) > _MOST_COLUMNS
        result[ordinal] = [content for content, _ in row] if wide else _expand(row, hanging)
    return result


def _expand(cells: Sequence[tuple[str, Mark]], hanging: dict[int, tuple[int, str]]) -> list[str]:
    """A row's cells, spans expanded; `hanging` maps a column to (rows still covered, content), updated in place."""
    row: list[str] = []
    fresh: dict[int, tuple[int, str]] = {}

    def hang() -> None:
        while (column := len(row)) in hanging:
            left, content = hanging[column]
            row.append(content)
            if left == 1:
                del hanging[column]
            else:
                hanging[column] = (left - 1, content)

    for content, cell in cells:
        hang()
        for _ in range(cell.cols):
            if cell.rows != 1:
                fresh[len(row)] = (cell.rows - 1, content)
            row.append(content)
    hang()
    hanging.update(fresh)
    return row


def parted(last: str, following: str) -> bool:
    """Whether a definition is another one, not a later paragraph of the last one or of the one around it."""
    return bool(last and following) and last != following and not last.startswith(f"{following} ")


def description_of(place: Place) -> str:
    """The selector of the `dd` that a place is in, "" where its address names none."""
    within = _DD.match(place.address.selector) if isinstance(place.address, HtmlAddress) else None
    return within[0] if within else ""


def drawn(text: str, marks: Sequence[Mark], cut: tuple[int, int], pen: Pen) -> str:
    """The range `cut` of a text with its marks, from the outside in, in one pass with a stack of what is open.

    A mark that crosses another is clipped to it, one inside of its own kind is not drawn, and neighbours of a kind
    are drawn as one: any marks give well-formed markup.
    """
    outer_first = joined(marks) if len(marks) > 1 else marks
    shown, broken = _draw(text, outer_first, cut, pen)
    if broken:  # without them the text around is one piece, and is written anew
        shown, broken = _draw(text, [mark for mark in outer_first if mark not in broken], cut, pen)
    if broken:
        shown, broken = _draw(text, [mark for mark in outer_first if mark.kind not in _JOINS], cut, pen)
    return shown


def _draw(text: str, marks: Iterable[Mark], cut: tuple[int, int], pen: Pen) -> tuple[str, set[Mark]]:
    """The text with its marks, and those of them that would not be read as such."""
    at, end = cut
    pieces: list[str] = []
    broken: set[Mark] = set()
    open_: list[_Open] = []

    def close(outer: _Open) -> int:
        _write(pieces, text[at : outer.end], pen)
        empty = len(pieces) - 1 == outer.at
        if empty or (pen.holds and not pen.holds(pieces, outer.at, text[outer.end : outer.end + 1])):
            broken.add(outer.mark)
        pieces.append(outer.closer)
        return max(at, outer.end)

    for mark in marks:
        while open_ and open_[-1].end <= mark.start:
            at = close(open_.pop())
        begin, last = max(mark.start, at), min(mark.end, open_[-1].end if open_ else end)
        if last <= begin or any(mark.kind == outer.mark.kind for outer in open_):
            continue
        if (atom := pen.atom(text, mark, begin, last)) is not None:
            _write(pieces, text[at:begin], pen)
            pieces.extend([atom] if atom else ())
            at = last
        elif (pair := pen.pair(text, mark, begin, last)) is not None:
            _write(pieces, text[at:begin], pen)
            at = begin
            open_.append(_Open(mark, last, pair[1], len(pieces)))
            pieces.append(pair[0])
    while open_:
        at = close(open_.pop())
    _write(pieces, text[at:end], pen)
    return "".join(pieces), broken


def _write(pieces: list[str], piece: str, pen: Pen) -> None:
    if piece:
        pieces.append(pen.plain(piece) if pieces else pen.start(piece))


def joined(marks: Iterable[Mark]) -> list[Mark]:
    """The marks from the outside in; those of a kind that touch or overlap as one."""
    result: list[Mark] = []
    latest: dict[MarkKind, int] = {}
    for mark in sorted(marks, key=_outer_first):
        number = latest.get(mark.kind, -1) if mark.kind in _JOINS else -1
        if number >= 0 and result[number].end >= mark.start:
            result[number] = result[number]._replace(end=max(result[number].end, mark.end))
        else:
            latest[mark.kind] = len(result)
            result.append(mark)
    result.sort(key=_outer_first)
    return result


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end
