"""What a site allows: its robots.txt, read once before anything else is asked of its host (RFC 9309, by protego)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from wrac.fetching.site.urls import origin

if TYPE_CHECKING:
    from protego import Protego

NAME: Final = "wrac"
LARGEST: Final = 500 * 1024
"""Bytes of a robots.txt that are read, as RFC 9309 asks for."""

SLOWEST: Final = 300.0
"""Seconds between two questions; whoever asks for more is not asked at all."""

Get = Callable[[str], Awaitable[tuple[int, bytes, str]]]
"""The status and body at an address after redirects; a status of 0 when the host does not answer, and why."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one host. `closed` when its robots.txt could not be read: nothing may be asked then."""

    parsed: Protego | None
    closed: str = ""

    def allows(self, url: str) -> bool:
        """Whether wrac may ask for the address."""
        return not self.closed and (self.parsed is None or self.parsed.can_fetch(url, NAME))

    @property
    def delay(self) -> float:
        """Seconds that the site wants between two questions; 0 where it says nothing or nonsense."""
        asked = self.parsed.crawl_delay(NAME) if self.parsed is not None else None
        return max(0.0, float(asked or 0.0))

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The addresses of the sitemaps it names."""
        return tuple(self.parsed.sitemaps) if self.parsed is not None else ()


class Robots:
    """The rules of every host met; whoever asks first fetches them, and everyone else waits for that answer."""

    def __init__(self, get: Get, *, obey: bool = True) -> None:
        self._get, self._obey = get, obey
        self._rules: dict[str, asyncio.Task[Rules]] = {}

    async def rules(self, url: str) -> Rules:
        """The rules of the address's host. 4xx is no robots.txt and allows all; 5xx or no answer closes the host."""
        if not self._obey:
            return Rules(None)
        where = origin(url)
        if where not in self._rules:
            self._rules[where] = asyncio.ensure_future(self._read(where))
        return await asyncio.shield(self._rules[where])

    async def _read(self, where: str) -> Rules:
        from protego import Protego

        status, body, problem = await self._get(f"{where}/robots.txt")
        if 200 <= status < 300:
            rules = Rules(Protego.parse(body[:LARGEST].decode("utf-8-sig", "replace")))
            return rules if rules.delay <= SLOWEST else replace(rules, closed=_slow(rules.delay))
        if 400 <= status < 500 and status != 429:
            return Rules(None)
        if not status:
            return Rules(None, problem)
        return Rules(None, f"its robots.txt answered {status}, so nothing may be asked of it")


def _slow(delay: float) -> str:
    return f"its robots.txt asks for {delay:.0f} s between two questions; --ignore-robots asks sooner"
