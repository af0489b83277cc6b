"""Pages, units, places, plans and chunks in one SQL database: the truth that everything else is derived from."""

from wrac.catalog.codec import CodecError
from wrac.catalog.database import FILE, Database, errors
from wrac.catalog.digest import digest
from wrac.catalog.records import (
    Known,
    Record,
    Skipped,
    chunks_on,
    find,
    forgive,
    get,
    own,
    pages_of_chunk,
    parsed,
    put,
    remove,
    skip,
    skipped,
    sources,
    standing,
    stored,
    urls,
)

__all__ = [
    "FILE",
    "CodecError",
    "Database",
    "Known",
    "Record",
    "Skipped",
    "chunks_on",
    "digest",
    "errors",
    "find",
    "forgive",
    "get",
    "own",
    "pages_of_chunk",
    "parsed",
    "put",
    "remove",
    "skip",
    "skipped",
    "sources",
    "standing",
    "stored",
    "urls",
]
