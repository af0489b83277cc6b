"""What a model's plans are worth: gold recall of chunks by rules, by published plans, and by a choice page by page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import Page
from wrac.evaluation.metrics.intervals import Difference, bootstrap
from wrac.evaluation.planning_cost import PLANS
from wrac.evaluation.run import Results, run
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import Wrac
from wrac.evaluation.strategies.replay import Replayed
from wrac.evaluation.values import Chunker, DataSet, Passages
from wrac.evaluation.vectors import VectorCache

BUDGETS = ("B@250", "B@500", "B@1000")
Scores = Mapping[str, NDArray[np.float64]]
"""By search float64 (queries, budgets)."""


class Gain(NamedTuple):
    """A way to plan against the rules under one search and budget: both means, the difference, queries that moved."""

    way: str
    search: str
    budget: str
    rules: float
    mean: float
    difference: Difference
    better: int
    worse: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """wrac's chunks: of some pages by the published plans, of the others by rules."""

    corpus: Corpus
    data: DataSet
    urls: frozenset[str]
    name: str

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks of the pages, those by published plans first."""
        theirs = [page for page in pages if page.url in self.urls]
        planned = Replayed(self.corpus, self.data.root / PLANS).passages(theirs).items
        return Passages((*planned, *Wrac(self.corpus).passages([page for page in pages if page not in theirs]).items))


def worth(
    data: DataSet,
    thresholds: Sequence[float],
    vectors: Callable[[], VectorCache],
    searches: Sequence[str] = ("bm25", "default"),
) -> list[Gain]:
    """Published plans, cascades, and for each page the better of two plans, against the rules.

    That choice is made twice: on the very queries it is judged by, which no one could know and is the ceiling, and for
    each half of the queries on the other half, which shows whether a page has a better plan at all.
    """
    corpus = Corpus(vectors)
    path = data.root / PLANS

    def score(*ways: Chunker) -> list[Scores]:
        return [_scores(data, way, searches, vectors) for way in ways]

    cascades = [Replayed(corpus, path, threshold) for threshold in thresholds]
    rules, llm, *rest = score(Wrac(corpus), Replayed(corpus, path), *cascades)
    found = {"llm": llm, **{way.name: scores for way, scores in zip(cascades, rest, strict=True)}}
    every = np.ones(len(data.queries), np.bool_)
    half = np.arange(len(data.queries)) % 2 == 0
    picks = [_better(data, rules, llm, seen) for seen in (every, half, ~half)]
    hindsight, even, odd = score(*(Chosen(corpus, data, pages, f"chosen {n}") for n, pages in enumerate(picks)))
    found["best by page, with hindsight"] = hindsight
    found["best by page, held out"] = {s: np.where(half[:, None], odd[s], even[s]) for s in searches}
    return [
        _gain(way, search, b, scores, rules) for way, scores in found.items() for search in searches for b in range(3)
    ]


def _scores(data: DataSet, way: Chunker, searches: Sequence[str], vectors: Callable[[], VectorCache]) -> Scores:
    results = run(data, [way], searches, vectors=vectors)
    return {row["search"]: _budgets(results, row["queries"]) for row in results["rows"]}


def _budgets(results: Results, queries: Mapping[str, Sequence[float]]) -> NDArray[np.float64]:
    columns = [results["metrics"].index(budget) for budget in BUDGETS]
    return np.array([[values[column] for column in columns] for values in queries.values()])


def _better(data: DataSet, rules: Scores, llm: Scores, seen: NDArray[np.bool_]) -> frozenset[str]:
    """The pages on whose gold the published plans do better than the rules, by the queries that are seen."""
    gains: dict[str, float] = defaultdict(float)
    for row in np.flatnonzero(seen):
        gain = sum(float((llm[search][row] - rules[search][row]).sum()) for search in rules)
        pages = {page for gold in data.queries[row].gold for page in gold.pages}
        for page in pages:
            gains[page] += gain / len(pages)
    return frozenset(page for page, gain in gains.items() if gain > 0)


def _gain(way: str, search: str, budget: int, scores: Scores, rules: Scores) -> Gain:
    theirs, base = scores[search][:, budget], rules[search][:, budget]
    moved = theirs - base
    means = float(base.mean()), float(theirs.mean())
    return Gain(
        way, search, BUDGETS[budget], *means, bootstrap(theirs, base), int((moved > 0).sum()), int((moved < 0).sum())
    )
