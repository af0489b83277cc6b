"""What went wrong, as a page that people can read."""

from __future__ import annotations

from typing import Final

from fastapi import Request, Response

from wrac.board.views import page

_TITLES: Final = {
    400: "That cannot be asked for",
    401: "Who are you?",
    403: "Not allowed",
    404: "Nothing is here",
    405: "Not that way",
    409: "The workspace cannot be used as it is",
    413: "Too much at once",
    421: "Another server was meant",
    422: "That cannot be read",
    429: "Too many requests",
    502: "A server did not answer",
    503: "Busy: try again in a moment",
    507: "There is no room",
}


def failure(request: Request, status: int, said: str) -> Response:
    """The page that says so."""
    if status == 404 and said == "Not Found":
        said = "No page of the board has this address."
    return page(request, "failure.html", status, title=_TITLES.get(status, "Something went wrong"), said=said)
