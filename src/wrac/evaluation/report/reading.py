"""What every report reads from results: which figures matter, who is told apart from whom, how a number is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wrac.evaluation.metrics import intervals
from wrac.evaluation.metrics.intervals import Difference, Verdict, less_is_better
from wrac.evaluation.run import SIZES

Results = Mapping[str, Any]
Row = Mapping[str, Any]

ENOUGH, SHOWN = 20, 12
"""A query type with fewer queries says little; where none has enough, so many are shown."""
_HEADLINES = ("B@500", "recall")
_MEANINGS = (
    ("R@", "share of the gold blocks that lie wholly inside the first k chunks; large chunks are at an advantage"),
    ("B@", "share of the gold blocks inside a reading budget of that many words, the trail above a chunk counted"),
    ("T@", "share of the gold blocks inside a reading budget of that many tokens"),
    ("P@", "share of the first k chunks that hold gold"),
    ("MRR", "one divided by the rank of the first chunk that holds gold"),
    ("RR", "one divided by the rank of the first chunk that holds gold"),
    ("nDCG@", "gain of chunks that hold gold, discounted by rank, against the best order of the same chunks"),
    ("tokens@", "tokens of the first k chunks; fewer is better"),
    ("recall", "share of the gold characters in what was retrieved"),
    ("precision-omega", "the precision a perfect search over these chunks would have"),
    ("precision", "share of what was retrieved that is gold"),
    ("IoU", "gold characters retrieved, divided by all characters that are gold or retrieved"),
)

# Texts come from strangers: what would reorder or hide the words beside it is shown, not obeyed.
_UNSEEN = dict.fromkeys(
    (*range(9), 11, *range(14, 32), *range(127, 160), 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    0xFFFD,
) | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)


class Size(NamedTuple):
    """A class of chunk sizes in tokens, and the share of the chunks in it."""

    label: str
    share: float


def primary(results: Results) -> list[str]:
    """The metrics a table shows: those the results call primary, else all."""
    named = results.get("primary") or results["metrics"]
    return [metric for metric in results["metrics"] if metric in named]


def headline(results: Results) -> str:
    """The one metric that plots and breakdowns show."""
    metrics = results["metrics"]
    return next((metric for metric in _HEADLINES if metric in metrics), metrics[0])


def searches(results: Results) -> list[str]:
    """The searches, in the order they were run."""
    return list(dict.fromkeys(row["search"] for row in results["rows"]))


def of_search(results: Results, search: str) -> list[Row]:
    """The rows of one search, one a strategy."""
    return [row for row in results["rows"] if row["search"] == search]


def by_strategy(results: Results) -> dict[str, Row]:
    """One row for each strategy, for what does not depend on the search."""
    return {row["strategy"]: row for row in reversed(results["rows"])}


def strategies(results: Results) -> list[str]:
    """The strategies, in the order they were run."""
    return list(dict.fromkeys(row["strategy"] for row in results["rows"]))


def baseline(results: Results) -> str:
    """The strategy that differences are measured to; empty where there are none."""
    return next((one["baseline"] for one in results.get("differences", ())), "")


def differences(results: Results, search: str) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The differences to the baseline under a search by strategy and metric."""
    return {
        (one["strategy"], metric): value
        for one in results.get("differences", ())
        if one["search"] == search
        for metric, value in one["metrics"].items()
    }


def verdict(metric: str, difference: Mapping[str, Any]) -> Verdict:
    """What may be said of a difference as results hold it."""
    told = Difference(difference["mean"], difference["low"], difference["high"])
    return intervals.verdict(told, less=less_is_better(metric))


SIGNS = {"better": "+", "worse": "-", "no difference": "="}


def best(rows: Sequence[Row], metric: str) -> str:
    """The best figure of a column as it is written, so that equal cells are equally best."""
    values = [row["metrics"][metric] for row in rows]
    return figure(min(values) if less_is_better(metric) else max(values)) if values else ""


def labels(rows: Sequence[Row], group: str) -> dict[str, int]:
    """The values of a group that have queries enough to be read, and how many; the largest where none has."""
    parts = rows[0]["by"].get(group, {}) if rows else {}
    counts = {label: part["queries"] for label, part in parts.items()}
    most = sorted(counts, key=lambda label: -counts[label])[:SHOWN]
    return {
        label: count
        for label, count in counts.items()
        if count >= ENOUGH or (counts[most[0]] < ENOUGH and label in most)
    }


def sizes(row: Row) -> list[Size]:
    """The classes of a row's chunk sizes."""
    ends = [*map(str, SIZES), ""]
    names = [f"{low}-{high}" if high else f"{low}+" for low, high in zip(("0", *ends), ends, strict=False)]
    total = max(sum(row["sizes"]), 1)
    return [Size(name, count / total) for name, count in zip(names, row["sizes"], strict=True)]


def notes(results: Results) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Each strategy that has something to tell, and its counts by name."""
    for name, row in by_strategy_in_order(results):
        told = {**row["notes"], **({"repeated passages": row["repeated"]} if row["repeated"] else {})}
        if told:
            yield name, told


def by_strategy_in_order(results: Results) -> list[tuple[str, Row]]:
    """Each strategy, in the order they were run, with a row of it."""
    rows = by_strategy(results)
    return [(name, rows[name]) for name in strategies(results)]


def facts(results: Results) -> dict[str, str]:
    """What was run, where and when, by name."""
    machine, data = results["machine"], results["data"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    found = {
        "data": f"{data['name']}: {data['pages']:,} pages, {data['queries']:,} queries",
        "command": results.get("command", ""),
        **{name: str(value) for name, value in results.get("settings", {}).items()},
        "date": machine["date"].replace("T", " ").replace("+00:00", " UTC"),
        "machine": f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}",
        "versions": versions,
        "failed": ", ".join(one["strategy"] for one in results.get("failed", ())),
        "left out": f"{len(data['excluded']):,} of the gold or queries" if data["excluded"] else "",
        "seconds": f"{results['seconds']:.1f}" if results.get("seconds") else "",
    }
    return {name: value for name, value in found.items() if value}


def meaning(metric: str) -> str:
    """What a metric says, in words; empty for one that is not known here."""
    return next((words for prefix, words in _MEANINGS if metric.startswith(prefix)), "")


def figure(value: float) -> str:
    """A figure as tables show it: a share without its leading zero, a count without decimals.

    >>> [figure(value) for value in (0.9271, 1.0, -0.0121, 1523.4)]
    ['.927', '1.000', '-.012', '1,523']
    """
    if abs(value) >= 10:
        return f"{value:,.0f}"
    text = f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def signed(value: float) -> str:
    """A difference, always with its sign.

    >>> signed(0.0121), signed(-0.0121), signed(0.0)
    ('+.012', '-.012', '+.000')
    """
    text = figure(value)
    return text if text.startswith("-") else f"+{text}"


def span(difference: Mapping[str, Any]) -> str:
    """A difference with its interval: `+.012 [+.001, +.023]`."""
    return f"{signed(difference['mean'])} [{signed(difference['low'])}, {signed(difference['high'])}]"


def seen(text: str) -> str:
    """The text with control characters, and those that turn the direction of writing, as U+FFFD."""
    return text.translate(_UNSEEN)
