"""The public JSON shapes: the same at the command line, over HTTP and as a tool. A change needs a changelog entry."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from wrac.core.structure import names, numbers, table_cells, trails
from wrac.core.types import Address, DataAddress, Document, HtmlAddress, Loss, Mark, Occurrence, Page, Plan, Span
from wrac.flow.links import passage_link
from wrac.flow.report import IndexReport, ReplanReport, Result, Shown, Skipped

if TYPE_CHECKING:
    from wrac.catalog.records import Listed
    from wrac.core.answers import Answer, Route
    from wrac.core.types import Chunk
    from wrac.flow.advise import Again
    from wrac.flow.gather import Gathered
    from wrac.flow.measures import Corpus
    from wrac.flow.section import Heading, Section
    from wrac.flow.statistics import Statistics
    from wrac.routing.advice import Advice

Json = dict[str, Any]


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def dumps(value: Json) -> str:
    """One line of JSON; non-ASCII text stands as it is."""
    return _ENCODER.encode(value)


def place_rows(document: Document) -> Iterator[Json]:
    """A row for each place, in order."""
    from wrac.text.detection import direction, languages  # a search is told without

    above, called, ordered, cells = trails(document), names(document), numbers(document), table_cells(document)
    spoken = languages(document)
    for place in document.places:
        unit, ordinal = document.units[place.unit], place.ordinal
        row = {
            "ordinal": ordinal,
            "id": unit.id,
            "kind": unit.kind,
            "text": unit.text,
            "level": place.level,
            "role": place.role,
            "score": place.score,
            "visible": place.visible,
            "language": spoken[ordinal],
            "direction": direction(unit.text),
            **where(place.address),
            "anchor": place.anchor,
            "name": called[ordinal],
            "marks": [mark(m) for m in place.marks],
            "trail": list(above[ordinal]),
        }
        if ordinal in cells:
            row["cells"] = list(cells[ordinal])
        if ordinal in ordered:
            row["number"] = ordered[ordinal]
        yield row


def structure_row(document: Document) -> Json:
    """The last row of a parse: spans and losses."""
    return {"spans": [span(s) for s in document.spans], **losses_row(document)}


def losses_row(document: Document) -> Json:
    """What is in no unit."""
    return {"losses": [loss(x) for x in document.losses]}


def where(address: Address) -> Json:
    """The `selector` and `ranges` of an address; a string in JSON adds its `pointer`, one in an attribute or in a part
    of a file `within`. A place in an office file has `part` and `shape` instead, one in a PDF `page` and `boxes`.
    """
    if not isinstance(address, HtmlAddress | DataAddress):
        return {"selector": "", "ranges": [], **asdict(address)}
    found: Json = {"selector": "", "ranges": [[address.start, address.end]]}
    found |= {"selector": address.selector} if isinstance(address, HtmlAddress) else {"pointer": address.pointer}
    return {**found, "within": where(address.within)} if address.within else found


def mark(value: Mark) -> Json:
    """A mark without what is empty; cells keep their spans."""
    row: Json = {"kind": value.kind, "start": value.start, "end": value.end}
    if value.value:
        row["value"] = value.value
    if value.kind == "cell":
        row |= {"rows": value.rows, "cols": value.cols, "header": value.header}
    return row


def span(value: Span) -> Json:
    """A span; `parent` is the index of another in the same list, -1 at the top."""
    data = {key: list(x) if isinstance(x, tuple) else x for key, x in value.data.items()}
    return {"kind": value.kind, "first": value.first, "last": value.last, "parent": value.parent, "data": data}


def loss(value: Loss) -> Json:
    """A loss."""
    return asdict(value)


def plan_row(plan: Plan) -> Json:
    """A plan."""
    return {
        "document": plan.document,
        "groups": [list(group) for group in plan.groups],
        "omitted": {str(ordinal): reason for ordinal, reason in sorted(plan.omitted.items())},
        "planner": plan.planner,
        "usage": asdict(plan.usage),
    }


def chunk_row(chunk: Chunk, trail: Iterable[str], markdown: str, occurrences: list[Json], language: str = "") -> Json:
    """A chunk with all its occurrences, and the distinct names, dates, amounts, versions and codes in its text."""
    from wrac.text.entities import entities

    named = dict.fromkeys((one.kind, one.text) for one in entities(chunk.text, language))
    return {
        "id": chunk.id,
        "text": chunk.text,
        "markdown": markdown,
        "trail": list(trail),
        "units": [piece.unit for piece in chunk.slices],
        "occurrences": occurrences,
        "tokens": chunk.tokens,
        "entities": [{"kind": kind, "text": text} for kind, text in named],
    }


def occurrence_row(document: Document, chunk: Chunk, value: Occurrence, page: Page) -> Json:
    """Where a chunk stands on a page: a selector and a range `[start, end]` for each ordinal, in their order.

    `meta` is what `wrac index` keeps for `--where`: the page's own and the `--meta` given.
    """
    places = [where(document.places[ordinal].address) for ordinal in value.ordinals]
    return {
        "url": page.url,
        "title": document.title,
        "meta": {**document.meta, **page.meta},
        "ordinals": list(value.ordinals),
        "anchor": value.anchor,
        "link": passage_link(document, chunk, value, page.url),
        "label": asdict(value.label) if value.label else None,
        "selectors": [place["selector"] for place in places],
        "ranges": [pair for place in places for pair in place["ranges"]],
    }


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


def index_row(report: IndexReport) -> Json:
    """The public shape of an index run; `seconds` is the whole run's, `stages` its parts."""
    return {
        "pages": report.pages,
        "units": report.units,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "reused": report.reused,
        "skipped": _skips_rows(report.skipped),
        "usage": asdict(report.usage),
        "seconds": report.seconds.get("total", 0.0),
        "unchanged": report.unchanged,
        "added": report.added,
        "requests": report.requests,
        "gone": list(report.gone),
        "unanswered": _skips_rows(report.unanswered),
        "stages": _stages(report.seconds),
    }


