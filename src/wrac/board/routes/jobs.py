"""Jobs: pages indexed, asked for again or planned anew, beside the searches; how far each is, and how it ended."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from wrac.api import orders
from wrac.api.jobs import UNDER_WAY, Job, Jobs
from wrac.api.served import CHANGES, Administered, Opened, Serving
from wrac.board.views import address, page, readable
from wrac.core.errors import ConfigError, NotFoundError

router = APIRouter()
SHOWN: Final = 30


def known(request: Request) -> Jobs:
    """The jobs of the server."""
    jobs: Jobs = request.app.state.jobs
    return jobs


Known = Annotated[Jobs, Depends(known)]


@router.get("/jobs")
def listed(request: Request, jobs: Known, _: Opened) -> HTMLResponse:
    """The jobs of the workspace, the newest first, and what one may begin."""
    name = request.query_params.get("workspace", "") or next(iter(readable(request)), "")
    found = jobs.of(name)[:SHOWN]
    return page(request, "jobs.html", jobs=found, running=any(job.state in UNDER_WAY for job in found))


@router.post("/jobs")
def start(  # noqa: PLR0913, PLR0917 - the fields of a form
    request: Request,
    serving: Serving,
    jobs: Known,
    workspace: Administered,
    kind: Annotated[Literal["index", "refresh"], Form()],
    source: Annotated[orders.Text, Form(max_length=4000)] = "",
    whole: Annotated[bool, Form()] = False,
) -> RedirectResponse:
    """Begin a job, then show it."""
    if kind == "refresh":
        order: orders.Index | orders.Refresh = orders.Refresh.model_validate({"kind": kind})
    elif source.strip():
        site = {"depth": None if whole else 0}
        order = orders.Index.model_validate({"kind": kind, "sources": [source.strip()], "site": site})
    else:
        raise ConfigError("no source is named; give the address of a page, a site or a sitemap")
    jobs.start(workspace, *orders.resolved(order, serving.rules))
    return RedirectResponse(address(request, "/jobs"), 303)


@router.post("/jobs/{job}/cancel")
def cancel(request: Request, jobs: Known, job: str) -> RedirectResponse:
    """Stop a job; what it had finished is kept."""
    found = jobs.get(job)
    if found.workspace not in readable(request):
        raise NotFoundError(job, "there is no such job", "see the list of jobs")
    CHANGES.named(request, found.workspace)
    jobs.cancel(job)
    return RedirectResponse(address(request, "/jobs", workspace=found.workspace), 303)


def replan(request: Request, workspace: str) -> Job:
    """A job that plans every page anew, by what the workspace remembers."""
    kind, order = orders.resolved(orders.Replan.model_validate({"kind": "replan"}), request.app.state.served.rules)
    return known(request).start(workspace, kind, order)[0]
