"""Nothing of the machine or its network is asked, whatever name or redirect leads there (request forgery).

The check is made where the connection is: on the addresses that a name was resolved to, and one of them is connected
to, so a name that answers differently a second time gains nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Iterable
from typing import Any, Final

import httpcore2
import httpx2

_SHARED: Final = ipaddress.ip_network("100.64.0.0/10")  # carrier-grade NAT: neither private nor global
_WRAPPED: Final = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("2002::/16"))


class PrivateAddressError(httpx2.ConnectError):
    """The host is, or was resolved to, an address that is not of the public internet."""


def public(address: str) -> bool:
    """Whether an IP address is of the public internet: not loopback, private, link-local, multicast or reserved."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if inner is None and found in _WRAPPED[0]:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return public(str(inner))
        return found.is_global and not found.is_multicast
    return found.is_global and not found.is_multicast and found not in _SHARED


async def judged_addresses(host: str, port: int, judge: Callable[[str], bool] = public) -> list[str]:
    """The addresses of a host, when all of them may be reached.

    Raises PrivateAddressError where one may not, ConnectError for a host without any.
    """
    addresses = await _resolved(host, port)
    inside = [address for address in addresses if not judge(address)]
    if inside:
        raise PrivateAddressError(f"{host} is {inside[0]}, an address of a private network")
    return addresses


class _Backend(httpcore2.AsyncNetworkBackend):
    """Resolves a name, refuses what is not public, and connects to the first address that answers."""

    def __init__(self) -> None:
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:  # fmt: skip
        addresses = await judged_addresses(host, port)
        failure: Exception | None = None
        for address in addresses:
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore2.ConnectError(f"{host} has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ARG002 - the signature is httpcore's
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore2.AsyncNetworkStream:
        raise httpcore2.ConnectError(f"{path}: a socket of this machine")

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


async def _resolved(host: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpcore2.ConnectError(f"{host}: no such host") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Guarded(httpx2.AsyncHTTPTransport):
    """A transport that reaches the public internet alone."""

    def __init__(self, limits: httpx2.Limits) -> None:
        super().__init__(limits=limits)
        # The pool is the transport's own; only who opens its connections is another.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=httpx2.create_ssl_context(),
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=_Backend(),
        )
