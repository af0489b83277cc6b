"""What pages say alike: how many documents carry a unit, and the share of characters that is stored once for all."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from wrac.catalog.schema import shared, units
from wrac.core.ids import content_id


@dataclass(frozen=True, slots=True)
class Carried:
    """The units that just so many documents carry, and their characters, each unit once."""

    documents: int
    units: int
    characters: int


@dataclass(frozen=True, slots=True)
class Repetition:
    """A snapshot of what documents say alike, by how many of them say it, ascending."""

    carried: tuple[Carried, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same counts, on any machine."""
        return content_id("r1", [f"{one.documents} {one.units} {one.characters}" for one in self.carried])

    @property
    def characters(self) -> int:
        """Characters of all documents, a unit once in each."""
        return sum(one.documents * one.characters for one in self.carried)

    @property
    def saved(self) -> int:
        """Characters that are not stored, since another document says them."""
        return sum((one.documents - 1) * one.characters for one in self.carried)

    @property
    def repeated(self) -> int:
        """Units that more than one document carries."""
        return sum(one.units for one in self.carried if one.documents > 1)


def repetition(connection: Connection) -> Repetition:
    """What the stored documents say alike now."""
    others = select(shared.c.unit, func.count().label("others")).group_by(shared.c.unit).subquery()
    query = (
        select(others.c.others, func.count(), func.sum(func.length(units.c.text)))
        .select_from(units.outerjoin(others, others.c.unit == units.c.row))
        .group_by(others.c.others)
    )
    rows = ((1 + (further or 0), count, int(size)) for further, count, size in connection.execute(query))
    return Repetition(tuple(Carried(*row) for row in sorted(rows)))
