"""A workspace's database in PostgreSQL: one schema holds catalog and index, named by the URL's `index`, else `wrac`.

Readers see one snapshot; a run holds an advisory lock from its first page to its last, and each write transaction one
of its own, so transactions of several processes follow one another as they do in SQLite. Locks end with their
connection.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, TimeoutError

from wrac.catalog.database import Database
from wrac.core.environment import STORE_PASSWORD
from wrac.core.errors import (
    BusyError,
    ConfigError,
    MissingExtraError,
    RemoteError,
    StorageError,
    WorkspaceError,
    WracError,
)

SCHEMES: Final = ("postgresql://", "postgres://")
MOST: Final = 20
"""Connections of one process: a server has a hundred for all."""
_RUN, _WRITE = 0x77726163, 0x77726164
"""The first numbers of the advisory locks of a run and of a write transaction; the second is the schema's."""


class PostgresDatabase(Database):
    """The database of one workspace at a URL; `place` is the URL without its password."""

    advice = "use wrac {maker}, or give another ?index= and index again"

    def __init__(self, url: str) -> None:
        self.url, self.schema = parsed(url)
        self.place = shown(self.url, self.schema)
        self.engine = engine(self.url, self.schema)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one snapshot until the block ends."""
        with self.errors(), self.engine.connect() as plain:
            connection = plain.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one write transaction: all of it when the block ends, nothing of it when it raises."""
        with self.errors(), self.engine.connect() as connection, connection.begin():
            connection.execute(text("SELECT pg_advisory_xact_lock(:run, hashtext(:schema))"),
                               {"run": _WRITE, "schema": self.schema})  # fmt: skip
            yield connection

    @contextmanager
    def writer(self, wait: float, waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the one writer's lock; `waiting` is called once when another process has it.

        Raises BusyError after `wait` seconds.
        """
        with self.errors(), self.engine.connect() as plain:
            connection = plain.execution_options(isolation_level="AUTOCOMMIT")
            self._acquire(connection, wait, waiting)
            try:
                yield
            finally:
                self._release(connection)

    def errors(self) -> AbstractContextManager[None]:
        """Turn what the server raises into wrac's errors."""
        return errors(self.place)

    def make(self, connection: Connection, tables: MetaData) -> None:
        """Make those of the tables that are missing in the schema; one of that name elsewhere does not count."""
        connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{self.schema}"'))
        query = text("SELECT tablename FROM pg_tables WHERE schemaname = :schema")
        have = set(connection.scalars(query, {"schema": self.schema}))
        missing = [table for table in tables.sorted_tables if table.name not in have]
        tables.create_all(connection, tables=missing, checkfirst=False)

    def has(self, connection: Connection, table: str) -> bool:
        """Whether the schema has a table of that name."""
        query = text("SELECT 1 FROM pg_tables WHERE schemaname = :schema AND tablename = :table")
        return connection.scalar(query, {"schema": self.schema, "table": table}) is not None

    def empty(self) -> bool:
        """Whether the schema has no tables at all."""
        with self.read() as connection:
            query = text("SELECT 1 FROM pg_tables WHERE schemaname = :schema LIMIT 1")
            return connection.scalar(query, {"schema": self.schema}) is None

    def integrity(self) -> list[str]:
        """Nothing: PostgreSQL checks its pages and references itself."""
        return []

    def scrub(self, *, compact: bool = False) -> None:  # noqa: ARG002 - the parent's
        """Leave nothing of what was deleted in the files, with `compact` or without: the schema's tables are written
        anew, locked meanwhile, and the samples that the server keeps of their columns.

        The server's own log, and its backups, keep what was written for as long as they are set to.
        """
        with self.read() as connection:
            names = connection.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = :schema ORDER BY 1"),
                                       {"schema": self.schema}).all()  # fmt: skip
        quoted = connection.dialect.identifier_preparer.quote_identifier
        with self.errors(), self.engine.connect() as connection:
            plain = connection.execution_options(isolation_level="AUTOCOMMIT")
            for name in names:
                plain.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {quoted(self.schema)}.{quoted(name)}")
            plain.exec_driver_sql("VACUUM FULL pg_catalog.pg_statistic")  # passed over where that is not allowed

    def size(self) -> int:
        """Bytes of the tables of the schema, with their indexes."""
        query = text(
            "SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r'"
        )
        with self.read() as connection:
            return int(connection.execute(query, {"schema": self.schema}).scalar_one())

    def _release(self, connection: Connection) -> None:
        """Let go of the lock; a connection that cannot takes it along."""
        query = text("SELECT pg_advisory_unlock(:run, hashtext(:schema))")
        try:
            connection.execute(query, {"run": _RUN, "schema": self.schema})
        except DBAPIError:
            connection.invalidate()

    def _acquire(self, connection: Connection, wait: float, waiting: Callable[[], None]) -> None:
        query = text("SELECT pg_try_advisory_lock(:run, hashtext(:schema))")
        deadline, told = time.monotonic() + wait, False
        while not connection.scalar(query, {"run": _RUN, "schema": self.schema}):
            if not told:
                waiting()
                told = True
            if time.monotonic() >= deadline:
                problem = f"another process has been writing for {wait:.0f} s"
                raise BusyError(self.place, problem, "wait for it, then run again")
            time.sleep(0.1)


