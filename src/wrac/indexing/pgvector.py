"""The index in PostgreSQL: the tables of the embedded one, exact BM25 from our own postings, vectors in pgvector.

`PgIndex` is part of a caller's transaction, as in a workspace on PostgreSQL, where a page and its rows change together;
`PgStore` is a store outside, with connections of its own. Vectors are scanned exactly up to `MANY` entries and where a
filter leaves fewer; beyond, an HNSW index answers, which goes on (`iterative_scan`) until the filter has let through as
many as were asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import numpy as np
from pgvector.sqlalchemy import VECTOR
from sqlalchemy import (
    ARRAY,
    URL,
    Column,
    ColumnElement,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    any_,
    cast,
    create_engine,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DBAPIError

from wrac.core.errors import StorageError, WorkspaceError
from wrac.indexing import ALL, Change, Filters, Row, Space, Traits, Vector, tables
from wrac.indexing.postings import insert_all
from wrac.indexing.sql import SqlIndex
from wrac.indexing.stores import StoreAddress, absent, best, compare, down, last, sized
from wrac.indexing.vectors import Fetch

MANY = 20_000
"""Entries from which vectors have an index: building it takes a minute, a scan of fewer tens of milliseconds."""
_LOCK = 0x77726165
_LINKS, _MEMORY = 512, 2048
"""Bytes of a vector's neighbours while its index is built, and the megabytes that a build may take."""
_TRAITS = Traits("postgresql", lexical=True, dense=False, shared=True, proven="PostgreSQL 18 with pgvector 0.8")


