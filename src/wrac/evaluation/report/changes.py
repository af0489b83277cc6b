"""Two runs over the same data: what was set differently, what became better or worse, and for which queries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wrac.core.errors import InputError
from wrac.evaluation.metrics.intervals import Difference, bootstrap, less_is_better
from wrac.evaluation.report import reading
from wrac.evaluation.report.reading import Results, Row

MOST = 10
"""How many queries are named that gained, and that lost."""
LARGEST = 1e12
"""Above every figure; what is infinite or no number is none."""
_FORM: Mapping[str, Any] = {
    "data": {"name": str, "pages": int, "queries": int, "groups": list, "excluded": list},
    "machine": {"date": str, "processor": str, "cores": object, "python": str, "versions": dict},
    "metrics": list,
    "texts": dict,
    "rows": list,
}
_MAYBE: Mapping[str, Any] = {"primary": list, "failed": list, "settings": dict, "command": str, "seconds": int | float}
_ROW: Mapping[str, Any] = {"strategy": str, "search": str, "queries": dict}
_ADVICE = "give files written by `wrac eval DATA --out FILE`"


def read(path: Path) -> dict[str, Any]:
    """The results in a file of `wrac eval --out`. Raises InputError where it holds none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", _ADVICE) from error
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), "is not JSON", _ADVICE) from error
    if fault := next(_faults(found), ""):
        raise InputError(str(path), f"holds no results of an evaluation: {fault}", _ADVICE)
    return {**found, "file": str(path)}


def compare(old: Results, new: Results) -> dict[str, Any]:
    """What changed from one run to another, as plain values that JSON can hold.

    Keys: `old` and `new` (what was run, by name), `settings` (those that differ: name, old, new), `metrics`, `queries`
    (how many both runs have, in the same words), `rows` (one a strategy and search of both), `only_old` and `only_new`
    (strategy and search that one run alone has). A row has `figures` by metric (old, new, mean, low, high, real,
    verdict: queries paired, 95 %) and the queries that changed most, `gained` and `lost` (query, text, old, new,
    change: means over the metrics of which more is better). Raises InputError where the runs are not over the same
    data.
    """
    metrics = [metric for metric in reading.primary(new) if metric in old["metrics"]]
    before, after = _rows(old), _rows(new)
    both = [key for key in after if key in before]
    texts = {query: text for query, text in new["texts"].items() if old["texts"].get(query) == text}
    pairs = (before[key]["queries"].keys() & after[key]["queries"].keys() for key in both)
    shared = texts.keys() & set[str]().union(*pairs)
    if not metrics or not texts or (both and not shared):
        told = f"is a run over {_data(new)}, {old.get('file', 'the other')} over {_data(old)}"
        raise InputError(str(new.get("file", "the second run")), told, "compare two runs over the same data")
    return {
        "old": _facts(old),
        "new": _facts(new),
        "settings": list(_settings(old, new)),
        "metrics": metrics,
        "queries": len(shared),
        "rows": [_changed(key, _Figures(old, before[key]), _Figures(new, after[key]), metrics, texts) for key in both],
        "only_old": [list(key) for key in before if key not in after],
        "only_new": [list(key) for key in after if key not in before],
    }


class _Figures:
    """A row's figures by query, its columns found by their names."""

    def __init__(self, results: Results, row: Row) -> None:
        self.queries: Mapping[str, Sequence[float]] = row["queries"]
        self._at = {metric: column for column, metric in enumerate(results["metrics"])}

    def of(self, metric: str, queries: Sequence[str]) -> list[float]:
        column = self._at[metric]
        return [self.queries[query][column] for query in queries]


def _changed(
    key: tuple[str, str], old: _Figures, new: _Figures, metrics: Sequence[str], texts: Mapping[str, str]
) -> dict[str, Any]:
    queries = [query for query in new.queries if query in old.queries and query in texts]
    figures = {metric: _figure(metric, old.of(metric, queries), new.of(metric, queries)) for metric in metrics}
    rising = [metric for metric in metrics if not less_is_better(metric)]
    means = [
        np.mean([one.of(metric, queries) for metric in rising], axis=0) if rising else np.zeros(len(queries))
        for one in (old, new)
    ]
    changes = [
        {"query": query, "text": texts[query], "old": before, "new": after, "change": after - before}
        for query, before, after in zip(queries, *(mean.round(4).tolist() for mean in means), strict=True)
    ]
    ordered = sorted(changes, key=lambda one: one["change"])
    return {
        "strategy": key[0],
        "search": key[1],
        "figures": figures,
        "gained": [one for one in reversed(ordered[-MOST:]) if one["change"] > 0],
        "lost": [one for one in ordered[:MOST] if one["change"] < 0],
    }


def _figure(metric: str, old: Sequence[float], new: Sequence[float]) -> dict[str, Any]:
    """One metric before and after, over the queries both runs have."""
    difference = bootstrap(new, old) if list(old) != list(new) else Difference(0.0, 0.0, 0.0)
    told = {**difference._asdict(), "real": difference.real}
    means = {"old": float(np.mean(old)), "new": float(np.mean(new))} if old else {"old": 0.0, "new": 0.0}
    return {**means, **told, "verdict": reading.verdict(metric, told)}


def _rows(results: Results) -> dict[tuple[str, str], Row]:
    return {(row["strategy"], row["search"]): row for row in results["rows"]}


def _facts(results: Results) -> dict[str, str]:
    file = {"file": results["file"]} if "file" in results else {}
    return {**file, **reading.facts(results)}


def _settings(old: Results, new: Results) -> Iterator[dict[str, str]]:
    """What differs, the time it was run and took aside."""
    before, after = reading.facts(old), reading.facts(new)
    for name in dict.fromkeys((*before, *after)):
        if name not in ("date", "seconds") and before.get(name) != after.get(name):
            yield {"name": name, "old": before.get(name, ""), "new": after.get(name, "")}


def _data(results: Results) -> str:
    data = results["data"]
    return f"{data['name']} ({data['pages']} pages, {data['queries']} queries)"


def _faults(found: object) -> Iterator[str]:
    """What keeps a value from being results; one who goes on after a fault may meet any error."""
    yield from _misses(found, _FORM, "it")
    if isinstance(found, dict):
        yield from _misses(found, {key: kind for key, kind in _MAYBE.items() if key in found}, "it")
        if not all(isinstance(one, str) for one in (*found["metrics"], *found["texts"].values())):
            yield "a metric or a query's text is no str"
        for number, one in enumerate(found.get("failed", ()), 1):
            yield from _misses(one, {"strategy": str, "reason": str}, f"failure {number}")
        for number, row in enumerate(found["rows"], 1):
            yield from _misses(row, _ROW, f"row {number}")
            if not all(_numbers(values, len(found["metrics"])) for values in row["queries"].values()):
                yield f"row {number} has a query without a number for each metric"


def _misses(found: object, form: Mapping[str, Any], where: str) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"{where} is no object"
        return
    for key, wanted in form.items():
        if key not in found:
            yield f"{where} has no {key!r}"
        elif isinstance(wanted, Mapping):
            yield from _misses(found[key], wanted, repr(key))
        elif not isinstance(found[key], wanted):
            yield f"{key!r} of {where} is no {getattr(wanted, '__name__', wanted)}"


def _numbers(values: object, count: int) -> bool:
    if not isinstance(values, list) or len(values) != count:
        return False
    return all(isinstance(one, int | float) and abs(one) < LARGEST for one in values)  # not so for what is no number
