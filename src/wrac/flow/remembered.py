"""How a workspace's pages are planned: what a run is told, else what the workspace remembers, else the default."""

from __future__ import annotations

from typing import Final, NamedTuple

from wrac.catalog import Database
from wrac.catalog.memory import remember, remembered
from wrac.flow.planners import RULES, Planning, read_planning
from wrac.planning.policies import Policies, read_text

POLICY: Final = "policy"
PLANNING: Final = "planning"


class Wish(NamedTuple):
    """What a run is told; None leaves it to the workspace."""

    policies: Policies | None = None
    planning: Planning | None = None


def settled(database: Database, wish: Wish) -> tuple[Policies, Planning]:
    """What a run goes by."""
    before = recalled(database)
    return wish.policies or before.policies or Policies(), wish.planning or before.planning or RULES


def keep(database: Database, wish: Wish) -> None:
    """Remember what a run was told, for the next ones."""
    before = recalled(database)
    with database.write() as connection:
        for name, told, known in ((POLICY, wish.policies, before.policies), (PLANNING, wish.planning, before.planning)):
            if told is not None and told != known:
                remember(connection, name, told.text)


def recalled(database: Database) -> Wish:
    """What the workspace was told last."""
    with database.read() as connection:
        policies, planning = remembered(connection, POLICY), remembered(connection, PLANNING)
    return Wish(read_text(policies) if policies else None, read_planning(planning) if planning else None)