@dataclass(slots=True)
class PgIndex(SqlIndex):
    """The index as one connection's transaction sees it, in the first schema of its search path.

    `fetch` reads vectors by key from the vector cache, for changes that bring none.
    """

    space: Space
    fetch: Fetch | None = None
    many: int = MANY
    _given: dict[str, Vector] = field(default_factory=dict)

    @property
    def traits(self) -> Traits:
        """BM25 is exact; so are vectors, up to `MANY`."""
        return _TRAITS

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say."""
        for change in changes:
            if change.vectors is not None:
                entries = [row.entry for row in change.rows]
                self._given = dict(zip(entries, change.vectors, strict=True))
            SqlIndex.write(self, [change])

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product."""
        if self.stored() is None:  # nothing was indexed yet
            return []
        allowed = self.mask(filters)
        few = (self.size() if allowed is None else int(allowed.sum())) < self.many
        distance = _VECTORS.c.vector.max_inner_product(vector)
        query = select(_VECTORS.c.entry, distance.label("distance"))
        if few:
            if allowed is not None:
                numbers = [int(number) for number in np.flatnonzero(allowed)]
                query = query.where(_VECTORS.c.entry == any_(cast(numbers, ARRAY(Integer))))
            query = query.order_by(distance + 0)  # no expression of an index: every row is looked at
        else:
            if filters != ALL:
                query = query.where(_VECTORS.c.entry.in_(self.allowed(filters)))
            query = query.order_by(distance)

        def ask(depth: int) -> list[tuple[str, float]]:
            if not few:
                self._tune(depth)
            near = query.limit(depth).subquery()
            named = select(tables.entries.c.id, near.c.distance).join(near, near.c.entry == tables.entries.c.row)
            return [(row[0], -row[1]) for row in self.connection.execute(named.order_by(near.c.distance))]

        return best(ask, k)

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that have one."""
        numbers = self.numbers(entries) if self.stored() else {}
        query = select(_VECTORS.c.entry, _VECTORS.c.vector)
        query = query.where(_VECTORS.c.entry == any_(cast(list(numbers.values()), ARRAY(Integer))))
        found = {row[0]: np.asarray(row[1], np.float32) for row in self.connection.execute(query)}
        return {entry: found[number] for entry, number in numbers.items() if number in found}

    def prepare(self) -> None:
        """Make the vectors' table of this space where it is missing, in place of another's."""
        known = self.stored()
        if known == self.space:
            return
        self.connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        self.connection.exec_driver_sql("DROP TABLE IF EXISTS index_vectors")
        self.connection.exec_driver_sql(
            "CREATE TABLE index_vectors (entry integer PRIMARY KEY REFERENCES index_entries (row) ON DELETE CASCADE,"
            f" vector vector({self.space.dimensions}) NOT NULL)"
        )
        comment = self.space.embedder.replace("'", "''").replace("%", "%%")  # a comment takes no parameter
        self.connection.exec_driver_sql(f"COMMENT ON TABLE index_vectors IS '{comment}'")

    def stored(self) -> Space | None:
        """Whose vectors are here; None where none are."""
        query = text(
            "SELECT obj_description(c.oid), a.atttypmod FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
            " WHERE c.relname = 'index_vectors' AND c.relnamespace = current_schema()::regnamespace"
            " AND a.attname = 'vector'"
        )
        found = self.connection.execute(query).one_or_none()
        return None if found is None else Space(found[0] or "?", int(found[1]))

    def shared(self) -> bool:
        """Whether a workspace's catalog is in the same schema: then the index changes with that alone."""
        query = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'documents'"
        return next(self.select(query), None) is not None

    def late(self) -> bool:
        """Whether there are `many` vectors and no index of them."""
        have = "SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'index_vectors_hnsw'"
        return self.size() >= self.many and next(self.select(have), None) is None

    def settle(self) -> None:
        """Make the vectors' index when there are `MANY` of them, and tell the planner what there is."""
        self.prepare()
        if self.late():
            # A graph that outgrows this memory is built on disk, many times as slowly.
            needed = self.size() * (4 * self.space.dimensions + _LINKS) // 2**20 + 1
            self.connection.exec_driver_sql(f"SET LOCAL maintenance_work_mem = '{min(max(needed, 64), _MEMORY)}MB'")
            self.connection.exec_driver_sql(
                "CREATE INDEX IF NOT EXISTS index_vectors_hnsw ON index_vectors USING hnsw (vector vector_ip_ops)"
            )
        for table in ("index_vectors", *(one.name for one in tables.metadata.sorted_tables)):
            self.connection.exec_driver_sql(f"ANALYZE {table}")

    def check(self) -> list[str]:
        """What is wrong with the index itself; empty when nothing is."""
        if self.stored() is None:
            return SqlIndex.check(self)
        bare = "SELECT id FROM index_entries WHERE row NOT IN (SELECT entry FROM index_vectors)"
        return [*SqlIndex.check(self), *(f"{row[0]} has no vector in the index" for row in self.select(bare))]

    def holds(self, column: ColumnElement[str], wanted: Sequence[str]) -> ColumnElement[bool]:
        """That a column's JSON list has one of the values."""
        return func.jsonb_exists_any(cast(column, JSONB), cast(list(wanted), ARRAY(Text)))

    def pair(self, column: ColumnElement[str], name: str, values: Sequence[str]) -> ColumnElement[bool]:
        """That a column's JSON object has one of the values under the name."""
        return func.jsonb_extract_path_text(cast(column, JSONB), name).in_(list(values))

    def embedded(self, numbers: Mapping[str, int], rows: Sequence[Row]) -> None:
        """Store the vectors of entries that have none, those given with them or those of the cache."""
        have = select(_VECTORS.c.entry).where(_VECTORS.c.entry.in_([numbers[row.entry] for row in rows]))
        known_numbers = set(self.connection.scalars(have))
        rows = [row for row in rows if numbers[row.entry] not in known_numbers]
        found = {row.entry: self._given[row.entry] for row in rows if row.entry in self._given}
        missing = {row.entry: row.key for row in rows if row.entry not in found}
        if missing and self.fetch is not None:
            known = self.fetch(list(missing.values()))
            found |= {entry: np.frombuffer(known[key], "<f4") for entry, key in missing.items() if key in known}
        values = [(numbers[entry], str(vector.tolist())) for entry, vector in found.items()]
        insert_all(self.connection, "index_vectors", ("entry", "vector"), values)

    def _tune(self, depth: int) -> None:
        settings = {"ef_search": min(max(depth, 200), 1000), "iterative_scan": "strict_order", "max_scan_tuples": 10**6}
        for name, value in settings.items():
            self.connection.exec_driver_sql(f"SET LOCAL hnsw.{name} = {value}")


_VECTORS = Table("index_vectors", MetaData(), Column("entry", Integer), Column("vector", VECTOR))


