"""Errors over HTTP: a status by class, and a body of RFC 9457 with the error's own line."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

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


def install(app: FastAPI) -> None:
    """Make the application answer errors that wrac raises on purpose."""
    app.add_exception_handler(WracError, _answer)


def problem(error: WracError) -> JSONResponse:
    """The response to an error; one that a retry may help says when."""
    status = next(status for kind, status in STATUS if isinstance(error, kind))
    body = {"type": "about:blank", "title": type(error).__name__, "status": status, "detail": str(error)}
    headers = {"Retry-After": "5"} if status == 503 else None
    return JSONResponse(body, status, headers, "application/problem+json")


def _answer(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WracError)  # noqa: S101 - installed for these alone
    return problem(error)
