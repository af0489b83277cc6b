"""A log as columns: its lines are read once, and again only what was appended since."""

from __future__ import annotations

import json
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wrac.observing.log import ERASED

Rows: TypeAlias = NDArray[np.void]

COLUMNS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "query": (("run", "s"), ("query", "s"), ("hits", "i"), ("seconds", "f")),
    "hit": (("run", "s"), ("chunk", "s"), ("url", "s"), ("rank", "i"), ("confidence", "f")),
    "feedback": (("run", "s"), ("chunk", "s"), ("url", "s"), ("verdict", "i"), ("query", "s"), ("note", "s")),
    "ask": (("run", "s"), ("query", "s"), ("choice", "s"), ("model", "s"), ("refused", "i"), ("cost", "f"),
            ("seconds", "f")),
    "ran": (("run", "s"), ("verb", "s"), ("pages", "i"), ("added", "i"), ("unchanged", "i"), ("skipped", "i"),
            ("seconds", "f")),
}  # fmt: skip
"""The events that statistics are made of, and of each the fields: `s` a text, `i` a whole number, `f` any number."""
_DTYPES: Final = {
    name: np.dtype([("at", "f8"), *((field, {"s": "i4", "i": "i4", "f": "f4"}[kind]) for field, kind in fields)])
    for name, fields in COLUMNS.items()
}
_BLOCK: Final = 4096
"""Lines that are read as one JSON value, which is faster than one by one."""
_LINE: Final = 200  # bytes of a line, about
_EXACT: Final[Mapping[str, set[type]]] = {"i": {int}, "f": {int, float}}
_MOST: Final = {"i": 2**31 - 1, "f": 1e11}  # moments up to the year 5138


class Numbers(dict[str, int]):
    """The number of each text, given when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def __missing__(self, text: str) -> int:
        found = self[text] = len(self.texts)
        self.texts.append(text)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Events:
    """The events of a log, by name, as rows of the columns in COLUMNS after `at`, seconds since 1970.

    A text stands in a row as its number in `texts`. A number that an event does not say is 0, or NaN for any number.
    """

    numbers: Numbers
    rows: Mapping[str, Rows]

    @property
    def texts(self) -> Sequence[str]:
        """The texts by their numbers."""
        return self.numbers.texts

    def __getitem__(self, name: str) -> Rows:
        return self.rows[name]

    def between(self, since: float, until: float) -> Events:
        """The events of the moments `[since, until)`."""
        kept = {name: rows[(rows["at"] >= since) & (rows["at"] < until)] for name, rows in self.rows.items()}
        return Events(self.numbers, kept)

    def number(self, text: str) -> int:
        """The number of a text; -1 for one that no event has."""
        return self.numbers.get(text, -1)


NONE: Final = Events(Numbers(), {name: np.empty(0, dtype) for name, dtype in _DTYPES.items()})


class Journal:
    """The events of a log's folder as they stand now, for many readers. Threads may read at the same time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._read: dict[Path, tuple[int, int]] = {}
        self._parts: dict[str, list[Rows]] = {}
        self._begin(0)

    def read(self) -> Events:
        """All events. What another process appended since the last time is read now, what it erased is gone.

        Raises OSError where a file cannot be read.
        """
        with self._lock:
            files = {path: path.stat() for path in sorted(self._folder.glob("*.jsonl"))}
            marker = self._folder / ERASED
            erased = marker.stat().st_size if marker.exists() else 0
            if erased != self._erased or not all(self._grown(path, files.get(path)) for path in self._read):
                self._begin(erased)
            fresh = [path for path, now in files.items() if now.st_size > self._read.get(path, (0, 0))[1]]
            for path in fresh:
                self._extend(path, files[path].st_ino)
            if fresh:
                rows = {name: np.concatenate(parts) for name, parts in self._parts.items()}
                self._parts = {name: [one] for name, one in rows.items()}
                self._events = Events(self._numbers, rows)
            return self._events

    def _grown(self, path: Path, now: os.stat_result | None) -> bool:
        """Whether a file is the one that was read, and at least as long."""
        inode, end = self._read[path]
        return now is not None and now.st_ino == inode and now.st_size >= end

    def _begin(self, erased: int) -> None:
        """Forget all that was read."""
        self._read = {}
        self._erased = erased
        self._numbers = Numbers()
        self._parts = {name: [rows] for name, rows in NONE.rows.items()}
        self._events = NONE

    def _extend(self, path: Path, inode: int) -> None:
        """Read the whole lines of a file from where the last time ended."""
        _, at = self._read.get(path, (inode, 0))
        with path.open("rb") as file:
            file.seek(at)
            while lines := file.readlines(_BLOCK * _LINE):
                if not lines[-1].endswith(b"\n"):
                    lines.pop()  # it is being written, or its writer was killed
                for name, rows in tabled(parsed(lines), self._numbers.__getitem__).items():
                    self._parts[name].append(rows)
                at += sum(map(len, lines))
        self._read[path] = (inode, at)


def parsed(lines: Sequence[bytes]) -> Iterator[Mapping[str, Any]]:
    """The JSON objects among the lines, in their order."""
    for start in range(0, len(lines), _BLOCK):
        block = [line for line in lines[start : start + _BLOCK] if not line.isspace()]
        try:
            found = json.loads(b"[" + b",".join(block) + b"]")
        except ValueError:
            found = []
        if len(found) != len(block):  # a line is torn
            found = [_one(line) for line in block]
        yield from (row for row in found if isinstance(row, dict))


def _one(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def tabled(found: Iterable[Mapping[str, Any]], number: Callable[[str], int]) -> dict[str, Rows]:
    """The objects as rows, by the name of their event; `number` gives the number of a text."""
    named: defaultdict[object, list[Mapping[str, Any]]] = defaultdict(list)
    for row in found:
        name = row.get("name")
        named[name if isinstance(name, str) else None].append(row)
    return {name: _table(named[name], name, number) for name in COLUMNS if name in named}


def _table(found: Sequence[Mapping[str, Any]], name: str, number: Callable[[str], int]) -> Rows:
    """The events of one name as rows; one without a moment is none."""
    fields = (("at", "f"), *COLUMNS[name])
    wanted = [field for field, _ in fields]
    try:
        columns = zip(*map(itemgetter(*wanted), found), strict=True)
    except KeyError:
        columns = zip(*([row.get(field) for field in wanted] for row in found), strict=True)
    table = np.empty(len(found), _DTYPES[name])
    for (field, kind), values in zip(fields, columns, strict=True):
        table[field] = _column(values, kind, number)
    known: Rows = table[~np.isnan(table["at"])]
    return known


def _column(values: Sequence[Any], kind: str, number: Callable[[str], int]) -> Sequence[float]:
    """What stands in a column for the values; what is of another kind than the column stands for nothing."""
    types = {*map(type, values)}
    if kind == "s":
        return [*map(number, values if types == {str} else (one if isinstance(one, str) else "" for one in values))]
    if types <= _EXACT[kind] and max(map(abs, values)) <= _MOST[kind]:
        return values
    nothing = 0 if kind == "i" else float("nan")
    return [one if isinstance(one, int | float) and abs(one) <= _MOST[kind] else nothing for one in values]
