"""A query to passages: both halves of the index, fused, each text once, cut to size, with a link to the exact place."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from uuid import uuid4

from sqlalchemy import Connection

from wrac.catalog import contents, records
from wrac.core.errors import ConfigError
from wrac.core.seams import Embedder
from wrac.core.types import Event, Unit
from wrac.flow.report import Result
from wrac.flow.watched import retrieving
from wrac.indexing import ALL, Filters, Row, Searched
from wrac.retrieval import (
    DEMOTED,
    DEPTH,
    HEAD,
    Found,
    Parts,
    Scored,
    Stands,
    closeness,
    confidence,
    cut,
    demote,
    distinct,
    focus,
    fuse,
    parts,
    path,
    rarity,
    rerank,
    reread,
    strangers,
    trust,
)
from wrac.text.analysis import analyse, query_terms
from wrac.text.tokens import counter

_READERS = 2
"""Passages that are read token by token at once."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked for. Passages of less than `confidence` are left out; `rerank` reads the first ones once more;
    `explain` has each result say what its score is made of.

    With `near` passages below that share of the best score fill no more than `SPARE` of a context's budget; with
    `mixed` what is about siblings of what the query names is treated as any other passage.
    """

    query: str
    k: int | None = 10
    budget: int | None = None
    filters: Filters = ALL
    rerank: bool = False
    confidence: float = 0.0
    explain: bool = False
    near: float = 0.0
    mixed: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """The results of one search and what the log should know of it."""

    ask: Ask
    results: list[Result]
    seconds: float
    run: str

    def events(self) -> Iterator[Event]:
        """The query, then each hit."""
        now = time.time()
        asked = {"query": self.ask.query, "k": self.ask.k, "budget": self.ask.budget}
        yield Event(now, "query", self.run, {**asked, "hits": len(self.results), "seconds": round(self.seconds, 4)})
        for hit in self.results:
            fields = {"chunk": hit.chunk, "url": hit.url, "rank": hit.rank, "score": round(hit.score, 6)}
            yield Event(now, "hit", self.run, {**fields, "confidence": round(hit.confidence, 3)})


@dataclass(frozen=True, slots=True)
class Ranking:
    """Distinct results, best first, with the rows of every entry, the query's terms, and how sure each entry is; what
    scores are made of only where that was asked for. `strange` are entries about siblings of what the query names.
    """

    found: list[Found]
    rows: Mapping[str, list[Row]]
    terms: Sequence[str]
    sure: Callable[[str], float]
    parts: Mapping[str, Parts] | None = None
    strange: frozenset[str] = frozenset()
    run: str = field(default_factory=lambda: uuid4().hex[:12])


def search(connection: Connection, index: Searched, embedder: Embedder, ask: Ask) -> Answered:
    """The best passages for a query, best first. Raises ConfigError as `rank` does."""
    started = time.perf_counter()
    ranking = rank(index, embedder, ask)
    shown = Shown(connection, ranking.rows)
    found = cut(ranking.found, shown, k=ask.k, budget=ask.budget)
    hits = results(connection, found, shown, ranking)
    return Answered(ask, hits, time.perf_counter() - started, ranking.run)


@retrieving
def rank(index: Searched, embedder: Embedder, ask: Ask) -> Ranking:
    """All passages that may answer, best first.

    Raises ConfigError for a query without a letter or digit, and for `rerank` with an embedder of no token vectors.
    """
    refuse_empty(ask.query)
    terms = query_terms(ask.query, index.languages())
    lexical = index.lexical(terms, DEPTH, ask.filters)
    dense = index.dense(embedder.embed([ask.query], query=True)[0], DEPTH, ask.filters)
    rows = index.rows([*dict.fromkeys(entry for entry, _ in (*lexical, *dense))], ask.filters)
    rows = {entry: places for entry, places in rows.items() if places}
    # A store outside may have passages that the catalog has no more.
    lexical, dense = ([one for one in listed if one[0] in rows] for listed in (lexical, dense))
    believed = trust(ask.query, embedder.tokens(ask.query) - embedder.tokens(""))
    first = {entry: places[0] for entry, places in rows.items()}
    on = {entry: row.page for entry, row in first.items()}
    ranked = fuse(lexical, dense, on, trust=believed)
    strange = frozenset[str]() if ask.mixed else _strangers(ask.query, first, ranked)
    ranked = demote(ranked, strange)
    made_of = parts(lexical, dense, on, trust=believed) if ask.explain else None
    if made_of is not None:
        made_of = {entry: one.scaled(DEMOTED) if entry in strange else one for entry, one in made_of.items()}
    if ask.rerank:
        fused, close = ranked, _close(embedder, ask.query, first, ranked[:HEAD])
        ranked = rerank(fused, close, trust=believed)
        made_of = made_of and reread(made_of, fused, ranked, close, believed)
    pages = {entry: [row.page for row in places] for entry, places in rows.items()}
    sure = _sureness(ask.query, first, dense, believed)
    found = distinct(ranked, {entry: row.text for entry, row in first.items()}, pages)
    if ask.confidence > 0:
        found = [one for one in found if sure(one.entry) >= ask.confidence]
    return Ranking(found, rows, terms, sure, made_of, strange)


def refuse_empty(query: str) -> None:
    """Nothing, for a query with a letter or digit. Raises ConfigError for another."""
    if not any(map(str.isalnum, query)):
        raise ConfigError("the query is empty; ask a question or give some words")


def _strangers(query: str, rows: Mapping[str, Row], ranked: Sequence[Scored]) -> frozenset[str]:
    """The first entries that are about siblings of what the query names."""
    told = ((entry, rows[entry]) for entry, _ in ranked[:DEPTH])
    return strangers(query, {entry: Stands(path(row.prefix, row.label), row.text, row.language) for entry, row in told})


def _close(embedder: Embedder, query: str, rows: Mapping[str, Row], head: Sequence[Scored]) -> dict[str, float]:
    """How close the first entries are to the query, token by token."""
    read = getattr(embedder, "token_vectors", None)
    if read is None:
        raise ConfigError(f"{embedder.name} has no vectors of tokens; search without --rerank")
    asked = read(query, query=True)
    with ThreadPoolExecutor(_READERS, "wrac-rerank") as pool:
        passages = pool.map(lambda entry: read(_embedded(rows[entry])), [entry for entry, _ in head])
        return {entry: closeness(asked, one) for (entry, _), one in zip(head, passages, strict=True)}


def _embedded(row: Row) -> str:
    """What was embedded and analysed of a row, as `Entry.text` has it."""
    text = row.text[row.start : None if row.end < 0 else row.end]
    return f"{row.prefix}\n{text}" if row.prefix else text


def _sureness(query: str, rows: Mapping[str, Row], dense: Sequence[Scored], believed: float) -> Callable[[str], float]:
    """Of an entry how well it matches the query by itself, whatever else was found; see `confidence`."""
    cosines = dict(dense)
    least = min(cosines.values(), default=0.0)  # what is not in the list is no closer than its end
    wanted = lru_cache(None)(lambda language: frozenset(query_terms(query, [language])))

    def sure(entry: str) -> float:
        row = rows[entry]
        terms = wanted(row.language)
        held = len(terms.intersection(analyse(_embedded(row), row.language)))
        return confidence(cosines.get(entry, least), held / len(terms) if terms else 0.0, believed)

    return sure


class Shown(Mapping[str, int]):
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


def results(connection: Connection, found: Sequence[Found], shown: Shown, ranking: Ranking) -> list[Result]:
    """The found passages as they are given back, in their order."""
    hits = [shown.rows[one.entry][0] for one in found]
    units = contents.find_units(connection, (unit for row in hits for unit in row.units))
    analysed = {(unit, row.language): analyse(units[unit].text, row.language) for row in hits for unit in row.units}
    rare = rarity(list(analysed.values()))
    tabular = {row.page for row in hits if any(units[unit].kind == "table_row" for unit in row.units)}
    heads = {page: contents.table_heads(connection, page) for page in tabular}
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
            focus=focus(ranking.terms, _parts(row, units, analysed, heads.get(row.page, ())), rare),
            tokens=shown[one.entry],
            pages=one.pages,
            meta=row.meta,
            confidence=ranking.sure(one.entry),
            label=row.label,
            run=ranking.run,
            parts=None if ranking.parts is None else ranking.parts[one.entry],
        )
        for rank, (one, row) in enumerate(zip(found, hits, strict=True), 1)
    ]


def _parts(
    row: Row, units: Mapping[str, Unit], analysed: Mapping[tuple[str, str], Sequence[str]], heads: Collection[str]
) -> list[tuple[str, str, Sequence[str]]]:
    """The units of a hit, without its headings and the rows that head its tables where there is anything else."""
    inside = list(dict.fromkeys(row.units))
    said = [unit for unit in inside if units[unit].kind != "heading" and unit not in heads]
    return [(unit, units[unit].text, analysed[unit, row.language]) for unit in said or inside]
