"""The index made anew from the catalog: nothing is fetched, parsed, planned or embedded."""

from __future__ import annotations

from sqlalchemy import Connection

from wrac import catalog
from wrac.flow.report import Progress
from wrac.flow.rows import language_of, rows_of
from wrac.indexing.sqlite import SqliteIndex


def reindex(connection: Connection, index: SqliteIndex, progress: Progress) -> int:
    """How many pages are in the new index; searches see the old one until the transaction ends."""
    index.clear()
    urls = catalog.urls(connection)
    for done, url in enumerate(urls, 1):
        record = catalog.get(connection, url)
        if record is not None:
            index.put(url, rows_of(record, language_of(record)))
        progress("reindex", done, len(urls), url)
    return len(urls)
