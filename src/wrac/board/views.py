"""Templates to responses: what every page of the board is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from wrac.api.served import Served, served

PLACES: Final = (
    ("/", "Search"),
    ("/pages", "Pages"),
    ("/statistics", "Statistics"),
    ("/evaluation", "Evaluation"),
    ("/labelling", "Labelling"),
)
"""The board's parts in the order of its navigation."""
_PARTS: Final = {"page": "/pages", "chunk": "/pages", "compare": "/"}
"""The part that a page belongs to whose address does not begin with the part's."""


def page(request: Request, template: str, /, status: int = 200, **values: object) -> HTMLResponse:
    """A page of the board: the template with the values, the parts of the board and the workspaces.

    `htmx` is true in a template where only the part that changed is wanted.
    """
    known = list(served(request).workspaces)
    wanted = request.query_params.get("workspace", "")
    shared = {
        "places": PLACES,
        "place": _place(request.url.path),
        "workspaces": known,
        "workspace": wanted if wanted in known else known[0],
        "htmx": "HX-Request" in request.headers,
    }
    return TEMPLATES.TemplateResponse(request, template, {**shared, **values}, status)


def address(serving: Served, workspace: str, path: str, /, **query: object) -> str:
    """The address of a page of the board: a query without what is empty, the workspace where it is not the first.

    >>> address(Served({"a": None, "b": None}), "b", "/page", url="x y", unit=None)
    '/page?url=x+y&workspace=b'
    """
    given = {name: value for name, value in query.items() if value not in (None, "", False)}
    if workspace and workspace != next(iter(serving.workspaces)):
        given["workspace"] = workspace
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


@pass_context
def _link(context: Context, path: str, /, **query: object) -> str:
    """`address` in a template: the workspace is that of the page, unless another is given."""
    workspace = str(query.pop("workspace", context["workspace"]))
    return address(served(context["request"]), workspace, path, **query)


def _place(path: str) -> str:
    """The part of the board that a page belongs to; none for what is no part of it."""
    first = path.strip("/").partition("/")[0]
    found = _PARTS.get(first, f"/{first}")
    return found if found in dict(PLACES) else ""


def number(value: float) -> str:
    """A count with its thousands apart; what is no whole number to three digits.

    >>> number(12345), number(0.04567), number(3.0)
    ('12,345', '0.0457', '3')
    """
    return f"{int(value):,}" if value == int(value) else f"{value:.3g}"


def share(value: float) -> str:
    """A share of 0..1 in percent.

    >>> share(0.4567), share(1)
    ('46 %', '100 %')
    """
    return f"{value:.0%}".replace("%", " %")


def dollars(value: float) -> str:
    """USD, small sums to two digits that count.

    >>> dollars(12.5), dollars(0.00123), dollars(0)
    ('$12.50', '$0.0012', '$0')
    """
    return "$0" if value == 0 else f"${value:,.2f}" if value >= 1 else f"${value:.2g}"


def moment(at: float) -> str:
    """Seconds since 1970 as a day and a minute of UTC; nothing for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at)) if at else ""


def short(identity: str) -> str:
    """An id without its tag, to eight digits."""
    return identity.partition(":")[2][:8] or identity[:8]


def name_of(url: str) -> str:
    """An address as a person says it: without the scheme."""
    return url.partition("://")[2] or url


_FILTERS: Final[dict[str, Callable[[Any], str]]] = {
    "number": number,
    "share": share,
    "dollars": dollars,
    "moment": moment,
    "short": short,
    "name_of": name_of,
}


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["link"] = _link
    made.filters.update(_FILTERS)
    return made


TEMPLATES: Final = Jinja2Templates(env=_environment())
