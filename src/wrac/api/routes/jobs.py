"""Jobs: work on a workspace that outlasts a request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import APIRouter, Body, Depends, Header, Path, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from wrac.api import orders, shapes_server
from wrac.api.documentation import documented
from wrac.api.jobs import UNDER_WAY, Job, Jobs
from wrac.api.replies import event, row, stream, waited
from wrac.api.served import CHANGES, Administered, Asking, Opened, Serving
from wrac.core.errors import NotFoundError
from wrac.planning.policies import Policies

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])


def _jobs(request: Request) -> Jobs:
    return cast("Jobs", request.app.state.jobs)


def _named(request: Request, who: Asking, job: Annotated[orders.Name, Path(description="Its id.")]) -> Job:
    """The job of an id, for those who may read its workspace. Raises NotFoundError."""
    found = _jobs(request).get(job)
    if not who.may(found.workspace, "read"):
        raise NotFoundError(job, "there is no such job", "GET /v1/jobs lists them")
    return found


Known = Annotated[Jobs, Depends(_jobs)]
Named = Annotated[Job, Depends(_named)]


@router.post("", status_code=202, responses=documented(shapes_server.Job, 200, status=202))
def start(
    serving: Serving,
    jobs: Known,
    workspace: Administered,
    order: Annotated[orders.Order, Body()],
    idempotency_key: Annotated[
        orders.Text, Header(max_length=200, description="The same key makes no second job.")
    ] = "",
) -> Response:
    """Begin a job: `index`, `refresh`, `replan` or `reindex`. The header Location says where it is told of."""
    kind, values = orders.resolved(order, serving.rules)
    if policy := values.get("policy"):  # says now what makes no sense
        (serving.workspaces[workspace].remembered().policies or Policies()).override(**policy)
    job, new = jobs.start(workspace, kind, values, idempotency_key)
    return row(job.row, 202 if new else 200, {"Location": f"/v1/jobs/{job.id}"})


@router.get("", responses=documented(shapes_server.Jobs))
def listed(workspace: Opened, serving: Serving, jobs: Known) -> Response:
    """The jobs of a workspace, the newest first."""
    name = next(name for name, one in serving.workspaces.items() if one is workspace)
    return row({"jobs": [job.row for job in jobs.of(name)]})


@router.get("/{job}", responses=documented(shapes_server.Job))
def told(job: Named) -> Response:
    """How a job is."""
    return row(job.row)


@router.get("/{job}/events", responses=documented(shapes_server.Job, streams=True))
async def followed(request: Request, serving: Serving, jobs: Known, job: Named) -> Response:
    """A job as it goes on: an event `progress` with the whole job at each change, `end` with the last one."""
    if request.app.state.bell.listeners >= serving.limits.streams:  # they must not take the place of searches
        raise HTTPException(503, f"too many streams at once; GET /v1/jobs/{job.id} tells how the job is")
    return stream(_followed(request, jobs, job))


async def _followed(request: Request, jobs: Jobs, job: Job) -> AsyncIterator[bytes]:
    bell = request.app.state.bell
    with bell.heard() as rung:
        yield event("progress", job.row)
        while (now := jobs.get(job.id)).state in UNDER_WAY and not bell.over:
            if now != job:
                job = now
                yield event("progress", job.row)
            elif not await waited(rung):
                yield b": alive\n\n"
        yield event("end", jobs.get(job.id).row)


@router.delete("/{job}", responses=documented(shapes_server.Job))
def cancel(request: Request, jobs: Known, job: Named) -> Response:
    """Stop a job; what it had finished is kept. One that has ended stays as it is."""
    CHANGES.named(request, job.workspace)
    return row(jobs.cancel(job.id).row)
