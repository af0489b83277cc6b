"""Where a workspace is searched: an index in its own database, or a store outside that is told of changes.

An index inside changes in the transaction that changes the page. A store outside cannot: the transaction writes a line
into the catalog's outbox, and `drain` tells the store what those pages are by then. What is told twice changes nothing,
so a run that is killed anywhere is gone on with by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import RLock
from typing import Final

import numpy as np
from sqlalchemy import Connection

from wrac import catalog
from wrac.catalog import Database, outbox, vectors
from wrac.catalog.memory import forget, remember, remembered
from wrac.core.errors import BusyError, ConfigError, WorkspaceError
from wrac.core.seams import Embedder
from wrac.flow.report import Progress, silent
from wrac.flow.rows import language_of, rows_of
from wrac.flow.turns import Turns
from wrac.indexing import ALL, Change, Filters, Index, Row, Searched, Space, Vector, tables
from wrac.indexing.recent import Recent
from wrac.indexing.sql import SqlIndex
from wrac.indexing.sqlite import SqliteIndex
from wrac.indexing.stores import StoreAddress, open_index
from wrac.indexing.vectors import MatrixFile

STORE: Final = "store"
INSIDE: Final = "workspace"
"""What `wrac reindex --to` calls the index in the workspace itself."""
PAGES = 64
"""Pages whose changes a store is told at once."""
AT_ONCE = 4
"""Searches of a process that run at once: more threads would take the interpreter from one another, and end later."""


class Shelf:
    """The index of a workspace, wherever it is; `behind` is how many pages the store had not been told at a search."""

    def __init__(self, database: Database, folder: Path, embedder: Callable[[], Embedder]) -> None:
        self.database, self.folder, self._embedder = database, folder, embedder
        self.behind = 0
        self._turns = Turns(AT_ONCE)
        self._opening = RLock()
        self._recent = Recent()
        self._matrices: dict[str, MatrixFile] = {}
        self._outside: Index | None = None
        self._url = self.place
        self._told = 0

    @property
    def embedder(self) -> Embedder:
        """Whose vectors the index holds."""
        return self._embedder()

    @property
    def place(self) -> str:
        """The store's URL without its password; empty where the index is inside."""
        with self.database.read() as connection:
            return remembered(connection, STORE) or ""

    def look(self) -> None:
        """See where the index is now: another process may have moved it."""
        place = self.place
        if (StoreAddress.of(self._url).shown if self._url else "") != place:
            self.close()
            self._url = place

    def form(self) -> None:
        """Make the tables inside anew, and fill them, where they are of another version."""
        with self.database.read() as connection:
            if self.database.has(connection, tables.state.name) and tables.form(connection) == tables.FORM:
                return
        with self.database.writer(60, lambda: None), self.database.write() as connection:
            have = [one for one in tables.metadata.sorted_tables if self.database.has(connection, one.name)]
            connection.exec_driver_sql("DROP VIEW IF EXISTS passages")
            connection.exec_driver_sql("DROP TABLE IF EXISTS index_vectors")
            tables.metadata.drop_all(connection, have, checkfirst=False)
            self._unlink()  # rows get their numbers anew, a matrix knows them by number
            self.database.make(connection, tables.metadata)
            urls = [] if self._url else catalog.urls(connection)
            if urls:
                self.inside(connection).prepare()
            for url in urls:
                self.inside(connection).write([Change(url, rows_in(connection, url))])

    # -- inside a transaction that changes pages

    def put(self, connection: Connection, page: str, rows: Sequence[Row] = ()) -> None:
        """The page's rows are these from now on; without rows it is gone."""
        if self._url:
            outbox.add(connection, [page])
            self._told += 1
        else:
            self.inside(connection).write([Change(page, tuple(rows))])

    def inside(self, connection: Connection) -> SqlIndex:
        """The index in the workspace's own database, as a transaction sees it."""
        name = self.embedder.name

        def fetch(keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
            return vectors.recall(connection, name, keys)

        if connection.dialect.name == "sqlite":
            return SqliteIndex(connection, self._matrices.setdefault(name, MatrixFile(self.folder, name)), fetch)
        from wrac.indexing.pgvector import PgIndex

        return PgIndex(connection, space(self.embedder), fetch)

    def sweep(self, connection: Connection) -> None:
        """Drop what the index inside keeps of rows that are gone, its file of vectors too, which is derived anew."""
        self.inside(connection).sweep()
        self._unlink()

    def _unlink(self) -> None:
        """Remove the matrices of vectors, which are derived anew."""
        self._matrices.clear()
        for file in self.folder.glob("vectors-*.f32"):
            file.unlink(missing_ok=True)

    # -- outside of one, by the one that writes

    def begin(self, store: str = "") -> None:
        """Make ready for a run; a `store` that is named is remembered.

        Raises ConfigError where the pages stand elsewhere already, RemoteError for a store that does not answer.
        """
        self.look()
        if store and StoreAddress.of(store).shown != self._url:
            self._adopt(store)
        elif store:
            self._url = store  # with its password
        if self._url:
            self.outside()
            return
        with self.database.write() as connection:
            self.inside(connection).prepare()

    def drain(self, progress: Progress = silent, *, least: int = 0) -> None:
        """Tell the store of every page that has changed, when there are at least so many."""
        if not self._url or self._told < least:
            return
        self._told = 0
        with self.database.read() as connection:
            total, done = outbox.waiting(connection), 0
        while done < total:
            with self.database.read() as connection:
                last, urls = outbox.first(connection, PAGES)
                changes = [change_of(connection, self.embedder, url) for url in urls]
            if not urls:
                break
            self.outside().write(changes)
            with self.database.write() as connection:
                outbox.told(connection, last, urls)
            done += len(urls)
            progress("store", min(done, total), total, urls[-1])

    def settle(self) -> None:
        """Make ready for searches what can be."""
        if self._outside is not None:
            self._outside.close()  # stores bring their indexes up to date when they are closed
            self._outside = None
        elif not self._url:
            with self.database.write() as connection:
                self.inside(connection).settle()

    def empty(self) -> None:
        """Make a store anew, without rows, for the embedder as it is now; the index inside needs nothing."""
        self.look()
        if self._url:
            self.close()
            self._open(anew=True)

    def rebuild(self, to: str, progress: Progress) -> int:
        """How many pages are in the index, made anew where it is or, with `to`, elsewhere: a store or `INSIDE`.

        Until it is filled, searches go on in the old one.
        """
        self.look()
        if to and to != INSIDE and StoreAddress.of(to).shown != self._url:
            return self._move(to, progress)
        self._url = to if to and to != INSIDE else self._url
        if self._url and to != INSIDE:
            with self.database.write() as connection:
                outbox.refill(connection)
                pages = outbox.waiting(connection)
            self._open(anew=True)
            self.drain(progress)
        else:
            pages = self._inwards(progress)
        return pages

    # -- to search

    def search(self, connection: Connection) -> Searched:
        """What is searched, as a transaction sees it."""
        if self._url:
            return _Standing(self.outside(), connection)
        index = self.inside(connection)
        index.recent = self._recent
        return index

    def whole(self, connection: Connection) -> Index:
        """The index with all that stands in it."""
        return self.outside() if self._url else self.inside(connection)

    @contextmanager
    def searching(self) -> Iterator[tuple[Connection, Searched]]:
        """The catalog and what is searched as one snapshot sees them, a few threads at once."""
        with self._turns:
            self.catch_up()
            with self.database.read() as connection:
                yield connection, self.search(connection)

    def catch_up(self) -> None:
        """Tell the store what it was not told, unless another process is about it; then `behind` says how much."""
        self.look()
        self.behind = self.waiting()
        if self.behind and not self.database.readonly:
            with suppress(BusyError), self.database.writer(0, lambda: None):
                self.drain()
                self.behind = 0

    def waiting(self) -> int:
        """How many pages the store has not been told of."""
        if not self._url:
            return 0
        with self.database.read() as connection:
            return outbox.waiting(connection)

    def outside(self) -> Index:
        """The store; connected on first use."""
        with self._opening:
            return self._outside if self._outside is not None else self._open()

    def close(self) -> None:
        """Let go of store and matrix."""
        if self._outside is not None:
            self._outside.close()
            self._outside = None
        self._matrices.clear()

    def _open(self, *, create: bool = False, anew: bool = False) -> Index:
        self.close()
        self._outside = open_index(self._url, space(self.embedder), create=create, anew=anew)
        return self._outside

    def _adopt(self, store: str) -> None:
        """Take a store for a workspace that has no pages yet."""
        with self.database.read() as connection:
            pages = catalog.urls(connection)
        shown = StoreAddress.of(store).shown
        if pages or self._url:
            where = self._url or "the workspace itself"
            raise ConfigError(f"--store {shown}: the index is in {where}; run `wrac reindex --to {shown}` to move it")
        self._url = store
        self._open(create=True)
        with self.database.write() as connection:
            remember(connection, STORE, shown)

    def _move(self, to: str, progress: Progress) -> int:
        with self.database.read() as connection:
            urls = catalog.urls(connection)
        target = open_index(to, space(self.embedder), create=True, anew=True)
        with ExitStack() as opening:
            opening.callback(target.close)
            for start in range(0, len(urls), PAGES):
                with self.database.read() as connection:
                    changes = [change_of(connection, self.embedder, url) for url in urls[start : start + PAGES]]
                target.write(changes)
                progress("reindex", min(start + PAGES, len(urls)), len(urls), urls[start])
            with self.database.write() as connection:
                remember(connection, STORE, StoreAddress.of(to).shown)
                outbox.told(connection, outbox.newest(connection), urls)
                self.inside(connection).clear()
            opening.pop_all()
        self.close()
        self._url, self._outside = to, target
        return len(urls)

    def _inwards(self, progress: Progress) -> int:
        """The index inside made anew in one transaction; searches see the old one until it ends."""
        with self.database.write() as connection:
            index = self.inside(connection)
            index.prepare()
            index.clear()
            urls = catalog.urls(connection)
            for done, url in enumerate(urls, 1):
                index.write([Change(url, rows_in(connection, url))])
                progress("reindex", done, len(urls), url)
            forget(connection, STORE)
            outbox.clear(connection)
        self.close()
        self._url = ""
        return len(urls)


def space(embedder: Embedder) -> Space:
    """Whose vectors an index of this embedder holds."""
    return Space(embedder.name, embedder.dimensions)


def rows_in(connection: Connection, url: str) -> tuple[Row, ...]:
    """The rows of a page as the catalog has it; none where there is no such page."""
    record = catalog.get(connection, url)
    return () if record is None else tuple(rows_of(record, language_of(record)))


def change_of(connection: Connection, embedder: Embedder, url: str) -> Change:
    """What a store is told of a page. Raises WorkspaceError where a vector is missing."""
    rows = rows_in(connection, url)
    if not rows:
        return Change(url)
    known = vectors.recall(connection, embedder.name, {row.key for row in rows})
    if missing := sum(row.key not in known for row in rows):
        raise WorkspaceError(
            url, f"{missing} of its passages have no vector by {embedder.name}", "run `wrac index` on it, then again"
        )
    return Change(url, rows, np.stack([np.frombuffer(known[row.key], "<f4") for row in rows]))


class _Standing:
    """A store as far as it and the catalog's snapshot agree: a row is given where the catalog has it, too.

    Between a page's transaction and the store's, either may know the page as it was before.
    """

    def __init__(self, index: Index, connection: Connection) -> None:
        self._index, self._connection = index, connection

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        return self._index.lexical(terms, k, filters)

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        return self._index.dense(vector, k, filters)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        found = self._index.rows(entries, filters)
        known = catalog.standing(self._connection, {row.page for rows in found.values() for row in rows})
        return {
            entry: [row for row in rows if (row.page, row.position, row.chunk) in known]
            for entry, rows in found.items()
        }

    def languages(self) -> list[str]:
        return self._index.languages()

    def fields(self) -> list[str]:
        return self._index.fields()


def unknown(index: Searched, filters: Filters) -> None:
    """Nothing, when some page has each metadata that is asked for. Raises ConfigError that names those that are."""
    known = index.fields() if filters.meta else []
    for name, _ in filters.meta:
        if name not in known:
            fields = ", ".join(("url", "kind", "role", "language", "since", "until", *known))
            raise ConfigError(f"--where {name}: no page has such metadata; there are {fields}")
