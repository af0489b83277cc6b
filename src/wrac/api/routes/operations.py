"""The server and its workspaces: what is served, what that holds, costs and was used for; health and metrics."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from wrac import contract
from wrac.api import orders, rows, shapes_server
from wrac.api.documentation import documented
from wrac.api.metrics import MEDIA, Metrics
from wrac.api.replies import row
from wrac.api.served import Asking, Opened, Serving, visible

router = APIRouter(prefix="/v1", tags=["operations"])


@router.get("/workspaces", responses=documented(shapes_server.Workspaces))
def workspaces(request: Request, who: Asking) -> Response:
    """The workspaces that the one who asks may read, and what they may do there."""
    return row({"workspaces": [{"name": name, "scope": who.rights[name]} for name in visible(request)]})


@router.get("/status", responses=documented(dict[str, Any]))
def status(workspace: Opened) -> Response:
    """What the workspace holds, in numbers, as `wrac status --json` tells it."""
    return row(workspace.status())


@router.get("/statistics", responses=documented(dict[str, Any]))
def statistics(
    workspace: Opened,
    since: Annotated[orders.Day | None, Query(description="From this day of UTC on.")] = None,
    until: Annotated[orders.Day | None, Query(description="Up to this day.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Of every list at most so many.")] = 20,
) -> Response:
    """What searches found, what readers thought of it, and what is stored."""
    return row(contract.statistics_row(workspace.statistics(since, until), limit))


@router.get("/costs", responses=documented(shapes_server.Costs))
def costs(
    workspace: Opened,
    by: Literal["day", "site", "model", "purpose"] = "day",
    since: Annotated[orders.Day | None, Query(description="From this day of UTC on.")] = None,
) -> Response:
    """What language models were paid for."""
    day = since.isoformat() if since else ""
    return row(rows.costs_row(by, day, workspace.costs(by, day)))


@router.get("/health/live", responses=documented(shapes_server.Health))
async def live() -> Response:
    """The server runs."""
    return row({"status": "ok"})


@router.get("/health/ready", responses=documented(shapes_server.Health))
def ready(serving: Serving) -> Response:
    """Every workspace can be read."""
    for workspace in serving.workspaces.values():
        workspace.pages(limit=1)
    return row({"status": "ok"})


@router.get("/metrics", responses={200: {"content": {MEDIA.partition(";")[0]: {"schema": {"type": "string"}}}}})
def metrics(request: Request, serving: Serving) -> Response:
    """Counts and times of requests, jobs, and events that were lost, for Prometheus."""
    counted: Metrics = request.app.state.metrics
    states = request.app.state.jobs.counts()
    gauges = {
        "wrac_jobs": ("Jobs by state.", [((("state", state),), number) for state, number in states.items()]),
        "wrac_events_lost": (
            "Events that could not be written.",
            [((("workspace", name),), serving.workspaces[name].log.lost) for name in visible(request)],
        ),
    }
    return Response(counted.text(gauges), media_type=MEDIA)
