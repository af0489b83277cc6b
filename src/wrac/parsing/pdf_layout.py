"""The reading order of a PDF page: lines of text and tables, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final, TypeAlias

from wrac.parsing.pdf_read import Sheet
from wrac.parsing.pdf_rows import Cell, baselines, columns_of, in_columns, infer_rows, is_code
from wrac.parsing.pdf_tables import Table, open_tables
from wrac.parsing.pdf_text import Line, Word

Piece: TypeAlias = Line | Table

MARKER: Final = re.compile(
    r"[•◦▪▫‣⁃∙·●○■□➢➤✓✔❖◆▶►▸∗⁎◼◾❍⦁➔➜\uf0b7\uf0a7\uf0d8\uf0fc\uf076*–—-]|o|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlIVXL]{1,5})[.)]|\[\d+\]|\d{1,3}"
)
_DEPTH: Final = 3
_LEADER: Final = re.compile(r"(?:[.·…] ?){4,}\s*(?:\d+|[ivxlc]+)?$")


@dataclass(slots=True)
class _Gutter:
    """A white strip between columns: its sides, and its first and last row with text on both."""

    x0: float
    x1: float
    first: int
    last: int


def edge_lines(sheet: Sheet, tables: Sequence[Table], words: Sequence[Word]) -> tuple[list[Line], list[Line]]:
    """The outermost lines at the top and at the bottom of a page, from its edge inwards, outside of its tables."""
    inside = {word.at for table in tables for word in table.words}
    free = [word for word in words if not word.font.turn and word.at not in inside]
    lines = [Line.of(sheet.number, row) for row in baselines(free)]
    highest = min((table.box[1] for table in tables), default=sheet.height)
    lowest = max((table.box[3] for table in tables), default=0.0)
    top = [line for line in lines[:_DEPTH] if line.middle < min(highest, sheet.height / 2)]
    return top, [line for line in reversed(lines[-_DEPTH:]) if line.middle > max(lowest, sheet.height / 2)]


def arrange(sheet: Sheet, tables: Sequence[Table], words: Sequence[Word]) -> list[Piece]:
    """The lines and tables of a page as they are read; `words` are those outside of the tables that rules show."""
    upright = [word for word in words if not word.font.turn]
    turned = [word for word in words if word.font.turn]
    tables = [*tables, *open_tables(sheet.number, sheet.drawn, tables, upright)]
    inside = {word.at for table in tables for word in table.words}
    upright = [word for word in upright if word.at not in inside]
    rows = _loose_tables(sheet.number, _rows([*_segments(sheet.number, upright), *tables]))
    return [*_ordered(rows), *_turned(sheet.number, turned)]


def _segments(page: int, words: Sequence[Word]) -> list[Line]:
    """Words that follow each other in the file on one baseline, without a wide gap."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and _follows(groups[-1][-1], word):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [Line.of(page, group) for group in groups]


def _follows(before: Word, word: Word) -> bool:
    size = max(before.font.size, word.font.size, 1)
    gap = max(word.x0 - before.x1, before.x0 - word.x1)
    if not -0.6 * size < gap < 0.9 * size:
        return False
    if abs(word.y - before.y) < 0.3 * size:
        return True
    overlap = min(word.y1, before.y1) - max(word.y0, before.y0)
    return word.font.size != before.font.size and overlap > 0.35 * min(word.y1 - word.y0, before.y1 - before.y0)


