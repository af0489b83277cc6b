"""How much a request may take: bytes of its body, time, and room among the others.

A thread cannot be stopped. Where a request's time is over, its client is told so and the thread goes on to the end of
what it does; until then it keeps its place among `threads` and `waiting`, so that slow work is answered with 503 rather
than piled up.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from fastapi import Request
from fastapi.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wrac.api import problems
from wrac.api.served import Limits

_LOG: Final = logging.getLogger("uvicorn.error")
_SLOW: Final = frozenset(("/v1/ask", "/answer", "/page/ask"))
"""Paths at which a model may be asked."""


class Patience:
    """Ends requests that take too long, too much, or come when there are too many."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits
        self._running: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if len(self._running) >= self._limits.waiting:
            await problems.answer(request, 503, "too many requests at once; try again")(scope, receive, send)
        elif int(request.headers.get("content-length", "0")) > self._limits.body:
            await problems.answer(request, 413, self._large())(scope, receive, send)
        else:
            await self._timed(request, receive, send)

    async def _timed(self, request: Request, receive: Receive, send: Send) -> None:
        """The answer, or 503 where it has not begun in time; what comes after that is heard by nobody."""
        seconds = self._limits.answer if request.url.path in _SLOW else self._limits.seconds
        begun = over = False

        async def tell(message: Message) -> None:
            nonlocal begun
            if not over:
                begun = True
                await send(message)

        task = asyncio.create_task(self._run(request.scope, self._measured(receive), tell))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            done, _ = await asyncio.wait({task}, timeout=seconds)
            if not done and not begun:
                over = True
                task.add_done_callback(_say)
                late = f"no answer within {seconds:g} s; ask for less, or later"
                await problems.answer(request, 503, late)(request.scope, receive, send)
            else:
                await task
        except asyncio.CancelledError:
            task.cancel()
            raise

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _measured(self, receive: Receive) -> Receive:
        """The body, as far as it may go. Raises HTTPException beyond that."""
        taken = 0

        async def measured() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limits.body:
                raise HTTPException(413, self._large())
            return message

        return measured

    def _large(self) -> str:
        return f"the body is larger than {self._limits.body:,} bytes; send less at once"


def _say(task: asyncio.Task[None]) -> None:
    """Logs how a request failed that nobody waits for any more."""
    if not task.cancelled() and (error := task.exception()) is not None:
        _LOG.error("a request failed after its time was over", exc_info=error)
