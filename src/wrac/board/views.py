"""Templates to responses: what every page of the board is given."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from wrac.api.door import COOKIE
from wrac.api.served import asking, served, visible

PLACES: Final = (
    ("/", "Search"),
    ("/pages", "Pages"),
    ("/statistics", "Statistics"),
    ("/evaluation", "Evaluation"),
    ("/labelling", "Labelling"),
    ("/jobs", "Jobs"),
)
"""The board's parts in the order of its navigation."""
_PARTS: Final = {"page": "/pages", "chunk": "/pages", "compare": "/"}
"""The part that a page belongs to whose address does not begin with the part's."""


def page(request: Request, template: str, /, status: int = 200, **values: object) -> HTMLResponse:
    """A page of the board: the template with the values, the parts of the board, the workspaces, and what may be done.

    `htmx` is true in a template where only the part that changed is wanted, `session` where someone logged in. `may`
    says whether whoever asks may have a model asked, change the workspace, and judge what was found.
    """
    known = readable(request)
    wanted = request.query_params.get("workspace", "")
    workspace = wanted if wanted in known else next(iter(known), "")
    shared = {
        "places": PLACES,
        "place": _place(request.url.path),
        "workspaces": known,
        "workspace": workspace,
        "may": _rights(request, workspace),
        "htmx": "HX-Request" in request.headers,
        "session": COOKIE in request.cookies and bool(known),
    }
    return TEMPLATES.TemplateResponse(request, template, {**shared, **values}, status)


def render(template: str, /, **values: object) -> str:
    """The template with the values, for what is no page of the board."""
    return TEMPLATES.get_template(template).render(values)


def _rights(request: Request, workspace: str) -> dict[str, bool]:
    who, writes = asking(request), not served(request).rules.read_only
    return {
        "ask": who.may(workspace, "ask"),
        "change": who.may(workspace, "admin") and writes,
        "judge": who.may(workspace, "read") and writes,
    }


def readable(request: Request) -> list[str]:
    """The workspaces that are named to whoever asks; none before that is known."""
    known = "wrac.who" in request.scope or not served(request).rules.auth
    return visible(request) if known else []


def address(request: Request, path: str, /, *, workspace: str = "", **query: object) -> str:
    """The address of a page of the board with a query, of which what is empty is left out.

    It stays in the request's workspace unless another is given; the first one need not be named.
    """
    given = {name: value for name, value in query.items() if value is not None and value != "" and value is not False}
    name = workspace or request.query_params.get("workspace", "")
    if name and name != next(iter(readable(request)), ""):
        given["workspace"] = name
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


@pass_context
def _link(context: Context, path: str, /, *, workspace: str = "", **query: object) -> str:
    """`address` in a template."""
    return address(context["request"], path, workspace=workspace, **query)


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
    return "$0" if value == 0 else f"${value:,.2f}" if value >= 0.1 else f"${value:.2g}"


def moment(at: float) -> str:
    """Seconds since 1970 as a day and a minute of UTC; nothing for none."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at)) if at else ""


def short(identity: str) -> str:
    """An id without its tag, to eight digits."""
    return identity.partition(":")[2][:8] or identity[:8]


def islanguage(tag: str) -> bool:
    """Whether a text can be the tag of a language."""
    return tag.replace("-", "").isalnum() and tag.isascii()


def name_of(url: str) -> str:
    """An address as a person reads it: without the scheme, and with letters where it has them in percents."""
    name = url.partition("://")[2] or url
    shown = unquote(name)
    return shown if shown.isprintable() and "\ufffd" not in shown else name  # nothing that cannot be seen


_FILTERS: Final[dict[str, Callable[[Any], object]]] = {
    "number": number,
    "share": share,
    "dollars": dollars,
    "moment": moment,
    "short": short,
    "islanguage": islanguage,
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