def _rows(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces by height, those of one baseline in one row from left to right; a table by its top."""
    rows: list[list[Piece]] = []
    at = 0.0
    for height, piece in sorted(((_height(piece), piece) for piece in pieces), key=lambda item: item[0]):
        size = piece.size if isinstance(piece, Line) else 1.0
        if rows and height - at < 0.4 * size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
            at = height
    return [_merged(sorted(row, key=_left)) for row in rows]


def _height(piece: Piece) -> float:
    return piece.middle if isinstance(piece, Line) else piece.box[1]


def _left(piece: Piece) -> float:
    return piece.x0 if isinstance(piece, Line) else piece.box[0]


def _right(piece: Piece) -> float:
    return piece.x1 if isinstance(piece, Line) else piece.box[2]


def _merged(row: list[Piece]) -> list[Piece]:
    """The row with neighbours joined that a space parts, whatever their order in the file."""
    result: list[Piece] = []
    for piece in row:
        last = result[-1] if result else None
        if isinstance(piece, Line) and isinstance(last, Line) and piece.x0 - last.x1 < 0.5 * piece.size:
            result[-1] = Line.of(piece.page, [*last.words, *piece.words])
        else:
            result.append(piece)
    return result


# -- white strips


def _gutters(rows: Sequence[Sequence[Piece]], least: int = 3) -> list[_Gutter]:
    """White strips at least so many rows high, with text on both sides."""
    open_: list[_Gutter] = []
    closed: list[_Gutter] = []
    for number, row in enumerate(rows):
        wide = max(6.0, 0.6 * max((piece.size for piece in row if isinstance(piece, Line)), default=0.0))
        rights = list(accumulate(map(_right, row), max))
        free = [(right, _left(piece)) for right, piece in zip(rights, row[1:], strict=False)]
        start, end = _left(row[0]), rights[-1]
        kept = []
        for gutter in open_:
            if gutter.x1 <= start or gutter.x0 >= end:
                kept.append(gutter)
                continue
            fits = [(max(x0, gutter.x0), min(x1, gutter.x1)) for x0, x1 in (*free, (-1e9, start), (end, 1e9))]
            x0, x1 = max(fits, key=lambda span: span[1] - span[0])
            if x1 - x0 < wide:
                closed.append(gutter)
                continue
            gutter.x0, gutter.x1 = x0, x1
            if start < x0 and x1 < end:
                gutter.last = number
            kept.append(gutter)
        for x0, x1 in free:
            if x1 - x0 >= wide and not any(gutter.x0 < x1 and x0 < gutter.x1 for gutter in kept):
                kept.append(_Gutter(x0, x1, number, number))
        open_ = kept
    return [gutter for gutter in (*closed, *open_) if gutter.last - gutter.first >= least - 1]


def _sides(rows: Sequence[Sequence[Piece]], gutter: _Gutter) -> tuple[list[Line], list[Line]]:
    """The lines left and right of a strip, beside it."""
    near = [piece for row in rows[gutter.first : gutter.last + 1] for piece in row if isinstance(piece, Line)]
    return [p for p in near if p.x1 <= gutter.x0 + 0.1], [p for p in near if p.x0 >= gutter.x1 - 0.1]


def _is_columns(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether both sides are text that flows: by the order in the file, or by how their lines are filled."""
    if min(len(left), len(right)) < 3 or _markers(left):
        return False
    apart = max(p.words[0].at for p in left) < min(p.words[0].at for p in right)
    if apart and len(left) + len(right) > 6 and all(_chars(side) > 8 for side in (left, right)):
        return True
    return _flows(left) and _flows(right)


def _chars(side: Sequence[Line]) -> float:
    return sum(len(line.text) for line in side) / len(side)


def _flows(side: Sequence[Line]) -> bool:
    wide = max(line.x1 for line in side) - min(line.x0 for line in side)
    full = sum(line.x1 - line.x0 > 0.66 * wide for line in side)
    inside = sum(line.text[0].isalpha() and not line.text[0].isupper() for line in side)  # of a sentence
    return _chars(side) >= 18 and full * 2 >= len(side) and inside * 10 >= 3 * len(side)


def _markers(side: Sequence[Line]) -> bool:
    return sum(bool(MARKER.fullmatch(line.text)) for line in side) * 2 > len(side)


# -- tables without rules


def _loose_tables(page: int, rows: list[list[Piece]]) -> list[list[Piece]]:
    """The rows with tables in place of the pieces that make them."""
    rows = _banded(rows)
    result = list(rows)
    bounds = [-1, *(n for n, row in enumerate(rows) if _heads(row, rows[n + 1 : n + 3])), len(rows)]
    found: list[tuple[int, int]] = []
    for before, after in pairwise(bounds):
        part = rows[before + 1 : after]
        strips = [gutter for gutter in _gutters(part, 2) if _is_tabular(part, gutter)]
        found += [(before + 1 + first, before + 1 + last) for first, last in _united(strips)]
    for first, last in found:
        pieces = [piece for row in rows[first : last + 1] for piece in row]
        if not all(isinstance(piece, Line) for piece in pieces):
            continue
        table = _loose_table(page, [piece for piece in pieces if isinstance(piece, Line)])
        if table is not None:
            result[first] = [table]
            result[first + 1 : last + 1] = [[] for _ in range(last - first)]
    return _rows(piece for row in result for piece in row)


def _heads(row: Sequence[Piece], after: Sequence[Sequence[Piece]]) -> bool:
    """Whether a row is one line larger than those after it, which no table has in its middle."""
    sizes = [piece.size for pieces in after for piece in pieces if isinstance(piece, Line)]
    only = row[0]
    return len(row) == 1 and isinstance(only, Line) and bool(sizes) and only.size > 1.08 * max(sizes)


def _banded(rows: Sequence[Sequence[Piece]]) -> list[list[Piece]]:
    """The rows with those joined that reach into one another, as the lines of a cell beside one that is centred."""
    result: list[list[Piece]] = []
    for row in rows:
        before = result[-1] if result else []
        if before and min(map(_bottom, before)) - _above(row) > 0.35 * min(map(_tall, (*before, *row))):
            before.extend(row)
            before.sort(key=_left)
        else:
            result.append(list(row))
    return result


def _above(row: Sequence[Piece]) -> float:
    return min(piece.y0 if isinstance(piece, Line) else piece.box[1] for piece in row)


def _bottom(piece: Piece) -> float:
    return piece.y1 if isinstance(piece, Line) else piece.box[3]


def _tall(piece: Piece) -> float:
    return piece.y1 - piece.y0 if isinstance(piece, Line) else piece.box[3] - piece.box[1]


def _is_tabular(rows: Sequence[Sequence[Piece]], gutter: _Gutter) -> bool:
    left, right = _sides(rows, gutter)
    if not left or not right or _markers(left) or _is_columns(left, right):
        return False
    beside = rows[gutter.first : gutter.last + 1]
    both = sum(min(map(_left, row)) < gutter.x0 and max(map(_right, row)) > gutter.x1 for row in beside)
    if not _aligned(beside, gutter):
        return False
    leaders = sum(bool(_LEADER.search(line.text)) for line in (*left, *right))
    return both >= 2 and both * 2 >= len(beside) and leaders * 4 < both


def _aligned(rows: Sequence[Sequence[Piece]], gutter: _Gutter) -> bool:
    """Whether what stands right of a strip begins or ends at one place in most rows, as cells do and words do not."""
    beyond = [[piece for piece in row if _left(piece) >= gutter.x1 - 0.1] for row in rows]
    right = [min(pieces, key=_left) for pieces in beyond if pieces]
    sides = [[round(_left(piece)) for piece in right], [round(_right(piece)) for piece in right]]
    sides.append([round((_left(piece) + _right(piece)) / 2) for piece in right])
    return any(sum(abs(x - most) <= 1 for x in side) * 10 >= 6 * len(side) for side in sides for most in side)


def _united(strips: Sequence[_Gutter]) -> list[tuple[int, int]]:
    """The ranges of rows that strips side by side cover together."""
    result: list[tuple[int, int]] = []
    for first, last in sorted((strip.first, strip.last) for strip in strips):
        if result and first <= result[-1][1]:
            result[-1] = result[-1][0], max(result[-1][1], last)
        else:
            result.append((first, last))
    return result


def _loose_table(page: int, lines: Sequence[Line]) -> Table | None:
    words = [word for line in lines for word in line.words]
    box = (
        min(line.x0 for line in lines) - 1,
        min(line.y0 for line in lines),
        max(line.x1 for line in lines) + 1,
        max(line.y1 for line in lines),
    )
    if is_code(words):
        return None
    bounds = columns_of(words, box)
    rows = infer_rows(page, words, bounds)
    few = len(rows) < 3 and not (len(rows) == 2 and len(bounds) > 3 and _bold(rows[0]) and not _bold(rows[1]))
    if len(bounds) < 3 or few or not in_columns(rows) or sum(len(row) < 2 for row in rows) * 3 > len(rows):
        return None
    headed = _bold(rows[0]) and not all(map(_bold, rows[1:]))
    return Table(page, box, bounds, rows, int(headed), words)


def _bold(row: Sequence[Cell]) -> bool:
    return all(line.bold for cell in row for line in cell.lines)


# -- order


def _ordered(rows: list[list[Piece]]) -> list[Piece]:
    """The pieces row by row; where text flows in columns, column by column."""
    strips = [gutter for gutter in _gutters(rows) if _is_columns(*_sides(rows, gutter))]
    if not strips:
        return [piece for row in rows for piece in _lines(row)]
    pieces = [piece for row in _cut(rows, strips) for piece in row]
    by_file = sorted(pieces, key=_index)
    if _reads_well(by_file):
        return by_file
    return _by_columns(rows, strips)


def _index(piece: Piece) -> int:
    return min(word.at for word in piece.words) if isinstance(piece, Line) else piece.first()


def _lines(row: Sequence[Piece]) -> list[Piece]:
    """The pieces of a row that no strip parts: its lines as one."""
    lines = [piece for piece in row if isinstance(piece, Line)]
    others = [piece for piece in row if not isinstance(piece, Line)]
    if len(lines) < 2:
        return list(row)
    if others:
        return sorted([*lines, *others], key=_left)
    return [Line.of(lines[0].page, [word for line in lines for word in line.words])]


def _cut(rows: list[list[Piece]], strips: Sequence[_Gutter]) -> list[list[Piece]]:
    """The rows with the pieces of one column joined to a line."""
    result = []
    for number, row in enumerate(rows):
        near = sorted(s.x0 for s in strips if s.first <= number <= s.last)
        columns: dict[int, list[Piece]] = {}
        for piece in row:
            columns.setdefault(sum(x < (_left(piece) + _right(piece)) / 2 for x in near), []).append(piece)
        result.append([piece for column in sorted(columns) for piece in _lines(columns[column])])
    return result


def _reads_well(pieces: Sequence[Piece]) -> bool:
    """Whether an order goes down the columns: few steps go up but to a column further right."""
    wrong = 0
    for before, after in pairwise(pieces):
        up = _height(after) < _height(before) - 2
        if up and _left(after) < _right(before) - 5 and not _left(after) > _left(before) + 50:
            wrong += 1
        elif abs(_height(after) - _height(before)) < 2 and _left(after) > _right(before):
            wrong += 1  # across the page, line by line
    return wrong <= max(2, len(pieces) // 25)


def _by_columns(rows: list[list[Piece]], strips: Sequence[_Gutter]) -> list[Piece]:
    result: list[Piece] = []
    done = 0
    for first, last in _united(strips):
        result += [piece for row in rows[done:first] for piece in _lines(row)]
        near = sorted(s.x0 for s in strips if s.first <= last and first <= s.last)
        columns: list[list[list[Piece]]] = [[] for _ in range(len(near) + 1)]
        for row in rows[first : last + 1]:
            parts: dict[int, list[Piece]] = {}
            for piece in row:
                parts.setdefault(sum(x < (_left(piece) + _right(piece)) / 2 for x in near), []).append(piece)
            for column, part in parts.items():
                columns[column].append(part)
        result += [piece for column in columns for part in column for piece in _lines(part)]
        done = last + 1
    return result + [piece for row in rows[done:] for piece in _lines(row)]


def _turned(page: int, words: Sequence[Word]) -> list[Line]:
    """Text that is not upright: what follows on one line in the file."""
    groups: list[list[Word]] = []
    for word in words:
        last = groups[-1][-1] if groups else None
        if last and last.at == word.at - 1 and last.font.turn == word.font.turn and _beside(last, word):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [Line.of(page, group) for group in groups]


def _beside(before: Word, word: Word) -> bool:
    size = max(before.font.size, 1)
    near_x = max(word.x0 - before.x1, before.x0 - word.x1) < size
    near_y = max(word.y0 - before.y1, before.y0 - word.y1) < size
    return near_x and near_y
