"""What a workspace's events and its catalog say together: use, trouble, sizes, savings, money, health."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, tzinfo
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import Connection

from wrac import catalog
from wrac.catalog import crawls, figures
from wrac.catalog.figures import Health, Measured
from wrac.catalog.ledger import Grouping, sums
from wrac.catalog.repetition import Repetition, repetition
from wrac.core.types import Usage
from wrac.flow.passed import Passed, passed
from wrac.flow.planners import site
from wrac.observing.columns import Events
from wrac.observing.statistics import (
    Asked,
    Counted,
    Day,
    Latency,
    asked,
    counted,
    days,
    latency,
    moments,
    unanswered,
)
from wrac.retrieval import DOUBTFUL

if TYPE_CHECKING:
    from wrac.flow.workspace import Workspace

EDGES: Final = (25, 50, 100, 150, 200, 300, 400, 512, 800)
"""Upper ends of the classes of chunk sizes, in tokens; the last class is open."""
PAID: Final[tuple[Grouping, ...]] = ("day", "site", "model", "purpose")


class Share(NamedTuple):
    """A site, kind or tag, and how many hits were of it."""

    name: str
    hits: int


class Run(NamedTuple):
    """A run that brought the workspace up to date: its verb, pages it found, and how many of these were new, needed
    nothing, and could not be used.
    """

    at: float
    verb: str
    pages: int
    added: int
    unchanged: int
    skipped: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Use:
    """What searches found in a time. `good` and `bad` are verdicts; `empty` searches found nothing.

    `days` are those of the time's zone. A hit counts for each kind of the units in its chunk, and for each tag of its
    page, `name=value`; those of chunks and pages that are not `stored` any more, for their site alone. `disliked` are
    stored pages that more readers found bad than good; `unanswered` are queries without a good hit; `ways` says what
    answers were made from.
    """

    latency: Latency
    empty: int
    good: int
    bad: int
    days: tuple[Day, ...]
    chunks: tuple[Counted, ...]
    pages: tuple[Counted, ...]
    sites: tuple[Share, ...]
    kinds: tuple[Share, ...]
    tags: tuple[Share, ...]
    disliked: tuple[Counted, ...]
    queries: tuple[Asked, ...]
    unanswered: tuple[Asked, ...]
    ways: tuple[Share, ...]
    stored: frozenset[str]


@dataclass(frozen=True, slots=True)
class Kept:
    """What is stored. `sizes` counts chunks by EDGES; `unseen` are those that no search of the time found.

    `paid` is what models cost, by each of PAID; `crawls` are those under way, with the addresses settled and ahead.
    """

    chunks: int
    sizes: tuple[int, ...]
    unseen: tuple[Measured, ...]
    repetition: Repetition
    paid: Mapping[Grouping, Mapping[str, Usage]]
    runs: tuple[Run, ...]
    health: Health
    passed: tuple[Passed, ...]
    crawls: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Both, for the days `since` to `until`; None is without an end. Sizes, repetition, health and what was passed over
    are as they are now.
    """

    since: date | None
    until: date | None
    zone: str
    use: Use
    kept: Kept


def statistics(
    workspace: Workspace, since: date | None = None, until: date | None = None, zone: tzinfo = UTC
) -> Statistics:
    """What the events of some days say, and what is stored."""
    events = workspace.log.events().between(*moments(since, until, zone))
    with workspace.database.read() as connection:
        use = _use(connection, events, zone)
        return Statistics(since, until, str(zone), use, _kept(connection, events, since, until))


def _use(connection: Connection, events: Events, zone: tzinfo) -> Use:
    chunks, pages, queries = counted(events, "chunk"), counted(events, "url"), asked(events)
    kinds = figures.kinds(connection, (one.name for one in chunks))
    tags = figures.tags(connection, (one.name for one in pages))
    return Use(
        latency=latency(events),
        empty=int((events["query"]["hits"] == 0).sum()),
        good=sum(one.good for one in chunks),
        bad=sum(one.bad for one in chunks),
        days=tuple(days(events, zone)),
        chunks=tuple(chunks),
        pages=tuple(pages),
        sites=_shares((site(one.name), one.hits) for one in pages),
        kinds=_shares((kind, one.hits) for one in chunks for kind in kinds.get(one.name, ())),
        tags=_shares((f"{k}={v}", one.hits) for one in pages for k, v in tags.get(one.name, {}).items()),
        disliked=disliked(one for one in pages if one.name in tags),
        queries=tuple(queries),
        unanswered=tuple(unanswered(queries, DOUBTFUL)),
        ways=_shares((events.texts[choice], 1) for choice in events["ask"]["choice"].tolist()),
        stored=frozenset({*kinds, *tags}),
    )


def disliked(pages: Iterable[Counted]) -> tuple[Counted, ...]:
    """The pages that more readers found bad than good, the worst first: by verdicts, then by hits."""
    worse = (one for one in pages if one.bad > one.good)
    return tuple(sorted(worse, key=lambda one: (one.good - one.bad, -one.hits, one.name)))


def _shares(found: Iterable[tuple[str, int]]) -> tuple[Share, ...]:
    hits: Counter[str] = Counter()
    for name, count in found:
        hits[name] += count
    return tuple(Share(name, count) for name, count in sorted(hits.items(), key=lambda one: (-one[1], one[0])) if count)


def _kept(connection: Connection, events: Events, since: date | None, until: date | None) -> Kept:
    chunks = sorted(figures.measured(connection), key=lambda one: (one.url, one.chunk))
    hit = {events.texts[number] for number in set(events["hit"]["chunk"].tolist())}
    first, last = (day.isoformat() if day else "" for day in (since, until))
    return Kept(
        chunks=len(chunks),
        sizes=sizes(one.tokens for one in chunks),
        unseen=tuple(one for one in chunks if one.chunk not in hit),
        repetition=repetition(connection),
        paid={by: sums(connection, by, first, last) for by in PAID},
        runs=_runs(events),
        health=figures.health(connection),
        passed=tuple(passed(catalog.skipped(connection))),
        crawls=crawls.under_way(connection),
    )


def sizes(tokens: Iterable[int]) -> tuple[int, ...]:
    """How many sizes are in each class: up to the first of EDGES, up to the next, and beyond the last."""
    found = Counter(map(size_class, tokens))
    return tuple(found[i] for i in range(len(EDGES) + 1))


def size_class(tokens: int) -> int:
    """The class that a size is in, counted from 0."""
    return bisect_left(EDGES, tokens)


def classes() -> list[str]:
    """The classes in words.

    >>> classes()[0], classes()[-1]
    ('0–25', '801+')
    """
    starts = [0, *(edge + 1 for edge in EDGES)]
    return [*(f"{first}–{last}" for first, last in zip(starts, EDGES, strict=False)), f"{EDGES[-1] + 1}+"]


def _runs(events: Events) -> tuple[Run, ...]:
    """The last one first."""
    rows = events["ran"][::-1].tolist()
    return tuple(
        Run(at, events.texts[verb], pages, added, unchanged, skipped, round(seconds, 2))
        for at, _, verb, pages, added, unchanged, skipped, seconds in rows
    )
