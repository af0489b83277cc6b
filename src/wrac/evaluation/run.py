"""Strategies times searches over one data set: the results, as plain values that JSON can hold."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.evaluation.datasets import DataSet
from wrac.evaluation.metrics import METRICS, Found, Judge, bootstrap, means
from wrac.evaluation.search import SEARCHES, prepare
from wrac.evaluation.strategies import STRATEGIES, Chunker, Corpus, Passage, strategy
from wrac.evaluation.vectors import Tell, VectorCache

Results = dict[str, Any]
PACKAGES = ("wrac", "numpy", "onnxruntime", "tokenizers", "turbohtml", "snowballstemmer")


def default_vectors() -> VectorCache:
    """The product's embedder with the user's cache on disk."""
    from wrac.embedding import load  # a run by BM25 alone loads no model

    return VectorCache(load())


def run(
    data: DataSet,
    strategies: Sequence[str | Chunker] = tuple(STRATEGIES),
    searches: Sequence[str] = SEARCHES,
    *,
    vectors: Callable[[], VectorCache] = default_vectors,
    tell: Tell = lambda _: None,
) -> Results:
    """Every strategy under every search. Keys: `data`, `machine`, and `rows`, a row a strategy and search.

    A strategy is a name or a Chunker; `vectors` is called once, by the first search that embeds. Raises ConfigError for
    an unknown name, InputError for data that cannot be used.
    """
    corpus, judge = Corpus(), Judge()
    once = cache(vectors)
    prepared = {search: prepare(search, once, tell) for search in searches}
    chunkers = [strategy(one, data, corpus) if isinstance(one, str) else one for one in strategies]
    rows = []
    for chunker in chunkers:
        tell(f"{chunker.name}: chunking")
        cut = _cut(chunker, data)
        for search in searches:
            tell(f"{chunker.name}: {search}")
            find = prepared[search](cut.items)
            values = np.array([judge.score(query, _hits(cut.items, find(query.text))) for query in data.queries])
            rows.append(_row(data, cut, search, values))
    about = {"name": data.name, "pages": len(data.pages), "queries": len(data.queries)}
    return {"data": about, "machine": machine(), "rows": rows}


class _Cut(NamedTuple):
    """What a strategy made of the pages: distinct passages, how many were repeats, its notes, its seconds."""

    name: str
    items: tuple[Passage, ...]
    repeated: int
    notes: Mapping[str, float]
    seconds: float


def _cut(chunker: Chunker, data: DataSet) -> _Cut:
    start = time.perf_counter()
    passages = chunker.passages(data.pages)
    seconds = time.perf_counter() - start
    items = tuple(dict.fromkeys(passages.items))
    return _Cut(chunker.name, items, len(passages.items) - len(items), passages.notes, seconds)


def _hits(items: Sequence[Passage], rows: Sequence[int]) -> list[Found]:
    return [Found(items[row].page, items[row].text) for row in rows]


def _row(data: DataSet, cut: _Cut, search: str, values: NDArray[np.float64]) -> Results:
    by_query = zip(data.queries, values.tolist(), strict=True)
    return {
        "strategy": cut.name,
        "search": search,
        "passages": len(cut.items),
        "repeated": cut.repeated,
        "words": sum(len(passage.text.split()) for passage in cut.items),
        "seconds": round(cut.seconds, 3),
        "notes": dict(cut.notes),
        "metrics": means(values),
        "by": {group: _by(data, values, group) for group in ("company", "type")},
        "queries": {query.id: [round(value, 4) for value in row] for query, row in by_query},
    }


def _by(data: DataSet, values: NDArray[np.float64], group: str) -> Mapping[str, Results]:
    labels = np.array([query.groups.get(group, "") for query in data.queries])
    return {
        str(label): {"queries": int((labels == label).sum()), "metrics": means(values[labels == label])}
        for label in sorted(set(labels.tolist()))
    }


def differences(rows: Sequence[Results], baseline: str) -> list[Results]:
    """Each row against the baseline's row under the same search, metric by metric, queries paired.

    Keys: `strategy`, `search`, `baseline`, `metrics` of `{mean, low, high, real}`. Without the baseline's row there are
    none.
    """
    bases = {row["search"]: row for row in rows if row["strategy"] == baseline}
    return [
        {
            "strategy": row["strategy"],
            "search": row["search"],
            "baseline": baseline,
            "metrics": _intervals(row, bases[row["search"]]),
        }
        for row in rows
        if row["search"] in bases and row["strategy"] != baseline
    ]


def _intervals(row: Results, base: Results) -> Mapping[str, Results]:
    shared = [query for query in row["queries"] if query in base["queries"]]
    ours, theirs = (np.array([one["queries"][query] for query in shared]) for one in (row, base))
    found = {metric: bootstrap(ours[:, i], theirs[:, i]) for i, metric in enumerate(METRICS)}
    return {metric: {**difference._asdict(), "real": difference.real} for metric, difference in found.items()}


def machine() -> Results:
    """Date (UTC), processor, cores, Python and package versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "absent"
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
