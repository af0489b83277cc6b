"""Pages: their list, one with its chunks over it, another plan tried and applied."""

from __future__ import annotations

from base64 import b64encode
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from wrac.api.orders import Text
from wrac.api.served import CHANGES, Asked, Opened, Read
from wrac.board import outline, trial
from wrac.board.routes import jobs
from wrac.board.snapshot import snapshot
from wrac.board.trial import Trial
from wrac.board.views import address, page, render
from wrac.catalog import Record
from wrac.core.errors import ConfigError, NotFoundError
from wrac.core.types import Document
from wrac.flow import Workspace
from wrac.flow.page import Cut, carriers, count, preview, remember, stored
from wrac.flow.planners import RULES, Planning
from wrac.flow.remembered import Wish
from wrac.flow.rows import label_of
from wrac.planning.page_types import page_type
from wrac.planning.policies import Policies

router = APIRouter()
ROWS: Final = 50
CHUNKS: Final = 100
"""Chunks of one part of an outline."""
CARRIERS: Final = 20
_DIGITS: Final = 10
WAIT: Final = 5.0
"""Seconds that a press of a button waits for another writer."""
SANDBOX: Final = "allow-same-origin allow-top-navigation-by-user-activation"
"""What a snapshot may do: be followed by its links. Without scripts its origin is of no use to it; with its own, a
click there carries the login, and this board can mark the unit that was clicked."""
_STYLE: Final = (Path(__file__).parent.parent / "static" / "snapshot.css").read_text("utf-8")
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'; base-uri 'none'; "
    f"form-action 'none'; frame-ancestors 'self'; sandbox {SANDBOX}"
)

Url = Annotated[Text, Query(description="The page's URL, as the workspace has it.")]
Prefix = Annotated[Text, Query(max_length=4000)]
Id = Annotated[Text, Query(max_length=100)]


@router.get("/pages")
def pages(request: Request, workspace: Opened, prefix: Prefix = "", after: Prefix = "") -> HTMLResponse:
    """The pages by URL, from one on; those that begin with a prefix."""
    found = workspace.pages(prefix, after=after, limit=ROWS + 1)
    shown, more = found[:ROWS], len(found) > ROWS
    with workspace.database.read() as connection:
        total = count(connection, prefix)
    return page(
        request,
        "pages.html",
        rows=shown,
        prefix=prefix,
        total=total,
        first=address(request, "/pages", prefix=prefix) if after else "",
        following=address(request, "/pages", prefix=prefix, after=shown[-1].url) if more else "",
    )


class View:
    """A page as a request wants to see it: as it is stored, or under a plan that is tried."""

    def __init__(self, request: Request, workspace: Read, url: Url) -> None:
        self.request, self.workspace, self.url = request, workspace, url
        self.record: Record = workspace.record(url)
        self.now: Cut = stored(self.record)
        before = workspace.remembered()
        self.policies, self.planning = before.policies or Policies(), before.planning or RULES
        self.trial: Trial | None = trial.read(request.query_params, self.record.policy, self.planning)
        self.shown: Cut = self.now if self.trial is None else self._tried(self.trial)

    def wish(self, tried: Trial) -> Wish:
        """How the workspace would plan."""
        return tried.wish(self.policies, self.planning, self.record.document, self.url)

    def _tried(self, tried: Trial) -> Cut:
        return preview(self.workspace, self.record, self.wish(tried))

    @property
    def query(self) -> dict[str, Any]:
        """What an address of this view says."""
        return {"url": self.url, **({} if self.trial is None else self.trial.query())}

    def link(self, path: str, **query: object) -> str:
        """An address of this view, or of a part of it."""
        return address(self.request, path, **{**self.query, **query})

    @cached_property
    def _here(self) -> str:
        return self.link("/page")

    def at(self, ordinal: int) -> str:
        """The address of this view at a unit; a page has thousands of them."""
        return f"{self._here}&unit={ordinal}"


Viewed = Annotated[View, Depends()]


@router.get("/page")
def look(view: Viewed, unit: Id = "", chunk: Id = "", part: Annotated[int, Query(ge=1)] = 1) -> HTMLResponse:
    """One page with its chunks over it, and one unit, by its number or its id; where that is twice, the chunk's."""
    return _looked(view, _ordinal(view.now, unit, chunk) if unit else None, part)


def _ordinal(cut: Cut, unit: str, chunk: str) -> int:
    """The place of a unit. Raises NotFoundError where the page has none."""
    places = cut.document.places
    if unit.isascii() and unit.isdigit() and int(unit) < len(places):
        return int(unit)
    found = [place.ordinal for place in places if place.unit == unit]
    if not found:
        raise NotFoundError(cut.document.title, f"no unit here is {unit}", f"its units are 0 to {len(places) - 1}")
    inside = {one for where in cut.occurrences if where.chunk == chunk for one in where.ordinals}
    return next((one for one in found if one in inside), found[0])


