"""What is stored: chunks, pages, their units and plans; how another policy would cut a page."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from wrac import contract
from wrac.api import orders, rows, shapes
from wrac.api.documentation import documented
from wrac.api.replies import row, tagged
from wrac.api.served import Opened, Read
from wrac.flow.page import preview, stored
from wrac.flow.planners import RULES
from wrac.flow.remembered import Wish
from wrac.planning.policies import Policies

router = APIRouter(prefix="/v1", tags=["pages"])
_MOST: Final = 1000
Url = Annotated[orders.Url, Query()]


@router.get("/chunks/{chunk}", responses=documented(shapes.Chunk, 304))
def chunk(
    request: Request, workspace: Opened, chunk: Annotated[orders.Name, Path(description="An id, or how it begins.")]
) -> Response:
    """One chunk with its units and where they stand."""
    return tagged(request, contract.shown_row(workspace.show(chunk)))


@router.get("/pages", responses=documented(shapes.Pages, 304))
def pages(
    request: Request,
    workspace: Opened,
    prefix: Annotated[orders.Text, Query(max_length=4000, description="Only URLs that begin so.")] = "",
    after: Annotated[orders.Text, Query(max_length=4000, description="Go on after this URL.")] = "",
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 100,
) -> Response:
    """The pages by URL, part by part: the header Link, and `after`, lead to the next part."""
    found = workspace.pages(prefix, after=after, limit=limit)
    following = found[-1].url if len(found) == limit else None
    value = {"pages": [contract.page_row(one) for one in found], "after": following}
    if following is None:
        return tagged(request, value)
    kept = {name: text for name, text in request.query_params.items() if name != "after"}
    return tagged(
        request, value, {"Link": f'<{request.url.path}?{urlencode({**kept, "after": following})}>; rel="next"'}
    )


@router.get("/page", responses=documented(shapes.Page, 304))
def page(request: Request, workspace: Opened, url: Url) -> Response:
    """What is stored of a page, and its chunks in order."""
    return tagged(request, rows.record_row(workspace.record(url)))


@router.get("/page/units", responses=documented(shapes.Units, 304))
def units(request: Request, workspace: Opened, url: Url) -> Response:
    """A page's units in order, as `wrac parse` tells them."""
    document = workspace.record(url).document
    return tagged(request, {"units": list(contract.place_rows(document)), **contract.structure_row(document)})


@router.get("/page/plan", responses=documented(shapes.Plan, 304))
def plan(request: Request, workspace: Opened, url: Url) -> Response:
    """A page's plan, as `wrac plan` tells it."""
    return tagged(request, contract.plan_row(workspace.record(url).plan))


@router.post("/page/preview", responses=documented(shapes.Preview))
def tried(workspace: Read, trial: orders.Trial) -> Response:
    """A page as another policy would cut it; nothing is changed, and no model is asked."""
    record = workspace.record(trial.url)
    policies = (workspace.remembered().policies or Policies()).override(**trial.policy.given)
    after = preview(workspace, record, Wish(policies, RULES if trial.planner == "rules" else None))
    return row(rows.preview_row(stored(record), after, trial.url))
