"""Search weights chosen on all groups but one and read on the one left out: `scripts/tune_search.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.evaluation.metrics.blocks import METRICS, BlockJudge
from wrac.evaluation.report.plain import table
from wrac.evaluation.search import Lexical, dense_over
from wrac.evaluation.strategies import Corpus, strategy
from wrac.evaluation.values import DataSet, Passage
from wrac.evaluation.vectors import Tell, VectorCache
from wrac.retrieval import DEPTH, Fusion, Scored, fuse
from wrac.text.analysis import analyse, query_terms

BUDGETED = [i for i, metric in enumerate(METRICS) if metric.startswith("B@")]
SATURATIONS = ((0.9, 0.6), (1.2, 0.75))
DENSE = (0.0, 0.3, 0.5, 0.7, 1.0)
PAGE = (0.0, 0.3, 0.5, 0.7)
Scores = Mapping["Weights", NDArray[np.float64]]


class Weights(NamedTuple):
    """What is chosen: BM25's k1 and b, and the weights of the dense part and of the page beside BM25's 1."""

    k1: float
    b: float
    dense: float
    page: float


def tune(data: DataSet, strategies: Sequence[str], vectors: VectorCache, tell: Tell) -> Scores:
    """For each choice of weights the mean of the B@w of each query, over `strategies`; (n queries,)."""
    corpus, judge = Corpus(), BlockJudge()
    total: dict[Weights, NDArray[np.float64]] = {}
    for name in strategies:
        items = tuple(dict.fromkeys(strategy(name, data, corpus).passages(data.pages).items))
        for weights, values in _tried(data, items, vectors, judge, tell):
            total[weights] = total.get(weights, np.zeros(len(values))) + values / len(strategies)
    return total


def _tried(
    data: DataSet, items: Sequence[Passage], vectors: VectorCache, judge: BlockJudge, tell: Tell
) -> Iterator[tuple[Weights, NDArray[np.float64]]]:
    ids = [f"{row:08d}" for row in range(len(items))]
    pages = {entry: passage.page for entry, passage in zip(ids, items, strict=True)}
    dense = dense_over(items, vectors, tell)
    asked = vectors.embed([query.text for query in data.queries], query=True)
    meanings = [_named(ids, dense.search(vector, DEPTH)) for vector in asked]
    analysed = [analyse(passage.indexed) for passage in items]
    for k1, b in SATURATIONS:
        lexical = Lexical(analysed, k1=k1, b=b)
        words = [_named(ids, lexical.search(query_terms(query.text, ["en"]), DEPTH)) for query in data.queries]
        for share, page in product(DENSE, PAGE):
            tell(f"k1 {k1} b {b} dense {share} page {page}")
            fusion = Fusion(share, page)
            ranked = (fuse(w, m if share else [], pages, fusion) for w, m in zip(words, meanings, strict=True))
            hits = ([items[int(e)] for e, _ in one] for one in ranked)
            scored = [judge.score(query, one) for query, one in zip(data.queries, hits, strict=True)]
            yield Weights(k1, b, share, page), np.array(scored)[:, BUDGETED].mean(axis=1)


def _named(ids: Sequence[str], ranked: Sequence[tuple[int, float]]) -> list[Scored]:
    return [(ids[row], score) for row, score in ranked]


def left_out(data: DataSet, scores: Scores, group: str = "company") -> str:
    """A table: for each value of `group` the weights best on the others, their score on it, and what others reach."""
    labels = np.array([query.groups[group] for query in data.queries])
    names = sorted(set(labels.tolist()))
    means = {weights: {one: float(values[labels == one].mean()) for one in names} for weights, values in scores.items()}
    body = []
    for name in names:
        rest = [one for one in names if one != name]
        chosen = max(means, key=lambda weights: (sum(means[weights][one] for one in rest), weights))
        reached = [
            means[chosen][name],
            max(mean[name] for mean in means.values()),
            means[chosen._replace(page=0.0)][name],
            means[chosen._replace(dense=0.0)][name],
        ]
        body.append([name, " ".join(f"{value:g}" for value in chosen), *(f"{value:.3f}" for value in reached)])
    return table(["left out", "k1 b dense page", "held out", "any weights", "no page", "no dense"], body)
