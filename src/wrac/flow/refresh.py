"""Every source of a workspace asked again, as it was given: what changed is made anew, the rest costs little."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from wrac import catalog
from wrac.catalog.contents import tokens
from wrac.catalog.crawls import History
from wrac.catalog.memory import remembered
from wrac.fetching import files
from wrac.flow.index import WEB, IndexRun, report
from wrac.flow.pipeline import Options, Pipeline
from wrac.flow.report import IndexReport, Skipped
from wrac.flow.shelf import Shelf
from wrac.flow.sites import Given, Site, read_given, read_site
from wrac.flow.watched import running
from wrac.observing import EventLog


@running("refresh")
def refresh(shelf: Shelf, log: EventLog, options: Options, fresh: Callable[[History], bool]) -> IndexReport:
    """What asking every source again found and did; pages that are `fresh` are taken as they are.

    A folder that is not where it was, seen from here, is left alone, and said.
    """
    started = time.perf_counter()
    with shelf.database.read() as connection:
        sources = catalog.sources(connection)
        sites = {one: remembered(connection, f"site:{one}") for one in sources}
        given = {one: remembered(connection, f"source:{one}") for one in sources}
    with shelf.database.writer(options.wait, options.waiting), Pipeline(shelf, log, options, "refresh") as line:
        run = IndexRun(line, fresh)
        for source in sources:
            site, how = sites[source], given[source]
            if site is not None:
                run.site(source, _with(read_site(site), options.site))
            elif how is not None:
                _again(run, source, read_given(how))
        line.told()
    with shelf.database.read() as connection:
        saved = max(0, tokens(connection) - line.counts["tokens"])
    return replace(report(line, run, started), saved=saved)


def _with(site: Site, told: Site | None) -> Site:
    """The remembered site with the headers of this run, which are never stored."""
    return site if told is None else replace(site, headers=told.headers)


def _again(run: IndexRun, scope: str, given: Given) -> None:
    """Index a source again as it was given."""
    local = not given.source.startswith(WEB)
    if given.source == "-" or (local and files.posix(os.path.realpath(given.source)) != scope):
        why = "standard input" if given.source == "-" else f"not found from this folder as {given.source}"
        run.line.skipped.append(Skipped(scope, f"{why}: index it again to refresh it"))
        return
    if local and not Path(given.source).exists():
        run.line.skipped.append(Skipped(scope, "not there any more: its pages stay until `wrac forget`"))
        return
    run.options = replace(run.options, base=given.base, meta=given.meta, site=None)
    run.source(given.source)


def due(now: float) -> Callable[[History], bool]:
    """Whether a page is fresh: what visits have shown says that it is not worth another one yet."""
    return lambda history: history.checked + history.wait > now


def since(moment: float) -> Callable[[History], bool]:
    """Whether a page is fresh: it was asked for since a moment."""
    return lambda history: history.checked >= moment
