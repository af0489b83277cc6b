"""What a workspace holds, in numbers."""

from __future__ import annotations

from sqlalchemy import func, select

from wrac.catalog import schema
from wrac.flow.shelf import Shelf


def status(shelf: Shelf) -> dict[str, object]:
    """Counts of everything stored, languages, planners and embedders in use and bytes on disk; where the index is
    outside, its store and how many pages that has not been told of.
    """
    tables = (schema.pages, schema.units, schema.chunks, schema.vectors, schema.skips)
    with shelf.database.read() as connection:
        counts: dict[str, object] = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables
        }
        embedders, planners = (
            sorted(connection.scalars(select(column).distinct()))
            for column in (schema.pages.c.embedder, schema.plans.c.planner)
        )
        index = shelf.whole(connection)
        found = {"entries": index.size(), "languages": index.languages()}
    outside = {"store": shelf.place, "waiting": shelf.waiting()} if shelf.place else {}
    return {**counts, **found, "planners": planners, "embedders": embedders, "bytes": shelf.database.size(), **outside}
