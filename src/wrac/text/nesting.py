"""What stands in what: the span around each place, marks inside marks. Shared by the renderings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from wrac.core.types import Document, Mark, MarkKind

_JOINS: Final = frozenset[MarkKind](("code", "strong", "em"))


class Pen(NamedTuple):
    """How a rendering writes a line: its text at the start and after a mark, its marks.

    `atom` takes the text and the range of a mark whose content is written whole, and gives None for any other mark.
    `pair` takes the text and the range of these, and gives what opens and closes it, None where it cannot be drawn.
    `holds` takes the pieces, the position of an opener among them and the character that follows in the text, and
    says whether the pair will be read as one; a pair of another kind than `_JOINS` always is.
    """

    start: Callable[[str], str]
    plain: Callable[[str], str]
    atom: Callable[[str, Mark, int, int], str | None]
    pair: Callable[[str, Mark, int, int], tuple[str, str] | None]
    holds: Callable[[list[str], int, str], bool]


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
        if len(pieces) - 1 == outer.at or not pen.holds(pieces, outer.at, text[outer.end : outer.end + 1]):
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
