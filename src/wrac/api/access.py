"""What a server remembers of those who ask: their tokens and sessions, how fast they ask, and who guesses."""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from starlette.exceptions import HTTPException

from wrac.api import tokens
from wrac.api.tokens import Right, Token
from wrac.flow import Workspace

FRESH: Final = 2.0
"""Seconds after which tokens are looked up anew: how long a revoked one may still open something."""
SESSION: Final = 12 * 3600.0
"""Seconds that a person's session lasts."""
_MOST: Final = 10_000
"""Clients, sessions and addresses that are remembered; of more, those that came first are forgotten."""

Key = TypeVar("Key")
Kept = TypeVar("Kept")


class Keys:
    """The tokens of the workspaces, as they were at most `FRESH` seconds ago, and the sessions opened with them."""

    def __init__(self, workspaces: Mapping[str, Workspace], clock: Callable[[], float] = time.time) -> None:
        self._workspaces, self._clock = workspaces, clock
        self._known: dict[str, list[tuple[str, Token]]] = {}
        self._read = -FRESH
        self._sessions: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._guesses = Guesses()

    @property
    def stale(self) -> bool:
        """Whether the tokens are to be read anew."""
        return not 0 <= self._clock() - self._read < FRESH  # a clock that was set back keeps nothing open

    def refresh(self) -> None:
        """Read the tokens of every workspace."""
        found: dict[str, list[tuple[str, Token]]] = {}
        for name, workspace in self._workspaces.items():
            for token in tokens.known(workspace.database):
                found.setdefault(token.id, []).append((name, token))
        self._known, self._read = found, self._clock()

    def any(self) -> bool:
        """Whether there is a token that opens something."""
        now = self._clock()
        return any(token.alive(now) for found in self._known.values() for _, token in found)

    def rights(self, address: str, digest: str) -> dict[str, Right]:
        """What the token of a digest, sent from an address, may do by workspace; nothing for one that there is not.

        Raises HTTPException where too many wrong ones came from there.
        """
        if wait := self._guesses.wait(address, digest):
            raise later(wait, "too many wrong tokens")
        found = self._rights(digest)
        if found:
            self._guesses.right(address, digest)
        elif not self._guesses.known(address, digest):  # one that was revoked, or has expired, is no guess
            self._guesses.wrong(address)
        return found

    def _rights(self, digest: str) -> dict[str, Right]:
        now = self._clock()
        return {
            name: token.right
            for name, token in self._known.get(tokens.identity(digest), ())
            if hmac.compare_digest(token.digest, digest) and token.alive(now)
        }

    def open(self, digest: str) -> str:
        """The secret of a new session of a token."""
        secret = secrets.token_urlsafe(32)
        self._sessions[tokens.digest(secret)] = (digest, self._clock() + SESSION)
        _cut(self._sessions)
        return secret

    def session(self, secret: str) -> str:
        """The digest of a session's token, empty where there is no such session any more."""
        digest, ends = self._sessions.get(tokens.digest(secret), ("", 0.0))
        return digest if self._clock() < ends else ""

    def close(self, secret: str) -> None:
        """End a session."""
        self._sessions.pop(tokens.digest(secret), None)


@dataclass(slots=True)
class _Bucket:
    """How many requests a client has left, at a moment."""

    left: float
    at: float


class Rate:
    """A token bucket for each client: `rate` requests a minute on average, and a tenth of that at once."""

    def __init__(self, rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._every, self._size, self._clock = rate / 60, max(1.0, rate / 10), clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, client: str) -> float:
        """0 where the client may ask now, which is counted; else the seconds until it may."""
        now = self._clock()
        bucket = self._buckets.setdefault(client, _Bucket(self._size, now))
        self._buckets.move_to_end(client)
        _cut(self._buckets)
        bucket.left = min(self._size, bucket.left + (now - bucket.at) * self._every)
        bucket.at = now
        if bucket.left < 1:
            return (1 - bucket.left) / self._every
        bucket.left -= 1
        return 0.0


class Guesses:
    """Wrong tokens by address: after `free` of them no unknown one is looked at for a while, which doubles each time.

    Tokens that were right from an address before are not held up by others that guess from there.
    """

    def __init__(self, free: int = 5, most: float = 300.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._most, self._clock = free, most, clock
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._right: OrderedDict[tuple[str, str], None] = OrderedDict()

    def known(self, address: str, digest: str) -> bool:
        """Whether a token was right from an address before."""
        return (address, digest) in self._right

    def wait(self, address: str, digest: str) -> float:
        """The seconds for which a token from an address is not looked at."""
        if self.known(address, digest):
            return 0.0
        return max(0.0, self._wrong.get(address, (0, 0.0))[1] - self._clock())

    def wrong(self, address: str) -> None:
        """A token from the address was wrong."""
        count, until = self._wrong.pop(address, (0, 0.0))
        now = self._clock()
        if now - until > 2 * self._most:
            count = 0  # long ago
        count += 1
        held = min(self._most, 2.0 ** (count - self._free - 1)) if count > self._free else 0.0
        self._wrong[address] = (count, now + held)
        _cut(self._wrong)

    def right(self, address: str, digest: str) -> None:
        """A token from the address was right."""
        self._right[address, digest] = None
        self._right.move_to_end((address, digest))
        _cut(self._right)


def later(seconds: float, why: str) -> HTTPException:
    """The refusal of what may be asked for again in some seconds."""
    whole = math.ceil(seconds)
    return HTTPException(429, f"{why}; try again in {whole} s", {"Retry-After": str(whole)})


def _cut(kept: OrderedDict[Key, Kept]) -> None:
    while len(kept) > _MOST:
        kept.popitem(last=False)
