"""Search: a query and its hits, two searches side by side, an answer, and what readers think of a passage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse

from wrac.api.orders import Text
from wrac.api.served import Asked, Judged, Opened, Permitted
from wrac.board import hits, query
from wrac.board.prose import marked
from wrac.board.views import page, readable
from wrac.core.errors import ConfigError
from wrac.flow.report import Result
from wrac.retrieval import DOUBTFUL

router = APIRouter()
BUDGET: Final = 2000
_READS: Final = Permitted("read")


@router.get("/")
def search(request: Request, workspace: Opened, view: Literal["passages", "context"] = "passages") -> HTMLResponse:
    """The search page, with the hits of a query where there is one."""
    wanted, problem, found, gathered = query.Query(), "", list[Result](), None
    try:
        wanted = query.read(request.query_params)
        if view == "context" and wanted.q.strip():
            gathered = workspace.context(wanted.q, budget=BUDGET, where=wanted.where, rerank=wanted.rerank)
        else:
            found = wanted.run(workspace)
    except ConfigError as error:
        problem = str(error)
    return page(
        request,
        "search.html",
        400 if problem else 200,
        query=wanted,
        view=view,
        hits=found,
        gathered=gathered,
        budget=BUDGET,
        problem=problem or _doubt(found),
        typed=request.query_params.get("q", ""),
        **_shared(),
    )


def _shared() -> dict[str, Any]:
    """What templates with hits or a query's form need."""
    told = {"title_of": hits.title, "blocks": hits.blocks, "excerpt": hits.excerpt, "rows": hits.rows}
    return {**told, "shares": hits.shares, "kinds": query.KINDS, "roles": query.ROLES}


def _doubt(found: Sequence[Result]) -> str:
    """What to mind where the best passage hardly matches."""
    best = max((hit.confidence for hit in found), default=1.0)
    return "" if best >= DOUBTFUL else f"No passage matches well: the best has a confidence of {best:.2f}."


@router.post("/answer")
def answer(request: Request, workspace: Asked) -> HTMLResponse:
    """The answer to the query, by the workspace's model where it has one, else the best units."""
    wanted = query.read(request.query_params)
    told = workspace.ask(wanted.q, budget=BUDGET, where=wanted.where, rerank=wanted.rerank)
    return page(request, "answer.html", query=wanted, answer=told, pieces=marked(told))


@router.post("/feedback")
def judge(  # noqa: PLR0913, PLR0917 - the fields of a form
    request: Request,
    workspace: Judged,
    chunk: Annotated[Text, Form(max_length=200)],
    verdict: Annotated[Literal["1", "0", "-1"], Form()],
    q: Annotated[Text, Form(max_length=query.LONGEST)] = "",
    note: Annotated[Text, Form(max_length=2000)] = "",
    run: Annotated[Text, Form(max_length=64)] = "",
) -> HTMLResponse:
    """What was kept of it."""
    kept = workspace.feedback(chunk, int(verdict), query=q, note=note, run=run)
    return page(request, "feedback.html", chunk=kept.fields["chunk"], verdict=verdict, q=q, note=note, run=kept.run)


@router.get("/compare")
def compare(
    request: Request,
    workspace: Opened,
    q: Annotated[str, Query(max_length=query.LONGEST)] = "",
    q2: Annotated[str, Query(max_length=query.LONGEST)] = "",
    workspace2: str = "",
) -> HTMLResponse:
    """Two searches side by side: other words, another order, or another workspace."""
    params = request.query_params
    left = query.read(params)
    right = query.read({**params, "q": q2 or q, "rerank": params.get("rerank2", "")})
    named = workspace2 or params.get("workspace", "")
    one, two = left.run(workspace), right.run(_READS(request, named))
    return page(
        request,
        "compare.html",
        left=left,
        right=right,
        right_workspace=named or next(iter(readable(request)), ""),
        sides=[hits.moved(one, two), hits.moved(two, one)],
        asked=bool(q.strip()),
        **_shared(),
    )
