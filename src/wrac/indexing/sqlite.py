"""The embedded index: rows, exact BM25 postings and an exact vector scan in the catalog's own SQLite file.

FTS5 is not used: its `bm25()` gives a term that half of a small site's passages hold no weight, and counting through its
vocabulary tables costs more than reading our own postings (docs/design/0004).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from wrac.indexing import ALL, Filters, Row, Vector
from wrac.indexing.postings import POSTING, Postings
from wrac.indexing.vectors import Fetch, Matrix, MatrixFile, scan
from wrac.text import bm25

T = TypeVar("T")
TERMS = 64
"""A query is cut to so many of its rarest terms: the others weigh next to nothing and cost the most."""
_BATCH = 500


@dataclass(slots=True)
class SqliteIndex:
    """The index as one connection's transaction sees it.

    `fetch` reads vectors by key from the vector cache; `matrix` is the file derived from them. Writing needs neither.
    """

    connection: Connection
    matrix: MatrixFile | None = None
    fetch: Fetch | None = None
    _allowed: dict[Filters, NDArray[np.bool_] | None] = field(default_factory=dict)

    def put(self, page: str, rows: Sequence[Row]) -> None:
        """The page's rows are these, in place of what they were."""
        old = self._entries_on(page)
        number = self._put_page(page, rows)
        known = self._numbers({row.entry for row in rows})
        if new := {row.entry: row for row in rows if row.entry not in known}:
            known |= self._add(list(new.values()))
        self._run("DELETE FROM index_places WHERE page = ?", [(number,)])
        self._run(
            "INSERT INTO index_places (page, position, entry, anchor, units, trail, kinds, roles)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(number, row.position, known[row.entry], *_described(row)) for row in rows],
        )
        self._drop(old - set(known.values()))
        self._advance()

    def remove(self, page: str) -> None:
        """The page has no rows; entries that stand on no other page are gone."""
        old = self._entries_on(page)
        self._run(
            "DELETE FROM index_places WHERE page = (SELECT row FROM index_pages WHERE url = ?)",
            [(page,)],
        )
        self._run("DELETE FROM index_pages WHERE url = ?", [(page,)])
        self._drop(old)
        self._advance()

    def clear(self) -> None:
        """Nothing is left."""
        for table in ("places", "pages", "entries", "segments", "postings", "terms"):
            self.connection.exec_driver_sql(f"DELETE FROM index_{table}")
        self._advance()

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by BM25 with their scores, above zero; counts are over the whole index."""
        size, average = self._statistics()
        allowed = self._mask(filters)
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
            found = found[scores[found] >= edge]
        return self._ranked([int(number) for number in found], [float(score) for score in scores[found]], k)

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product with a float32 vector of unit length, rounded to six digits."""
        return self._ranked(*scan(self.derived(), vector, k, self._mask(filters)), k)

    def derived(self) -> Matrix:
        """The matrix of this transaction's entries, written to its file where that is behind."""
        if self.matrix is None or self.fetch is None:
            raise ValueError("this index was opened without vectors")
        return self.matrix.current(self.generation(), self.keys, self.fetch)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        found: dict[str, list[Row]] = {entry: [] for entry in entries}
        for batch in _batches(found):
            query = f"SELECT * FROM passages WHERE entry IN ({_marks(batch)}) ORDER BY page, position, entry"
            for stored in self._select(query, batch):
                row = _row(stored)
                if filters.allow(row):
                    found[row.entry].append(row)
        return found

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first."""
        query = "SELECT language FROM index_pages GROUP BY language ORDER BY COUNT(*) DESC, language"
        return [row[0] for row in self._select(query)]

    def generation(self) -> int:
        """How often the index was changed."""
        return int(self._one("SELECT COALESCE(MAX(value), 0) FROM index_state WHERE name = 'generation'"))

    def size(self) -> int:
        """How many entries there are."""
        return self._statistics()[0]

    def check(self) -> list[str]:
        """What is wrong with the index itself; empty when nothing is."""
        found = Postings(self.connection).check()
        alone = "SELECT id FROM index_entries WHERE row NOT IN (SELECT entry FROM index_places)"
        found += [f"{row[0]} is indexed but stands on no page" for row in self._select(alone)]
        lost = "SELECT entry, page FROM index_places WHERE entry NOT IN (SELECT row FROM index_entries)"
        found += [f"page {row[1]} has the missing index entry {row[0]}" for row in self._select(lost)]
        return found

    def _add(self, rows: Sequence[Row]) -> dict[str, int]:
        """Rows of the new entries, in one new segment."""
        lengths = [len(row.terms) for row in rows]
        segment = Postings(self.connection).open(len(rows), sum(lengths))
        self._run(
            'INSERT INTO index_entries (id, segment, length, key, chunk, tokens, prefix, part_start, part_end, text)'
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (row.entry, segment, length, row.key, row.chunk, row.tokens, row.prefix, row.start, row.end, row.text)
                for row, length in zip(rows, lengths, strict=True)
            ],
        )
        numbers = self._numbers(row.entry for row in rows)
        Postings(self.connection).put(segment, [(numbers[row.entry], row.terms) for row in rows])
        return numbers

    def _drop(self, old: set[int]) -> None:
        """Remove those of the entries that stand nowhere any more."""
        gone: dict[int, list[int]] = {}
        for batch in _batches(sorted(old)):
            query = (
                f"SELECT row, segment FROM index_entries WHERE row IN ({_marks(batch)})"
                " AND row NOT IN (SELECT entry FROM index_places WHERE entry = index_entries.row)"
            )
            for row, segment in self._select(query, batch):
                gone.setdefault(segment, []).append(row)
        for segment, numbers in gone.items():
            self._run("DELETE FROM index_entries WHERE row = ?", [(number,) for number in numbers])
            Postings(self.connection).drop(segment, numbers)

    def _put_page(self, page: str, rows: Sequence[Row]) -> int:
        language, planner, meta = (rows[0].language, rows[0].planner, dict(rows[0].meta)) if rows else ("", "", {})
        self._run(
            "INSERT INTO index_pages (url, language, planner, meta) VALUES (?, ?, ?, ?) ON CONFLICT (url) DO UPDATE"
            " SET language = excluded.language, planner = excluded.planner, meta = excluded.meta",
            [(page, language, planner, json.dumps(meta, sort_keys=True))],
        )
        return int(self._one("SELECT row FROM index_pages WHERE url = ?", (page,)))

    def _entries_on(self, page: str) -> set[int]:
        query = "SELECT entry FROM index_places WHERE page = (SELECT row FROM index_pages WHERE url = ?)"
        return {row[0] for row in self._select(query, (page,))}

    def _numbers(self, identities: Iterable[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for batch in _batches(identities):
            found.update(
                (row[0], row[1])
                for row in self._select(f"SELECT id, row FROM index_entries WHERE id IN ({_marks(batch)})", batch)
            )
        return found

    def _ranked(self, numbers: list[int], scores: list[float], k: int) -> list[tuple[str, float]]:
        names: dict[int, str] = {}
        for batch in _batches(numbers):
            rows = self._select(f"SELECT row, id FROM index_entries WHERE row IN ({_marks(batch)})", batch)
            names.update((row[0], row[1]) for row in rows)
        ranked = sorted((-score, names[number]) for number, score in zip(numbers, scores, strict=True))
        return [(name, -score) for score, name in ranked[:k]]

    def _mask(self, filters: Filters) -> NDArray[np.bool_] | None:
        """For each entry number whether it may be found; None when all may."""
        if filters == ALL:
            return None
        if filters not in self._allowed:
            mask = np.zeros(self._last() + 1, bool)
            where, values = _condition(filters)
            query = "SELECT DISTINCT o.entry FROM index_places o JOIN index_pages p ON p.row = o.page WHERE "
            mask[[row[0] for row in self._select(query + where, values)]] = True
            self._allowed[filters] = mask
        return self._allowed[filters]

    def _statistics(self) -> tuple[int, float]:
        size, length = next(
            self._select("SELECT COALESCE(SUM(entries), 0), COALESCE(SUM(length), 0) FROM index_segments")
        )
        return size, (length / size if size and length else 1.0)

    def _last(self) -> int:
        return int(self._one("SELECT COALESCE(MAX(row), 0) FROM index_entries"))

    def matrix_path(self) -> str:
        """Where the derived matrix is."""
        return "" if self.matrix is None else str(self.matrix.path)

    def keys(self) -> dict[int, bytes]:
        """Of each entry's number the key of its vector."""
        return {row[0]: row[1] for row in self._select("SELECT row, key FROM index_entries")}

    def _advance(self) -> None:
        self._allowed.clear()
        self._run(
            "INSERT INTO index_state (name, value) VALUES ('generation', 1)"
            " ON CONFLICT (name) DO UPDATE SET value = value + 1",
            [()],
        )

    def _run(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            self.connection.exec_driver_sql(statement, rows)

    def _select(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        return iter(self.connection.exec_driver_sql(query, tuple(values)))

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self.connection.exec_driver_sql(query, tuple(values)).scalar_one()


def _condition(filters: Filters) -> tuple[str, list[Any]]:
    """The SQL for the filters and its values; what `Filters.allow` says of a row."""
    parts: list[str] = []
    values: list[Any] = []
    for prefixes in (filters.url,) if filters.url else ():
        parts.append(" OR ".join("substr(p.url, 1, ?) = ?" for _ in prefixes))
        values += [value for prefix in prefixes for value in (len(prefix), prefix)]
    for languages in (filters.language,) if filters.language else ():
        parts.append(" OR ".join("substr(lower(p.language) || '-', 1, ?) = ?" for _ in languages))
        values += [value for wanted in languages for value in (len(wanted) + 1, f"{wanted}-".lower())]
    for column, wanted in (("kinds", filters.kind), ("roles", filters.role)):
        if wanted:
            parts.append(f"EXISTS (SELECT 1 FROM json_each(o.{column}) WHERE value IN ({_marks(wanted)}))")
            values += wanted
    for name, allowed in filters.meta:
        parts.append(f"EXISTS (SELECT 1 FROM json_each(p.meta) WHERE key = ? AND value IN ({_marks(allowed)}))")
        values += [name, *allowed]
    return " AND ".join(f"({part})" for part in parts), values


def _described(row: Row) -> tuple[str, ...]:
    return (
        row.anchor,
        *(json.dumps(part, ensure_ascii=False) for part in (row.units, row.trail, row.kinds, row.roles)),
    )


def _row(stored: Any) -> Row:
    lists = {name: tuple(json.loads(getattr(stored, name))) for name in ("units", "trail", "kinds", "roles")}
    plain = {name: getattr(stored, name) for name in _PLAIN}
    return Row(meta=json.loads(stored.meta), start=stored.part_start, end=stored.part_end, **plain, **lists)


_PLAIN = (
    "entry", "chunk", "page", "position", "text", "prefix", "anchor", "tokens", "planner", "language",
)  # fmt: skip


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(values)
    while batch := list(islice(rest, _BATCH)):
        yield batch


__all__ = ["POSTING", "TERMS", "SqliteIndex"]
