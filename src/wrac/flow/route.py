"""A search to its route: what a ranking and the catalog say of its best document, weighed by price."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from wrac import catalog
from wrac.core.answers import Route
from wrac.core.structure import trails
from wrac.flow.gather import Gathered, Pages
from wrac.flow.report import Result
from wrac.flow.search import Ranking
from wrac.retrieval import Block, Context, Part
from wrac.routing import FIRST, RULE, Cost, Rule, Seen, Signals, route, signals
from wrac.text.tokens import counter


def decide(  # noqa: PLR0913 - a question, its evidence and its limits
    connection: Connection,
    ranking: Ranking,
    gathered: Gathered,
    cost: Cost,
    *,
    window: int | None = None,
    most: float | None = None,
    rule: Rule = RULE,
) -> Route:
    """What a question is answered from: the passages gathered, or the whole document of the best one, and why.

    `cost` is USD by tokens of evidence, `window` how many the model has room for, `most` USD; None is no limit.
    """
    return route(read(connection, ranking, gathered), cost, window=window, most=most, rule=rule)


def read(connection: Connection, ranking: Ranking, gathered: Gathered) -> Signals:
    """The signals of a search."""
    firsts = [(one, ranking.rows[one.entry][0]) for one in ranking.found[:FIRST]]
    seen = [Seen(row.page, one.score, ranking.sure(one.entry)) for one, row in firsts]
    if not seen:
        return signals(seen, 0, gathered.context.tokens, 0)
    page, hits = seen[0].page, gathered.answered.results
    sections = _sections(connection, page, [hit for hit in hits if hit.url == page])
    return signals(seen, sections, gathered.context.tokens, whole(connection, page).tokens)


def whole(connection: Connection, page: str) -> Context:
    """All passages of a page as one block, as a model is given it. Raises KeyError for a page that there is not."""
    record = catalog.get(connection, page)
    if record is None:
        raise KeyError(f"{page} is in the index and not in the catalog")
    parts = tuple(Part(chunk.id, page, position) for position, chunk in enumerate(record.chunks))
    block = Block(1, page, "", Pages(connection).markdown(page, range(len(parts))), parts)
    return Context(block.shown, counter("o200k").count(block.shown), (block,))


def _sections(connection: Connection, page: str, hits: Sequence[Result]) -> int:
    """How many sections of a page, by their nearest heading, hold units in focus."""
    record = catalog.get(connection, page)
    if record is None:
        return 0
    above = trails(record.document)
    focused = {one.unit for hit in hits for one in hit.focus}
    return len({above[place.ordinal][-1:] for place in record.document.places if place.unit in focused})
