"""A workspace's pages as they were fetched, in one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from wrac import catalog
from wrac.catalog import Database
from wrac.core.errors import ConfigError, StorageError
from wrac.core.types import Page
from wrac.fetching.archives import holds_pages
from wrac.fetching.warc import write


def export(database: Database, path: Path) -> int:
    """How many pages were written to a WARC file, which is there whole or not at all.

    Raises StorageError where it cannot be written, ConfigError for a name that no reader would know.
    """
    if not holds_pages(path.name) or not path.name.lower().endswith(".gz"):
        raise ConfigError(f"{path}: give it a name that ends in .warc.gz")
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            count = write(_pages(database), file)
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise StorageError(f"{path}: {error.strerror or error}; choose another file, or free space") from error
    return count


def _pages(database: Database) -> Iterator[Page]:
    with database.read() as connection:
        urls = catalog.urls(connection)
    for url in urls:
        with database.read() as connection:
            found = catalog.stored(connection, url)
        if found is not None:
            yield found[0]
