"""What was counted: advice and statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

from wrac.contract.base import Json
from wrac.contract.runs import skips_rows

if TYPE_CHECKING:
    from wrac.flow.advise import Again
    from wrac.flow.measures import Corpus
    from wrac.flow.statistics import Statistics
    from wrac.routing.advice import Advice


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
        "skipped": skips_rows(corpus.skipped),
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
