"""What a workspace holds, in numbers."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Connection, func, select

from wrac import catalog
from wrac.catalog import crawls, schema
from wrac.catalog.repetition import repetition
from wrac.core.errors import WracError
from wrac.flow.passed import passed
from wrac.flow.shelf import Shelf


def status(shelf: Shelf) -> dict[str, object]:
    """Counts of everything stored, languages, planners and embedders in use and bytes on disk; where the index is
    outside, its store and how many pages that has not been told of. What became no page is told by kind, with what to
    do about it, of each crawl under way how many addresses are settled and ahead, and what the pages say alike: the
    units that several carry, characters of all and those that are stored only once for several, as a share too. Of a
    store that cannot be asked there is the `problem` in place of what it holds.
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
        found = _indexed(shelf, connection)
        alike = repetition(connection)
        told = {
            "repetition": {
                "id": alike.id, "units": alike.repeated, "characters": alike.characters, "saved": alike.saved,
                "share": round(alike.saved / alike.characters, 4) if alike.characters else 0.0,
            },
            "passed": [asdict(one) for one in passed(catalog.skipped(connection))],
            "crawls": [
                {"site": site, "settled": done, "ahead": ahead}
                for site, (done, ahead) in crawls.under_way(connection).items()
            ],
        }  # fmt: skip
    outside: dict[str, object] = {"store": shelf.place, "waiting": shelf.waiting()} if shelf.place else {}
    made = {"planners": planners, "embedders": embedders, "bytes": shelf.database.size()}
    return {**counts, **found, **made, **outside, **told}


def _indexed(shelf: Shelf, connection: Connection) -> dict[str, object]:
    """What the index holds; where it is outside and cannot be asked, why."""
    try:
        index = shelf.whole(connection)
        return {"entries": index.size(), "languages": index.languages()}
    except WracError as error:
        if not shelf.place:
            raise
        return {"problem": str(error)}  # the store's: the catalog can still tell of itself
