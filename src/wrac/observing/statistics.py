"""What a log says: searches by day, how fast they were, what was found how often, what readers thought of it.

Functions of Events to plain values. A search is a `query` event; its hits and verdicts are those of its run. Of the
verdicts of one run on one chunk the last counts, and 0 takes back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wrac.observing.columns import Events, Rows

Subject: TypeAlias = Literal["chunk", "url"]
_QUARTER: Final = 900
"""Seconds of a quarter of an hour: no time zone of today begins its days in between."""


class Latency(NamedTuple):
    """How long searches took: the middle one, and the one that 95 % are no slower than, in seconds."""

    searches: int
    p50: float
    p95: float


class Day(NamedTuple):
    """The searches of a day: how many, how many found nothing, and their seconds as in a Latency."""

    day: date
    searches: int
    empty: int
    p50: float
    p95: float


class Counted(NamedTuple):
    """A chunk or page: how often it was a hit, at which rank on average, and what readers thought of it."""

    name: str
    hits: int
    rank: float
    good: int
    bad: int


class Asked(NamedTuple):
    """A query, white space and case aside: how often it was asked, when last, how many of its searches found nothing,
    the best confidence of any hit (NaN where none is known), and the verdicts on its hits.
    """

    query: str
    searches: int
    last: float
    empty: int
    confidence: float
    good: int
    bad: int


class Searched(NamedTuple):
    """One search, with the best confidence of its hits and the verdicts on them."""

    at: float
    run: str
    query: str
    hits: int
    seconds: float
    confidence: float
    good: int
    bad: int


class Judged(NamedTuple):
    """What a reader thought of a passage: 1 good, -1 bad; with the query that found it and a note, where given."""

    at: float
    run: str
    chunk: str
    url: str
    verdict: int
    query: str
    note: str


def moments(since: date | None, until: date | None, zone: tzinfo = UTC) -> tuple[float, float]:
    """The moments `[from, to)` of the days `since` to `until`, both included, as a clock of the zone has them."""
    first = _midnight(since, zone) if since else float("-inf")
    return first, _midnight(until + timedelta(days=1), zone) if until and until < date.max else float("inf")


def _midnight(day: date, zone: tzinfo) -> float:
    return datetime(day.year, day.month, day.day, tzinfo=zone).timestamp()


def latency(events: Events) -> Latency:
    """How long all searches took."""
    seconds = events["query"]["seconds"]
    return Latency(len(seconds), *_percentiles(seconds))


def _percentiles(seconds: NDArray[np.float32]) -> tuple[float, float]:
    """The 50th and 95th, each the time of some search; NaN without any."""
    known = seconds[~np.isnan(seconds)]
    if not len(known):
        return float("nan"), float("nan")
    half, most = np.percentile(known, (50, 95), method="inverted_cdf")
    return round(float(half), 4), round(float(most), 4)


def days(events: Events, zone: tzinfo = UTC) -> list[Day]:
    """Each day of the zone from the first with a search to the last, those without one too."""
    rows = events["query"]
    if not len(rows):
        return []
    at = _ordinals(rows["at"], zone)
    order = np.argsort(at, kind="stable")
    first = int(at[order[0]])
    edges = np.searchsorted(at[order], np.arange(first, int(at[order[-1]]) + 2))
    return [
        Day(
            date.fromordinal(first + i),
            stop - start,
            int((rows["hits"][order[start:stop]] == 0).sum()),
            *_percentiles(rows["seconds"][order[start:stop]]),
        )
        for i, (start, stop) in enumerate(pairwise(edges.tolist()))
    ]


def _ordinals(at: NDArray[np.float64], zone: tzinfo) -> NDArray[np.int64]:
    """The day of each moment in the zone, as `date.toordinal` numbers them."""
    quarters, back = np.unique(np.floor_divide(at, _QUARTER).astype(np.int64), return_inverse=True)
    known = [datetime.fromtimestamp(int(one) * _QUARTER, zone).toordinal() for one in quarters]
    return np.array(known, np.int64)[back]


def counted(events: Events, by: Subject) -> list[Counted]:
    """Each chunk, or page, that was a hit or judged: the most frequent first."""
    rows, verdicts, size = events["hit"], standing(events), len(events.texts)
    hits = np.bincount(rows[by], minlength=size)
    ranks = np.bincount(rows[by], rows["rank"], size)
    good, bad = _verdicts(verdicts, verdicts[by], size)
    found = np.flatnonzero(hits + good + bad)
    made = [
        Counted(
            events.texts[i],
            int(hits[i]),
            round(float(ranks[i] / hits[i]), 2) if hits[i] else float("nan"),
            int(good[i]),
            int(bad[i]),
        )
        for i in found.tolist()
    ]
    return sorted(made, key=lambda one: (-one.hits, -one.good - one.bad, one.name))


def standing(events: Events) -> Rows:
    """The verdicts that count, in the order they were given."""
    rows = events["feedback"]
    keys = rows["run"].astype(np.int64) * (len(events.texts) + 1) + rows["chunk"]
    _, last = np.unique(keys[::-1], return_index=True)
    kept = rows[np.sort(len(rows) - 1 - last)]
    found: Rows = kept[kept["verdict"] != 0]
    return found


def judged(events: Events) -> list[Judged]:
    """The verdicts that count, the last one first."""
    texts = events.texts
    return [
        Judged(at, texts[run], texts[chunk], texts[url], verdict, texts[query], texts[note])
        for at, run, chunk, url, verdict, query, note in standing(events)[::-1].tolist()
    ]


def _verdicts(rows: Rows, of: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many are good and how many bad for each number."""
    good = rows["verdict"] > 0
    return np.bincount(of[good], minlength=size), np.bincount(of[~good], minlength=size)


