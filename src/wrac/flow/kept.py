"""The answers and accounts of a workspace: what was paid for once is there for every later run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from wrac.catalog import Database, answers, ledger
from wrac.catalog.places import existing
from wrac.flow.planners import Memory, Passing
from wrac.llm.ledger import Spent


class Kept:
    """The memory of a workspace: what is kept is there after a kill."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def recall(self, key: str) -> str | None:
        with self._database.read() as connection:
            return answers.recall(connection, [key]).get(key)

    def keep(self, model: str, found: Mapping[str, str], spent: Sequence[Spent]) -> None:
        with self._database.write() as connection:
            answers.store(connection, model, time.time(), found)
            ledger.record(connection, spent)


@contextmanager
def memory(workspace: str) -> Iterator[Memory]:
    """The memory of a workspace; where there is none, one that ends with the process."""
    database = existing(workspace)
    if database is None:
        yield Passing()
        return
    with closing(database):
        database.check()
        yield Kept(database)
