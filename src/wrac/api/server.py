"""The server's process: one socket, one line when it listens, an end within two seconds."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from wrac.api.replies import Bell
from wrac.core.errors import ConfigError

GRACE: Final = 1
"""Seconds that requests under way have for ending once the server ends."""
HEAD: Final = 10.0
"""Seconds within which a client must have said what it wants."""


class Prompt(H11Protocol):
    """A connection that is closed where its client takes too long to say what it wants."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._late is None and (self.cycle is None or self.cycle.response_complete):
            self._wait()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._heard()

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._late = self.loop.call_later(HEAD, self.transport.close)

    def _heard(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class Server(uvicorn.Server):
    """Tells when it listens, and ends its streams before it waits for them; Ctrl-C is how one ends it, no error."""

    def __init__(self, config: uvicorn.Config, bell: Bell, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._bell, self._listening = bell, listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._listening()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._bell.end()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises ConfigError for an address that is none of this machine's, or is taken."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(f"--port {port} is taken; choose another, or 0 for any free one") from error
        if error.errno == errno.EACCES:
            raise ConfigError(f"--port {port} is not for this user; choose one above 1023") from error
        raise ConfigError(f"--host {host}: {(error.strerror or str(error)).lower()}; give 127.0.0.1") from error


def configured(app: FastAPI) -> uvicorn.Config:
    """How an application is served; nobody's word is taken for where a request comes from."""
    return uvicorn.Config(
        app, http=Prompt, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
        timeout_graceful_shutdown=GRACE, timeout_keep_alive=30, ws="none", h11_max_incomplete_event_size=64 * 1024,
    )  # fmt: skip


def run(app: FastAPI, sock: socket.socket, listening: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    Server(configured(app), app.state.bell, listening).run([sock])


def leave() -> None:
    """Leaves the process, though threads may still do what nobody waits for; all that was acknowledged is written."""
    others = [one for one in threading.enumerate() if one is not threading.main_thread() and not one.daemon]
    if others:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
