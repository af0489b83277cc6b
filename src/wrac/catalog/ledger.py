"""The usage ledger: a line for every page or query that a model was paid for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from sqlalchemy import Connection, func, insert, select, update

from wrac.catalog.contents import batches
from wrac.catalog.schema import ledger
from wrac.core.types import Usage
from wrac.llm.ledger import Spent

Grouping: TypeAlias = Literal["day", "site", "model", "purpose"]
GROUPINGS: Final[tuple[Grouping, ...]] = get_args(Grouping)


def record(connection: Connection, spent: Iterable[Spent]) -> None:
    """Write lines; days are those of UTC."""
    rows = [
        {
            "at": one.at,
            "day": datetime.fromtimestamp(one.at, UTC).date().isoformat(),
            "purpose": one.purpose,
            "site": one.site,
            "page": one.page,
            "model": one.model,
            **asdict(one.usage),
        }
        for one in spent
    ]
    if rows:
        connection.execute(insert(ledger), rows)


def sums(connection: Connection, by: Grouping, since: str = "", until: str = "") -> dict[str, Usage]:
    """What was spent for each day, site, model or purpose, in their order; on the days (`2026-11-30`) from one to one,
    both included.
    """
    group = ledger.c[by]
    parts = ("input", "cached", "output", "calls", "seconds", "cost")
    query = select(group, *(func.sum(ledger.c[part]) for part in parts)).group_by(group).order_by(group)
    query = query.where(ledger.c.day >= since)
    query = query.where(ledger.c.day <= until) if until else query
    return {
        str(name): Usage(int(read), int(cached), int(written), int(calls), float(seconds), float(cost))
        for name, read, cached, written, calls, seconds, cost in connection.execute(query)
    }


class Line(NamedTuple):
    """What one page or query was paid for."""

    at: float
    purpose: str
    site: str
    page: str
    model: str
    input: int
    output: int
    cost: float


def lines(
    connection: Connection, by: Grouping | None = None, name: str = "", since: str = "", until: str = ""
) -> list[Line]:
    """The lines behind the sum of a day, site, model or purpose, or all; the last one first, of days as in `sums`."""
    query = select(*(ledger.c[field] for field in Line._fields)).where(ledger.c.day >= since)
    query = query.where(ledger.c.day <= until) if until else query
    query = query.where(ledger.c[by] == name) if by else query
    return [Line(*row) for row in connection.execute(query.order_by(ledger.c.at.desc(), ledger.c.row.desc()))]


def blank(connection: Connection, urls: Iterable[str]) -> None:
    """Forget which pages lines were about; what was paid stays."""
    for batch in batches(urls):
        connection.execute(update(ledger).where(ledger.c.page.in_(batch)).values(page=""))