def replan_row(report: ReplanReport) -> Json:
    """The public shape of planning anew; `seconds` is the whole run's, `stages` its parts."""
    return {
        "pages": report.pages,
        "chunks": report.chunks,
        "changed": report.changed,
        "kept": report.kept,
        "embedded": report.embedded,
        "reused": report.reused,
        "usage": asdict(report.usage),
        "seconds": report.seconds.get("total", 0.0),
        "skipped": _skips_rows(report.skipped),
        "unanswered": _skips_rows(report.unanswered),
        "stages": _stages(report.seconds),
    }


def _skips_rows(skips: Sequence[Skipped]) -> list[Json]:
    return [{"url": skip.url, "reason": skip.reason} for skip in skips]


def _stages(seconds: Mapping[str, float]) -> Json:
    return {stage: spent for stage, spent in seconds.items() if stage != "total"}


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


def advice_row(found: Sequence[Advice], corpus: Corpus) -> Json:
    """The public shape of an advice: what each model would take and why, every factor, and the documents counted."""
    from wrac.routing.economics import KINDS

    first = found[0].factors
    return {
        "models": [_advised(one, corpus) for one in found],
        "factors": {
            name: {
                "value": getattr(first, name), "unit": kind.unit, "meaning": kind.meaning,
                **first.origin(name)._asdict(),
            }
            for name, kind in KINDS.items()
        },
        "documents": [{"url": url, "tokens": tokens} for url, tokens in corpus.documents.items()],
        "skipped": _skips_rows(corpus.skipped),
    }  # fmt: skip


def _advised(one: Advice, corpus: Corpus) -> Json:
    from wrac.routing.economics import TARIFF, hits, upkeep

    f = one.factors
    return {
        "model": f.tariff.model,
        "window": f.tariff.window,
        "rates": [rates._asdict() for rates in f.tariff.rates],
        "origins": {name: f.origin(name)._asdict() for name in TARIFF},
        "room": f.room,
        "fits": f.fits,
        "documents_fit": corpus.fitting(f.room),
        "choice": one.choice,
        "rule": one.rule,
        "reason": one.reason,
        "factor": _finite(one.factor),
        "factor_cached": _finite(one.factor_cached),
        "cache_hits": hits(f),
        "costs": {way: cost._asdict() for way, cost in one.costs.items()},
        "index": upkeep(f),
        "break_even": {axis: list(values) for axis, values in one.breaks.items()},
        "rules": [verdict._asdict() for verdict in one.verdicts],
    }


def _finite(value: float) -> float | None:
    """The value; None for what JSON cannot write."""
    return value if isfinite(value) else None


def again_row(one: Again) -> Json:
    """The public shape of an advice looked at again: what it was and is, and what crossed a break-even."""
    was, now = one.before, one.now
    return {
        "model": now.factors.tariff.model,
        "before": {"choice": was.choice, "rule": was.rule, "reason": was.reason},
        "now": {"choice": now.choice, "rule": now.rule, "reason": now.reason},
        "moved": [moved._asdict() for moved in one.moved],
    }


def statistics_row(found: Statistics, limit: int = 20) -> Json:
    """The public shape of statistics: of every list that may be long at most `limit`, with the count of all beside it.

    A figure that nothing is known of is null; moments are seconds since 1970.
    """
    from wrac.flow.statistics import EDGES

    use, kept = found.use, found.kept
    return {
        "since": found.since and found.since.isoformat(),
        "until": found.until and found.until.isoformat(),
        "zone": found.zone,
        "searches": use.latency.searches,
        "empty": use.empty,
        "seconds": {"p50": _known(use.latency.p50), "p95": _known(use.latency.p95)},
        "verdicts": {"good": use.good, "bad": use.bad},
        "days": [_figures(one, day=one.day.isoformat()) for one in use.days],
        "chunks": _first(use.chunks, limit),
        "pages": _first(use.pages, limit),
        "sites": _first(use.sites, limit),
        "kinds": _first(use.kinds, limit),
        "tags": _first(use.tags, limit),
        "disliked": _first(use.disliked, limit),
        "queries": _first(use.queries, limit),
        "unanswered": _first(use.unanswered, limit),
        "answers": _first(use.ways, limit),
        "sizes": {"edges": list(EDGES), "chunks": list(kept.sizes)},
        "unseen": _first(kept.unseen, limit),
        "repetition": {
            "id": kept.repetition.id,
            "units": kept.repetition.repeated,
            "characters": kept.repetition.characters,
            "saved": kept.repetition.saved,
        },
        "paid": {by: {name: asdict(usage) for name, usage in of.items()} for by, of in kept.paid.items()},
        "runs": _first(kept.runs, limit),
        "health": kept.health._asdict(),
        "passed": [asdict(one) for one in kept.passed],
        "crawls": [{"site": site, "settled": done, "ahead": ahead} for site, (done, ahead) in kept.crawls.items()],
    }


def _first(found: Sequence[Any], limit: int) -> Json:
    """The first of many named tuples."""
    return {"count": len(found), "first": [_figures(one) for one in found[:limit]]}


def _figures(value: Any, **others: object) -> Json:  # noqa: ANN401 - any named tuple
    return {name: _known(one) for name, one in {**value._asdict(), **others}.items()}


def _known(value: Any) -> Any:  # noqa: ANN401 - a figure or a name
    """The value; None where it is no number, which JSON has no word for."""
    return None if isinstance(value, float) and not isfinite(value) else value
