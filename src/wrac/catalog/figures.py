"""What is stored, in figures for people: sizes of chunks, kinds of their units, what pages are tagged with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from sqlalchemy import Connection, func, select

from wrac.catalog.contents import batches, get_units, short, tagged
from wrac.catalog.schema import chunks, occurrences, pages, shared, units, visits

_CHUNK: Final = re.compile(r"c1:[0-9a-f]{32}")
"""Ids come from an event log: one that no chunk has is that of none."""


class Measured(NamedTuple):
    """A chunk: its tokens and the page it stands on first, by URL."""

    chunk: str
    tokens: int
    url: str


class Carried(NamedTuple):
    """A unit that several documents carry, and how many."""

    unit: str
    kind: str
    text: str
    documents: int


class Health(NamedTuple):
    """What visits to pages have shown: pages that are visited, visits in all, those that found the page changed, pages
    that were missing at the last one, and the moments of the earliest and the latest of the last visits.
    """

    pages: int
    checks: int
    changes: int
    missing: int
    oldest: float
    newest: float


def measured(connection: Connection) -> Iterator[Measured]:
    """Every chunk that stands on a page."""
    first = func.min(pages.c.url)
    joined = chunks.join(occurrences, occurrences.c.chunk == chunks.c.row).join(pages)
    query = select(chunks.c.id, chunks.c.data, first).select_from(joined).group_by(chunks.c.row)
    for identity, data, url in connection.execute(query):
        yield Measured(tagged("c1", identity), int(data[data.rindex(",") + 1 : -1]), url)


def kinds(connection: Connection, wanted: Iterable[str]) -> dict[str, frozenset[str]]:
    """Of those of the chunks that are stored the kinds of their units."""
    inside: dict[str, list[int]] = {}
    for batch in batches(filter(_CHUNK.fullmatch, wanted)):
        query = select(chunks.c.id, chunks.c.data).where(chunks.c.id.in_([short(one) for one in batch]))
        inside.update((tagged("c1", row.id), json.loads(row.data)[1][::3]) for row in connection.execute(query))
    of: dict[int, str] = {}
    for rows in batches({row for found in inside.values() for row in found}):
        query = select(units.c.row, units.c.kind).where(units.c.row.in_(rows))
        of.update((row.row, row.kind) for row in connection.execute(query))
    return {chunk: frozenset(of[row] for row in rows) for chunk, rows in inside.items()}


def begins(connection: Connection, wanted: Iterable[str], most: int = 100) -> dict[str, str]:
    """How those of the chunks that are stored begin: at most so many characters of their first units."""
    first: dict[str, list[int]] = {}
    for batch in batches(filter(_CHUNK.fullmatch, wanted)):
        query = select(chunks.c.id, chunks.c.data).where(chunks.c.id.in_([short(one) for one in batch]))
        first.update((tagged("c1", row.id), json.loads(row.data)[1][:3]) for row in connection.execute(query))
    texts = get_units(connection, {row for row, *_ in first.values()})
    return {chunk: texts[row].text[start : min(end, start + most)] for chunk, (row, start, end) in first.items()}


def repeated(connection: Connection, start: int, limit: int) -> list[Carried]:
    """Units that several documents carry, those that most do first; `limit` of them from one on."""
    others = func.count()
    query = select(units.c.id, units.c.kind, units.c.text, others).join(shared, shared.c.unit == units.c.row)
    query = query.group_by(units.c.row).order_by(others.desc(), units.c.row).offset(start).limit(limit)
    rows = connection.execute(query)
    return [Carried(tagged("u1", identity), kind, text, 1 + count) for identity, kind, text, count in rows]


def tags(connection: Connection, wanted: Iterable[str]) -> dict[str, dict[str, str]]:
    """Of those of the pages that are stored the metadata they were given."""
    found: dict[str, dict[str, str]] = {}
    for batch in batches(wanted):
        query = select(pages.c.url, pages.c.meta).where(pages.c.url.in_(batch))
        found.update((row.url, json.loads(row.meta)) for row in connection.execute(query))
    return found


def health(connection: Connection) -> Health:
    """What visits have shown so far; nothing where no site was crawled."""
    seen = visits.c.checked
    missing = func.count().filter(visits.c.misses > 0)
    sums = (func.sum(visits.c.checks), func.sum(visits.c.changes))
    row = connection.execute(select(func.count(), *sums, missing, func.min(seen), func.max(seen))).one()
    return Health(*(int(one or 0) for one in row[:4]), *(float(one or 0) for one in row[4:]))
