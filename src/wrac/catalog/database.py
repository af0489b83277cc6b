"""Connections, transactions and locks of a workspace's database. What is particular to SQLite stands here; PostgreSQL's
is in `postgres`.

Readers see one snapshot and never wait. One process writes: it holds the lock file for its whole run, so a second
writer waits before its first page instead of racing page by page; SQLite's own locks end with their process.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event, insert, select
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from wrac import __version__
from wrac.catalog.memory import remember, remembered
from wrac.catalog.migrations import STEPS
from wrac.catalog.schema import SCHEMA, meta, metadata
from wrac.core.errors import BusyError, StorageError, WorkspaceError, WracError

FILE, LOCK = "wrac.db", "writer.lock"
KEPT = 8
"""Connections that are kept open for the next ones."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS}
_SETTINGS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "busy_timeout=60000",
    "secure_delete=ON",
)  # what is deleted is overwritten: `wrac forget` keeps its word


class Database:
    """The database of one workspace folder; `place` is what errors call it."""

    advice = "use wrac {maker}, or move the folder away and index again"
    readonly = False
    """Whether this process may only read, as on a disk that is mounted so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = str(folder)
        self.readonly = (folder / FILE).is_file() and not all(os.access(p, os.W_OK) for p in (folder, folder / FILE))
        self.engine = _reading(folder) if self.readonly else _engine(folder / FILE)
        self._file = 0

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one snapshot until the block ends.

        Raises WorkspaceError where the workspace is no longer the one that was opened.
        """
        self._stays()
        with self.errors(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in one write transaction: all of it when the block ends, nothing of it when it raises.

        Raises WorkspaceError where this process may only read, or the workspace is no longer the one that was opened.
        """
        self._writable()
        self._stays()
        with self.errors(), self.engine.connect() as plain:
            connection = plain.execution_options(wrac_begin="IMMEDIATE")
            with connection.begin():
                yield connection

    def errors(self) -> AbstractContextManager[None]:
        """Turn what the database raises into wrac's errors."""
        return errors(self.folder)

    @contextmanager
    def writer(self, wait: float, waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the one writer's lock; `waiting` is called once when another process has it.

        Raises BusyError after `wait` seconds, WorkspaceError where this process may only read.
        """
        self._writable()
        with errors(self.folder), closing(sqlite3.connect(self.folder / LOCK, timeout=0, isolation_level=None)) as lock:
            _acquire(lock, self.folder, wait, waiting)
            yield

    def _stays(self) -> None:
        # Open connections go on in a file that is gone: a server would answer from it for days.
        try:
            file = os.stat(self.folder / FILE).st_ino  # noqa: PTH116 - asked for every search
        except FileNotFoundError:
            file = 0
        self._file = self._file or file
        if file != self._file:
            raise WorkspaceError(self.place, "it was moved or replaced while this was running", "start this again")

    def _writable(self) -> None:
        if self.readonly:
            raise WorkspaceError(self.place, "it may only be read here", "run this as its owner, or on a copy of it")

    def create(self, *others: MetaData) -> None:
        """Make the tables of the catalog, and of whoever shares the database, where they are missing."""
        with self.write() as connection:
            for tables in (metadata, *others):
                self.make(connection, tables)
            known = connection.scalar(select(meta.c.value).where(meta.c.name == "schema"))
            if known is None:
                rows = [{"name": "schema", "value": str(SCHEMA)}, {"name": "wrac", "value": __version__}]
                connection.execute(insert(meta), rows)

    def make(self, connection: Connection, tables: MetaData) -> None:
        """Make those of the tables that are missing."""
        tables.create_all(connection)

    def has(self, connection: Connection, table: str) -> bool:
        """Whether there is a table of that name."""
        return bool(connection.dialect.has_table(connection, table))

    def empty(self) -> bool:
        """Whether there are no tables at all: the maker stopped before the first transaction, or comes now."""
        with self.read() as connection:
            return not connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").all()

    def check(self) -> None:
        """Nothing, when the tables are of this version, as those of an older one are after it.

        Raises WorkspaceError when they are of a later one, or no workspace's.
        """
        with self.read() as connection:
            if not self.has(connection, meta.name):
                raise WorkspaceError(self.place, "it is no wrac database", "choose another --workspace")
            found = {row.name: row.value for row in connection.execute(select(meta))}
        known = found.get("schema", "")
        if known == str(SCHEMA):
            return
        if not known.isdecimal() or not min(STEPS) - 1 <= int(known) < SCHEMA:
            maker = found.get("wrac", "another version")
            raise WorkspaceError(
                self.place,
                f"it has schema {known} (made by wrac {maker}), wrac {__version__} reads schema {SCHEMA}",
                self.advice.format(maker=maker),
            )
        with self.writer(60, lambda: None):
            self.upgrade()

    def upgrade(self, steps: Mapping[int, Callable[[Connection], None]] = STEPS) -> None:
        """Take the steps from the schema that the tables are of to the present one, each in a transaction."""
        for number, step in sorted(steps.items()):
            with self.write() as connection:
                if int(remembered(connection, "schema") or 0) < number:
                    step(connection)
                    remember(connection, "schema", str(number))
                    remember(connection, "wrac", __version__)

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with the file and its references; empty when nothing is."""
        with self.read() as connection:
            rows = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check")]
            broken = [f"{row[0]} refers to a missing {row[2]}" for row in
                      connection.exec_driver_sql("PRAGMA foreign_key_check")]  # fmt: skip
        return [row for row in rows if row != "ok"] + broken

    def size(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.folder.iterdir() if path.is_file())

    def scrub(self, *, compact: bool = False) -> None:
        """Leave nothing of what was deleted in the files; with `compact` also give their room back.

        What a reader still holds open stays in the write-ahead log until it is done.
        """
        with self.errors(), closing(self.engine.raw_connection()) as connection:  # in no transaction
            cursor = connection.cursor()
            if compact:
                cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


def _engine(path: Path) -> Engine:
    # As many connections as there are readers: one that waits for another's may hold what that one waits for.
    engine = create_engine(
        URL.create("sqlite", database=str(path)), connect_args={"timeout": 60}, pool_size=KEPT, max_overflow=-1
    )
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    return engine


def _reading(folder: Path) -> Engine:
    """Connections that only read. Each is opened for one transaction: another process may have written meanwhile."""
    engine = create_engine("sqlite://", creator=lambda: _open(folder), poolclass=NullPool)
    event.listen(engine, "begin", _begin)
    return engine


def _open(folder: Path) -> sqlite3.Connection:
    """A reader's connection. SQLite shares a file with other readers, which it may not make here: it is told that the
    database stands still, unless there is a log, where a writer is about or was stopped.
    """
    log = folder / f"{FILE}-wal"
    still = "" if log.is_file() and log.stat().st_size else "&immutable=1"
    where = f"{(folder / FILE).absolute().as_uri()}?mode=ro{still}"
    return sqlite3.connect(where, uri=True, timeout=60, isolation_level=None, check_same_thread=False)


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late for a snapshot and is never IMMEDIATE
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('wrac_begin', 'DEFERRED')}")


def _acquire(lock: sqlite3.Connection, folder: Path, wait: float, waiting: Callable[[], None]) -> None:
    deadline, told = time.monotonic() + wait, False
    while True:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY":
                raise
        else:
            return
        if not told:
            waiting()
            told = True
        if time.monotonic() >= deadline:
            raise BusyError(folder, f"another process has been writing for {wait:.0f} s", "wait for it, then run again")
        time.sleep(0.1)


@contextmanager
def errors(folder: Path) -> Iterator[None]:
    """Turn what the database or the file system raises into wrac's errors."""
    try:
        yield
    except WracError:
        raise
    except DatabaseError as error:
        raise _translated(folder, error.orig) from error
    except sqlite3.DatabaseError as error:
        raise _translated(folder, error) from error
    except OSError as error:
        if error.errno in _FULL:
            raise StorageError(f"{folder}: {error.strerror}; free space and run again") from error
        raise


def _translated(folder: Path, error: BaseException | None) -> Exception:
    name = getattr(error, "sqlite_errorname", "")
    if name == "SQLITE_FULL" or name.startswith("SQLITE_IOERR"):
        return StorageError(f"{folder}: {error}; free space and run again, what was committed is intact")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return BusyError(folder, "another process holds the database", "try again")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return WorkspaceError(folder, f"the database is damaged ({error})", "move the folder away and index again")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH")):
        advice = "check the folder's permissions; what another user left unfinished there that one must finish"
        return WorkspaceError(folder, f"the database cannot be opened ({error})", advice)
    return error if isinstance(error, Exception) else RuntimeError("the database failed")
