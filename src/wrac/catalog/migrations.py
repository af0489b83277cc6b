"""From one schema to the next: what a database of an older wrac is brought up to date by, each step in a transaction.

A step makes what its schema added, as `schema.py` has it; once a later schema changes a table again, the step that made
it keeps the older form here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from wrac.catalog import schema


def _models(connection: Connection) -> None:
    """2: what models answered and what they cost."""
    for table in (schema.answers, schema.ledger):
        table.create(connection, checkfirst=True)


def _outbox(connection: Connection) -> None:
    """3: pages that a store outside still has to be told of."""
    schema.outbox.create(connection, checkfirst=True)


def _crawls(connection: Connection) -> None:
    """4: crawls under way, and what visits have shown."""
    for table in (schema.frontier, schema.visits):
        table.create(connection, checkfirst=True)


STEPS: Final[dict[int, Callable[[Connection], None]]] = {2: _models, 3: _outbox, 4: _crawls}
"""Of each schema the step to it from the one before."""
