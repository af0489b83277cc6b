"""A span for every request of a server: by its route, never by its path, so that names are few."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from wrac import telemetry
from wrac.telemetry import names

Message: TypeAlias = MutableMapping[str, Any]
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
FAULT = 500
"""Responses from this status on are the server's fault."""


class Watched:
    """An ASGI application whose requests are spans, inside the caller's where its headers say so (traceparent)."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not telemetry.on():
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with telemetry.span(scope["method"], _attributes(scope), "server", headers) as span:

            async def tell(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set({names.STATUS: message["status"]})
                    if message["status"] >= FAULT:
                        span.fail(str(message["status"]))
                await send(message)

            try:
                await self._app(scope, receive, tell)
            finally:
                if route := getattr(scope.get("route"), "path", ""):
                    span.name(f"{scope['method']} {route}")
                    span.set({names.ROUTE: route})


def _attributes(scope: Scope) -> dict[str, telemetry.Value]:
    server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
    return {
        names.METHOD: scope["method"],
        names.PATH: scope["path"],
        names.SCHEME: scope["scheme"],
        names.HOST: server[0],
        names.PORT: server[1] or 0,
        names.CLIENT: client[0],
    }
