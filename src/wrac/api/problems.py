"""Errors over HTTP: a status by class, and a body of RFC 9457 with the error's own line.

The board's pages are for people: `app.state.error_page`, where it is set, makes a page of what went wrong for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from wrac.api.headers import HEADERS
from wrac.core.errors import (
    BusyError,
    ConfigError,
    InputError,
    LimitError,
    NotFoundError,
    RemoteError,
    StorageError,
    WorkspaceError,
    WracError,
)

STATUS: Final[tuple[tuple[type[WracError], int], ...]] = (
    (LimitError, 413),
    (NotFoundError, 404),
    (BusyError, 503),
    (ConfigError, 400),
    (InputError, 422),
    (WorkspaceError, 409),
    (StorageError, 507),
    (RemoteError, 502),
    (WracError, 500),
)
"""The status of an error is that of the first class here that it is of."""
_ADVICE: Final = {
    404: "there is no such address; /v1/openapi.json names all there are",
    405: "this address does not take that method; the header Allow names those it takes",
}
"""What is told where the router alone refuses."""
MEDIA: Final = "application/problem+json"
ErrorPage: TypeAlias = Callable[[Request, int, str], Response]


def install(app: FastAPI) -> None:
    """Make the application answer errors in one form."""
    app.add_exception_handler(WracError, _ours)
    app.add_exception_handler(HTTPException, _refusal)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _fault)


def answer(
    request: Request, status: int, detail: str, *, error: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """The response to what went wrong: for programs a problem, for people a page, or the way to another one."""
    told = dict(headers or {})
    if status == 503:
        told.setdefault("Retry-After", "5")
    if 300 <= status < 400:
        return RedirectResponse(told["Location"], status)
    page: ErrorPage | None = getattr(request.app.state, "error_page", None)
    if page is not None and not request.url.path.startswith("/v1/") and "html" in request.headers.get("accept", ""):
        response = page(request, status, detail)
        response.headers.update(told)
        return response
    return JSONResponse(problem(status, detail, error), status, told, MEDIA)


def problem(status: int, detail: str, error: str = "") -> dict[str, Any]:
    """The members of a problem; `error` is the name of wrac's error, empty where HTTP alone is concerned."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "error": error,
    }


def told(error: WracError) -> dict[str, Any]:
    """The members of the problem that an error is."""
    return problem(status_of(error), line(error), type(error).__name__)


def status_of(error: WracError) -> int:
    """The status of an error."""
    return next(status for kind, status in STATUS if isinstance(error, kind))


def line(error: WracError) -> str:
    """The error's line, without where the workspace lies on the server."""
    text = str(error)
    return text.removeprefix(f"{error.path}: ") if isinstance(error, WorkspaceError) else text


def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, WracError)  # noqa: S101 - installed for these alone
    return answer(request, status_of(error), line(error), error=type(error).__name__)


def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    headers = dict(error.headers or {})
    if error.status_code == 405 and (methods := _methods(request)):
        headers["Allow"] = ", ".join(methods)
    plain = request.url.path.startswith("/v1/") and error.detail == HTTPStatus(error.status_code).phrase
    detail = _ADVICE.get(error.status_code, str(error.detail)) if plain else str(error.detail)
    return answer(request, error.status_code, detail, headers=headers)


def _methods(request: Request) -> list[str]:
    """The methods of all routes with the path of a request: the router names those of the first one alone."""
    routes: Sequence[Route] = getattr(request.app.state, "routes", ())
    fitting = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return sorted({method for route in fitting for method in route.methods or ()})


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    return answer(request, 422, "; ".join(map(_said, error.errors())))


def _said(fault: Mapping[str, Any]) -> str:
    """Where a fault is, without what was given there, which may be anything."""
    where = ".".join(str(part) for part in fault["loc"][1:]) or str(fault["loc"][0])
    return f"{where}: {fault['msg']}"


def _fault(request: Request, _error: Exception) -> Response:
    """A fault of wrac; what it was stands in the server's own log."""
    response = answer(request, 500, "wrac failed; the server's log says how")
    response.headers.update(HEADERS)  # it is answered outside of the layer that adds them
    return response
