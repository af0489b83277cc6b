"""What happened, appended to a log of its own: a search never takes a lock, nor waits for one.

The log is a folder of files, one a month, one JSON line an event. A line is written by one appending write, so several
processes share a file; a line torn by a crash is passed over when reading. Deleting a month's file forgets it.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wrac.core.types import Event

if TYPE_CHECKING:
    from wrac.observing.columns import Events, Journal

ERASED: Final = "erased"
"""The file in a log's folder that is longer after each erasure: who has read the log reads it anew."""


class EventLog:
    """The log of one workspace. `lost` counts events that could not be written, `problem` says why the last was not.

    An event is not worth failing the search it tells of, so a full disk is counted, not raised.
    """

    def __init__(self, folder: Path, *, enabled: bool = True) -> None:
        self.folder, self.enabled = folder, enabled
        self.lost, self.problem = 0, ""
        self._journal: Journal | None = None

    def write(self, events: Iterable[Event]) -> None:
        """Append events, all in one write."""
        found = list(events)
        if not self.enabled or not found:
            return
        try:
            self.folder.mkdir(exist_ok=True)
            name = time.strftime("%Y-%m.jsonl", time.gmtime(found[0].at))
            handle = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                _append(handle, b"".join(map(_line, found)))
            finally:
                os.close(handle)
        except OSError as error:
            self.lost += len(found)
            self.problem = error.strerror or str(error)

    def read(self) -> Iterator[Event]:
        """The events of every month, in the order they were written."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open("rb") as file:
                for line in file:
                    if (event := _event(line)) is not None:
                        yield event

    def events(self) -> Events:
        """The events as columns, for statistics; what was read before is not read again."""
        if self._journal is None:
            from wrac.observing.columns import Journal

            self._journal = Journal(self.folder)
        return self._journal.read()

    def erase(self, words: Iterable[str]) -> int:
        """How many events were erased: those that name one of the words as a field's value.

        Their lines are overwritten in place, so a process that appends meanwhile loses nothing.
        """
        wanted, count = set(words), 0
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open("r+b") as file:
                at = 0
                for line in file.readlines():
                    found = _event(line)
                    if found is not None and not wanted.isdisjoint(map(str, found.fields.values())):
                        os.pwrite(file.fileno(), b" " * (len(line) - 1), at)
                        count += 1
                    at += len(line)
        if count:
            with (self.folder / ERASED).open("ab") as marker:
                marker.write(b".")
        return count

    def drop(self, before: float) -> int:
        """How many events were dropped with the files of the months that ended before a moment."""
        month, count = time.strftime("%Y-%m", time.gmtime(before)), 0
        for path in sorted(self.folder.glob("*.jsonl")):
            if path.stem < month:
                count += len(path.read_bytes().splitlines())
                path.unlink()
        return count


def event(name: str, run: str, fields: Mapping[str, Any]) -> Event:
    """An event of this moment."""
    return Event(time.time(), name, run, fields)


def counts(events: Iterable[Event], name: str, field: str) -> Counter[Any]:
    """How often the events of a name have each value of a field: hits a chunk, queries a text."""
    return Counter(e.fields[field] for e in events if e.name == name and field in e.fields)


def _append(handle: int, lines: bytes) -> None:
    """Writes lines at a file's end, in one write. Raises OSError where there is no room for all of them."""
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        lines = b"\n" + lines  # the last line was torn: what follows must not be part of it
    if os.write(handle, lines) < len(lines):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _line(found: Event) -> bytes:
    row = {"at": round(found.at, 3), "name": found.name, "run": found.run, **found.fields}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def _event(line: bytes) -> Event | None:
    try:
        row = json.loads(line)
        return Event(row.pop("at"), row.pop("name"), row.pop("run"), row)
    except (ValueError, KeyError, AttributeError):
        return None
