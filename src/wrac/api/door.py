"""Who may come in: the host that was meant, where the request comes from, who asks, and how fast.

A page of another site must not make a browser act here. On loopback only names of this machine are answered, so that a
name which is pointed here is not (DNS rebinding). What changes something comes with a token in its header, which no
page of another site can set, or with the browser's word that it is from here: Sec-Fetch-Site or Origin. A request with
neither is no browser's; it is taken where a form could not have sent it.
"""

from __future__ import annotations

import asyncio
import re
from typing import Final
from urllib.parse import quote

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from wrac.api import problems, tokens
from wrac.api.access import Keys, Rate, later
from wrac.api.served import READING, Served, Who
from wrac.api.tokens import EVERYTHING

COOKIE: Final = "wrac_session"
LOGIN: Final = "/login"
_OPEN: Final = ("/static/", "/v1/health/")
"""Paths that nobody is asked for a token at, the login aside."""
_HERE: Final = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?", re.IGNORECASE)
"""Values of Host that mean this machine, whoever answers for names. It is read as it was sent: for one that it holds
for malformed, such as `a{b.example`, which browsers do send, Starlette takes the server's own address.
"""
_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "")


class Door:
    """Lets requests in, with who asks beside them in the scope, or answers why not."""

    def __init__(self, app: ASGIApp, served: Served, keys: Keys) -> None:
        self._app, self._served, self._keys = app, served, keys
        self._reading = asyncio.Lock()
        self._rate = Rate(served.limits.rate) if served.limits.rate else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            scope["wrac.who"] = await self._judged(request)
        except HTTPException as error:
            response = problems.answer(request, error.status_code, str(error.detail), headers=error.headers)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _judged(self, request: Request) -> Who:
        """Who asks. Raises HTTPException for a request that is not let in."""
        if self._served.rules.loopback and not _HERE.fullmatch(request.headers.get("host", "localhost")):
            raise HTTPException(421, "this server answers to localhost, 127.0.0.1 and [::1] alone")
        self._from_here(request)
        who = await self._who(request)
        if self._rate is not None and (seconds := self._rate.wait(who.client)):
            raise later(seconds, "too many requests")
        return who

    def _from_here(self, request: Request) -> None:
        """Nothing for a request that no other site's page can have caused. Raises HTTPException for others."""
        if request.headers.get("authorization", "").lower().startswith("bearer "):
            return
        site, reads = request.headers.get("sec-fetch-site", ""), request.method in READING
        followed = reads and request.headers.get("sec-fetch-mode") == "navigate"
        if site in ("cross-site", "same-site") and not followed and not (reads and _static(request)):
            raise HTTPException(403, "another site's page sent this")
        if reads or site in ("same-origin", "none"):
            return
        origin = request.headers.get("origin")
        if origin is not None:
            if origin.partition("://")[2] != request.headers.get("host"):
                raise HTTPException(403, "another site's page sent this")
        elif request.headers.get("content-type", "").partition(";")[0].strip().lower() in _FORMS and _sends(request):
            raise HTTPException(403, "a form without its Origin; send JSON, or a token")

    async def _who(self, request: Request) -> Who:
        address, rules = request.client.host if request.client else "", self._served.rules
        # Where no token is asked for, none is looked at: the session of one that was revoked must not bar the login.
        digest = "" if _open(request) else self._presented(request)
        if not digest:
            if rules.auth and not _open(request):
                raise self._unknown(request)
            every = {} if rules.auth else dict.fromkeys(self._served.workspaces, EVERYTHING)
            return Who(address, every)
        async with self._reading:  # one reads for all that come meanwhile
            if self._keys.stale:
                await run_in_threadpool(self._keys.refresh)
        rights = self._keys.rights(address, digest)
        if not rights:
            raise self._unknown(request, "no such token, or it has expired")
        return Who(tokens.identity(digest), rights)

    def _presented(self, request: Request) -> str:
        """The digest of the token that a request comes with, by itself or by a session; empty where there is none."""
        kind, _, text = request.headers.get("authorization", "").partition(" ")
        if kind:
            return tokens.digest(text.strip() if kind.lower() == "bearer" else "")
        return self._keys.session(request.cookies[COOKIE]) if COOKIE in request.cookies else ""

    def _unknown(
        self, request: Request, why: str = "this takes a token: Authorization: Bearer wrac_…"
    ) -> HTTPException:
        path = request.url.path
        if not path.startswith("/v1/") and request.method == "GET":
            asked = path + (f"?{request.url.query}" if request.url.query else "")
            return HTTPException(303, why, {"Location": f"{LOGIN}?next={quote(asked, safe='')}"})
        return HTTPException(401, why, {"WWW-Authenticate": 'Bearer realm="wrac"'})


def _open(request: Request) -> bool:
    return request.url.path == LOGIN or request.url.path.startswith(_OPEN)


def _static(request: Request) -> bool:
    return request.url.path.startswith("/static/")


def _sends(request: Request) -> bool:
    """Whether a request has a body."""
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers
