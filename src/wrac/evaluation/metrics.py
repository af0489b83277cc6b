"""Gold-block recall at k and in a word budget, per query, and the paired bootstrap of a difference.

A gold block counts when at least 85 % of its distinct content words are in one passage of a page it stands on. B@w
reads passages best first until w words are given, the last one cut; R@k reads k passages. The budget is the fair
measure: @k rewards large passages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrac.evaluation.datasets import Gold, Query, name

CUTS = (1, 3, 6)
BUDGETS = (250, 500, 1000)
METRICS = tuple(f"R@{k}" for k in CUTS) + tuple(f"B@{w}" for w in BUDGETS)
COVERED = 0.85

_WORD = re.compile(r"[^\W_]+")
_SUFFIXES = ("ing", "edly", "ed", "es", "s", "ly")
_STOP = frozenset(
    "a an the of in on at for to from by with and or as is are was were be been being it its this that these "
    "those which who whom whose what when where how why do does did has have had can could may might will "
    "would should shall must not no yes there their they them he she his her you your we our i if then than so "
    "such also into over under between among about per each any all both more most other some including "
    "include includes included through via within while during across up out off only same very just like one "
    "two".split()
)


class Found(NamedTuple):
    """A passage as the reader gets it: its page and all its text."""

    page: str
    text: str


class Difference(NamedTuple):
    """Mean of the paired differences and its 95 % interval; `real` when the interval leaves zero out."""

    mean: float
    low: float
    high: float

    @property
    def real(self) -> bool:
        return self.low > 0 or self.high < 0


def content_terms(text: str) -> list[str]:
    """The content words of a text in order: lower case, stop words left out, a common English suffix cut."""
    words = (match.group().lower() for match in _WORD.finditer(text))
    return [_stem(word) for word in words if word not in _STOP]


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


class Judge:
    """Scores hits against a query's gold. Word sets are kept, so judging many strategies over one set stays fast."""

    def __init__(self) -> None:
        self._content: dict[str, frozenset[str]] = {}

    def score(self, query: Query, hits: Sequence[Found]) -> tuple[float, ...]:
        """The values of METRICS, in their order; hits best first, all 0 where there are none."""
        total = len(query.gold)
        at_k = [len(self._covered(query.gold, hits[:k])) / total for k in CUTS]
        in_budget = [len(self._within(query.gold, hits, budget)) / total for budget in BUDGETS]
        return (*at_k, *in_budget)

    def _covered(self, gold: Sequence[Gold], hits: Sequence[Found]) -> set[int]:
        found: set[int] = set()
        for hit in hits:
            page = name(hit.page)
            wanted = [i for i, block in enumerate(gold) if page in block.pages]
            found.update(i for i in wanted if self._holds(hit.text, gold[i].text))
        return found

    def _within(self, gold: Sequence[Gold], hits: Sequence[Found], budget: int) -> set[int]:
        given: list[Found] = []
        for hit in hits:
            if budget <= 0:
                break
            words = hit.text.split()
            given.append(hit if len(words) <= budget else Found(hit.page, " ".join(words[:budget])))
            budget -= len(words)
        return self._covered(gold, given)

    def _holds(self, text: str, block: str) -> bool:
        wanted = self._set(block)
        return len(wanted & self._set(text)) >= COVERED * len(wanted)

    def _set(self, text: str) -> frozenset[str]:
        if text not in self._content:
            self._content[text] = frozenset(content_terms(text))
        return self._content[text]


def bootstrap(ours: ArrayLike, baseline: ArrayLike, *, rounds: int = 2000, seed: int = 7) -> Difference:
    """The paired bootstrap (resampling queries) of `ours - baseline`; the same seed gives the same interval."""
    difference = np.asarray(ours, np.float64) - np.asarray(baseline, np.float64)
    if not difference.size:
        return Difference(0.0, 0.0, 0.0)
    picks = np.random.default_rng(seed).integers(0, difference.size, (rounds, difference.size))
    low, high = np.percentile(difference[picks].mean(axis=1), (2.5, 97.5))
    return Difference(float(difference.mean()), float(low), float(high))


def means(values: NDArray[np.float64]) -> Mapping[str, float]:
    """METRICS to their mean over the rows of `values` (n queries, len(METRICS)); no rows give 0."""
    mean = values.mean(axis=0) if len(values) else np.zeros(len(METRICS))
    return dict(zip(METRICS, (float(value) for value in mean), strict=True))
