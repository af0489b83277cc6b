"""A LanceDB table as the index: in a folder or on object storage, written by one commit a batch.

BM25 is LanceDB's own over our analysed terms (k1 1.2, b .75), so its scores are not those of the embedded index.
Vectors are scanned exactly up to `MANY` rows and always where a filter holds for few of them; beyond, an index answers
whose candidates are scored again by the whole vectors.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import unquote
from warnings import catch_warnings

os.environ.setdefault("LANCEDB_LOG", "error")  # it warns on stderr of what is asked for: that a table is new

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, BTree, HnswSq, LabelList
from lancedb.query import MatchQuery

from wrac.core.errors import ConfigError
from wrac.indexing import ALL, Change, Filters, Row, Space, Traits, Vector
from wrac.indexing.stores import (
    StoreAddress,
    absent,
    best,
    compare,
    down,
    in_batches,
    last,
    pair,
    record,
    row_id,
    row_of,
    sized,
)

MANY = 50_000
"""Rows from which vectors have an index: up to here a scan takes milliseconds and misses nothing."""
LATE = 0.05
"""Share of rows outside the indexes from which they are brought up to date."""
TERMS = 1024
_SCALARS = {"id": BTree, "entry": BTree, "url": BTree, "kinds": LabelList, "roles": LabelList, "spoken": LabelList,
            "tags": LabelList}  # fmt: skip
_LISTS = ("units", "trail", "kinds", "roles", "spoken", "tags")
_NUMBERS = ("position", "start", "end", "tokens")
_TEXTS = ("id", "entry", "chunk", "url", "text", "prefix", "anchor", "link", "planner", "language", "label", "date",
          "meta", "terms")  # fmt: skip


def connect(address: StoreAddress, space: Space, *, create: bool, anew: bool) -> LanceIndex:
    """The index in the table `address.index`. Raises as `stores.open_index` does."""
    local = not address.transport
    uri = unquote(address.path) if local else f"{address.transport}://{address.host}{address.path}"
    if local and (address.host or not address.path.startswith("/")):
        raise ConfigError(f"--store {address.shown}: no full path; write lancedb:///folder or lancedb+s3://bucket/path")
    with _errors(address):
        database = lancedb.connect(uri, read_consistency_interval=timedelta(0), storage_options=address.passed)
        known = address.index in database.list_tables(limit=10_000).tables
        if anew or (create and not known):
            table = database.create_table(address.index, schema=_schema(space), mode="overwrite")
            table.create_index("terms", config=_FTS)
        elif not known:
            raise absent(address)
        else:
            table = database.open_table(address.index)
            said = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
            compare(address, Space(said.get("wrac.embedder", "?"), table.schema.field("vector").type.list_size), space)
    return LanceIndex(address, table, address.exact(MANY))


_FTS = FTS(
    base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False,
    max_token_length=None, with_position=False,
)  # fmt: skip


def _schema(space: Space) -> Any:  # noqa: ANN401 - of pyarrow
    fields = [pa.field(name, pa.string()) for name in _TEXTS]
    fields += [pa.field(name, pa.int32()) for name in _NUMBERS]
    fields += [pa.field(name, pa.list_(pa.string())) for name in _LISTS]
    fields += [pa.field("vector", pa.list_(pa.float32(), space.dimensions))]
    return pa.schema(fields, metadata={"wrac.embedder": space.embedder})


@dataclass(slots=True)
class LanceIndex:
    """The index in one table. Several processes may write; of one that maintains it there should be one at a time."""

    address: StoreAddress
    table: Any
    many: int = MANY
    traits = Traits("lancedb", lexical=False, dense=True, shared=True, proven="LanceDB 0.40, in this process")
    _languages: tuple[int, list[str]] = field(default=(-1, []))

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say, in one commit."""
        pages = last(changes)
        if not pages:
            return
        width = self.table.schema.field("vector").type.list_size
        fitting = [sized(self.address, change, width) for change in pages.values()]
        made = pa.Table.from_pylist([one for change in fitting for one in _records(change)], self.table.schema)
        gone = f"url IN ({', '.join(map(_quoted, pages))})"
        with _errors(self.address):
            merge = self.table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            merge.when_not_matched_by_source_delete(gone).execute(made)
            if self._late():
                self.maintain()

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by LanceDB's BM25, above zero; a query is cut to its first `TERMS` distinct terms."""
        words = [term for term in dict.fromkeys(terms) if term and not term.isspace()][:TERMS]
        where = _where(filters)

        def ask(depth: int) -> list[tuple[str, float]]:
            query = self.table.search(MatchQuery(" ".join(words), "terms"), query_type="fts").limit(depth)
            query = query.where(where, prefilter=True) if where else query
            return _scored(query.select(["entry", "_score"]), "_score")

        with _errors(self.address):
            return best(ask, k) if words else []

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product."""
        where = _where(filters)
        with _errors(self.address):
            exact = not self._indexed() or (bool(where) and self.table.count_rows(where) < self.many)

            def ask(depth: int) -> list[tuple[str, float]]:
                query = self.table.search(vector, vector_column_name="vector").distance_type("dot").limit(depth)
                query = query.where(where, prefilter=True) if where else query
                query = query.bypass_vector_index() if exact else query.nprobes(20).ef(4 * depth).refine_factor(2)
                return [(entry, 1.0 - far) for entry, far in _scored(query.select(["entry", "_distance"]), "_distance")]

            return best(ask, k)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        found: dict[str, dict[str, Row]] = {entry: {} for entry in entries}
        columns = [name for name in (*_TEXTS, *_NUMBERS, *_LISTS) if name != "terms"]
        for stored in self._of(found, columns):
            row = row_of({**stored, "meta": json.loads(stored["meta"])})
            if filters.allow(row):
                found[row.entry][stored["id"]] = row
        return {entry: sorted(rows.values(), key=lambda row: (row.page, row.position)) for entry, rows in found.items()}

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that are in the table."""
        return {one["entry"]: np.array(one["vector"], np.float32) for one in self._of(entries, ["entry", "vector"])}

    def contents(self) -> Iterator[tuple[str, int, str]]:
        """Page, position and entry of every row."""
        for one in self._scan(["url", "position", "entry"]):
            yield one["url"], one["position"], one["entry"]

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first; read once for each version of the table."""
        with _errors(self.address):
            version = self.table.version
        if self._languages[0] != version:
            counted = Counter({one["url"]: one["language"] for one in self._scan(["url", "language"])}.values())
            self._languages = version, sorted(counted, key=lambda language: (-counted[language], language))
        return self._languages[1]

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        return sorted({name for one in self._scan(["meta"]) for name in json.loads(one["meta"])})

    def size(self) -> int:
        """How many entries there are."""
        return len({one["entry"] for one in self._scan(["entry"])})

    def check(self) -> list[str]:
        """Rows that are there twice: two processes wrote the same page at once."""
        counted = Counter(one["id"] for one in self._scan(["id"]))
        return [f"row {identity} is there {count} times" for identity, count in counted.items() if count > 1]

    def maintain(self) -> None:
        """Bring the indexes up to date and small files together; make the vectors' index when there are `MANY` rows.

        Where another process is about the same it is left to that one: a search finds what no index has, only later.
        """
        with _errors(self.address), _yielding():
            have = {column for index in self.table.list_indices() for column in index.columns}
            for column in [name for name in _SCALARS if name not in have]:
                self.table.create_index(column, config=_SCALARS[column]())
            if "vector" not in have and self.table.count_rows() >= self.many:
                self.table.create_index("vector", config=HnswSq(distance_type="dot"))
            self.table.optimize(cleanup_older_than=timedelta(hours=1))

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the files: rows and indexes made anew, older versions removed.

        A process that is reading an older version meanwhile fails, and reads the new one the next time.
        """
        with _errors(self.address), catch_warnings(action="ignore", category=UserWarning):  # it warns of just that
            self.table.update(values_sql={"id": "id"})  # every row moves to a new file
            have = [column for index in self.table.list_indices() for column in index.columns]
            for column in have:
                config = {"terms": _FTS, "vector": HnswSq(distance_type="dot")}.get(column)
                self.table.create_index(column, config=config or _SCALARS[column](), replace=True)
            self.table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    def close(self) -> None:
        """Leave the indexes up to date, where something was written."""
        if self._unindexed():
            self.maintain()

    def _late(self) -> bool:
        return self._unindexed() > max(5_000, LATE * int(self.table.count_rows()))

    def _unindexed(self) -> int:
        with _errors(self.address):
            return int(self.table.index_stats("terms_idx").num_unindexed_rows)

    def _indexed(self) -> bool:
        return bool(any("vector" in index.columns for index in self.table.list_indices()))

    def _of(self, entries: Iterable[str], columns: list[str]) -> Iterator[Mapping[str, Any]]:
        for batch in in_batches(dict.fromkeys(entries), 500):
            yield from self._scan(columns, f"entry IN ({', '.join(map(_quoted, batch))})")

    def _scan(self, columns: list[str], where: str = "") -> list[Mapping[str, Any]]:
        with _errors(self.address):
            query = self.table.search().select(columns)
            found: list[Mapping[str, Any]] = (query.where(where) if where else query).to_arrow().to_pylist()
            return found