def parsed(url: str) -> tuple[URL, str]:
    """The server's URL for SQLAlchemy, and the schema; a password may stand in the environment instead.

    Raises ConfigError for a URL that is none.
    """
    try:
        found = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigError("no URL of a PostgreSQL database; write postgresql://user@host/database") from None
    schema = found.query.get("index", "wrac")
    if not isinstance(schema, str) or not schema.isidentifier() or not schema.isascii() or len(schema) > 40:
        raise ConfigError(f"index={schema} is no name of a schema; take up to 40 letters and digits")
    server = found.difference_update_query(["index"]).set(drivername="postgresql+psycopg")
    if not server.password and (password := os.environ.get(STORE_PASSWORD)):
        server = server.set(password=password)
    return server, schema.lower()


def shown(url: URL, schema: str) -> str:
    """The URL without its password: what is printed, logged and stored."""
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database)
    return plain.render_as_string() + ("" if schema == "wrac" else f"?index={schema}")


def engine(url: URL, schema: str) -> Engine:
    """Connections that see the schema before all others. Raises MissingExtraError without a driver."""
    settings: dict[str, Any] = {"options": f"-csearch_path={schema},public", "application_name": "wrac"}
    try:
        given = {"connect_timeout": 10, **settings}
        return create_engine(url, connect_args=given, pool_size=4, max_overflow=MOST - 4, pool_timeout=60)
    except ModuleNotFoundError as error:
        raise MissingExtraError("postgres", "PostgreSQL") from error


@contextmanager
def errors(place: str) -> Iterator[None]:
    """Turn what the server raises into wrac's errors."""
    try:
        yield
    except WracError:
        raise
    except DBAPIError as error:
        raise _translated(place, error.orig) from error
    except TimeoutError as error:
        raise BusyError(place, f"all {MOST} connections of this process were in use for 60 s", "try again") from error


_ADVICE: Final = {
    "42501": "the user may not do that here; grant it, or give another user",
    "3F000": "the schema is gone; run `wrac index` again",
    "42P01": "a table is gone; give another ?index= and index again",
}


def _translated(place: str, error: BaseException | None) -> Exception:
    """The one line of an error. The server's messages name no password."""
    state = getattr(error, "sqlstate", None)
    told = " ".join(str(error).split("\n")[0].split())
    if state is None and type(error).__name__ == "OperationalError":
        advice = f"start the server, or check host, user, password ({STORE_PASSWORD}) and database"
        return RemoteError(place, told, advice)
    if state == "53100":
        return StorageError(f"{place}: {told}; free space and run again, what was committed is intact")
    if state in _ADVICE:
        return WorkspaceError(place, told, _ADVICE[state])
    if state is not None and state[:2] in ("08", "53", "57"):
        return RemoteError(place, told, "try again")
    return error if isinstance(error, Exception) else RuntimeError("the database failed")
