"""Tables of a PDF page: by the rules drawn around cells, by rules above and below, or by columns of aligned text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from wrac.parsing.pdf_drawn import Box, Drawn, Rule
from wrac.parsing.pdf_rows import (
    Cell,
    baselines,
    columns_of,
    in_columns,
    infer_rows,
    is_code,
    lines_of,
    slot,
    stretches,
)
from wrac.parsing.pdf_text import Line, Word

_NEAR: Final = 3.0
_MAX_RULES: Final = 600
"""Rules of one page in one direction; what has more is a drawing."""


@dataclass(slots=True)
class Table:
    """Rows of cells from top to bottom; the first `headers` rows head the others. `bounds` parts the columns."""

    page: int
    box: Box
    bounds: list[float]
    rows: list[list[Cell]]
    headers: int = 0
    words: list[Word] = field(default_factory=list)

    def lines(self) -> list[Line]:
        """The lines of its cells."""
        return [line for row in self.rows for cell in row for line in cell.lines]

    def first(self) -> int:
        """The index of its first word in the file."""
        return min(word.at for word in self.words)


class Grid(NamedTuple):
    """Rules that touch: the rules, and the places of their lines down and across."""

    across: list[Rule]
    down: list[Rule]
    xs: list[float]
    ys: list[float]


def ruled_tables(page: int, drawn: Drawn, words: Sequence[Word]) -> list[Table]:
    """The tables that rules show, from top to bottom; no word is in two."""
    across, down = _merged(drawn.across), _merged(drawn.down)
    if len(across) > _MAX_RULES or len(down) > _MAX_RULES:
        return []
    words = sorted(words, key=_height)
    tables: list[Table] = []
    used: set[int] = set()
    grids = _grids(across, down)
    for grid in sorted(grids, key=lambda grid: len(grid.xs) * len(grid.ys), reverse=True):
        table = _from_grid(page, grid, [word for word in words if word.at not in used])
        if table is not None:
            tables.append(table)
            used.update(word.at for word in table.words)
    framed = {rule for grid in grids for rule in grid.across}
    free = [rule for rule in across if rule not in framed]
    tables += _between(page, free, [word for word in words if word.at not in used])
    return sorted(tables, key=lambda table: (table.box[1], table.box[0]))


def _inside(rule: Rule, box: Box) -> bool:
    return box[1] - _NEAR <= rule.at <= box[3] + _NEAR and box[0] - _NEAR <= rule.start and rule.end <= box[2] + _NEAR


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    """Rules on one line as one, where they touch; those that are drawn twice, once."""
    result: list[Rule] = []
    line: list[Rule] = []
    for rule in sorted(rules):
        if line and rule.at - line[0].at > 1.6:
            result += _joined(line)
            line = []
        line.append(rule)
    return result + _joined(line)


def _joined(line: list[Rule]) -> list[Rule]:
    result: list[Rule] = []
    for rule in sorted(line, key=lambda rule: rule.start):
        if result and rule.start - result[-1].end <= _NEAR:
            before = result[-1]
            result[-1] = Rule(before.at, before.start, max(before.end, rule.end))
        else:
            result.append(rule)
    return result


def _grids(across: list[Rule], down: list[Rule]) -> list[Grid]:
    """The groups of rules that touch one another, across and down."""
    owner = list(range(len(across) + len(down)))

    def root(n: int) -> int:
        while owner[n] != n:
            owner[n] = owner[owner[n]]
            n = owner[n]
        return n

    for i, h in enumerate(across):
        for j, v in enumerate(down, len(across)):
            if h.start - _NEAR <= v.at <= h.end + _NEAR and v.start - _NEAR <= h.at <= v.end + _NEAR:
                owner[root(j)] = root(i)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for n, rule in enumerate((*across, *down)):
        groups.setdefault(root(n), ([], []))[n >= len(across)].append(rule)
    return [
        Grid(hs, vs, _places([*(v.at for v in vs), *_ends(hs)]), _places([*(h.at for h in hs), *_ends(vs)]))
        for hs, vs in groups.values()
        if len(hs) > 1 and vs
    ]


def _ends(rules: list[Rule]) -> tuple[float, float]:
    return min(rule.start for rule in rules), max(rule.end for rule in rules)


def _places(values: Iterable[float]) -> list[float]:
    result: list[float] = []
    for value in sorted(values):
        if not result or value - result[-1] > _NEAR:
            result.append(value)
    return result


def _within(words: Sequence[Word], box: Box) -> list[Word]:
    """The words whose middle is in a box; `words` are ordered by height."""
    x0, y0, x1, y1 = box
    return [word for word in _beside(words, y0, y1) if x0 <= word.x <= x1]


def _beside(words: Sequence[Word], y0: float, y1: float) -> Sequence[Word]:
    """The words between two heights, of words ordered by height."""
    return words[bisect_left(words, y0, key=_height) : bisect_right(words, y1, key=_height)]


def _height(word: Word) -> float:
    return word.y


def _from_grid(page: int, grid: Grid, words: Sequence[Word]) -> Table | None:
    xs, ys = grid.xs, grid.ys
    if len(xs) < 2 or len(ys) < 2:
        return None
    box = (xs[0], ys[0], xs[-1], ys[-1])
    held = _within(words, box)
    if len(xs) == 2:
        return _from_slices(page, box, ys, held) if len(ys) > 2 else None  # a frame alone makes no table
    rows = _rows_of_slices(page, ys, xs, held) if len(ys) <= 3 else _cells_of_grid(page, grid, held)
    return _checked(Table(page, box, xs, rows, words=held))


def _cells_of_grid(page: int, grid: Grid, words: Sequence[Word]) -> list[list[Cell]]:
    """One row between two rules; a cell goes on where no rule ends it."""
    xs, ys = grid.xs, grid.ys
    parts: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        x, y = word.x, word.y
        parts.setdefault((slot(ys, y), slot(xs, x)), []).append(word)
    above: dict[int, Cell] = {}
    rows = []
    for r in range(len(ys) - 1):
        row: list[Cell] = []
        middle = (ys[r] + ys[r + 1]) / 2
        c = 0
        while c < len(xs) - 1:
            cols = 1
            while c + cols < len(xs) - 1 and not _covers(grid.down, xs[c + cols], middle):
                cols += 1
            inside = [word for k in range(c, c + cols) for word in parts.get((r, k), ())]
            whole = (xs[c] + xs[c + cols]) / 2
            if c in above and above[c].cols == cols and not _covers(grid.across, ys[r], whole):
                above[c].rows += 1
                above[c].lines += lines_of(page, inside)
            else:
                above[c] = Cell(c, lines_of(page, inside), cols)
                row.append(above[c])
            c += cols
        rows.append(row)
    return rows


def _covers(rules: Iterable[Rule], at: float, through: float) -> bool:
    return any(abs(rule.at - at) <= _NEAR and rule.start - 1 <= through <= rule.end + 1 for rule in rules)


# -- rules above and below


def _between(page: int, rules: Sequence[Rule], words: Sequence[Word]) -> list[Table]:
    """Tables between rules of the same extent, as in books."""
    tables: list[Table] = []
    groups: list[list[Rule]] = []
    for rule in sorted(rules):
        if rule.end - rule.start < 60:
            continue
        for group in groups:
            if abs(group[0].start - rule.start) <= _NEAR and abs(group[0].end - rule.end) <= _NEAR:
                group.append(rule)
                break
        else:
            groups.append([rule])
    free = list(words)
    for group in groups:
        first = 0
        while first < len(group) - 1:
            table, last = _longest(page, group, first, free)
            if table is not None:
                tables.append(table)
                held = {word.at for word in table.words}
                free = [word for word in free if word.at not in held]
            first = last + 1 if table is not None else first + 1
    return tables


def open_tables(page: int, drawn: Drawn, tables: Sequence[Table], words: Sequence[Word]) -> list[Table]:
    """Tables that go on below the page: rules above, and columns of text down to the last line."""
    if not words:
        return []
    words = sorted(words, key=_height)
    free = [rule for rule in _merged(drawn.across) if not any(_inside(rule, table.box) for table in tables)]
    end = max(word.y1 for word in words) + 1
    for number, rule in enumerate(free):
        same = [r for r in free[number:] if abs(r.start - rule.start) <= _NEAR and abs(r.end - rule.end) <= _NEAR]
        if len(same) > 3 or rule.end - rule.start < 60:
            continue
        box = (rule.start - _NEAR, rule.at, rule.end + _NEAR, end)
        table = _from_slices(page, box, [*(r.at for r in same), end], _within(words, box))
        if table is not None and len(table.words) == sum(word.y > rule.at for word in words):
            return [table]
    return []


def _longest(page: int, group: list[Rule], first: int, words: Sequence[Word]) -> tuple[Table | None, int]:
    """The table with most rules of a group from the first on, and its last one."""
    best: Table | None = None
    end = first
    for last in range(first + 1, len(group)):
        box = (group[0].start - _NEAR, group[first].at, group[0].end + _NEAR, group[last].at)
        table = None
        if not _clipped(words, box):
            table = _from_slices(page, box, [rule.at for rule in group[first : last + 1]], _within(words, box))
        if table is not None:
            best, end = table, last
        elif best is not None or last > first + 2:
            break
    return best, end


def _clipped(words: Sequence[Word], box: Box) -> bool:
    """Whether text goes on over the sides of a box, so that the rules above and below it part paragraphs."""
    x0, y0, x1, y1 = box
    over = [word for word in _beside(words, y0, y1) if word.x < x0 < word.x1 + 15 or word.x0 - 15 < x1 < word.x]
    return len(over) > 1


def _from_slices(page: int, box: Box, ys: Sequence[float], words: Sequence[Word]) -> Table | None:
    """A table whose columns are told by the white between its words."""
    if not words or is_code(words):
        return None
    bounds = columns_of(words, box)
    slices = [_within(words, (box[0], a, box[2], b)) for a, b in pairwise(ys)]
    if len(bounds) < 3 or any(_crossed(held, bounds) or is_code(held) for held in slices if held):
        return None
    size = median(word.font.size for word in words)
    if min(b - a for a, b in pairwise(ys)) < 0.8 * size:
        return None  # staves, or lines for a pen
    if (len(ys) > 2 and len(baselines(slices[0])) > 5) or any(word.font.size > 1.15 * size for word in words):
        return None  # lines that part sections
    rows = _rows_of_slices(page, ys, bounds, words)
    table = _checked(Table(page, box, bounds, rows, words=list(words))) if in_columns(rows) else None
    if table is not None and len(ys) > 2 and not table.headers:
        table.headers = len(infer_rows(page, _within(words, (box[0], ys[0], box[2], ys[1])), bounds, whole=True))
        table.headers = min(table.headers, len(table.rows) - 1)
    return table


def _rows_of_slices(page: int, ys: Sequence[float], bounds: list[float], words: Sequence[Word]) -> list[list[Cell]]:
    """The rows between rules; the slice above the first inner rule is one row."""
    rows: list[list[Cell]] = []
    for number, (top, bottom) in enumerate(pairwise(ys)):
        held = [word for word in words if top <= word.y < bottom or (bottom == ys[-1] == word.y)]
        rows += infer_rows(page, held, bounds, whole=number == 0 and len(ys) > 2)
    return rows


def _crossed(words: Sequence[Word], bounds: list[float]) -> bool:
    """Whether more than a third of the lines of a slice run over the bounds of columns, as text does."""
    lines = baselines(words)
    over = sum(
        any(a < bound - 1 and bound + 1 < b for a, b in stretches(line, 0.4 * line[0].font.size) for bound in bounds)
        for line in lines
    )
    return over * 3 > len(lines)


def _checked(table: Table) -> Table | None:
    """The table with its empty rows taken out and its header rows told; None when it is none."""
    rows = [row for row in table.rows if any(cell.lines for cell in row)]
    filled = {cell.column for row in rows for cell in row if cell.lines}
    if len(rows) < 2 or len(filled) < 2 or _is_prose(rows):
        return None
    table.rows = rows
    table.headers = 1 if _heads(rows) else 0
    return table


def _is_prose(rows: list[list[Cell]]) -> bool:
    """Whether most rows have text in one cell only, or cells hold pages of text."""
    alone = sum(sum(bool(cell.lines) for cell in row) < 2 for row in rows)
    return alone * 2 > len(rows) or any(len(cell.lines) > 60 for row in rows for cell in row)


def _heads(rows: list[list[Cell]]) -> bool:
    head = [line for cell in rows[0] for line in cell.lines]
    rest = [line for row in rows[1:] for cell in row for line in cell.lines]
    if all(line.bold for line in head):
        return not all(line.bold for line in rest)
    if len(rows) < 3 or any(not cell.lines for cell in rows[0]):
        return False
    digits = [any(map(str.isdigit, line.text)) for line in rest]
    return not any(any(map(str.isdigit, line.text)) for line in head) and sum(digits) * 4 >= len(digits)