def connect(address: StoreAddress, space: Space, *, create: bool, anew: bool) -> PgStore:
    """The index in the schema `address.index`. Raises as `stores.open_index` does."""
    store = PgStore(address, space, _engine(address))
    with ExitStack() as opening:
        opening.callback(store.engine.dispose)
        with store.reading() as index:
            found = index.stored()
            if index.shared():
                problem = f"schema {address.index} holds a workspace"
                raise WorkspaceError(address.shown, problem, "give another ?index=")
        if found is None and not (create or anew):
            raise absent(address)
        if found is None or anew:
            store.prepare(anew=anew)
        else:
            compare(address, found, space)
        opening.pop_all()
    return store


@dataclass(frozen=True, slots=True)
class PgStore:
    """The index in a schema of its own; every operation is a transaction."""

    address: StoreAddress
    space: Space
    engine: Engine
    traits = _TRAITS

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say, in one transaction."""
        with self.writing() as index:
            index.write([sized(self.address, one, self.space.dimensions) for one in last(changes).values()])

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by BM25 with their scores, above zero, rounded; counts are over the whole index."""
        with self.reading() as index:
            return index.lexical(terms, k, filters)

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product."""
        with self.reading() as index:
            return index.dense(vector, k, filters)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        with self.reading() as index:
            return index.rows(entries, filters)

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that have one."""
        with self.reading() as index:
            return index.vectors(entries)

    def contents(self) -> list[tuple[str, int, str]]:
        """Page, position and entry of every row, in no order."""
        with self.reading() as index:
            return list(index.contents())

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first."""
        with self.reading() as index:
            return index.languages()

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        with self.reading() as index:
            return index.fields()

    def size(self) -> int:
        """How many entries there are."""
        with self.reading() as index:
            return index.size()

    def check(self) -> list[str]:
        """What is wrong with the index itself; empty when nothing is."""
        with self.reading() as index:
            return index.check()

    def settle(self) -> None:
        """Make ready for searches what can be."""
        with self.writing() as index:
            index.settle()

    def close(self) -> None:
        """Make ready for searches what is not, and close every connection."""
        with self.reading() as index:
            late = index.late()
        if late:
            self.settle()
        self.engine.dispose()

    def prepare(self, *, anew: bool) -> None:
        """Make the schema and the tables."""
        with self.writing() as index:
            connection, schema = index.connection, self.address.index
            query = text("SELECT tablename FROM pg_tables WHERE schemaname = :schema")
            have = set(connection.scalars(query, {"schema": schema}))
            connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            if anew:
                connection.exec_driver_sql("DROP VIEW IF EXISTS passages")
                connection.exec_driver_sql("DROP TABLE IF EXISTS index_vectors")
                tables.metadata.drop_all(connection, [one for one in tables.metadata.sorted_tables if one.name in have])
                have = set()
            missing = [one for one in tables.metadata.sorted_tables if one.name not in have]
            tables.metadata.create_all(connection, missing, checkfirst=False)
            index.prepare()

    @contextmanager
    def reading(self) -> Iterator[PgIndex]:
        """The index as one snapshot sees it."""
        with _errors(self.address), self.engine.connect() as plain:
            connection = plain.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield PgIndex(connection, self.space, many=self.address.exact(MANY))

    @contextmanager
    def writing(self) -> Iterator[PgIndex]:
        """The index in a write transaction; those of several processes follow one another."""
        with _errors(self.address), self.engine.connect() as connection, connection.begin():
            lock = text("SELECT pg_advisory_xact_lock(:kind, hashtext(:schema))")
            connection.execute(lock, {"kind": _LOCK, "schema": self.address.index})
            yield PgIndex(connection, self.space, many=self.address.exact(MANY))


def _engine(address: StoreAddress) -> Engine:
    url = URL.create(
        "postgresql+psycopg", address.user or None, address.password or None, address.host or None, address.port,
        address.path.strip("/") or None, address.passed,
    )  # fmt: skip
    settings = {"options": f"-csearch_path={address.index},public", "application_name": "wrac", "connect_timeout": 10}
    return create_engine(url, connect_args=settings, pool_size=2)


@contextmanager
def _errors(address: StoreAddress) -> Iterator[None]:
    """Turn what the server raises into one line."""
    try:
        yield
    except DBAPIError as error:
        told = str(error.orig).split("\n")[0]
        if getattr(error.orig, "sqlstate", None) == "53100":
            raise StorageError(f"{address.shown}: {told}; free space and run again") from error
        raise down(address, told) from error
