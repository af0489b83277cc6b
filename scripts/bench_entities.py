"""How well entities are found: precision and recall on sentences marked by hand, by language and by kind.

python scripts/bench_entities.py [FILE]    a line is a language, a tab and a sentence with {kind:text} marks
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from wrac.evaluation.report.plain import grid
from wrac.text.entities import entities

GOLD = Path(__file__).resolve().parents[1] / "tests/gold/entities.txt"
_MARK = re.compile(r"\{(\w+):([^{}]*)\}")


class Counts(NamedTuple):
    """Entities that are right, that were found, and that there are."""

    right: int
    found: int
    there: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.there if self.there else 1.0


def counts(lines: Iterable[str]) -> Mapping[str, Counts]:
    """Counts by language, by kind, and in all ("all"); an entity is right when kind, text and place are."""
    right, found, there = Counter[str](), Counter[str](), Counter[str]()
    for line in filter(None, (line.strip() for line in lines)):
        language, _, marked = line.partition("\t")
        text, wanted = _unmarked(marked)
        got = {(one.kind, one.start, one.end) for one in entities(text, language)}
        for total, some in ((right, got & wanted), (found, got), (there, wanted)):
            total.update(part for kind, _, _ in some for part in (language, kind, "all"))
    return {name: Counts(right[name], found[name], there[name]) for name in sorted({*found, *there})}


def _unmarked(marked: str) -> tuple[str, set[tuple[str, int, int]]]:
    """A sentence without its marks, and what they mark."""
    text, wanted, done = "", set(), 0
    for mark in _MARK.finditer(marked):
        text += marked[done : mark.start()]
        wanted.add((mark[1], len(text), len(text) + len(mark[2])))
        text += mark[2]
        done = mark.end()
    return text + marked[done:], wanted


def main() -> None:
    """Prints a table."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else GOLD
    found = counts(path.read_text("utf-8").splitlines())
    rows = [[name, f"{one.there}", f"{one.precision:.2f}", f"{one.recall:.2f}"] for name, one in found.items()]
    print(grid(["language or kind", "entities", "precision", "recall"], rows))


if __name__ == "__main__":
    main()
