"""Sources to an index: what a source holds now goes through the pipeline, and what it holds no more goes away."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path
from typing import Final

from wrac import catalog
from wrac.catalog.crawls import History
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import RemoteError
from wrac.core.types import Page
from wrac.fetching import Skip, files, pages
from wrac.fetching.site.urls import bare
from wrac.flow.pipeline import NEVER, Options, Pipeline
from wrac.flow.report import IndexReport, Skipped, silent
from wrac.flow.shelf import Shelf
from wrac.flow.sites import Given, Site
from wrac.flow.watched import running
from wrac.observing import EventLog

WEB: Final = ("http://", "https://")


@running("index")
def index(shelf: Shelf, log: EventLog, options: Options, sources: Sequence[str]) -> IndexReport:
    """What one run over the sources found and did."""
    started = time.perf_counter()
    pages(sources, base=options.base)  # refuses what cannot be read before anything is written
    with shelf.database.writer(options.wait, options.waiting), Pipeline(shelf, log, options) as line:
        if options.progress is not silent:
            line.total = sum(map(_size, sources))
        run = IndexRun(line)
        for source in dict.fromkeys(sources):
            run.source(source, alone=len(sources) == 1)
        line.told()
    return report(line, run, started)


def report(line: Pipeline, run: IndexRun, started: float) -> IndexReport:
    """What a run since a moment found and did."""
    counts = line.counts
    return IndexReport(
        pages=counts["pages"],
        units=counts["units"],
        chunks=counts["chunks"],
        embedded=counts["embedded"],
        reused=counts["reused"],
        unchanged=counts["unchanged"],
        added=counts["added"],
        requests=counts["requests"],
        gone=tuple(run.gone),
        skipped=tuple(line.skipped),
        unanswered=tuple(line.unanswered),
        usage=line.usage,
        seconds=line.spent(started),
    )


class IndexRun:
    """The sources of one run. `fresh` says of what visits have shown whether a page need not be asked for again."""

    def __init__(self, line: Pipeline, fresh: Callable[[History], bool] = lambda _: False) -> None:
        self.line, self.database, self.options = line, line.database, line.options
        self.gone: list[str] = []
        self._fresh = fresh

    def source(self, source: str, *, alone: bool = False) -> None:
        """Bring the workspace up to what one source holds now.

        Raises RemoteError for a server that does not answer, where the source is `alone`; else it is passed over.
        """
        if self.options.site is not None and source.startswith(WEB):
            self.site(source, self.options.site)
            return
        try:
            self._plain(source)
        except RemoteError as error:
            if alone:
                raise
            shown = bare(source)
            self.line.skipped.append(Skipped(shown, f"{error.problem}; what was there before stays"))
            self.line.done(shown)
            self._remember(source, shown)

    def site(self, start: str, site: Site) -> None:
        """Bring the workspace up to what a site holds now."""
        from wrac.flow.site import SiteRun  # an HTTP client is 100 ms that other sources need not pay

        run = SiteRun(self.line, start, site, self._fresh)
        self._pass_over(run.run(), run.scope.start)
        self.line.counts["requests"] += run.asked
        self.line.skipped += [Skipped(f"{count} addresses", why) for why, count in sorted(run.passed.items())]

    def _plain(self, source: str) -> None:
        scope = files.posix(os.path.realpath(source)) if Path(source).exists() else bare(source)
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
        self._remember(source, scope)
        if Path(source).is_dir():
            closed = tuple(f"{skip.url}/" for skip in skips if skip.state == "unreachable")
            self._forget(scope, seen, closed)

    def _remember(self, source: str, scope: str) -> None:
        """Keep how the source was given, so that it can be refreshed."""
        told = Given(bare(source), self.options.base, self.options.meta).text
        with self.database.read() as connection:
            known = remembered(connection, f"source:{scope}")
        if known != told:
            with self.database.write() as connection:
                remember(connection, f"source:{scope}", told)

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
                    self.gone += [skip.url] if skip.state == "missing" else []
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
        return int(not source.startswith(WEB))
    return sum(1 for _ in files.walk(files.root(source, keep_name=True), {}))


def _stays(skip: Skip, stored: Set[str]) -> bool:
    """Whether a skip leaves a stored page alone."""
    return skip.url in stored and skip.state == "unreachable"
