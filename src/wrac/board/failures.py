"""Errors as pages that people can read; under /v1 they stay what the API says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from wrac.api.problems import STATUS
from wrac.board.views import page
from wrac.core.errors import WracError

_TITLES: Final = {
    400: "That cannot be asked for",
    403: "Not allowed",
    404: "Nothing is here",
    405: "Not that way",
    409: "The workspace cannot be used as it is",
    413: "Too much at once",
    422: "That cannot be read",
    429: "Too many requests",
    502: "A server did not answer",
    503: "Busy: try again in a moment",
    507: "There is no room",
}

_Handler = Callable[[Request, Any], Response | Awaitable[Response]]


def install(app: FastAPI) -> None:
    """Give each error of the board a page; what the API answered before it still does."""
    for kind, handler in ((WracError, _told), (HTTPException, _refused), (RequestValidationError, _unread)):
        app.add_exception_handler(kind, _on_the_board(handler, app.exception_handlers[kind]))


def _on_the_board(ours: _Handler, theirs: _Handler) -> Callable[[Request, Exception], Awaitable[Response]]:
    """One handler for the board's pages, the other for the API's."""

    async def answer(request: Request, error: Exception) -> Response:
        found = (theirs if request.url.path.startswith("/v1") else ours)(request, error)
        return found if isinstance(found, Response) else await found

    return answer


def _told(request: Request, error: WracError) -> Response:
    return _page(request, next(status for kind, status in STATUS if isinstance(error, kind)), str(error))


def _refused(request: Request, error: HTTPException) -> Response:
    said = "No page of the board has this address." if error.status_code == 404 else str(error.detail)
    response = _page(request, error.status_code, said)
    response.headers.update(error.headers or {})
    return response


def _unread(request: Request, error: RequestValidationError) -> Response:
    """What was wrong with which field."""
    faults = (f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors())
    return _page(request, 422, "; ".join(faults))


def _page(request: Request, status: int, said: str) -> Response:
    return page(request, "failure.html", status, title=_TITLES.get(status, "Something went wrong"), said=said)
