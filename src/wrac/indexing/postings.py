"""Postings of the embedded index: for each term and segment, which entries hold it how often.

A segment is what one `put` added, so a page's postings come and go together: a re-indexed page deletes its segment's
values and writes new ones, and a search reads one value for each term and page, not one row for each appearance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, delete, func, select

from wrac.indexing import tables

POSTING = np.dtype([("entry", "<u4"), ("frequency", "<u2"), ("length", "<u2")])
T = TypeVar("T")
_MOST = 2**16 - 1
_BATCH = 500


_WANTED = tables.terms.c.term.in_(bindparam("wanted", expanding=True))
_ROWS_OF_TERMS = select(tables.terms.c.term, tables.terms.c.row).where(_WANTED)


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings as one connection's transaction sees them."""

    connection: Connection

    def open(self, entries: int, length: int) -> int:
        """The number of a new segment of so many entries with so many terms in all."""
        statement = "INSERT INTO index_segments (entries, length, terms) VALUES (?, ?, ?) RETURNING row"
        return int(self._read_all(statement, (entries, length, b""))[0][0])

    def put(self, segment: int, entries: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Write the terms of a new segment's entries.

        Raises ValueError when an entry has more than 65,535 terms.
        """
        found: dict[str, list[tuple[int, int, int]]] = {}
        for number, terms in entries:
            if len(terms) > _MOST:
                raise ValueError(f"index entry {number} has {len(terms)} terms, {_MOST} is the most")
            for term, frequency in Counter(terms).items():
                found.setdefault(term, []).append((number, frequency, len(terms)))
        rows = self._rows(found)
        values = [(rows[term], segment, np.array(sorted(data), POSTING).tobytes()) for term, data in found.items()]
        insert_all(self.connection, "index_postings", ("term", "segment", "data"), sorted(values))
        packed = np.array(sorted(rows.values()), "<u4").tobytes()
        self._run("UPDATE index_segments SET terms = ? WHERE row = ?", [(packed, segment)])

    def drop(self, segment: int, gone: Sequence[int]) -> None:
        """Take entries out of a segment, and the segment away when none is left."""
        query = "SELECT entries, length, terms FROM index_segments WHERE row = ?"
        size, length, packed = self._read_all(query, (segment,))[0]
        terms = [int(term) for term in np.frombuffer(packed, "<u4")]
        if len(gone) == size:
            self._delete(segment, terms)
            self._run("DELETE FROM index_segments WHERE row = ?", [(segment,)])
            return
        left, removed = self._without(segment, terms, np.array(gone, np.uint32))
        kept = np.array(sorted(left), "<u4").tobytes()
        values = (size - len(gone), length - removed, kept, segment)
        self._run("UPDATE index_segments SET entries = ?, length = ?, terms = ? WHERE row = ?", [values])

    def of(self, terms: Iterable[str], limit: int) -> list[NDArray[Any]]:
        """For each of the `limit` rarest distinct terms that the index holds, its postings; in order of the terms."""
        wanted = sorted(set(terms))
        if len(wanted) > limit:
            counts = self._counts(wanted)
            wanted = sorted(sorted(counts, key=lambda term: (counts[term], term))[:limit])
        found = (self._read(term) for term in wanted)
        return [data for data in found if len(data)]

    def check(self) -> list[str]:
        """What is wrong: postings that do not add up to the lengths and numbers of the entries."""
        summed: dict[int, int] = {}
        wrong: list[str] = []
        lengths = dict(map(tuple, self._read_all("SELECT row, length FROM index_entries")))
        for (packed,) in self._read_all("SELECT data FROM index_postings"):
            for entry, frequency, length in np.frombuffer(packed, POSTING).tolist():
                summed[entry] = summed.get(entry, 0) + frequency
                if lengths.get(entry) != length:
                    wrong.append(f"a posting gives index entry {entry} the length {length}, not {lengths.get(entry)}")
        wrong += [
            f"the postings of index entry {entry} count {summed.get(entry, 0)} terms, not {length}"
            for entry, length in lengths.items()
            if summed.get(entry, 0) != length
        ]
        query = "SELECT COALESCE(SUM(entries), 0), COALESCE(SUM(length), 0) FROM index_segments"
        totals = tuple(self._read_all(query)[0])
        if totals != (len(lengths), sum(lengths.values())):
            wrong.append(f"the segments count {totals}, the entries {(len(lengths), sum(lengths.values()))}")
        return wrong[:100]

    def _delete(self, segment: int, terms: Sequence[int]) -> None:
        """Take postings of a segment away."""
        table = tables.postings
        for batch in batches(terms):
            gone = delete(table).where(table.c.segment == segment, table.c.term.in_(batch))
            self.connection.execute(gone)

    def _without(self, segment: int, terms: list[int], gone: NDArray[np.uint32]) -> tuple[list[int], int]:
        """Rewrite a segment's postings; the terms that are left, and how many appearances went."""
        left, removed = [], 0
        updates: list[tuple[Any, ...]] = []
        deletes: list[int] = []
        for term in terms:
            query = "SELECT data FROM index_postings WHERE term = ? AND segment = ?"
            data = np.frombuffer(self._read_all(query, (term, segment))[0][0], POSTING)
            kept = data[~np.isin(data["entry"], gone)]
            removed += int(data["frequency"].sum()) - int(kept["frequency"].sum())
            if len(kept):
                left.append(term)
            if not len(kept):
                deletes.append(term)
            elif len(kept) < len(data):
                updates.append((kept.tobytes(), term, segment))
        self._run("UPDATE index_postings SET data = ? WHERE term = ? AND segment = ?", updates)
        self._delete(segment, deletes)
        return left, removed

    def _rows(self, terms: Iterable[str]) -> dict[str, int]:
        """Rows of the terms, made where they are missing."""
        wanted = sorted(terms)
        found = self._known(wanted)
        if len(found) < len(wanted):
            first = self.connection.scalar(select(func.max(tables.terms.c.row))) or 0
            new = {term: row for row, term in enumerate((t for t in wanted if t not in found), first + 1)}
            insert_all(self.connection, "index_terms", ("term", "row"), [*new.items()])
            found |= new
        return found

    def _known(self, terms: Sequence[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for batch in batches(terms):
            found.update((row[0], row[1]) for row in self.connection.execute(_ROWS_OF_TERMS, {"wanted": batch}))
        return found

    def _counts(self, terms: Sequence[str]) -> dict[str, int]:
        """How many entries hold each term, by the size of its postings: their bytes are not read."""
        found: dict[str, int] = {}
        joined = tables.terms.join(tables.postings, tables.postings.c.term == tables.terms.c.row)
        size = func.sum(func.length(tables.postings.c.data)) / POSTING.itemsize
        for batch in batches(terms):
            query = select(tables.terms.c.term, size).select_from(joined).where(tables.terms.c.term.in_(batch))
            rows = self.connection.execute(query.group_by(tables.terms.c.term))
            found.update((row[0], int(row[1])) for row in rows)
        return found

    def _read(self, term: str) -> NDArray[Any]:
        query = "SELECT data FROM index_postings WHERE term = (SELECT row FROM index_terms WHERE term = ?)"
        return np.frombuffer(b"".join(row[0] for row in self._read_all(query, (term,))), POSTING)

    def _read_all(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return fetched(self.connection, query, values)

    def _run(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            self.connection.exec_driver_sql(marked(self.connection, statement), rows)


def insert_all(connection: Connection, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows by the fastest way of the database: PostgreSQL takes a page's postings by COPY, not one by one."""
    if not rows:
        return
    named = f"{table} ({', '.join(columns)})"
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f"COPY {named} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    else:
        marks = ", ".join("?" for _ in columns)
        connection.exec_driver_sql(f"INSERT INTO {named} VALUES ({marks})", list(rows))  # noqa: S608 - own names


def fetched(connection: Connection, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query as the driver has them: as SQLAlchemy's own, one by one, they take twice as long to read."""
    result = connection.exec_driver_sql(marked(connection, query), tuple(values))
    cursor: Any = result.cursor
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    result.close()
    return rows


def marked(connection: Connection, statement: str) -> str:
    """A statement whose values are marked by `?`, as the connection's driver wants it."""
    return statement if connection.dialect.paramstyle == "qmark" else statement.replace("?", "%s")


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """The values in lists short enough for one statement."""
    rest = iter(values)
    while batch := list(islice(rest, _BATCH)):
        yield batch
