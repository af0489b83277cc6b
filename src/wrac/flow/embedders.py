"""Whose vectors a workspace has: what it was told first is remembered, and changed only by embedding all of it anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from wrac.catalog import Database, schema
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import WorkspaceError
from wrac.core.seams import Embedder
from wrac.flow.shelf import Shelf
from wrac.observing import EventLog

if TYPE_CHECKING:
    from wrac.flow.pipeline import Options

EMBEDDER: Final = "embedder"
DEFAULT: Final = "minilm"
SHORT: Final = (DEFAULT, "e5")
"""Names that are no folder's, even where there is one."""


def recalled(database: Database) -> str:
    """The embedder that the workspace was told, by the name `wrac.embedding.load` knows."""
    with database.read() as connection:
        return remembered(connection, EMBEDDER) or DEFAULT


def keep(database: Database, told: str) -> None:
    """Remember an embedder for the runs to come, a folder from wherever they are started."""
    name = str(Path(told).resolve()) if Path(told).is_dir() and told not in SHORT else told
    if name != recalled(database):
        with database.write() as connection:
            remember(connection, EMBEDDER, name)


def agree(database: Database, embedder: Embedder, told: str) -> None:
    """Nothing, when some page is embedded by this embedder, or none is there. `told` is what it was asked for as.

    Raises WorkspaceError naming both embedders where all pages are by another one.
    """
    with database.read() as connection:
        same = select(schema.pages.c.row).where(schema.pages.c.embedder == embedder.name).limit(1)
        if connection.scalar(same) is not None:
            return
        found = sorted(connection.scalars(select(schema.pages.c.embedder).distinct()))
    if found:
        advice = f"run `wrac reindex --embedder {told}`" if told else "open it with that one, or reindex with this one"
        raise WorkspaceError(database.place, f"its vectors are by {found[0]}, not by {embedder.name}", advice)


def change(shelf: Shelf, log: EventLog, options: Options, told: str) -> int:
    """How many pages are embedded anew by the shelf's embedder; nothing is fetched, parsed or planned.

    A run that was stopped goes on where it stopped; the new embedder is remembered when all is done.
    """
    from wrac.flow.replan import replan  # a search needs neither parsers nor planners

    shelf.empty()
    pages = replan(shelf, log, options).pages
    if told:
        keep(shelf.database, told)
    return pages