def _records(change: Change) -> Iterator[dict[str, Any]]:
    vectors = change.vectors if change.vectors is not None else np.zeros((0, 0), np.float32)
    for row, vector in zip(change.rows, vectors, strict=True):
        said = record(row)
        meta = json.dumps(said["meta"], ensure_ascii=False, sort_keys=True)
        yield {**said, "id": row_id(row), "meta": meta, "terms": " ".join(row.terms), "vector": vector}


def _scored(query: Any, column: str) -> list[tuple[str, float]]:  # noqa: ANN401 - of lancedb
    found = query.to_arrow()
    return list(zip(found["entry"].to_pylist(), found[column].to_pylist(), strict=True))


def _where(filters: Filters) -> str:
    """What `Filters.allow` says of a row, in LanceDB's SQL."""
    parts = []
    if filters.url:
        parts.append(" OR ".join(f"starts_with(url, {_quoted(prefix)})" for prefix in filters.url))
    spoken = tuple(language.lower() for language in filters.language)
    for column, wanted in (("kinds", filters.kind), ("roles", filters.role), ("spoken", spoken)):
        parts += [_any(column, wanted)] if wanted else []
    parts += [_any("tags", [pair(name, value) for value in values]) for name, values in filters.meta]
    parts += [f"date >= {_quoted(filters.since)}"] if filters.since else []
    parts += [f"date > '' AND date <= {_quoted(filters.until)}"] if filters.until else []
    return " AND ".join(f"({part})" for part in parts)


def _any(column: str, wanted: Sequence[str]) -> str:
    """That a list holds one of the values; of no value none does."""
    return f"array_has_any({column}, [{', '.join(map(_quoted, wanted))}])" if wanted else "false"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def _yielding() -> Iterator[None]:
    """Give way where a commit was overtaken by another process's."""
    try:
        yield
    except RuntimeError as error:
        if "Retryable commit conflict" not in str(error):
            raise


@contextmanager
def _errors(address: StoreAddress) -> Iterator[None]:
    """Turn what LanceDB and its object store raise into one line."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:  # the last where a bucket cannot be reached
        raise down(address, error) from error
