"""How often a host is asked: some questions at once, a pause between them, longer when the host says it is too much."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

LONGEST: Final = 300.0
"""Seconds that a host is waited for at most, whatever it asks for."""
FIRST: Final = 1.0
"""Seconds of the first pause after a host said that it is too much; each further one is twice as long."""


@dataclass(slots=True)
class _Host:
    free: asyncio.Semaphore
    pause: float
    next: float = 0.0
    refusals: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pace:
    """Turns to ask, host by host: at most `parallel` at once, starting at least `pause` seconds after one another."""

    def __init__(self, parallel: int = 4, pause: float = 0.0) -> None:
        self._parallel, self._pause = parallel, pause
        self._hosts: dict[str, _Host] = {}

    def _host(self, url: str) -> _Host:
        name = urlsplit(url).netloc
        if name not in self._hosts:
            self._hosts[name] = _Host(asyncio.Semaphore(self._parallel), self._pause)
        return self._hosts[name]

    def wants(self, url: str, delay: float) -> None:
        """The host's own crawl delay, in seconds: from then on one question at a time."""
        host = self._host(url)
        if delay > host.pause:
            host.pause = min(delay, LONGEST)
            host.free = asyncio.Semaphore(1)

    @asynccontextmanager
    async def turn(self, url: str) -> AsyncIterator[None]:
        """Waits until the host may be asked, and counts as asking it until the block ends."""
        host = self._host(url)
        async with host.free:
            async with host.lock:
                wait = host.next - time.monotonic()
                host.next = max(host.next, time.monotonic()) + host.pause
            if wait > 0:
                await asyncio.sleep(wait)
            yield

    def refused(self, url: str, after: float | None) -> float:
        """Seconds that nobody asks the host now: what it asks for (`after`), else twice as long each time."""
        host = self._host(url)
        host.refusals += 1
        pause = min(after if after is not None else FIRST * 2 ** (host.refusals - 1), LONGEST)
        host.next = max(host.next, time.monotonic() + pause)
        return pause

    def answered(self, url: str) -> None:
        """The host answers again."""
        self._host(url).refusals = 0
