"""Crawls under way, and what each page's visits have shown: how often it changes, how often it was missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, Integer, cast, delete, func, insert, select, update

from wrac.catalog.contents import batches
from wrac.catalog.schema import frontier, visits


@dataclass(frozen=True, slots=True)
class Ahead:
    """An address of a crawl under way. `position` is its place in the order they came; `settled` ones are done with."""

    url: str
    depth: int
    changed: float
    listed: bool
    position: int = 0
    settled: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """What visits to a page have shown; moments are in seconds since 1970.

    `checked` last, `changed` when it was last found to be another, `checks` and `changes` so far, `misses` times in a
    row that it was not there, `wait` the seconds after which it is worth another visit.
    """

    url: str
    checked: float
    changed: float
    checks: int = 1
    changes: int = 0
    misses: int = 0
    wait: float = 0.0


def ahead(connection: Connection, crawl: str) -> list[Ahead]:
    """The addresses of a crawl that has begun and not ended, in the order they came; none when there is no such."""
    rows = connection.execute(select(frontier).where(frontier.c.crawl == crawl).order_by(frontier.c.position))
    return [Ahead(row.url, row.depth, row.changed, row.listed, row.position, row.settled) for row in rows]


def under_way(connection: Connection) -> dict[str, tuple[int, int]]:
    """Of each crawl that has begun and not ended, how many addresses are settled, and how many are ahead."""
    settled = func.sum(cast(frontier.c.settled, Integer))
    query = select(frontier.c.crawl, settled, func.count()).group_by(frontier.c.crawl).order_by(frontier.c.crawl)
    return {crawl: (done, whole - done) for crawl, done, whole in connection.execute(query)}


def extend(connection: Connection, crawl: str, found: Iterable[Ahead]) -> None:
    """More addresses of a crawl, none of which it has."""
    rows = [{"crawl": crawl, **asdict(one)} for one in found]
    if rows:
        connection.execute(insert(frontier), rows)


def settle(connection: Connection, crawl: str, urls: Iterable[str]) -> None:
    """What was found at these addresses is stored."""
    for batch in batches(urls):
        of_crawl = (frontier.c.crawl == crawl) & frontier.c.url.in_(batch)
        connection.execute(update(frontier).where(of_crawl).values(settled=True))


def end(connection: Connection, crawl: str) -> None:
    """The crawl is over: the next one begins anew."""
    connection.execute(delete(frontier).where(frontier.c.crawl == crawl))


def histories(connection: Connection, urls: Iterable[str]) -> dict[str, History]:
    """What is known of the visits to these pages."""
    found: dict[str, History] = {}
    for batch in batches(urls):
        rows = connection.execute(select(visits).where(visits.c.url.in_(batch)))
        found.update({row.url: History(**row._mapping) for row in rows})
    return found


def note(connection: Connection, found: Iterable[History]) -> None:
    """What visits have shown now, in place of what was known of these pages."""
    rows = [asdict(one) for one in found]
    for batch in batches(row["url"] for row in rows):
        connection.execute(delete(visits).where(visits.c.url.in_(batch)))
    if rows:
        connection.execute(insert(visits), rows)


def forget(connection: Connection, urls: Iterable[str]) -> None:
    """Nothing is known of the visits to these pages."""
    for batch in batches(urls):
        connection.execute(delete(visits).where(visits.c.url.in_(batch)))
        connection.execute(delete(frontier).where(frontier.c.url.in_(batch)))
