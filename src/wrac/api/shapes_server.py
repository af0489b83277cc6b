"""What responses look like that tell of the server: workspaces, costs, jobs, health; see `shapes`."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from wrac.api.shapes import Usage, exact


@exact
class Workspace(TypedDict):
    """A workspace that is served, and what the one who asks may do there."""

    name: str
    scope: Literal["read", "ask", "admin"]


@exact
class Workspaces(TypedDict):
    """The workspaces that the one who asks may read."""

    workspaces: list[Workspace]


@exact
class Costs(TypedDict):
    """What models were paid for: a row for each day, site, model or purpose, with its name under the word in `by`."""

    by: Literal["day", "site", "model", "purpose"]
    since: str
    rows: list[dict[str, Any]]
    total: Usage


@exact
class Progress(TypedDict):
    """How far a job is: `done` of `total` pages or texts, null where nobody knows how many."""

    verb: str
    done: int
    total: int | None
    what: str


@exact
class Fault(TypedDict):
    """Why a job failed."""

    error: str
    detail: str


@exact
class Job(TypedDict):
    """Work on a workspace; the moments are seconds since 1970, null where they have not come.

    `report` is what the command of the same name prints with `--json`, of a job that is done.
    """

    id: str
    kind: Literal["index", "refresh", "replan", "reindex"]
    workspace: str
    state: Literal["queued", "running", "cancelling", "done", "failed", "cancelled", "interrupted"]
    created: float
    started: float | None
    ended: float | None
    progress: Progress | None
    report: dict[str, Any] | None
    problem: Fault | None
    order: dict[str, Any]


@exact
class Jobs(TypedDict):
    """The jobs of a workspace, the newest first."""

    jobs: list[Job]


@exact
class Health(TypedDict):
    """Whether the server can answer."""

    status: Literal["ok"]
