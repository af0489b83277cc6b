"""Templates to responses: what every page of the board is given."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from wrac.api.served import served

_environment = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES: Final = Jinja2Templates(env=_environment)
PLACES: Final = (("/", "Search"), ("/pages", "Pages"), ("/statistics", "Statistics"), ("/evaluation", "Evaluation"))
"""The board's parts in the order of its navigation."""


def page(request: Request, template: str, /, status: int = 200, **values: object) -> HTMLResponse:
    """A page of the board: the template with the values, the parts of the board and the workspaces.

    `htmx` is true in a template where only the part that changed is wanted.
    """
    known = served(request).workspaces
    wanted = request.query_params.get("workspace", "")
    shared = {
        "places": PLACES,
        "workspaces": list(known),
        "workspace": wanted if wanted in known else next(iter(known)),
        "htmx": "HX-Request" in request.headers,
    }
    return TEMPLATES.TemplateResponse(request, template, {**shared, **values}, status)
