"""How a workspace's pages are planned: what a run is told, else what the workspace remembers, else the default."""

from __future__ import annotations

from typing import Final, NamedTuple

from wrac.catalog import Database
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import ConfigError
from wrac.flow.planners import RULES, Planning, read_planning
from wrac.planning.policies import Policies, read_text

POLICY: Final = "policy"
PLANNING: Final = "planning"


class Wish(NamedTuple):
    """What a run is told; None leaves it to the workspace."""

    policies: Policies | None = None
    planning: Planning | None = None


def settled(database: Database, wish: Wish) -> tuple[Policies, Planning]:
    """What a run goes by. Raises ConfigError where the workspace remembers what this version cannot read."""
    policies, planning = wish
    if policies is None or planning is None:
        before = recalled(database)
        policies, planning = policies or before.policies, planning or before.planning
    return policies or Policies(), planning or RULES


def keep(database: Database, wish: Wish) -> None:
    """Remember what a run was told, for the next ones."""
    told = {name: value.text for name, value in zip((POLICY, PLANNING), wish, strict=True) if value is not None}
    if told:
        with database.write() as connection:
            for name, text in told.items():
                if remembered(connection, name) != text:
                    remember(connection, name, text)


def recalled(database: Database) -> Wish:
    """What the workspace was told last. Raises ConfigError where this version cannot read it."""
    with database.read() as connection:
        policies, planning = remembered(connection, POLICY), remembered(connection, PLANNING)
    try:
        return Wish(read_text(policies) if policies else None, read_planning(planning) if planning else None)
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            "how this workspace is planned was written by another version of wrac; give --target and --planner anew"
        ) from error
