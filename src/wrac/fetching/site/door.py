"""The browser's only way out: a proxy on loopback that reaches the public internet alone.

A browser resolves names and follows redirects by itself, in frames, scripts and sockets too; so what it may reach is
judged where it connects, as for the crawler's own questions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import httpcore2

from wrac.fetching.site.guard import PrivateAddressError, judged_addresses, public

_STEP: Final = 1 << 16
_REFUSED: Final = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_LOST: Final = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_OPEN: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"
_OWN: Final = ("connection:", "proxy-connection:", "proxy-authorization:", "keep-alive:")


class Door:
    """A proxy for HTTP and tunnels, used in `async with`; `judge` says of an IP address whether it may be reached."""

    def __init__(self, judge: Callable[[str], bool] = public) -> None:
        self._judge = judge
        self._under_way: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Door:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_STEP)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if (task := asyncio.current_task()) is not None:
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        try:
            await self._pass(reader, writer)
        except PrivateAddressError:
            writer.write(_REFUSED)
        except (OSError, EOFError, ValueError, httpcore2.ConnectError, asyncio.LimitOverrunError):
            writer.write(_LOST)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One question, or one tunnel, from its first line to its end."""
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip("\r\n").split("\r\n")
        method, target, version = first.split(" ", 2)
        tunnel = method == "CONNECT"
        parts = urlsplit(f"//{target}" if tunnel else target)
        host, port = parts.hostname or "", parts.port or (443 if tunnel else 80)
        far_reader, far_writer = await self._reach(host, port)
        try:
            if tunnel:
                writer.write(_OPEN)
            else:
                path = target[target.index(parts.netloc) + len(parts.netloc) :] or "/"
                kept = [line for line in lines if not line.lower().startswith(_OWN)]
                head = "\r\n".join([f"{method} {path} {version}", *kept, "Connection: close", "", ""])
                far_writer.write(head.encode("latin-1"))
            sending = asyncio.ensure_future(_copy(reader, far_writer))
            try:
                await _copy(far_reader, writer)
            finally:
                sending.cancel()
        finally:
            far_writer.close()

    async def _reach(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection to the first address of a host that answers."""
        failure: OSError | None = None
        for address in await judged_addresses(host, port, self._judge):
            try:
                return await asyncio.open_connection(address, port)
            except OSError as error:
                failure = error
        raise failure or OSError(f"{host} has no address")


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while part := await source.read(_STEP):
            target.write(part)
            await target.drain()
