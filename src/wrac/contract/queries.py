"""What a workspace answers: hits, contexts, chunks, pages, sections, answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from wrac.contract.base import Json
from wrac.contract.documents import where
from wrac.flow.report import Result, Shown

if TYPE_CHECKING:
    from wrac.catalog.records import Listed
    from wrac.core.answers import Answer, Route
    from wrac.flow.gather import Gathered
    from wrac.flow.section import Heading, Section


def context_row(found: Gathered, budget: int | None) -> Json:
    """The public shape of a context: its text, and for each numbered block the passages in it, in reading order."""
    blocks = [
        {
            "number": block.number,
            "url": block.page,
            "heading": block.heading,
            "text": block.text,
            "passages": [_cited(source) for source in sources],
        }
        for block, sources in zip(found.context.blocks, found.sources, strict=True)
    ]
    return {"text": found.context.text, "tokens": found.context.tokens, "budget": budget, "blocks": blocks}


def _cited(result: Result) -> Json:
    """A passage without what the context says already."""
    return {name: value for name, value in hit_row(result).items() if name not in ("text", "markdown")}


def hit_row(result: Result) -> Json:
    """The public shape of a hit."""
    return {
        "rank": result.rank,
        "score": result.score,
        "chunk": result.chunk,
        "url": result.url,
        "link": result.link,
        "trail": list(result.trail),
        "text": result.text,
        "markdown": result.markdown,
        "focus": [{"unit": one.unit, "text": one.text, "score": one.score} for one in result.focus],
        "tokens": result.tokens,
        "confidence": result.confidence,
    }


def shown_row(shown: Shown) -> Json:
    """The public shape of a shown chunk."""
    units = [
        {
            "id": u.id,
            "kind": u.kind,
            "name": u.name,
            "text": u.text,
            "start": u.start,
            "end": u.end,
            **where(u.address),
        }
        for u in shown.units
    ]
    fields = ("chunk", "text", "markdown", "tokens", "url", "anchor", "link", "planner")
    row = {name: getattr(shown, name) for name in fields}
    return {**row, "trail": list(shown.trail), "units": units, "pages": list(shown.pages)}


def page_row(listed: Listed) -> Json:
    """The public shape of a page in a list."""
    return listed._asdict()


def section_row(section: Section, outline: Sequence[Heading] = ()) -> Json:
    """The public shape of a part of a page; `outline` is the page's, where it is wanted."""
    units = [{"name": name, "id": unit} for name, unit in section.units]
    fields = ("url", "link", "name", "markdown", "tokens", "following")
    row = {name: getattr(section, name) for name in fields}
    return {**row, "trail": list(section.trail), "units": units, "outline": [one._asdict() for one in outline]}


def answer_row(answer: Answer) -> Json:
    """The public shape of an answer; `uncited` and `misquoted` are code points `[start, end)` of its text."""
    fields = ("text", "model", "refused", "whole", "problem", "cached", "confidence", "run")
    return {
        **{name: getattr(answer, name) for name in fields},
        "citations": [one._asdict() for one in answer.citations],
        "uncited": [list(part) for part in answer.uncited],
        "misquoted": [list(part) for part in answer.misquoted],
        "route": route_row(answer.route),
        "usage": asdict(answer.usage),
    }


def route_row(route: Route) -> Json:
    """The public shape of a route: what each way that was weighed takes in tokens, and in USD where that is known."""
    ways = {"passages": route.passages, "document": route.document, "corpus": route.corpus}
    weighed = {name: way._asdict() for name, way in ways.items() if way is not None}
    return {"choice": route.choice, "reason": route.reason, "page": route.page, "ways": weighed}
