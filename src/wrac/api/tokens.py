"""Tokens of a workspace: who may read it, ask a model or change it over HTTP.

They stand in the catalog's memory as digests: servers of one database share them, and a copy of it opens nothing.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Final, Literal, TypeAlias, get_args

from wrac.catalog import Database
from wrac.catalog.memory import beginning, forget, remember
from wrac.core.errors import ConfigError, NotFoundError

Right: TypeAlias = Literal["read", "ask", "admin"]
RIGHTS: Final[tuple[Right, ...]] = get_args(Right)
"""Each has what those before it have."""
EVERYTHING: Final[Right] = "admin"
PREFIX: Final = "wrac_"
DAY: Final = 86_400
_MEMORY: Final = "token:"
_LONGEST: Final = 100


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is kept: `digest` is the SHA-256 of its text, `made` and `ends` seconds since 1970, 0 for never."""

    id: str
    right: Right
    name: str
    digest: str
    made: float
    ends: float = 0.0

    def alive(self, now: float) -> bool:
        """Whether it opens anything at a moment."""
        return not self.ends or now < self.ends


def covers(have: Right, wanted: Right) -> bool:
    """Whether one right has what another has.

    >>> covers("ask", "read"), covers("ask", "admin")
    (True, False)
    """
    return RIGHTS.index(have) >= RIGHTS.index(wanted)


def digest(text: str) -> str:
    """What is kept of a token: it is random, 256 bits, so one round of SHA-256 is enough."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def identity(digest: str) -> str:
    """What a token is called, by its digest."""
    return digest[:12]


def create(database: Database, right: Right, name: str = "", days: float = 0.0) -> tuple[str, Token]:
    """A new token's text, which is kept nowhere, and the token. Raises ConfigError for what makes no sense."""
    if right not in RIGHTS:
        raise ConfigError(f"--scope {right}: choose {', '.join(RIGHTS)}")
    if len(name) > _LONGEST or not name.isprintable():
        raise ConfigError(f"--name is no name; give one line of at most {_LONGEST} characters")
    if days < 0:
        raise ConfigError(f"--expires {days:g}: give days from now, or leave it out")
    text, now = PREFIX + secrets.token_urlsafe(32), time.time()
    kept = digest(text)
    token = Token(identity(kept), right, name, kept, round(now, 3), round(now + days * DAY, 3) if days else 0.0)
    with database.write() as connection:
        remember(connection, _MEMORY + token.id, json.dumps(asdict(token), sort_keys=True))
    return text, token


def known(database: Database) -> list[Token]:
    """Every token, the oldest first, those that have expired too."""
    with database.read() as connection:
        found = beginning(connection, _MEMORY)
    return sorted((Token(**json.loads(text)) for text in found.values()), key=lambda one: (one.made, one.id))


def revoke(database: Database, wanted: str) -> Token:
    """The token with that id, which opens nothing from now on. Raises NotFoundError where there is none."""
    found = next((one for one in known(database) if one.id == wanted), None)
    if found is None:
        raise NotFoundError(database.place, f"no token is called {wanted}", "`wrac token list` names them")
    with database.write() as connection:
        forget(connection, _MEMORY + found.id)
    return found
