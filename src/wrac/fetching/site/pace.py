"""How often a host is asked: some questions at once, a pause between them, longer when the host says it is too much,
and no more when that does not help.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

LONGEST: Final = 300.0
"""Seconds that a host is waited for at most; one that asks for more is left alone for now."""
PATIENCE: Final = 8
"""Addresses in a row without an answer, each after all its attempts, after which a host is left alone for now."""
FIRST: Final = 1.0
"""Seconds of the first pause after a host said that it is too much; each further one is twice as long."""


@dataclass(slots=True)
class _Host:
    free: asyncio.Semaphore
    pause: float
    next: float = 0.0
    refusals: int = 0
    failures: int = 0
    closed: str = ""
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
        """The host's own crawl delay, in seconds up to LONGEST: from then on one question at a time."""
        host = self._host(url)
        if delay > host.pause:
            host.pause = delay
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

    def refused(self, url: str, after: float | None) -> None:
        """Nobody asks the host now for as long as it asks for (`after`), else twice as long each time."""
        host = self._host(url)
        if after is not None and after > LONGEST:
            host.closed = host.closed or f"it asks to be left alone for {after:.0f} s"
            return
        pause = after if after is not None else min(FIRST * 2 ** min(host.refusals, 16), LONGEST)
        host.refusals += 1
        host.next = max(host.next, time.monotonic() + pause)

    def failed(self, url: str, why: str) -> None:
        """An address was given up, however often it was asked."""
        host = self._host(url)
        host.failures += 1
        if host.failures >= PATIENCE:
            host.closed = host.closed or f"{host.failures} times in a row: {why}"

    def answered(self, url: str) -> None:
        """The host answers again."""
        host = self._host(url)
        host.refusals = host.failures = 0

    def closed(self, url: str) -> str:
        """Why the host is left alone for now, "" when it is not."""
        return self._host(url).closed
