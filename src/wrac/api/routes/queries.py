"""Questions: passages, contexts, answers, and what readers think of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from wrac import contract
from wrac.api import orders, problems, shapes
from wrac.api.documentation import documented
from wrac.api.replies import Bell, event, row, stream, waited, wants_events
from wrac.api.served import Asked, Judged, Opened, Read, Serving
from wrac.core.answers import Answer
from wrac.core.errors import WracError
from wrac.flow import Workspace
from wrac.retrieval import FAINT

router = APIRouter(prefix="/v1", tags=["queries"])


def _said(  # noqa: PLR0913, PLR0917 - the parameters of a query string
    serving: Serving,
    q: Annotated[orders.Words, Query()],
    k: Annotated[orders.Most | None, Query()] = None,
    budget: Annotated[orders.Budget | None, Query()] = None,
    where: Annotated[list[orders.Condition] | None, Query(max_length=100)] = None,
    rerank: Annotated[bool, Query(description="Order the first 20 anew, token by token.")] = False,
    min_confidence: Annotated[orders.Share | None, Query()] = None,
) -> orders.Search:
    """The search that a query string says."""
    return orders.Search.model_construct(
        query=orders.checked(q, serving.limits), k=k, budget=budget, where=orders.filters(where or ()), rerank=rerank,
        min_confidence=min_confidence,
    )  # fmt: skip


def _posted(serving: Serving, search: orders.Search) -> orders.Search:
    """The search that a body says."""
    orders.checked(search.query, serving.limits)
    return search


Said = Annotated[orders.Search, Depends(_said)]
Posted = Annotated[orders.Search, Depends(_posted)]
_HITS: Final = documented(shapes.Hits)
_CONTEXT: Final = documented(shapes.Context)


@router.get("/search", responses=_HITS)
def search(workspace: Opened, said: Said) -> Response:
    """The best passages, best first."""
    return _hits(workspace, said)


@router.post("/search", responses=_HITS)
def search_by_body(workspace: Read, said: Posted) -> Response:
    """The best passages, best first: for queries and filters that are long, or that no log of addresses shall keep."""
    return _hits(workspace, said)


@router.get("/context", responses=_CONTEXT)
def context(workspace: Opened, said: Said) -> Response:
    """The best passages as one text to answer from, by page and in reading order, each with its source."""
    return _context(workspace, said)


@router.post("/context", responses=_CONTEXT)
def context_by_body(workspace: Read, said: Posted) -> Response:
    """The same, asked for by a body."""
    return _context(workspace, said)


def _hits(workspace: Workspace, said: orders.Search) -> Response:
    found = workspace.search(
        said.query, k=said.k or (None if said.budget else 10), budget=said.budget, where=said.where,
        rerank=said.rerank, confidence=said.min_confidence or 0.0,
    )  # fmt: skip
    return row({"run": found[0].run if found else "", "hits": [contract.hit_row(hit) for hit in found]})


def _context(workspace: Workspace, said: orders.Search) -> Response:
    least = FAINT if said.min_confidence is None else said.min_confidence
    budget = said.budget if said.budget or said.k else 2000
    found = workspace.context(
        said.query, budget=budget, k=said.k, where=said.where, rerank=said.rerank, confidence=least
    )
    return row(contract.context_row(found, budget))


@router.post("/ask", responses=documented(shapes.Answer, 502, streams=True))
async def ask(request: Request, serving: Serving, workspace: Asked, question: orders.Question) -> Response:
    """The answer to a question, its citations checked.

    With `Accept: text/event-stream` it comes as it is written: events `text`, then `answer` or `problem`. It takes the
    scope `ask`, since a model may be paid for it.
    """
    orders.checked(question.query, serving.limits)
    said = question.model_dump(exclude={"query"})
    told = partial(workspace.ask, question.query, **said)
    if wants_events(request):
        return stream(_answering(request, told))
    answer = await asyncio.get_running_loop().run_in_executor(request.app.state.answering, told)
    return row(contract.answer_row(answer))


class _GoneError(Exception):
    """Nobody hears the answer any more."""


async def _answering(request: Request, ask: Callable[..., Answer]) -> AsyncIterator[bytes]:
    """The pieces of an answer as they come, then the answer; a model that nobody listens to is not heard out."""
    bell, pieces, gone = Bell(), list[str](), False

    def tell(piece: str) -> None:
        if gone or request.app.state.bell.over:
            raise _GoneError
        pieces.append(piece)
        bell.ring()

    with bell.heard() as rung:
        asked = asyncio.get_running_loop().run_in_executor(request.app.state.answering, partial(ask, tell=tell))
        asked.add_done_callback(lambda _: rung.set())
        try:
            over = False
            while not over:
                if not await waited(rung):
                    yield b": alive\n\n"
                over = asked.done()  # before the pieces are looked at: then none comes after them
                while pieces:
                    yield event("text", {"text": pieces.pop(0)})
            yield event("answer", contract.answer_row(asked.result()))
        except WracError as error:
            yield event("problem", problems.told(error))
        except _GoneError:
            return
        finally:
            gone = True
            asked.add_done_callback(lambda one: one.cancelled() or one.exception())  # nobody waits for it any more


@router.post("/feedback", status_code=201, responses=documented(shapes.Judgement, status=201))
def feedback(workspace: Judged, verdict: orders.Verdict) -> Response:
    """Keep what a reader thinks of a passage; it is written when this is answered."""
    kept = workspace.feedback(verdict.chunk, verdict.verdict, query=verdict.query, note=verdict.note, run=verdict.run)
    return row({"run": kept.run, **kept.fields, "at": kept.at}, 201)
