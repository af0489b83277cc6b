"""What the indexes in SQL databases share: rows, places and exact BM25 postings, in the caller's transaction.

The full-text search of neither database is used: FTS5's `bm25()` gives no weight to a term that half of a small site's
passages hold, and counting through its vocabulary tables costs more than reading our own postings (docs/design/0004);
PostgreSQL's `ts_rank` knows no rarity at all.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Select, delete, func, or_, select

from wrac.indexing import ALL, DIGITS, Change, Filters, Row, Traits, Vector, tables
from wrac.indexing.postings import Postings, batches, fetched, insert_all, marked
from wrac.indexing.recent import Recent, Seen
from wrac.text import bm25

TERMS = 64
"""A query is cut to so many of its rarest terms: the others weigh next to nothing and cost the most."""


@dataclass(slots=True)
class SqlIndex(ABC):
    """The index as one connection's transaction sees it; vectors are its subclasses'.

    `recent` is what other searches read; one that only reads may be given it.
    """

    connection: Connection
    recent: Recent | None = field(default=None, kw_only=True)
    _allowed: dict[Filters, NDArray[np.bool_] | None] = field(default_factory=dict, kw_only=True)

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say."""
        for change in changes:
            if change.rows:
                self.put(change.page, change.rows)
            else:
                self.remove(change.page)

    def put(self, page: str, rows: Sequence[Row]) -> None:
        """The page's rows are these, in place of what they were."""
        old = self._entries_on(page)
        number = self._put_page(page, rows)
        known = self.numbers({row.entry for row in rows})
        if new := {row.entry: row for row in rows if row.entry not in known}:
            known |= self._add(list(new.values()))
        self.embedded(known, rows)
        self.run("DELETE FROM index_places WHERE page = ?", [(number,)])
        columns = ("page", "position", "entry", "anchor", "link", "label", "units", "trail", "kinds", "roles")
        placed = [(number, row.position, known[row.entry], *_described(row)) for row in rows]
        insert_all(self.connection, "index_places", columns, placed)
        self._drop(old - set(known.values()))
        self.advance()

    def remove(self, page: str) -> None:
        """The page has no rows; entries that stand on no other page are gone."""
        old = self._entries_on(page)
        self.run(
            "DELETE FROM index_places WHERE page = (SELECT row FROM index_pages WHERE url = ?)",
            [(page,)],
        )
        self.run("DELETE FROM index_pages WHERE url = ?", [(page,)])
        self._drop(old)
        self.advance()

    def clear(self) -> None:
        """Nothing is left."""
        for table in (tables.places, tables.pages, tables.entries, tables.segments, tables.postings, tables.terms):
            self.connection.execute(delete(table))
        self.advance()

    def sweep(self) -> None:
        """Drop the words that no entry has any more."""
        used = select(tables.postings.c.term)
        self.connection.execute(delete(tables.terms).where(tables.terms.c.row.not_in(used)))

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by BM25 with their scores, above zero, rounded; counts are over the whole index."""
        size, average = self._statistics()
        allowed = self.mask(filters)
        if not size or k < 1 or not terms:
            return []
        scores = np.zeros(self._last() + 1)
        for data in Postings(self.connection).of(terms, TERMS):
            lengths = data["length"].astype(np.float64)
            frequency = data["frequency"].astype(np.float64)
            scale = 1.0 - bm25.B + bm25.B * lengths / average
            weight = bm25.idf(size, len(data)) * (bm25.K1 + 1.0)
            scores[data["entry"]] += weight * frequency / (frequency + bm25.K1 * scale)
        found = np.flatnonzero(scores if allowed is None else np.where(allowed, scores, 0.0))
        if k < len(found):
            edge = np.partition(scores[found], len(found) - k)[len(found) - k]
            found = found[scores[found] >= edge - 1e-5]
        rounded = np.round(scores[found], DIGITS)
        return self.ranked([int(number) for number in found], [float(score) for score in rounded], k)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        seen = self._seen()
        found = {entry: seen.rows.get(entry) for entry in entries}
        read = self._read([entry for entry, rows in found.items() if rows is None])
        seen.keep(read)
        known = {entry: read[entry] if rows is None else rows for entry, rows in found.items()}
        if filters == ALL:
            return {entry: list(rows) for entry, rows in known.items()}
        return {entry: [row for row in rows if filters.allow(row)] for entry, rows in known.items()}

    def _read(self, entries: Sequence[str]) -> dict[str, tuple[Row, ...]]:
        found: dict[str, list[Row]] = {entry: [] for entry in entries}
        for batch in batches(found):
            for stored in fetched(self.connection, f"{_ROWS} IN ({', '.join('?' * len(batch))})", batch):
                found[stored[0]].append(_row(stored))
        return {entry: tuple(sorted(rows, key=_standing)) for entry, rows in found.items()}

    def contents(self) -> Iterator[tuple[str, int, str]]:
        """Page, position and entry of every row, in no order."""
        yield from map(tuple, self.select("SELECT page, position, entry FROM passages"))

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first."""
        seen = self._seen()
        if seen.languages is None:
            query = "SELECT language FROM index_pages GROUP BY language ORDER BY COUNT(*) DESC, language"
            seen.languages = tuple(row[0] for row in self.select(query))
        return list(seen.languages)

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        return sorted(
            {name for (meta,) in self.select("SELECT DISTINCT meta FROM index_pages") for name in json.loads(meta)}
        )

    @property
    @abstractmethod
    def traits(self) -> Traits: ...

    @abstractmethod
    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product with a float32 vector of unit length, rounded."""

    @abstractmethod
    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that have one."""

    def close(self) -> None:
        """Forget what was read; the connection is its owner's to close."""
        self._allowed.clear()

    def generation(self) -> int:
        """How often the index was changed."""
        return self._one("SELECT COALESCE(MAX(value), 0) FROM index_state WHERE name = 'generation'")

    def _seen(self) -> Seen:
        return Seen(-1) if self.recent is None else self.recent.of(self.generation())

    def size(self) -> int:
        """How many entries there are."""
        return self._statistics()[0]

    def check(self) -> list[str]:
        """What is wrong with the index itself; empty when nothing is."""
        found = Postings(self.connection).check()
        alone = "SELECT id FROM index_entries WHERE row NOT IN (SELECT entry FROM index_places)"
        found += [f"{row[0]} is indexed but stands on no page" for row in self.select(alone)]
        lost = "SELECT entry, page FROM index_places WHERE entry NOT IN (SELECT row FROM index_entries)"
        found += [f"page {row[1]} has the missing index entry {row[0]}" for row in self.select(lost)]
        return found

    def _add(self, rows: Sequence[Row]) -> dict[str, int]:
        """Rows of the new entries, in one new segment."""
        lengths = [len(row.terms) for row in rows]
        segment = Postings(self.connection).open(len(rows), sum(lengths))
        columns = ("id", "segment", "length", "key", "chunk", "tokens", "prefix", "part_start", "part_end", "text")
        made = [
            (row.entry, segment, length, row.key, row.chunk, row.tokens, row.prefix, row.start, row.end, row.text)
            for row, length in zip(rows, lengths, strict=True)
        ]
        insert_all(self.connection, "index_entries", columns, made)
        numbers = self.numbers(row.entry for row in rows)
        Postings(self.connection).put(segment, [(numbers[row.entry], row.terms) for row in rows])
        return numbers

    @abstractmethod
    def prepare(self) -> None:
        """Make what vectors need where it is missing."""

    @abstractmethod
    def settle(self) -> None:
        """Make ready for searches what can be."""

    @abstractmethod
    def embedded(self, numbers: Mapping[str, int], rows: Sequence[Row]) -> None:
        """Store the vectors of a page's entries, whose numbers are given."""

    def _drop(self, old: set[int]) -> None:
        """Remove those of the entries that stand nowhere any more."""
        gone: dict[int, list[int]] = {}
        entries = tables.entries.c
        placed = select(tables.places.c.entry).where(tables.places.c.entry == entries.row)
        for batch in batches(sorted(old)):
            query = select(entries.row, entries.segment).where(entries.row.in_(batch), ~placed.exists())
            for row, segment in self.connection.execute(query):
                gone.setdefault(segment, []).append(row)
        for segment, numbers in gone.items():
            self.run("DELETE FROM index_entries WHERE row = ?", [(number,) for number in numbers])
            Postings(self.connection).drop(segment, numbers)

    def _put_page(self, page: str, rows: Sequence[Row]) -> int:
        said = (rows[0].language, rows[0].planner, rows[0].date, dict(rows[0].meta)) if rows else ("", "", "", {})
        language, planner, date, meta = said
        self.run(
            "INSERT INTO index_pages (url, language, planner, date, meta) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (url) DO UPDATE SET language = excluded.language, planner = excluded.planner,"
            " date = excluded.date, meta = excluded.meta",
            [(page, language, planner, date, json.dumps(meta, sort_keys=True))],
        )
        return self._one("SELECT row FROM index_pages WHERE url = ?", (page,))

    def _entries_on(self, page: str) -> set[int]:
        query = "SELECT entry FROM index_places WHERE page = (SELECT row FROM index_pages WHERE url = ?)"
        return {row[0] for row in self.select(query, (page,))}

    def numbers(self, identities: Iterable[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for batch in batches(identities):
            query = select(tables.entries.c.id, tables.entries.c.row).where(tables.entries.c.id.in_(batch))
            found.update((row[0], row[1]) for row in self.connection.execute(query))
        return found

    def ranked(self, numbers: list[int], scores: list[float], k: int) -> list[tuple[str, float]]:
        names: dict[int, str] = {}
        for batch in batches(numbers):
            marks = ", ".join("?" * len(batch))
            names.update(self.select(f"SELECT row, id FROM index_entries WHERE row IN ({marks})", batch))  # noqa: S608 - marks
        ranked = sorted((-score, names[number]) for number, score in zip(numbers, scores, strict=True))
        return [(name, -score) for score, name in ranked[:k]]

    def mask(self, filters: Filters) -> NDArray[np.bool_] | None:
        """For each entry number whether it may be found; None when all may."""
        if filters == ALL:
            return None
        if filters not in self._allowed:
            mask = np.zeros(self._last() + 1, bool)
            mask[list(self.connection.scalars(self.allowed(filters)))] = True
            self._allowed[filters] = mask
        return self._allowed[filters]

    def _statistics(self) -> tuple[int, float]:
        size, length = next(
            self.select("SELECT COALESCE(SUM(entries), 0), COALESCE(SUM(length), 0) FROM index_segments")
        )
        return size, (length / size if size and length else 1.0)

    def _last(self) -> int:
        return self._one("SELECT COALESCE(MAX(row), 0) FROM index_entries")

    def every(self) -> NDArray[np.int64]:
        """The numbers of all entries, ascending."""
        return np.sort(np.array([row[0] for row in self.select("SELECT row FROM index_entries")], np.int64))

    def keys(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Of entries by their numbers the keys of their vectors."""
        found: dict[int, bytes] = {}
        for batch in batches(numbers):
            marks = ", ".join("?" * len(batch))
            found.update(self.select(f"SELECT row, key FROM index_entries WHERE row IN ({marks})", batch))  # noqa: S608
        return found

    def advance(self) -> None:
        """Say that the index has changed."""
        self._allowed.clear()
        self.run(
            "INSERT INTO index_state (name, value) VALUES ('generation', 1)"
            " ON CONFLICT (name) DO UPDATE SET value = index_state.value + 1",
            [()],
        )

    def run(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            self.connection.exec_driver_sql(marked(self.connection, statement), rows)

    def select(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        return iter(fetched(self.connection, query, values))

    def allowed(self, filters: Filters) -> Select[tuple[int]]:
        """Numbers of the entries that stand where the filters allow, some more than once.

        What is asked of pages is asked of each page, not of each passage on it.
        """
        pages, places = tables.pages.c, tables.places.c
        query = select(places.entry)
        if of_pages := list(self._of_pages(filters)):
            query = query.where(places.page.in_(select(pages.row).where(*of_pages)))
        for column, wanted in ((places.kinds, filters.kind), (places.roles, filters.role)):
            query = query.where(self.holds(column, wanted)) if wanted else query
        return query

    def _of_pages(self, filters: Filters) -> Iterator[ColumnElement[bool]]:
        """What `Filters.allow` says of a row's page, in SQL."""
        page = tables.pages.c
        if filters.url:
            yield or_(*(func.substr(page.url, 1, len(prefix)) == prefix for prefix in filters.url))
        if filters.language:
            spoken = func.lower(page.language) + "-"
            yield or_(*(func.substr(spoken, 1, len(one) + 1) == f"{one}-".lower() for one in filters.language))
        if filters.since:
            yield page.date >= filters.since
        if filters.until:
            yield page.date.between("0", filters.until)
        for name, values in filters.meta:
            yield self.pair(page.meta, name, values)

    def holds(self, column: ColumnElement[str], wanted: Sequence[str]) -> ColumnElement[bool]:
        """That a column's JSON list has one of the values."""
        each = func.json_each(column).table_valued("value")
        return select(each.c.value).where(each.c.value.in_(wanted)).exists()

    def pair(self, column: ColumnElement[str], name: str, values: Sequence[str]) -> ColumnElement[bool]:
        """That a column's JSON object has one of the values under the name."""
        pairs = func.json_each(column).table_valued("key", "value")
        return select(pairs.c.key).where(pairs.c.key == name, pairs.c.value.in_(values)).exists()

    def _one(self, query: str, values: Sequence[Any] = ()) -> int:
        return int(next(self.select(query, values))[0])


def _described(row: Row) -> tuple[str, ...]:
    lists = (row.units, row.trail, row.kinds, row.roles)
    return (row.anchor, row.link, row.label, *(json.dumps(part, ensure_ascii=False) for part in lists))


def _row(stored: Sequence[Any]) -> Row:
    """The row of the values of `_ROWS`, which are in the order of its fields."""
    values = list(stored)
    values[8] = _ids(values[8])
    for column in _LISTS:
        values[column] = _list(values[column])
    values[-1] = dict(_pairs(values[-1]))
    return Row(*values)


def _standing(row: Row) -> tuple[str, int]:
    return row.page, row.position


def _ids(packed: str) -> tuple[str, ...]:
    """The ids in a JSON list of them, which has nothing to unescape."""
    return tuple(packed[2:-2].split('", "')) if len(packed) > 2 else ()


@lru_cache(maxsize=4096)
def _list(packed: str) -> tuple[str, ...]:
    # A search reads hundreds of rows, which share their sections, kinds and roles.
    return tuple(json.loads(packed))


@lru_cache(maxsize=256)
def _pairs(packed: str) -> Mapping[str, str]:
    pairs: Mapping[str, str] = json.loads(packed)
    return pairs


_ROWS = (
    "SELECT entry, chunk, page, position, text, prefix, part_start, part_end, units, trail, anchor, link, tokens,"
    " planner, language, kinds, roles, label, date, meta FROM passages WHERE entry"
)
_LISTS = (9, 15, 16)
"""Columns of `_ROWS` that are lists which many rows have alike."""
