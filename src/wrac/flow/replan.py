"""Stored pages planned anew: nothing is fetched or parsed, and only chunks that are new are embedded."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from wrac import catalog
from wrac.catalog import Database
from wrac.core.types import Page
from wrac.flow.pipeline import Options, Pipeline
from wrac.flow.report import ReplanReport
from wrac.flow.shelf import Shelf
from wrac.flow.watched import running
from wrac.observing import EventLog


@running("replan")
def replan(shelf: Shelf, log: EventLog, options: Options, pages: Sequence[str] = ()) -> ReplanReport:
    """What was done, to all pages where none is named. A page that another version of the parser read is read again,
    from its stored bytes.
    """
    started, database = time.perf_counter(), shelf.database
    with (
        database.writer(options.wait, options.waiting),
        Pipeline(shelf, log, options, "replan") as line,
    ):
        with database.read() as connection:
            urls = pages or catalog.urls(connection)
        line.total = len(urls)
        for page, source in line.read(_stored(database, urls)):
            line.offer(page, source)
        line.flush()
        line.told()
    counts = line.counts
    return ReplanReport(
        pages=counts["pages"],
        chunks=counts["chunks"],
        changed=counts["changed"],
        kept=counts["pages"] - counts["changed"],
        embedded=counts["embedded"],
        reused=counts["reused"],
        skipped=tuple(line.skipped),
        unanswered=tuple(line.unanswered),
        usage=line.usage,
        seconds=line.spent(started),
    )


def _stored(database: Database, urls: Sequence[str]) -> Iterator[tuple[Page, str]]:
    """The pages as they were fetched, and by what each was asked for; one at a time, as many as there are."""
    for url in urls:
        with database.read() as connection:
            found = catalog.stored(connection, url)
        if found is not None:
            yield found
