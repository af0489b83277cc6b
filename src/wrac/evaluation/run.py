"""Strategies times searches over one data set: the results, as plain values that JSON can hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import InputError, MissingExtraError, WracError
from wrac.core.types import Usage
from wrac.evaluation.datasets.reading import unread
from wrac.evaluation.machine import machine
from wrac.evaluation.masking import mask
from wrac.evaluation.metrics import bootstrap, judge
from wrac.evaluation.metrics.blocks import CURVE, BlockJudge
from wrac.evaluation.metrics.intervals import less_is_better
from wrac.evaluation.metrics.words import length
from wrac.evaluation.saved import Saved
from wrac.evaluation.search import SEARCHES, Search, prepare
from wrac.evaluation.strategies import Corpus, available, strategy
from wrac.evaluation.values import Chunker, DataSet, Judge, Passage
from wrac.evaluation.vectors import Tell, VectorCache
from wrac.llm.asking import Model
from wrac.text.tokens import counter

Results = dict[str, Any]
SIZES = (25, 50, 100, 150, 200, 300, 400, 600, 800, 1200)
"""Upper ends of the classes of passage sizes, in o200k tokens; the last class is open."""
WORST, SHOWN = 10, 400


def run(  # noqa: PLR0913 - a run is told what, how and where
    data: DataSet,
    strategies: Sequence[str | Chunker] = (),
    searches: Sequence[str] = SEARCHES,
    *,
    vectors: Callable[[], VectorCache] | None = None,
    model: Model | None = None,
    saved: Saved | None = None,
    tell: Tell = lambda _: None,
) -> Results:
    """Every strategy under every search.

    Keys: `data`, `machine`, `metrics` (names, in the order of a row's figures), `primary` (those that a table shows),
    `texts` (of the queries, by id), `rows` (one a strategy and search) and `failed` (strategies that could not go on,
    with the reason; the others are whole).

    A strategy is a name or a Chunker; where none is given all run that need no extra. `vectors` (of the product's
    embedder where none is given) is called by the first search that embeds, `model` is asked by live strategies;
    `saved` keeps what is finished, so that an interrupted run goes on. A page that cannot be read is left out for all.
    Raises ConfigError for an unknown name.
    """
    once = cache(vectors or VectorCache.of("minilm"))
    corpus, judging = Corpus(once, model), judge(data)
    chunkers = [strategy(one, data, corpus) if isinstance(one, str) else one for one in strategies or available(data)]
    data, languages = _readable(data, corpus)
    prepared = {search: prepare(search, once, languages, tell) for search in searches}
    rows, failed = [], []
    for chunker in chunkers:
        known = saved.get(chunker.name) if saved else None
        if known is not None:
            tell(f"{chunker.name}: done before")
            rows += known
            continue
        try:
            made = list(_rows(chunker, data, prepared, judging, tell))
        except WracError as error:
            tell(f"{chunker.name}: {error}")
            failed.append({"strategy": chunker.name, "reason": str(error), "exit": error.exit_code})
            continue
        if saved:
            saved.put(chunker.name, made)
        rows += made
    if saved and not failed:
        saved.forget(chunker.name for chunker in chunkers)
    return {
        "data": _about(data),
        "machine": machine(),
        "metrics": list(judging.metrics),
        "primary": list(judging.primary),
        "texts": {query.id: query.text for query in data.queries},
        "rows": rows,
        "failed": failed,
    }


def _readable(data: DataSet, corpus: Corpus) -> tuple[DataSet, Mapping[str, str]]:
    """The data set without the pages that cannot be read, which are left out and told; the others' languages by URL."""
    languages, left = {}, []
    for page in data.pages:
        try:
            languages[page.url] = corpus.language(page)
        except (InputError, MissingExtraError) as error:
            left.append(unread(page, error))
    kept = tuple(page for page in data.pages if page.url in languages)
    return replace(data, pages=kept, excluded=(*data.excluded, *left)), languages


def _about(data: DataSet) -> Results:
    return {
        "name": data.name,
        "pages": len(data.pages),
        "queries": len(data.queries),
        "groups": sorted({group for query in data.queries for group in query.groups}),
        "excluded": [one._asdict() for one in data.excluded],
    }


def _rows(
    chunker: Chunker,
    data: DataSet,
    prepared: Mapping[str, Callable[[Sequence[Passage]], Search]],
    judging: Judge,
    tell: Tell,
) -> Iterator[Results]:
    tell(f"{chunker.name}: chunking")
    cut = _cut(chunker, data)
    hidden = mask(data.masks)
    searched = [passage._replace(indexed=hidden(passage.indexed)) for passage in cut.items]
    for search, prepare_ in prepared.items():
        tell(f"{chunker.name}: {search}")
        find = prepare_(searched)
        yield _row(data, cut, search, judging, find)


class _Cut(NamedTuple):
    """What a strategy made of the pages: distinct passages, how many were repeats, its notes, cost and seconds."""

    name: str
    items: tuple[Passage, ...]
    repeated: int
    notes: Mapping[str, float]
    usage: Usage
    seconds: float


def _cut(chunker: Chunker, data: DataSet) -> _Cut:
    start = time.perf_counter()
    passages = chunker.passages(data.pages)
    seconds = time.perf_counter() - start
    items = tuple(dict.fromkeys(passages.items))
    return _Cut(chunker.name, items, len(passages.items) - len(items), passages.notes, passages.usage, seconds)


def _row(data: DataSet, cut: _Cut, search: str, judging: Judge, find: Search) -> Results:
    ranked = [[cut.items[row] for row in find(query.text)] for query in data.queries]
    scored = judging.scores(data.queries, ranked, cut.items)
    values = np.array(scored, np.float64).reshape(len(data.queries), len(judging.metrics))
    sizes = [counter("o200k").count(passage.text) for passage in cut.items]
    row = {
        "strategy": cut.name,
        "search": search,
        "passages": len(cut.items),
        "repeated": cut.repeated,
        "words": sum(length(passage.text) for passage in cut.items),
        "tokens": sum(sizes),
        "sizes": np.histogram(sizes, [0, *SIZES, np.inf])[0].tolist(),
        "seconds": round(cut.seconds, 3),
        "usage": asdict(cut.usage),
        "notes": dict(cut.notes),
        "metrics": _means(judging, values),
        "by": {group: _by(data, judging, values, group) for group in _about(data)["groups"]},
        "queries": {query.id: [round(v, 4) for v in one] for query, one in zip(data.queries, scored, strict=True)},
        "worst": _worst(data, ranked, values[:, [not less_is_better(metric) for metric in judging.metrics]]),
    }
    if isinstance(judging, BlockJudge):
        curves = [judging.curve(query, hits) for query, hits in zip(data.queries, ranked, strict=True)]
        row["curve"] = {"words": list(CURVE), "recall": np.mean(curves, axis=0).round(4).tolist() if curves else []}
    return row


def _means(judging: Judge, values: NDArray[np.float64]) -> Mapping[str, float]:
    mean = values.mean(axis=0) if len(values) else np.zeros(len(judging.metrics))
    return dict(zip(judging.metrics, (float(value) for value in mean), strict=True))


def _by(data: DataSet, judging: Judge, values: NDArray[np.float64], group: str) -> Mapping[str, Results]:
    labels = np.array([query.groups.get(group, "") for query in data.queries])
    return {
        str(label): {"queries": int((labels == label).sum()), "metrics": _means(judging, values[labels == label])}
        for label in sorted(set(labels.tolist()))
    }


def _worst(data: DataSet, ranked: Sequence[Sequence[Passage]], values: NDArray[np.float64]) -> list[Results]:
    """The queries with the lowest sum of figures of which more is better: what was wanted, what was found instead."""
    order = np.argsort(values.sum(axis=1), kind="stable")[:WORST]
    return [
        {
            "id": data.queries[i].id,
            "query": data.queries[i].text,
            "gold": [{"pages": sorted(gold.pages), "text": gold.text[:SHOWN]} for gold in data.queries[i].gold],
            "found": [{"page": hit.page, "text": hit.text[:SHOWN]} for hit in ranked[i][:3]],
        }
        for i in order.tolist()
    ]


def differences(results: Results, baseline: str) -> list[Results]:
    """Each row against the baseline's row under the same search, metric by metric, queries paired.

    Keys: `strategy`, `search`, `baseline`, `metrics` of `{mean, low, high, real}`. Without the baseline's row there are
    none.
    """
    bases = {row["search"]: row for row in results["rows"] if row["strategy"] == baseline}
    return [
        {
            "strategy": row["strategy"],
            "search": row["search"],
            "baseline": baseline,
            "metrics": intervals(row, bases[row["search"]], results["metrics"]),
        }
        for row in results["rows"]
        if row["search"] in bases and row["strategy"] != baseline
    ]


def intervals(row: Results, base: Results, metrics: Sequence[str]) -> Mapping[str, Results]:
    """For each metric the mean of `row - base` over the queries both have, and its 95 % interval."""
    shared = [query for query in row["queries"] if query in base["queries"]]
    ours, theirs = (np.array([one["queries"][query] for query in shared]) for one in (row, base))
    if not shared:
        return {}
    found = {metric: bootstrap(ours[:, i], theirs[:, i]) for i, metric in enumerate(metrics)}
    return {metric: {**difference._asdict(), "real": difference.real} for metric, difference in found.items()}
