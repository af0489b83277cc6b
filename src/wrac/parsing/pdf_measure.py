"""What is usual in a PDF: the size of its text, the distance of its lines, its margins, and what parts paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from wrac.parsing.pdf_layout import Piece
from wrac.parsing.pdf_tables import Table
from wrac.parsing.pdf_text import Line

BULLET: Final = re.compile(r"[•◦▪▫‣⁃∙●○■□➢➤✓✔❖◆▶►▸∗⁎◼◾❍⦁➔➜\uf0b7\uf0a7\uf0d8\uf0fc\uf076]")


@dataclass(slots=True)
class Measure:
    """What is usual in a document: the size of most text, and the distance of two lines by size.

    `breaks` when paragraphs are told by white above them or by indents, so that a short line alone ends none.
    """

    body: float
    ratio: float
    breaks: bool = False
    lefts: tuple[float, ...] = ()
    pitches: dict[tuple[float, bool], float] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Measure:
        """The measure of some lines, in reading order."""
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[line.size] += len(line.text)
        body = max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0
        steps: dict[tuple[float, bool], Counter[float]] = {}
        for before, line in _wrapped(lines):
            step = round(line.middle - before.middle, 1)
            if before.size == line.size and 0.7 * line.size < step:
                steps.setdefault((line.size, line.wide), Counter())[round(step * 2) / 2] += 1
        pitches = {key: _usual(found) for key, found in steps.items() if found.total() >= 2}
        key = (body, False)
        ratio = pitches[key] / body if key in pitches and body else 1.2
        measure = cls(body, ratio, pitches=pitches)
        measure.breaks = measure._told(lines)
        starts = Counter(round(line.x0) for line in lines if line.size == body and not BULLET.match(line.text))
        measure.lefts = tuple(x for x, count in starts.items() if count * 8 >= starts.total())
        return measure

    def at_margin(self, x: float) -> bool:
        """Whether much of the text begins there."""
        return any(abs(x - left) <= 2 for left in self.lefts)

    def _told(self, lines: Sequence[Line]) -> bool:
        apart = close = 0
        for run in runs_of(lines, self, 2.4):
            right = max(line.x1 for line in run) if isinstance(run, list) else 0.0
            for before, line in pairwise(run if isinstance(run, list) else ()):
                if (
                    line.bold
                    or before.bold
                    or line.mono
                    or before.text[-1] == ":"
                    or right - before.x1 < line.first_width() + line.size
                ):
                    continue
                white = line.middle - before.middle > 1.22 * self.pitch(line) + 0.5
                if white or line.x0 - before.x0 > 0.8 * line.size:
                    apart += 1
                elif abs(line.x0 - before.x0) < 1 and not BULLET.match(line.text):
                    close += 1
        return apart > 1 and apart >= close

    def pitch(self, line: Line) -> float:
        """The usual distance of the middles of two such lines; signs of China and Japan stand wider apart."""
        usual = self.pitches.get((line.size, line.wide))
        return usual or (max(self.ratio, 1.6) if line.wide else self.ratio) * line.size


def _wrapped(lines: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Neighbours of one column of which the first is so full that the next one's first word had to go below it."""
    column: list[Line] = []
    for line in (*lines, None):
        last = column[-1] if column else None
        if last and line and _below(last, line):
            column.append(line)
            continue
        right = max((held.x1 for held in column), default=0.0)
        for before, after in pairwise(column):
            full = right - before.x1 < after.first_width() + 0.3 * before.size
            if full and before.x1 - before.x0 > 10 * before.size and before.text[-1] not in ".!?:":
                yield before, after
        column = [line] if line else []


def _below(last: Line, line: Line) -> bool:
    near = line.page == last.page and 0 < line.middle - last.middle < 2.6 * line.size
    return near and line.x0 < last.x1 and last.x0 < line.x1


def _usual(steps: Counter[float]) -> float:
    """The smallest step that is not rare: larger ones are those between paragraphs."""
    most = max(steps.values())
    return min(step for step, count in steps.items() if count * 3 >= most)


def runs_of(pieces: Sequence[Piece], measure: Measure, far: float = 1.25) -> Iterator[Table | list[Line]]:
    """Tables, and lines that follow each other closely below one another, which share a right margin."""
    run: list[Line] = []
    for piece in pieces:
        if not isinstance(piece, Line):
            if run:
                yield run
            run = []
            yield piece
            continue
        if run:
            last = run[-1]
            step = piece.middle - last.middle
            close = 0 < step < far * max(measure.pitch(piece), measure.pitch(last)) + 0.5
            below = piece.x0 <= last.x1 and last.x0 <= piece.x1
            if not (close and below) or abs(piece.size - last.size) > 0.1 * last.size + 0.5:
                yield run
                run = []
        run.append(piece)
    if run:
        yield run
