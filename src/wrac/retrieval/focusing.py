"""Inside a hit: which of its units answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from wrac.core.types import Focus
from wrac.text.bm25 import idf, saturation


def rarity(units: Iterable[Sequence[str]]) -> dict[str, float]:
    """The IDF of each term over `units` (their terms): what is in every unit hardly tells one from another."""
    counted = Counter(term for terms in (set(unit) for unit in units) for term in terms | {""})
    total = counted.pop("", 0)
    return {term: idf(total, count) for term, count in counted.items()}


def focus(
    query: Sequence[str], units: Sequence[tuple[str, str, Sequence[str]]], rare: Mapping[str, float], *, most: int = 3
) -> tuple[Focus, ...]:
    """The units of one hit that answer the query's terms, best first, at most `most`; none that holds no query term.

    `units` are (id, text, terms) in reading order, best without headings, which match a query and answer nothing;
    `rare` is `rarity` over the units of all hits. A score is the weight of the query terms found in the unit as a
    share of all query terms' weight, long units damped as BM25 does.
    """
    wanted = {term: rare.get(term, 0.0) for term in query}
    total = sum(wanted.values())
    average = sum(len(terms) for _, _, terms in units) / len(units) if units else 0.0
    scored = []
    for unit, text, terms in units:
        counts = Counter(term for term in terms if term in wanted)
        raw = sum(wanted[term] * saturation(count, len(terms), average) for term, count in counts.items())
        if raw > 0:
            scored.append(Focus(unit, text, min(raw / total, 1.0)))
    return tuple(sorted(scored, key=lambda one: -one.score)[:most])
