"""Coming in with a token, and leaving: a session in a cookie that no script reads and no other site sends."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from wrac.api import tokens
from wrac.api.access import SESSION, Keys
from wrac.api.door import COOKIE, LOGIN
from wrac.board.views import page

router = APIRouter()


@router.get(LOGIN)
def login(request: Request, next: str = "/") -> Response:
    """The page that asks for a token."""
    return page(request, "login.html", next=_here(next), problem="")


@router.post(LOGIN)
def enter(
    request: Request,
    token: Annotated[str, Form(max_length=200)] = "",
    next: Annotated[str, Form(max_length=8000)] = "/",
) -> Response:
    """The page that was asked for, with a session; or the page that asks for a token, and why again."""
    keys: Keys = request.app.state.keys
    keys.refresh()
    digest = tokens.digest(token.strip())
    try:
        known, problem = keys.rights(request.client.host if request.client else "", digest), "No such token."
    except HTTPException as error:
        known, problem = {}, f"{error.detail.capitalize()}."
    if not known:
        return page(request, "login.html", 401, next=_here(next), problem=problem)
    response = RedirectResponse(_here(next), 303)
    response.set_cookie(
        COOKIE, keys.open(digest), max_age=int(SESSION), httponly=True, samesite="strict",
        secure=request.headers.get("origin", "").startswith("https://"),  # there is a proxy with TLS before this server
    )  # fmt: skip
    return response


@router.post("/logout")
def leave(request: Request) -> Response:
    """The page that asks for a token; the session is over."""
    keys: Keys = request.app.state.keys
    keys.close(request.cookies.get(COOKIE, ""))
    response = RedirectResponse(LOGIN, 303)
    response.delete_cookie(COOKIE)
    return response


def _here(address: str) -> str:
    """An address of this server's pages; the first one where it could lead elsewhere."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if inside else "/"
