"""Sources to an index: what a source holds now goes through the pipeline, and what it holds no more goes away."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

from wrac import catalog
from wrac.core.types import Page
from wrac.fetching import Skip, files, pages
from wrac.flow.pipeline import NEVER, Options, Pipeline
from wrac.flow.report import IndexReport, Skipped, silent
from wrac.flow.shelf import Shelf
from wrac.observing import EventLog


def index(shelf: Shelf, log: EventLog, options: Options, sources: Sequence[str]) -> IndexReport:
    """What one run over the sources found and did."""
    started = time.perf_counter()
    pages(sources, base=options.base)  # refuses what cannot be read before anything is written
    with shelf.database.writer(options.wait, options.waiting), Pipeline(shelf, log, options) as line:
        if options.progress is not silent:
            line.total = sum(map(_size, sources))
        run = _IndexRun(line)
        for source in dict.fromkeys(sources):
            run.source(source)
        line.told()
    counts = line.counts
    return IndexReport(
        pages=counts["pages"],
        units=counts["units"],
        chunks=counts["chunks"],
        embedded=counts["embedded"],
        reused=counts["reused"],
        unchanged=counts["unchanged"],
        gone=tuple(run.gone),
        skipped=tuple(line.skipped),
        unanswered=tuple(line.unanswered),
        usage=line.usage,
        seconds=line.spent(started),
    )


class _IndexRun:
    """The sources of one run."""

    def __init__(self, line: Pipeline) -> None:
        self.line, self.database, self.options = line, line.database, line.options
        self.gone: list[str] = []

    def source(self, source: str) -> None:
        """Bring the workspace up to what one source holds now."""
        scope = files.posix(os.path.realpath(source)) if Path(source).exists() else source
        seen: set[str] = set()
        skips: list[Skip] = []
        for found in self.line.read(self._found(source)):
            seen.add(found.url)
            if isinstance(found, Skip):
                skips.append(found)
                self.line.done(found.url)
            else:
                self.line.offer(found, scope)
        self.line.flush()
        self._pass_over(skips, scope)
        if Path(source).is_dir():
            closed = tuple(f"{skip.url}/" for skip in skips if skip.reason.startswith("unreadable"))
            self._forget(scope, seen, closed)

    def _found(self, source: str) -> Iterator[Page | Skip]:
        options = self.options
        return iter(pages([source], meta=options.meta, base=options.base, max_size=options.max_size))

    def _pass_over(self, skips: Sequence[Skip], source: str) -> None:
        """Record what became no page. A page that is unreadable now stays as it was: it is still there."""
        self.line.skipped += [Skipped(skip.url, skip.reason) for skip in skips]
        with self.database.read() as connection:
            recorded = {one.url: one.reason for one in catalog.skipped(connection)}
            stored = set(catalog.urls(connection))
        new = [skip for skip in skips if recorded.get(skip.url) != skip.reason and not _stays(skip, stored)]
        if not new:
            return
        with self.database.write() as connection:
            for skip in new:
                if catalog.remove(connection, skip.url):
                    self.line.gone(connection, skip.url)
                catalog.skip(connection, catalog.Skipped(skip.url, source, NEVER, skip.reason))

    def _forget(self, source: str, seen: set[str], closed: tuple[str, ...]) -> None:
        """Remove the pages of a folder that are not in it any more; what lies in a closed folder cannot be known."""
        with self.database.read() as connection:
            gone = [url for url in catalog.urls(connection, source) if url not in seen and not url.startswith(closed)]
            lost = [s.url for s in catalog.skipped(connection) if s.source == source and s.url not in seen]
        if not gone and not lost:
            return
        with self.database.write() as connection:
            for url in gone:
                catalog.remove(connection, url)
                self.line.gone(connection, url)
            for url in lost:
                catalog.forgive(connection, url)
        self.gone += gone


def _size(source: str) -> int:
    """How many files or pages a source will give, skips included."""
    if not Path(source).is_dir():
        return 1
    return sum(1 for _ in files.walk(files.root(source, keep_name=True), {}))


def _stays(skip: Skip, stored: Set[str]) -> bool:
    """Whether a skip leaves a stored page alone."""
    return skip.url in stored and skip.reason.startswith("unreadable")
