"""A query to one text: what a reader or a model is given to answer from, within a budget, every passage cited."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from wrac import catalog
from wrac.catalog import Record
from wrac.core.seams import Embedder
from wrac.core.types import Event
from wrac.flow.links import plain
from wrac.flow.report import Result
from wrac.flow.search import Answered, Ask, Ranking, Shown, rank, results
from wrac.indexing import Searched
from wrac.retrieval import SPARE, SURE, Context, Found, Part, Stand, context
from wrac.text.render import Renderer
from wrac.text.tokens import counter

_LOOKED_AT: Final = 10
"""Results of which one must be sure for a budget not to be filled."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A context, and the passages in it, best first. `sources` are theirs by block: passages in reading order."""

    context: Context
    answered: Answered
    sources: tuple[tuple[Result, ...], ...]

    def events(self) -> Iterator[Event]:
        """Those of the search."""
        return self.answered.events()


def gather(connection: Connection, index: Searched, embedder: Embedder, ask: Ask) -> Gathered:
    """The best passages for a query as one text. Raises ConfigError as `rank` does."""
    started = time.perf_counter()
    return assemble(connection, rank(index, embedder, ask), ask, started)


def assemble(
    connection: Connection, ranking: Ranking, ask: Ask, started: float, pages: Pages | None = None
) -> Gathered:
    """The best passages of a ranking as one text; `started` is when the search began, by `time.perf_counter`.

    `pages` are those that were read already.
    """
    made = compose(pages or Pages(connection), ranking, ask)
    inside = {part.entry for block in made.blocks for part in block.parts}
    found = [one for one in ranking.found if one.entry in inside]
    hits = results(connection, found, Shown(connection, ranking.rows), ranking)
    answered = Answered(ask, hits, time.perf_counter() - started, ranking.run)
    return Gathered(made, answered, _by_block(made, found, hits))


def compose(pages: Pages, ranking: Ranking, ask: Ask) -> Context:
    """The best passages of a ranking as one text.

    What is about a sibling of what was asked about is left out: a reader could take it for the answer.
    """
    wanted = [one for one in ranking.found if one.entry not in ranking.strange]
    sure = ask.near > 0 and any(ranking.sure(one.entry) >= SURE for one in wanted[:_LOOKED_AT])
    spare = round(SPARE * ask.budget) if sure and ask.budget is not None else ask.budget
    parts, size = _parts(wanted, ranking, ask.near), counter("o200k").count
    return context(parts, pages, size, budget=ask.budget, k=ask.k, spare=spare)


def _parts(wanted: Sequence[Found], ranking: Ranking, near: float) -> Iterator[Part]:
    """The results as parts of a context; those below `near` of the best score are far."""
    for one in wanted:
        row = ranking.rows[one.entry][0]
        yield Part(row.entry, row.page, row.position, row.tokens, one.score < near * wanted[0].score)


def _by_block(made: Context, found: Sequence[Found], hits: Sequence[Result]) -> tuple[tuple[Result, ...], ...]:
    by_entry: Mapping[str, Result] = {one.entry: hit for one, hit in zip(found, hits, strict=True)}
    return tuple(tuple(by_entry[part.entry] for part in block.parts) for block in made.blocks)


class Pages:
    """Pages of the catalog, each read when it is first asked for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._records: dict[str, Record] = {}
        self._renderers: dict[str, Renderer] = {}

    def stand(self, page: str, position: int) -> Stand:
        """What is above a chunk and in it."""
        chunk = self.record(page).chunks[position]
        return Stand(chunk.trail, tuple(piece.unit for piece in chunk.slices))

    def title(self, page: str, unit: str) -> str:
        """A heading of the page on one line, without its permalink."""
        document = self.record(page).document
        return " ".join(plain(document, next(place for place in document.places if place.unit == unit)).split())

    def markdown(self, page: str, positions: Sequence[int]) -> str:
        """Chunks in a row as one text: a table that goes on has its header once, a unit that was cut is whole again."""
        record = self.record(page)
        ranges = held(record, positions)
        document = record.document
        cuts = {o: part for o, part in ranges.items() if part != (0, len(document.text(o)))}
        if page not in self._renderers:
            self._renderers[page] = Renderer(document, lean=True)
        return self._renderers[page].markdown(sorted(ranges), cuts)

    def record(self, page: str) -> Record:
        """All that is stored of a page."""
        if page not in self._records:
            record = catalog.get(self._connection, page)
            if record is None:
                raise KeyError(f"{page} is in the index and not in the catalog")
            self._records[page] = record
        return self._records[page]


def held(record: Record, positions: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The code points `[start, end)` that chunks of a page hold of its units, by ordinal."""
    ranges: dict[int, tuple[int, int]] = {}
    for position in positions:
        slices = record.chunks[position].slices
        for ordinal, (_, start, end) in zip(record.occurrences[position].ordinals, slices, strict=True):
            low, high = ranges.get(ordinal, (start, end))
            ranges[ordinal] = (min(low, start), max(high, end))
    return ranges
