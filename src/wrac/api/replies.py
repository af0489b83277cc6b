"""Rows of the contract to responses: JSON as the command writes it, entity tags, and streams of events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from typing import Final

from fastapi import Request
from fastapi.responses import Response, StreamingResponse

from wrac import contract

EVENTS: Final = "text/event-stream"
BEAT: Final = 15.0
"""Seconds after which a silent stream says that it is alive."""


def row(value: contract.Json, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """One row as JSON."""
    return Response(contract.dumps(value).encode(), status, headers, "application/json")


def tagged(request: Request, value: contract.Json, headers: Mapping[str, str] | None = None) -> Response:
    """One row as JSON with the tag of its bytes, or 304 for a client that has them."""
    body = contract.dumps(value).encode()
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    told = {"ETag": tag, "Cache-Control": "private, no-cache", **(headers or {})}
    if _has(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=told)
    return Response(body, 200, told, "application/json")


def _has(given: str, tag: str) -> bool:
    """Whether If-None-Match names a tag: weakly compared, as RFC 9110 has it."""
    return any(one.strip().removeprefix("W/") in (tag, "*") for one in given.split(","))


def event(name: str, value: contract.Json) -> bytes:
    """One event of a stream."""
    return f"event: {name}\ndata: {contract.dumps(value)}\n\n".encode()


def stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """Events as they come."""
    return StreamingResponse(events, media_type=EVENTS, headers={"X-Accel-Buffering": "no"})


def wants_events(request: Request) -> bool:
    """Whether a client asks for a stream."""
    return EVENTS in request.headers.get("accept", "")


class Bell:
    """Wakes streams of the event loop from any thread, and tells them when the server ends."""

    def __init__(self) -> None:
        self.over = False
        self._ringers: set[Callable[[], None]] = set()

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._ringers)

    @contextmanager
    def heard(self) -> Iterator[asyncio.Event]:
        """An event that is set at each ring, for one listener."""
        loop, bell = asyncio.get_running_loop(), asyncio.Event()

        def ring() -> None:
            loop.call_soon_threadsafe(bell.set)

        self._ringers.add(ring)
        try:
            yield bell
        finally:
            self._ringers.discard(ring)

    def ring(self) -> None:
        """Wake every listener."""
        for ringer in tuple(self._ringers):
            ringer()

    def end(self) -> None:
        """Wake every listener for the last time."""
        self.over = True
        self.ring()


async def waited(bell: asyncio.Event) -> bool:
    """Whether the bell rang, within `BEAT` seconds; it is silent again then."""
    try:
        await asyncio.wait_for(bell.wait(), BEAT)
    except TimeoutError:
        return False
    bell.clear()
    return True
