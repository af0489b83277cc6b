"""Spans around searches, answers and runs; texts are told only where that is allowed."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from wrac import telemetry
from wrac.telemetry import names

if TYPE_CHECKING:
    from wrac.core.answers import Answer
    from wrac.core.seams import Embedder
    from wrac.flow.report import IndexReport, ReplanReport
    from wrac.flow.search import Ask, Ranking
    from wrac.indexing import Searched

_P = ParamSpec("_P")
_Report = TypeVar("_Report", "IndexReport", "ReplanReport")
_Said = dict[str, telemetry.Value]
SHOWN = 10
"""Passages that a span of a search without a number of its own names."""


def retrieving(rank: Callable[[Searched, Embedder, Ask], Ranking]) -> Callable[[Searched, Embedder, Ask], Ranking]:
    """The same, in a span with the best passages."""

    @wraps(rank)
    def watched(index: Searched, embedder: Embedder, ask: Ask) -> Ranking:
        if not telemetry.on():
            return rank(index, embedder, ask)
        with telemetry.span(names.RETRIEVAL, _wanted(ask)) as span:
            found = rank(index, embedder, ask)
            span.set(_found(found, ask.k or SHOWN))
            return found

    return watched


def _wanted(ask: Ask) -> _Said:
    said: _Said = {names.OPERATION: names.RETRIEVAL, names.SPAN_KIND: names.RETRIEVER}
    said |= {names.TOP_K: ask.k} if ask.k else {}
    return said | ({names.QUERY: ask.query, names.INPUT: ask.query} if telemetry.content() else {})


def _found(found: Ranking, most: int) -> _Said:
    """The best passages, in both conventions."""
    rows = [(found.rows[one.entry][0], one.score) for one in found.found[:most]]
    said: _Said = {names.DOCUMENTS: json.dumps([{"id": row.chunk, "score": round(score, 6)} for row, score in rows])}
    for number, (row, score) in enumerate(rows):
        document = names.DOCUMENT.format(number)
        said[document + names.DOCUMENT_ID] = row.chunk
        said[document + names.DOCUMENT_SCORE] = round(score, 6)
        said[document + names.DOCUMENT_META] = json.dumps({"url": row.page})
        if telemetry.content():
            said[document + names.DOCUMENT_TEXT] = row.text
    return said


def answering(answer: Callable[_P, Answer]) -> Callable[_P, Answer]:
    """The same, in a span with what the answer was made from."""

    @wraps(answer)
    def watched(*args: _P.args, **kwargs: _P.kwargs) -> Answer:
        with telemetry.span(names.ANSWER, {names.SPAN_KIND: names.CHAIN}) as span:
            found = answer(*args, **kwargs)
            span.set(_answered(found))
            return found

    return watched


def _answered(found: Answer) -> _Said:
    said: _Said = {
        names.CHOICE: found.route.choice,
        names.REFUSED: found.refused,
        names.CITATIONS: len(found.citations),
        names.CACHED: found.cached,
        names.COST: found.usage.cost,
    }
    return said | ({names.OUTPUT: found.text} if telemetry.content() else {})


def running(verb: str) -> Callable[[Callable[_P, _Report]], Callable[_P, _Report]]:
    """The same run, in a span with what it did."""

    def around(run: Callable[_P, _Report]) -> Callable[_P, _Report]:
        @wraps(run)
        def watched(*args: _P.args, **kwargs: _P.kwargs) -> _Report:
            with telemetry.span(names.RUN + verb, {names.SPAN_KIND: names.CHAIN}) as span:
                report = run(*args, **kwargs)
                span.set(
                    {
                        names.PAGES: report.pages,
                        names.CHUNKS: report.chunks,
                        names.EMBEDDED: report.embedded,
                        names.SKIPPED: len(report.skipped),
                        names.COST: report.usage.cost,
                    }
                )
                return report

        return watched

    return around
