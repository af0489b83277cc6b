"""The outbox: pages that a store outside the database still has to be told of.

A page's line is written in the transaction that changes the page, and goes when the store has what the page is by then:
whatever stops in between, the page is told again, and nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, func, insert, select

from wrac.catalog.contents import batches
from wrac.catalog.schema import outbox, pages


def add(connection: Connection, urls: Iterable[str]) -> None:
    """These pages have changed."""
    rows = [{"url": url} for url in urls]
    if rows:
        connection.execute(insert(outbox), rows)


def refill(connection: Connection) -> None:
    """Every page has changed, and no other: the store is to be filled from nothing."""
    connection.execute(delete(outbox))
    connection.execute(insert(outbox).from_select(["url"], select(pages.c.url).order_by(pages.c.url)))


def first(connection: Connection, most: int) -> tuple[int, list[str]]:
    """Distinct pages of the oldest `most` lines, and the number of the last of these; 0 where there are none."""
    rows = connection.execute(select(outbox.c.row, outbox.c.url).order_by(outbox.c.row).limit(most)).all()
    return (rows[-1].row, list(dict.fromkeys(row.url for row in rows))) if rows else (0, [])


def told(connection: Connection, last: int, urls: Iterable[str]) -> None:
    """The store has these pages as they were at the line `last`."""
    for batch in batches(urls):
        connection.execute(delete(outbox).where(outbox.c.row <= last, outbox.c.url.in_(batch)))


def newest(connection: Connection) -> int:
    """The number of the newest line; 0 where there are none."""
    return int(connection.scalar(select(func.max(outbox.c.row))) or 0)


def clear(connection: Connection) -> None:
    """No page waits."""
    connection.execute(delete(outbox))


def waiting(connection: Connection) -> int:
    """How many pages wait."""
    return int(connection.execute(select(func.count(outbox.c.url.distinct()))).scalar_one())
