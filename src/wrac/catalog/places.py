"""The database of a workspace by where it is: a folder, or the URL of a PostgreSQL database."""

from __future__ import annotations

import re
from pathlib import Path

from wrac.catalog.database import FILE, Database
from wrac.core.errors import ConfigError

_SCHEME = re.compile(r"[A-Za-z][\w+.-]*://")


def is_url(place: str | Path) -> bool:
    """Whether a place is a database's URL, no folder.

    Raises ConfigError, which does not repeat a password, for a URL of anything else: it would be a folder's name.
    """
    found = _SCHEME.match(str(place))
    if found and found[0] not in ("postgresql://", "postgres://"):
        raise ConfigError(f"no workspace is at {found[0]}; give a folder or postgresql://user@host/database")
    return found is not None


def at(place: str | Path) -> Database:
    """The database of a place, which may be empty; a folder must be there.

    Raises ConfigError for a URL that is none, MissingExtraError for one that needs an extra.
    """
    if not is_url(place):
        return Database(Path(place))
    from wrac.catalog.postgres import PostgresDatabase

    return PostgresDatabase(str(place))


def existing(place: str | Path) -> Database | None:
    """The database of a workspace; None where there is no workspace."""
    if not is_url(place):
        return Database(Path(place)) if (Path(place) / FILE).is_file() else None
    found = at(place)
    return None if found.empty() else found
