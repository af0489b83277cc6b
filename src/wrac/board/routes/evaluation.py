"""Evaluation: results listed, opened and compared; a run on the workspace's own gold set."""

from __future__ import annotations

from typing import Annotated, Final, cast

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from wrac.api.served import Opened
from wrac.board import evaluating
from wrac.board.evaluating import BASELINE, OURS, SEARCHES, STRATEGIES, Evaluations
from wrac.board.views import address, page
from wrac.evaluation import report
from wrac.evaluation.gold import gold
from wrac.evaluation.report import compare as comparing
from wrac.flow.leavings import RESULTS

router = APIRouter(prefix="/evaluation")
CHOSEN: Final = (OURS, BASELINE)
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox",
    )
)
"""What a report may do: show itself."""


def evaluations(request: Request) -> Evaluations:
    """The runs of this server."""
    return cast("Evaluations", request.app.state.evaluations)


Running = Annotated[Evaluations, Depends(evaluations)]


@router.get("")
def overview(request: Request, workspace: Opened, running: Running) -> HTMLResponse:
    """The results there are, and what can be run."""
    return page(
        request,
        "evaluation.html",
        rows=evaluating.results(workspace),
        labelled=len(gold(workspace.path)),
        run=running.of(workspace),
        strategies=STRATEGIES,
        searches=SEARCHES,
        chosen=CHOSEN,
        folder=str(workspace.path / RESULTS),
    )


@router.post("/run")
def run(
    request: Request,
    workspace: Opened,
    running: Running,
    strategy: Annotated[list[str] | None, Form()] = None,
    search: Annotated[list[str] | None, Form()] = None,
) -> RedirectResponse:
    """Begin a run on the workspace's gold set."""
    running.start(workspace, strategy or [], search or [])
    return RedirectResponse(address(request, "/evaluation") + "#run", 303)


@router.get("/progress")
def progress(request: Request, workspace: Opened, running: Running) -> HTMLResponse:
    """How far the run is, as a part of the page; when it has ended the page is loaded again."""
    now = running.of(workspace)
    shown = page(request, "evaluation_progress.html", run=now)
    if now is None or now.ended:
        shown.headers["HX-Refresh"] = "true"
    return shown


@router.post("/cancel")
def cancel(request: Request, workspace: Opened, running: Running) -> RedirectResponse:
    """End the run under way."""
    running.cancel(workspace)
    return RedirectResponse(address(request, "/evaluation") + "#run", 303)


@router.get("/result")
def result(request: Request, workspace: Opened, name: str) -> HTMLResponse:
    """A report within the board."""
    evaluating.path(workspace, name)
    source = address(request, "/evaluation/report", name=name)
    return page(request, "evaluation_report.html", title=name, source=source, name=name)


@router.get("/compared")
def compared(request: Request, workspace: Opened, old: str, new: str) -> HTMLResponse:
    """A comparison of two runs within the board."""
    for name in (old, new):
        evaluating.path(workspace, name)
    source = address(request, "/evaluation/comparison", old=old, new=new)
    return page(request, "evaluation_report.html", title=f"{old} and {new}", source=source, name="")


@router.get("/report")
def framed(workspace: Opened, name: str) -> HTMLResponse:
    """The report of `wrac eval --html`, for the frame: nothing in it runs, and nothing is asked for."""
    return HTMLResponse(report.page(evaluating.result(workspace, name)), headers={"Content-Security-Policy": _POLICY})


@router.get("/comparison")
def comparison(workspace: Opened, old: str, new: str) -> HTMLResponse:
    """The comparison of `wrac eval --compare --html`, for the frame."""
    found = comparing.compare(*(evaluating.result(workspace, name) for name in (old, new)))
    return HTMLResponse(comparing.page(found), headers={"Content-Security-Policy": _POLICY})


@router.get("/file")
def file(workspace: Opened, name: str) -> FileResponse:
    """The results as `wrac eval --out` writes them."""
    return FileResponse(evaluating.path(workspace, name), media_type="application/json", filename=name)


@router.post("/remove")
def remove(request: Request, workspace: Opened, name: Annotated[str, Form()]) -> RedirectResponse:
    """Delete a results file."""
    evaluating.path(workspace, name).unlink()
    return RedirectResponse(address(request, "/evaluation"), 303)
