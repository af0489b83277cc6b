"""What is taken out of a workspace for good: a page, wherever it left something, and what nothing refers to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from wrac import catalog
from wrac.catalog import Database, answers, crawls, ledger, vectors
from wrac.catalog import memory as memories
from wrac.core.errors import NotFoundError
from wrac.flow import leavings
from wrac.flow.report import Progress
from wrac.flow.shelf import Shelf
from wrac.observing import EventLog

JOBS: Final = "jobs"
"""The folder of a workspace in which servers keep what they know of their jobs."""


@runtime_checkable
class Versioned(Protocol):
    """A store whose files keep what was deleted, until it is told otherwise."""

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the files."""
        ...


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was erased: pages by URL, and how many chunks, vectors and events went with them."""

    pages: tuple[str, ...] = ()
    chunks: int = 0
    vectors: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class Collected:
    """What was dropped because nothing refers to it, and the bytes of the workspace before and after."""

    vectors: int = 0
    events: int = 0
    before: int = 0
    after: int = 0


def forget(shelf: Shelf, log: EventLog, pattern: str, wait: float, progress: Progress) -> Forgotten:
    """Erases the pages of a URL, or of a glob with `*`: body, units, plan, chunks, vectors, index, visits, events.

    Answers that rest on them go, too. What other pages say too stays with them. Where a page was asked for by a folder
    or site, the next run over that finds it again unless it is excluded there.

    Raises NotFoundError where no page has such a URL.
    """
    database = shelf.database
    with database.writer(wait, lambda: progress("wait", 0, None, "another process is writing to this workspace")):
        with database.read() as connection:
            stored = set(catalog.urls(connection)) | {one.url for one in catalog.skipped(connection)}
            stored |= answers.quoted(connection)
        urls = sorted(url for url in stored if url == pattern or ("*" in pattern and fnmatchcase(url, pattern)))
        if not urls:
            advice = "take one that `wrac search` shows, or use *"
            raise NotFoundError(database.place, f"no page has the URL {pattern}", advice)
        shelf.begin()
        chunks = _erase(shelf, urls)
        shelf.drain(progress)
        dropped = _sweep(shelf)
        events = log.erase([*urls, *chunks])
        _jobs(shelf.folder, urls)
        leavings.erase(shelf.folder, urls)
        database.scrub()
        if shelf.place and isinstance(index := shelf.outside(), Versioned):
            index.scrub()
    return Forgotten(tuple(urls), len(chunks), dropped, events)


def _erase(shelf: Shelf, urls: Sequence[str]) -> set[str]:
    """Ids of the chunks that stand on no page any more."""
    with shelf.database.write() as connection:
        chunks = {chunk for url in urls for chunk in catalog.chunks_on(connection, url)}
        for url in urls:
            catalog.remove(connection, url)
            catalog.forgive(connection, url)
            shelf.put(connection, url)
        crawls.forget(connection, urls)
        ledger.blank(connection, urls)
        answers.forget(connection, urls)
        left = set(catalog.sources(connection))
        for url in urls:
            for name in (f"site:{url}", f"source:{url}", f"moved:{url}"):
                if url not in left:
                    memories.forget(connection, name)
        return {chunk for chunk in chunks if not catalog.pages_of_chunk(connection, chunk)}


def _jobs(folder: Path, urls: Sequence[str]) -> None:
    """Removes what a server keeps of its jobs that name one of the URLs."""
    words = [json.dumps(url)[1:-1] for url in urls]
    for file in (folder / JOBS).glob("*.json"):
        text = file.read_text("utf-8")
        if any(word in text for word in words):
            file.unlink()


def collect(shelf: Shelf, log: EventLog, wait: float, progress: Progress, older: float = 0.0) -> Collected:
    """Drops vectors that no page uses, words that no passage has, answers that rest on pages which are gone, and events
    from before a moment; gives room back.
    """
    database, before = shelf.database, _size(shelf.folder)
    with database.writer(wait, lambda: progress("wait", 0, None, "another process is writing to this workspace")):
        shelf.begin()
        dropped = _sweep(shelf)
        with database.write() as connection:
            answers.forget(connection, answers.quoted(connection).difference(catalog.urls(connection)))
        events = log.drop(older) if older else 0
        database.scrub(compact=True)
    return Collected(dropped, events, before, _size(shelf.folder))


def _sweep(shelf: Shelf) -> int:
    """How many vectors were dropped because no page uses them."""
    database = shelf.database
    used = _keys(database)
    with database.write() as connection:
        shelf.sweep(connection)
        return vectors.keep(connection, shelf.embedder.name, used)


def _keys(database: Database) -> set[bytes]:
    """The keys of all texts that are embedded for some page."""
    with database.read() as connection:
        urls = catalog.urls(connection)
    found: set[bytes] = set()
    for url in urls:
        with database.read() as connection:
            record = catalog.get(connection, url)
        if record is not None:
            found.update(vectors.key(entry.text) for entries in record.entries for entry in entries)
    return found


def _size(folder: Path) -> int:
    """Bytes of all files of a workspace; 0 for one that has no folder."""
    files: Iterable[Path] = folder.rglob("*") if folder.is_dir() else ()
    return sum(file.stat().st_size for file in files if file.is_file())