def asked(events: Events) -> list[Asked]:
    """Each query, the most frequent first, then the last one asked."""
    rows, best, (good, bad) = events["query"], _best(events), _of_runs(events)
    numbers, back = _alike(events, rows["query"])
    count = len(numbers)
    searches, empty = np.bincount(back, minlength=count), np.bincount(back[rows["hits"] == 0], minlength=count)
    last, sure = np.full(count, -np.inf), np.full(count, -np.inf)
    np.maximum.at(last, back, rows["at"])
    np.maximum.at(sure, back, best[rows["run"]])
    judged = [np.bincount(back, of[rows["run"]], count) for of in (good, bad)]
    made = [
        Asked(
            events.texts[number],
            int(searches[i]),
            float(last[i]),
            int(empty[i]),
            _sureness(sure[i]),
            *(int(one[i]) for one in judged),
        )
        for i, number in enumerate(numbers)
    ]
    return sorted(made, key=lambda one: (-one.searches, -one.last, one.query))


def _alike(events: Events, queries: NDArray[np.int32]) -> tuple[list[int], NDArray[np.int64]]:
    """The text of each query that differs from others in more than white space and case, as it was written last; and
    of every query which of these it is.
    """
    known: dict[str, int] = {}
    texts, back = np.unique(queries, return_inverse=True)
    groups = np.array([known.setdefault(same(events.texts[one]), len(known)) for one in texts], np.int64)
    numbers = dict(zip(groups[back].tolist(), queries.tolist(), strict=True)) if len(queries) else {}
    return [numbers[i] for i in range(len(known))], groups[back] if len(queries) else np.empty(0, np.int64)


def same(query: str) -> str:
    """What queries have in common that differ in white space and case alone."""
    return " ".join(query.split()).casefold()


def _best(events: Events) -> NDArray[np.float64]:
    """Of each run the best confidence of its hits; minus infinity where none is known."""
    rows, best = events["hit"], np.full(len(events.texts), -np.inf)
    known = ~np.isnan(rows["confidence"])
    np.maximum.at(best, rows["run"][known], rows["confidence"][known])
    return best


def _sureness(value: float) -> float:
    """A confidence to three digits; NaN where none is known."""
    return round(float(value), 3) if np.isfinite(value) else float("nan")


def _of_runs(events: Events) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The verdicts of each run."""
    verdicts = standing(events)
    return _verdicts(verdicts, verdicts["run"], len(events.texts))


def unanswered(found: Sequence[Asked], doubtful: float) -> list[Asked]:
    """The queries without a good hit: none was found, the best is below `doubtful`, or readers found bad ones only.

    A query whose hits a reader found good is answered.
    """
    return [
        one for one in found if not one.good and (one.bad or one.empty == one.searches or one.confidence < doubtful)
    ]


def searched(events: Events, *, chunk: str = "", url: str = "", query: str = "") -> list[Searched]:
    """The searches that found a chunk or a page, or that asked a query; all without either. The last one first."""
    rows = events["query"]
    for field, text in (("chunk", chunk), ("url", url)):
        if text:
            number = events.number(text)
            runs = [events[name]["run"][events[name][field] == number] for name in ("hit", "feedback")]
            rows = rows[np.isin(rows["run"], np.concatenate(runs))]
    if query:
        alike = [same(events.texts[number]) == same(query) for number in rows["query"].tolist()]
        rows = rows[np.array(alike, bool)]
    best, (good, bad) = _best(events), _of_runs(events)
    return [
        Searched(
            at,
            events.texts[run],
            events.texts[text],
            hits,
            round(seconds, 4),
            _sureness(best[run]),
            int(good[run]),
            int(bad[run]),
        )
        for at, run, text, hits, seconds in rows[np.argsort(-rows["at"], kind="stable")].tolist()
    ]
