"""Columns and rows of tabular text: white strips, lines that go on in a cell, the order in which cells are written."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from wrac.parsing.pdf_drawn import Box
from wrac.parsing.pdf_text import HYPHENS, Line, Word


@dataclass(slots=True)
class Cell:
    """A cell: its first column, how many rows and columns it covers, its lines from top to bottom and their joins."""

    column: int
    lines: list[Line]
    cols: int = 1
    rows: int = 1
    joins: list[str] = field(default_factory=list)


def columns_of(words: Sequence[Word], box: Box) -> list[float]:
    """The bounds of the columns of a region: its sides, and the middles of the white strips between.

    A strip is half as wide as the glyphs are high, or a space wide where the text right of it is aligned.
    """
    lines = baselines(words)
    size = median(word.font.size for word in words) or 10.0
    spans = [span for line in lines for span in stretches(line, 0.18 * size)]
    starts = sorted(start for start, _ in spans)
    ends = sorted(max(word.x1 for word in line) for line in lines)
    edges = sorted(((at, step) for start, end in spans for at, step in ((start, 1), (end, -1))))
    bounds, depth = [], 0
    strip: list[tuple[int, float, float]] = []  # the open strip: depth, width less than nothing, start
    for (at, step), (after, _) in pairwise([*edges, (box[2], 0)]):
        depth += step
        beyond = len(lines) - bisect_left(ends, at + 0.01)
        if depth <= min(len(lines) // 6, beyond // 4):  # a cell may span columns in some rows
            strip.append((depth, at - after, at))
        elif strip:
            white = at - strip[0][2]
            beyond = max(3, round(0.75 * beyond))
            if white >= max(4.5, 0.5 * size) or (white >= 0.2 * size and _ragged(lines, at, beyond)):
                _, width, start = min(strip)
                bounds.append(start - width / 2)
            strip = []
    return [box[0], *(bound for bound in bounds if bound > starts[0]), box[2]]


def is_code(words: Sequence[Word]) -> bool:
    """Whether most of the words are set in letters of one width, so that their alignment says nothing."""
    return sum(word.font.mono for word in words) * 5 > len(words) * 4


def _ragged(lines: Sequence[Sequence[Word]], at: float, least: int) -> bool:
    """Whether enough lines have a word that begins at a place, and what is left of it ends at other places in each, as
    the cells of a column do and equal words below one another do not."""
    begun = [line for line in lines if any(abs(word.x0 - at) <= 1 for word in line)]
    ends = [max((word.x1 for word in line if word.x1 < at), default=0.0) for line in begun]
    return len(ends) >= least and len({round(end) for end in ends}) * 2 > len(ends)


def stretches(line: Sequence[Word], gap: float) -> list[tuple[float, float]]:
    """The intervals that the words of a line cover, gaps of mere spaces included."""
    result: list[tuple[float, float]] = []
    for word in sorted(line, key=lambda word: word.x0):
        if result and word.x0 - result[-1][1] < gap:
            result[-1] = (result[-1][0], max(result[-1][1], word.x1))
        else:
            result.append((word.x0, word.x1))
    return result


def baselines(words: Sequence[Word]) -> list[list[Word]]:
    """The words by height, those of one baseline together."""
    result: list[list[Word]] = []
    at = 0.0
    for word in sorted(words, key=lambda word: word.y):
        height = word.y
        if result and height - at < 0.45 * (word.font.size or 10):
            result[-1].append(word)
        else:
            result.append([word])
            at = height
    return result


def lines_of(page: int, words: Sequence[Word]) -> list[Line]:
    """The lines of a cell, from top to bottom."""
    return [Line.of(page, line) for line in baselines(words)]


def infer_rows(page: int, words: Sequence[Word], bounds: list[float], *, whole: bool = False) -> list[list[Cell]]:
    """Rows that no rule parts: as the file writes them cell by cell; else a line begins a row unless its cells read as
    the rest of the cells above."""
    told = None if whole else _rows_of_file(page, words, bounds)
    if told is not None:
        return told
    lines = [_by_column(page, line, bounds) for line in baselines(words)]
    if not lines:
        return []
    columns = range(len(bounds) - 1)
    widths = [max((line[c].x1 - line[c].x0 for line in lines if c in line), default=0.0) for c in columns]
    pitches = sorted(_top(after) - _top(before) for before, after in pairwise(lines))
    size = median(word.font.size for word in words)
    loose = min(1.25 * pitches[len(pitches) // 4], 1.65 * size) if pitches else 0.0
    groups = [[lines[0]]]
    for before, line in pairwise(lines):
        apart = _top(line) - _top(before) > loose
        if whole or (not apart and _goes_on(groups[-1], line, widths)):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_row(group) for group in groups]


def _rows_of_file(page: int, words: Sequence[Word], bounds: list[float]) -> list[list[Cell]] | None:
    """The rows of a file that writes one cell after the other: a row ends where it goes back to a column further left.

    None when no cell of several lines shows that it does, or its rows do not stand below one another.
    """
    rows: list[dict[int, list[Word]]] = []
    column, height, deep = len(bounds), 0.0, False
    for word in sorted(words, key=lambda word: word.at):
        now, y = slot(bounds, word.x), word.y
        down = y - height > 0.45 * word.font.size
        if now < column or (now == column and (y - height > 1.9 * word.font.size or height - y > word.font.size)):
            rows.append({})
        elif now == column and down:
            deep = True
        rows[-1].setdefault(now, []).append(word)
        column, height = now, y
    extents = [_extent(row) for row in rows]
    if not deep or any(after[0] < before[1] - 3 for before, after in pairwise(extents)):
        return None
    return [[Cell(c, lines_of(page, row[c])) for c in sorted(row)] for row in rows]


def _extent(row: dict[int, list[Word]]) -> tuple[float, float]:
    middles = [word.y for held in row.values() for word in held]
    return min(middles), max(middles)


def _top(line: dict[int, Line]) -> float:
    return min(cell.middle for cell in line.values())


def _by_column(page: int, words: Sequence[Word], bounds: list[float]) -> dict[int, Line]:
    parts: dict[int, list[Word]] = {}
    for word in words:
        parts.setdefault(slot(bounds, word.x), []).append(word)
    return {column: Line.of(page, held) for column, held in parts.items()}


def _goes_on(group: list[dict[int, Line]], line: dict[int, Line], widths: list[float]) -> bool:
    """Whether a line's words would not have fitted at the ends of the cells above, so that they were wrapped."""
    first = group[0]
    if not set(line) <= {column for above in group for column in above}:
        return False
    for column, cell in line.items():
        above = next((before[column] for before in reversed(group) if column in before), None)
        if above is None:
            return False
        if above.text[-1] in HYPHENS and len(above.words[-1].text) > 1:
            return True
        space = 0.25 * cell.size
        if above.x1 - above.x0 + space + cell.first_width() <= widths[column] + 0.5:
            return False
    if len(line) < len(first) or len(line) == 1:
        return True
    unfinished = sum(_unfinished(group[-1][column], cell) for column, cell in line.items() if column in group[-1])
    return unfinished * 2 >= len(line)


