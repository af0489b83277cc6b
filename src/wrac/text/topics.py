"""Where a text turns to another topic, told by its words alone: linear, without a model, the same on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain
from math import sqrt
from typing import Final

from wrac.core.types import Document, Kind
from wrac.text.analysis import analyse
from wrac.text.languages import STOPWORDS, primary

WINDOW: Final = 60
"""Terms on each side of a place that are compared: about a hundred words."""
FAR: Final = 6000
"""Bytes of prose (UTF-8) between two headings from which on they are far apart: more than a thousand words."""
PROSE: Final = frozenset[Kind](("paragraph", "quote", "list_item", "definition"))
"""Kinds whose texts are sentences."""
_STRUCTURE: Final = frozenset[Kind](("heading", "question", "term"))


def unheaded(document: Document) -> frozenset[int]:
    """The ordinals of the main text that headings, questions and terms leave alone over a long stretch of prose."""
    found: list[int] = []
    run: list[int] = []
    size = 0
    for place in document.places:
        unit = document.units[place.unit]
        if unit.kind in _STRUCTURE:
            found += run if size >= FAR else ()
            run, size = [], 0
        elif place.role == "main":
            run.append(place.ordinal)
            size += len(unit.text.encode("utf-8", "replace")) if unit.kind in PROSE else 0
    return frozenset((*found, *run) if size >= FAR else found)


def breaks(texts: Sequence[str], language: str = "") -> list[float]:
    """How clearly the topic changes before each of the texts that follow one another, 0..1; 0 before the first.

    The terms of the two sides are compared, function words left out; what counts is how much deeper the likeness falls
    there than at its peaks to both sides. Source: TextTiling (Hearst, 1997). Time is linear in the texts.
    """
    stop = _stop_terms(primary(language) or "en")
    found = [[term for term in analyse(text, language) if term not in stop] for text in texts]
    ends = list(accumulate(map(len, found), initial=0))
    terms = list(chain.from_iterable(found))
    likeness = [_likeness(terms, at) for at in ends[1:-1]]
    return [0.0, *_depths(likeness)] if texts else []


def _likeness(terms: Sequence[str], at: int) -> float:
    """The cosine between the terms before a position and those from it on."""
    before, after = Counter(terms[max(0, at - WINDOW) : at]), Counter(terms[at : at + WINDOW])
    if len(after) < len(before):
        before, after = after, before
    shared = sum(count * after[term] for term, count in before.items() if term in after)
    return shared / sqrt(_square(before) * _square(after)) if shared else 0.0


def _square(counts: Counter[str]) -> int:
    return sum(count * count for count in counts.values())


def _depths(likeness: Sequence[float]) -> list[float]:
    """For each position the mean of how far the likeness climbs to the left and to the right of it."""
    left, right = _climbs(likeness), _climbs(likeness[::-1])[::-1]
    return [(a + b) / 2 for a, b in zip(left, right, strict=True)]


def _climbs(likeness: Sequence[float]) -> list[float]:
    """How much higher the peak is that the likeness reaches by rising without a fall from each position backwards."""
    climbs: list[float] = []
    for at, value in enumerate(likeness):
        rise = likeness[at - 1] - value if at else 0.0
        climbs.append(climbs[-1] + rise if rise > 0 else 0.0)
    return climbs


@lru_cache(maxsize=64)
def _stop_terms(tag: str) -> frozenset[str]:
    return frozenset(chain.from_iterable(analyse(word, tag) for word in STOPWORDS.get(tag, ())))
