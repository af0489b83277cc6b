"""Pages, units, places, plans and chunks in one SQL database: the truth that everything else is derived from."""

from wrac.catalog.codec import CodecError
from wrac.catalog.database import FILE, Database, errors
from wrac.catalog.digest import digest
from wrac.catalog.records import (
    Record,
    Skipped,
    forgive,
    get,
    pages_of_chunk,
    put,
    remove,
    skip,
    skipped,
    states,
    urls,
)

__all__ = [
    "FILE",
    "CodecError",
    "Database",
    "Record",
    "Skipped",
    "digest",
    "errors",
    "forgive",
    "get",
    "pages_of_chunk",
    "put",
    "remove",
    "skip",
    "skipped",
    "states",
    "urls",
]
