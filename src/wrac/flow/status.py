"""What a workspace holds, in numbers."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, func, select

from wrac.catalog import schema
from wrac.indexing.sqlite import SqliteIndex


def status(connection: Connection, index: SqliteIndex, folder: Path) -> dict[str, object]:
    """Counts of everything stored, languages, the embedders in use and bytes on disk."""
    tables = (schema.pages, schema.units, schema.chunks, schema.vectors, schema.skips)
    counts: dict[str, object] = {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables
    }
    embedders = list(connection.scalars(select(schema.pages.c.embedder).distinct()))
    sizes = {path.name: path.stat().st_size for path in folder.iterdir() if path.is_file()}
    return {
        **counts,
        "entries": index.size(),
        "languages": index.languages(),
        "embedders": embedders,
        "bytes": sum(sizes.values()),
    }