def _looked(view: View, unit: int | None, part: int) -> HTMLResponse:
    """The page; where only the unit is wanted, that alone."""
    chosen = None if unit is None else _chosen(view, unit)
    if chosen is not None and view.request.headers.get("HX-Target") == "unit":
        return page(view.request, "chosen.html", **chosen)
    cut = view.shown
    chunks, of = outline.chunks(cut), cut.of.get(-1 if unit is None else unit, ())
    parts = max(1, -(-len(chunks) // CHUNKS))
    part = min(of[0] // CHUNKS + 1 if of else part, parts)
    return page(
        view.request,
        "page.html",
        title=_title(view.record.document) or view.url,
        kind=page_type(view.record.document),
        chunks=chunks[(part - 1) * CHUNKS : part * CHUNKS],
        part=part,
        parts=parts,
        selected=frozenset(of),
        omitted=outline.omitted(cut),
        losses=outline.losses(cut),
        sandbox=SANDBOX,
        done=_done(view.request),
        **_trying(view),
        **(chosen or {"unit": None, **_told(view)}),
    )


def _title(document: Document) -> str:
    """What a page is called: its title, else its first heading; nothing where it has neither."""
    heading = (document.text(one.ordinal) for one in document.places if document.units[one.unit].kind == "heading")
    return document.title or next(heading, "")


def _told(view: View) -> dict[str, Any]:
    """What every part of the page's view goes by."""
    live = view.url if view.url.startswith(("http://", "https://")) else ""
    return {"view": view, "cut": view.shown, "live": live}


def _chosen(view: View, ordinal: int) -> dict[str, Any]:
    """A unit with all that is known of it, and the other pages that carry it."""
    unit = outline.told(view.shown, ordinal, view.url)
    return {
        **_told(view),
        "unit": unit,
        "others": _others(view.workspace, unit.unit.id, view.url),
        "carriers": CARRIERS,
    }


def _trying(view: View) -> dict[str, Any]:
    """What the form for another plan says, and what that plan changes."""
    tried = view.trial
    return {
        "fields": trial.FIELDS,
        "planners": _planners(view.planning),
        "policy": view.record.policy if tried is None else tried.policy,
        "who": view.planning.who if tried is None else tried.who,
        "scope": "page" if tried is None else tried.scope,
        "difference": None if tried is None else outline.difference(view.now, view.shown),
    }


def _others(workspace: Workspace, unit: str, url: str) -> list[str]:
    """Other pages that carry the unit."""
    with workspace.database.read() as connection:
        return [one for one in carriers(connection, unit, CARRIERS + 1) if one != url]


def _planners(planning: Planning) -> list[str]:
    """Who can plan: a model where one is known."""
    return ["rules"] if planning.who == "rules" else ["rules", "llm", "cascade"]


def _done(request: Request) -> dict[str, int]:
    """What was just done, as the address says in numbers; nothing where it does not."""
    said = {name: request.query_params.get(name, "") for name in ("changed", "embedded")}
    counts = {
        name: int(text) for name, text in said.items() if text.isascii() and text.isdigit() and len(text) < _DIGITS
    }
    return counts if counts.keys() == said.keys() else {}


@router.get("/snapshot")
def framed(view: Viewed) -> HTMLResponse:
    """The page as it was stored, for the frame: nothing in it runs, and nothing is asked for."""
    before = None if view.trial is None else view.now
    signs = outline.signs(view.shown, view.at, before)
    shown = snapshot(view.record.page, view.record.document, signs)
    html = render("snapshot.html", document=view.record.document, style=_STYLE, shown=shown)
    return HTMLResponse(html, headers={"Content-Security-Policy": _POLICY})


@router.post("/page/ask")
def ask(view: Viewed, _: Asked) -> RedirectResponse:
    """Ask the model how it would plan the page, which costs; then show that."""
    if view.trial is None:
        raise ConfigError("nothing is tried; choose a planner first")
    preview(view.workspace, view.record, view.wish(view.trial), pay=True)
    return RedirectResponse(view.link("/page"), 303)


@router.post("/page/apply")
def apply(view: Viewed, _: Annotated[Workspace, Depends(CHANGES)]) -> RedirectResponse:
    """Plan as was tried, from now on: the page at once; those of its type, or all, by a job."""
    tried = view.trial
    if tried is None:
        raise ConfigError("nothing is tried; choose another policy first")
    if tried.who != view.planning.who and tried.scope != "all":
        raise ConfigError("a planner is chosen for all pages; apply it to all, or keep the one there is")
    wish = view.wish(tried)
    if tried.scope != "page":
        remember(view.workspace, wish, WAIT)
        jobs.replan(view.request, CHANGES.named(view.request, view.request.query_params.get("workspace", "")))
        return RedirectResponse(address(view.request, "/jobs"), 303)
    report = view.workspace.replan(policy=wish.policies, planning=wish.planning, pages=[view.url], workers=0, wait=WAIT)
    done = address(view.request, "/page", url=view.url, changed=report.changed, embedded=report.embedded)
    return RedirectResponse(done, 303)


@router.get("/chunk/{chunk}")
def shown(request: Request, workspace: Opened, chunk: Text) -> HTMLResponse:
    """One chunk with its units and the pages it stands on."""
    found = workspace.show(chunk)
    record = workspace.record(found.url)
    position = next(at for at, one in enumerate(record.chunks) if one.id == found.chunk)
    return page(
        request,
        "chunk.html",
        shown=found,
        number=position + 1,
        colour=outline.colour(position),
        label=label_of(record.occurrences[position].label),
        entries=record.entries[position],
    )
