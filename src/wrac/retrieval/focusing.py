"""Inside a hit: which of its units answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from wrac.core.types import Focus
from wrac.text.bm25 import idf, saturation

STOP: Final = 0.25
"""The share of the best unit's score from which on a unit is worth reading; see docs/design/0005-retrieval.md."""


def rarity(units: Iterable[Sequence[str]]) -> dict[str, float]:
    """The IDF of each term over `units` (their terms): what is in every unit hardly tells one from another."""
    counted = Counter(term for terms in (set(unit) for unit in units) for term in terms | {""})
    total = counted.pop("", 0)
    return {term: idf(total, count) for term, count in counted.items()}


def focus(
    query: Sequence[str], units: Sequence[tuple[str, str, Sequence[str]]], rare: Mapping[str, float], *, most: int = 8
) -> tuple[Focus, ...]:
    """The units in a row of one hit that answer the query's terms, best first, at most `most`.

    `units` are (id, text, terms) in reading order, best without headings, which match a query and answer nothing;
    `rare` is `rarity` over the units of all hits. A score is the weight of the query terms found in the unit as a
    share of all query terms' weight, long units damped as BM25 does. The row is the one of the largest sum of scores
    above `STOP` of the best: it ends before units that say too little, and none is given that holds no query term.
    """
    scores = _scores(query, [terms for _, _, terms in units], rare)
    first, last = _run(scores, STOP * max(scores, default=0.0))
    found = [
        Focus(unit, text, score) for (unit, text, _), score in zip(units[first:last], scores[first:last], strict=True)
    ]
    return tuple(sorted((one for one in found if one.score > 0), key=lambda one: -one.score)[:most])


def _scores(query: Sequence[str], units: Sequence[Sequence[str]], rare: Mapping[str, float]) -> list[float]:
    wanted = {term: rare.get(term, 0.0) for term in query}
    total = sum(wanted.values())
    average = sum(map(len, units)) / len(units) if units else 0.0
    scores = []
    for terms in units:
        counts = Counter(term for term in terms if term in wanted)
        raw = sum(wanted[term] * saturation(count, len(terms), average) for term, count in counts.items())
        scores.append(min(raw / total, 1.0) if raw > 0 else 0.0)
    return scores


def _run(scores: Sequence[float], stop: float) -> tuple[int, int]:
    """The range of the largest sum of `score - stop`, the first of equals (Kadane's algorithm)."""
    best, found, total, start = 0.0, (0, 0), 0.0, 0
    for position, score in enumerate(scores):
        if total <= 0:
            total, start = 0.0, position
        total += score - stop
        if total > best:
            best, found = total, (start, position + 1)
    return found