def _unfinished(above: Line, cell: Line) -> bool:
    return above.text[-1] in "-\u2010,&/(" or cell.text[0].islower()


def _row(group: list[dict[int, Line]]) -> list[Cell]:
    columns = sorted({column for line in group for column in line})
    return [Cell(column, [line[column] for line in group if column in line]) for column in columns]


def in_columns(rows: Sequence[Sequence[Cell]]) -> bool:
    """Whether the cells of most columns begin, end or have their middle at one place, as words of lines do not."""
    columns: dict[int, list[Line]] = {}
    for row in rows:
        for cell in row:
            columns.setdefault(cell.column, []).extend(cell.lines)
    aligned = [_aligned(lines) for column, lines in columns.items() if len(lines) > 1]
    return sum(aligned) * 2 > len(aligned)


def _aligned(lines: Sequence[Line]) -> bool:
    for side in ([line.x0 for line in lines], [line.x1 for line in lines], [(line.x0 + line.x1) / 2 for line in lines]):
        most = max(sum(abs(x - other) <= 1.5 for x in side) for other in side)
        if most * 10 >= 6 * len(side):
            return True
    return False


def slot(places: Sequence[float], at: float) -> int:
    """The number of the interval between two places that holds a point; the first and the last reach beyond."""
    for n in range(len(places) - 2):
        if at < places[n + 1]:
            return n
    return len(places) - 2
