"""What a search and the catalog say of the best document: the signals by which a question is routed."""

from __future__ import annotations

from collections.abc import Sequence

from wrac.core.structure import trails
from wrac.flow.gather import Gathered, Pages
from wrac.flow.report import Result
from wrac.flow.search import Ranking
from wrac.retrieval import Block, Context, Part
from wrac.routing import FIRST, Seen, Signals, signals
from wrac.text.tokens import counter


def read(pages: Pages, ranking: Ranking, gathered: Gathered) -> Signals:
    """The signals of a search. The document's tokens are those of all of it and of the passages of other pages."""
    seen = [Seen(ranking.rows[one.entry][0].page, one.score) for one in ranking.found[:FIRST]]
    passages = gathered.context.tokens
    if not seen:
        return signals(seen, 0, 0.0, passages, 0)
    page, count = seen[0].page, counter("o200k").count
    size = whole(pages, page).tokens
    other = sum(count(block.shown) for block in beside(gathered, page))
    sections = _sections(pages, page, [hit for hit in gathered.answered.results if hit.url == page])
    return signals(seen, sections, (passages - other) / size if size else 1.0, passages, size + other)


def beside(gathered: Gathered, page: str) -> list[Block]:
    """The passages of other pages, which are read beside the whole of one."""
    return [block for block in gathered.context.blocks if block.page != page]


def whole(pages: Pages, page: str) -> Context:
    """All passages of a page as one block, as a model is given it. Raises KeyError for a page that there is not."""
    parts = tuple(Part(chunk.id, page, position) for position, chunk in enumerate(pages.record(page).chunks))
    block = Block(1, page, "", pages.markdown(page, range(len(parts))), parts)
    return Context(block.shown, counter("o200k").count(block.shown), (block,))


def _sections(pages: Pages, page: str, hits: Sequence[Result]) -> int:
    """How many sections of a page, by their nearest heading, hold units in focus."""
    document = pages.record(page).document
    above, focused = trails(document), {one.unit for hit in hits for one in hit.focus}
    return len({above[place.ordinal][-1:] for place in document.places if place.unit in focused})
