"""A question to an answer: what it is answered from, who answers, and what of the answer holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from wrac.answering.evidence import evidence
from wrac.answering.extract import extract
from wrac.core.answers import Answer, Choice, Route, Way
from wrac.core.types import Event
from wrac.flow.answerers import Answerer
from wrac.flow.evidence import citations, of_blocks
from wrac.flow.gather import Gathered, Pages, assemble
from wrac.flow.search import Ask, rank
from wrac.flow.shelf import Shelf, unknown
from wrac.observing import EventLog, event

Wish: TypeAlias = Choice | Literal["auto"]
ASKED: Final = "ask"


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a question is to be answered: from what, for how many USD at most; `tell` is told the answer as it comes."""

    ask: Ask
    way: Wish = "auto"
    most: float | None = None
    tell: Callable[[str], None] | None = None


def ask(shelf: Shelf, log: EventLog, answerer: Answerer, wanted: Wanted) -> Answer:  # noqa: ARG001 - asked from the next change on
    """The answer."""
    started = time.perf_counter()
    with shelf.database.read() as connection:
        index, pages = shelf.search(connection), Pages(connection)
        ranking = rank(index, shelf.embedder, wanted.ask)
        gathered = assemble(connection, ranking, wanted.ask, started)
        if not gathered.answered.results:
            unknown(index, wanted.ask.filters)
        answer = _extracted(pages, gathered)
    if wanted.tell is not None and answer.text:
        wanted.tell(answer.text)
    log.write([*gathered.events(), _event(wanted.ask.query, answer, time.perf_counter() - started)])
    return answer


def _extracted(pages: Pages, gathered: Gathered) -> Answer:
    """The best units themselves."""
    results = gathered.answered.results
    sent = evidence(of_blocks(pages, gathered.context.blocks))
    text, cited = extract(((hit.url, (one.unit for one in hit.focus)) for hit in results), sent)
    route = Route("passages", "no model is set", Way(gathered.context.tokens))
    return Answer(
        text,
        citations(pages, cited),
        route,
        refused=not text,
        run=gathered.answered.run,
        confidence=max((hit.confidence for hit in results), default=0.0),
    )


def _event(query: str, answer: Answer, seconds: float) -> Event:
    """What the log should know of an answer; `cited` are units."""
    route = answer.route
    ways = {"passages": route.passages, "document": route.document, "corpus": route.corpus}
    weighed = {name: way._asdict() for name, way in ways.items() if way is not None}
    fields = {
        "query": query, "choice": route.choice, "reason": route.reason, "ways": weighed, "page": route.page,
        "model": answer.model, "refused": answer.refused, "whole": answer.whole, "cached": answer.cached,
        "cited": [one.unit for one in answer.citations], "cost": answer.usage.cost, "seconds": round(seconds, 4),
    }  # fmt: skip
    return event(ASKED, answer.run, fields)
