"""What a workspace remembers of how it was made: a text under a name."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from wrac.catalog.schema import meta


def remembered(connection: Connection, name: str) -> str | None:
    """The text under a name; None when there is none."""
    return connection.scalar(select(meta.c.value).where(meta.c.name == name))


def remember(connection: Connection, name: str, value: str) -> None:
    """Keep a text under a name, in place of what was there."""
    connection.execute(delete(meta).where(meta.c.name == name))
    connection.execute(insert(meta).values(name=name, value=value))


def forget(connection: Connection, name: str) -> None:
    """Keep nothing under a name."""
    connection.execute(delete(meta).where(meta.c.name == name))


def beginning(connection: Connection, prefix: str) -> dict[str, str]:
    """The texts under names that begin so, by name."""
    rows = connection.execute(select(meta.c.name, meta.c.value).where(meta.c.name.startswith(prefix, autoescape=True)))
    return {row.name: row.value for row in rows}
