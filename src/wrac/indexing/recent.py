"""What the searches of a process read last, kept for the next ones while the index stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from wrac.indexing import Row

MOST = 10_000
"""Entries whose rows are kept: some thirty megabytes."""


@dataclass(slots=True)
class Seen:
    """What was read of one generation of the index: an entry's rows in their order, and the languages."""

    generation: int
    rows: dict[str, tuple[Row, ...]] = field(default_factory=dict)
    languages: tuple[str, ...] | None = None

    def keep(self, rows: dict[str, tuple[Row, ...]]) -> None:
        """Keep the rows of entries, in place of all others where those are too many."""
        if len(self.rows) + len(rows) > MOST:
            self.rows = {}
        self.rows.update(rows)


class Recent:
    """What several threads read of the latest generation that one of them saw.

    Only for transactions that read: one that writes and is taken back has a generation's number for what never was.
    """

    def __init__(self) -> None:
        self._seen, self._lock = Seen(-1), Lock()

    def of(self, generation: int) -> Seen:
        """What was read of a generation; of one that is not the latest nothing, and nothing of it is kept."""
        with self._lock:
            if generation > self._seen.generation:
                self._seen = Seen(generation)
            return self._seen if generation == self._seen.generation else Seen(generation)
