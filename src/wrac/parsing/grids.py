"""Rows of plain cells: which of them are the header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_VALUE: Final = re.compile(r"\W{0,4}\d[\d.,:/\s%+-]*\W{0,4}[A-Za-z]{0,3}\W?")  # -1,234.50 €, 12.05.2024, 5 GB
_LONGEST: Final = 80


def header_rows(rows: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The numbers of the rows that head the columns: the first that fills the width, when it looks like names.

    Names are short texts, each once, that hold no number; the row must differ from those under it: by a number below
    it, or by being the only one without an empty or long cell.
    """
    width = max((len(_filled(row)) for row in rows), default=0)
    if width < 2:
        return ()
    for number, row in enumerate(rows[:10]):
        cells = _filled(row)
        if len(cells) < max(2, round(0.6 * width)):
            continue
        return (number,) if _names(cells) and len(rows) > number + 1 and _differs(row, rows[number + 1 :]) else ()
    return ()


def _filled(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row if cell.strip()]


def _names(cells: Sequence[str]) -> bool:
    return len(set(cells)) == len(cells) and all(len(cell) <= _LONGEST and not is_value(cell) for cell in cells)


def _differs(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether some column holds values below its name, or texts that repeat or are longer than a name."""
    for column, name in enumerate(row):
        texts = [cells[column].strip() for cells in below if column < len(cells) and cells[column].strip()]
        if not texts or not name.strip():
            continue
        if sum(map(is_value, texts)) > len(texts) / 2 or len(set(texts)) < len(texts):
            return True
        if sum(map(len, texts)) / len(texts) > 1.5 * len(name.strip()):
            return True
    return False


def is_value(text: str) -> bool:
    """Whether a cell's text is a number, a date, a price or a share, and no name."""
    return _VALUE.fullmatch(text.strip()) is not None
