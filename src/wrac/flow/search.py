"""A query to passages: both halves of the index, fused, each text once, cut to size, with a link to the exact place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from sqlalchemy import Connection

from wrac.catalog import contents, records
from wrac.core.seams import Embedder
from wrac.core.types import Chunk, Event, Unit
from wrac.flow.report import Result
from wrac.indexing import ALL, Filters, Row, Searched
from wrac.retrieval import DEPTH, Found, cut, distinct, focus, fuse, rarity, trust
from wrac.text.analysis import analyse, query_terms
from wrac.text.tokens import counter


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked for."""

    query: str
    k: int | None = 10
    budget: int | None = None
    filters: Filters = ALL


@dataclass(frozen=True, slots=True)
class Answered:
    """The results of one search and what the log should know of it."""

    ask: Ask
    results: list[Result]
    seconds: float
    run: str = field(default_factory=lambda: uuid4().hex[:12])

    def events(self) -> Iterator[Event]:
        """The query, then each hit."""
        now = time.time()
        asked = {"query": self.ask.query, "k": self.ask.k, "budget": self.ask.budget}
        yield Event(now, "query", self.run, {**asked, "hits": len(self.results), "seconds": round(self.seconds, 4)})
        for hit in self.results:
            fields = {"chunk": hit.chunk, "url": hit.url, "rank": hit.rank, "score": round(hit.score, 6)}
            yield Event(now, "hit", self.run, fields)


def search(connection: Connection, index: Searched, embedder: Embedder, ask: Ask) -> Answered:
    """The best passages for a query, best first."""
    started = time.perf_counter()
    terms = query_terms(ask.query, index.languages())
    lexical = index.lexical(terms, DEPTH, ask.filters)
    vector = embedder.embed([ask.query], query=True)[0]
    dense = index.dense(vector, DEPTH, ask.filters)
    rows = index.rows([*dict.fromkeys(entry for entry, _ in (*lexical, *dense))], ask.filters)
    believed = trust(ask.query, embedder.tokens(ask.query) - embedder.tokens(""))
    first = {entry: places[0].page for entry, places in rows.items() if places}
    ranked = fuse(lexical, dense, first, trust=believed)
    chunks = {entry: Chunk((), (), places[0].text, places[0].tokens) for entry, places in rows.items() if places}
    pages = {entry: [row.page for row in places] for entry, places in rows.items()}
    shown = _Shown(connection, rows)
    found = cut(distinct(ranked, chunks, pages), shown, k=ask.k, budget=ask.budget)
    results = _results(connection, found, shown, terms)
    return Answered(ask, results, time.perf_counter() - started)


class _Shown(Mapping[str, int]):
    """Of each entry how many tokens it takes as it is shown, counted when it is asked for, and its Markdown."""

    def __init__(self, connection: Connection, rows: Mapping[str, list[Row]]) -> None:
        self._connection, self.rows = connection, rows
        self._count = counter("o200k").count
        self._texts: dict[str, str] = {}
        self._sizes: dict[str, int] = {}

    def __getitem__(self, entry: str) -> int:
        if entry not in self._sizes:
            trail = " > ".join(self.rows[entry][0].trail)
            self._sizes[entry] = self._count(f"{trail}\n{self.markdown(entry)}" if trail else self.markdown(entry))
        return self._sizes[entry]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def markdown(self, entry: str) -> str:
        """The chunk as it is rendered on its first page."""
        if entry not in self._texts:
            row = self.rows[entry][0]
            self._texts[entry] = records.markdown(self._connection, row.page, row.position)
        return self._texts[entry]


def _results(connection: Connection, found: Sequence[Found], shown: _Shown, terms: Sequence[str]) -> list[Result]:
    hits = [shown.rows[one.entry][0] for one in found]
    units = contents.find_units(connection, (unit for row in hits for unit in row.units))
    analysed = {(unit, row.language): analyse(units[unit].text, row.language) for row in hits for unit in row.units}
    rare = rarity(list(analysed.values()))
    return [
        Result(
            rank=rank,
            score=round(one.score, 6),
            chunk=row.chunk,
            url=row.page,
            link=row.link,
            trail=row.trail,
            text=row.text,
            markdown=shown.markdown(one.entry),
            focus=focus(terms, _parts(row, units, analysed), rare),
            tokens=shown[one.entry],
            pages=one.pages,
            meta=row.meta,
        )
        for rank, (one, row) in enumerate(zip(found, hits, strict=True), 1)
    ]


def _parts(
    row: Row, units: Mapping[str, Unit], analysed: Mapping[tuple[str, str], Sequence[str]]
) -> list[tuple[str, str, Sequence[str]]]:
    return [(unit, units[unit].text, analysed[unit, row.language]) for unit in dict.fromkeys(row.units)]
