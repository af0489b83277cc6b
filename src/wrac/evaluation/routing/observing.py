"""Each question of a data set, and what a model would read of the pages by every way to answer it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, NamedTuple

from sqlalchemy import Connection

from wrac.core.structure import trails
from wrac.core.types import Document
from wrac.evaluation.metrics.blocks import covered
from wrac.evaluation.metrics.words import content_terms
from wrac.evaluation.values import DataSet, Gold, Query
from wrac.evaluation.vectors import Tell
from wrac.flow.gather import Gathered, Pages, assemble, compose
from wrac.flow.route import beside, read, whole
from wrac.flow.search import Ask, Ranking, rank
from wrac.flow.workspace import Workspace
from wrac.retrieval import FAINT, NEAR, Context
from wrac.routing import Signals
from wrac.text.tokens import counter

BUDGETS: Final = (300, 375, 450, 700, 1200, 1500, 1800, 2000)
"""Tokens of passages; the last is what `wrac ask` takes unless it is told otherwise."""
NEARS: Final = (0.0, 0.65, 0.8)
"""Shares of the best score that are tried beside `NEAR`, with the last budget."""
SECTIONS, PART = 3, 0.4
"""A question whose gold is in so many sections, or so large a part of its page, needs the whole document."""
FOLDS = 4


class Read(NamedTuple):
    """What a model would read: its tokens, and whether each gold block is in it."""

    tokens: int
    gold: tuple[bool, ...]

    @property
    def recall(self) -> float:
        return sum(self.gold) / len(self.gold)


class Ways(NamedTuple):
    """A budget's passages, the best page whole beside the passages of others, and the signals that choose."""

    signals: Signals
    passages: Read
    document: Read


@dataclass(frozen=True, slots=True)
class Observed:
    """A question, the `fold` it is left out with, and whether it `needs` the whole document.

    `page` and `three` are the best page and the three best pages, whole. `ways` are by budget; `nears` are the passages
    of the last budget by the share of the best score from which on they may fill it.
    """

    query: str
    text: str
    groups: Mapping[str, str]
    fold: str
    needs: bool
    page: Read
    three: Read
    ways: Mapping[int, Ways]
    nears: Mapping[float, Read]


def observe(data: DataSet, made: Workspace, tell: Tell, budgets: Sequence[int] = BUDGETS) -> list[Observed]:
    """Every question of the data set, in its order; `made` is its workspace.

    A gold block is seen where 85 % of its content words are in one block of a context, or in the page.
    """
    owners = folds(data)
    found, told = [], 0.0
    with made.shelf.searching() as (connection, index):
        reader = _Reader(connection)
        for number, query in enumerate(data.queries):
            if time.perf_counter() - told > 1:
                told = time.perf_counter()
                tell(f"embedding questions {number}/{len(data.queries)}")  # a step, not a line of its own
            ranking = rank(index, made.embedder, Ask(query.text, None, None, confidence=FAINT))
            found.append(reader.observed(query, ranking, owners, budgets))
    return found


def folds(data: DataSet) -> dict[str, str]:
    """The fold of each page by URL: its company, where the questions name companies; else one of a few."""
    companies = {query.groups.get("company", "") for query in data.queries} - {""}
    urls = sorted(page.url for page in data.pages)
    named = {url: url.partition("/")[0] for url in urls}
    if companies and companies >= set(named.values()):
        return named
    return {url: f"pages {number % FOLDS + 1}" for number, url in enumerate(urls)}


def fold(query: Query, owners: Mapping[str, str]) -> str:
    """The fold of a question: that of its first gold page by URL."""
    pages = sorted(page for gold in query.gold for page in gold.pages if page in owners)
    return owners[pages[0]] if pages else ""


class _Reader:
    """Reads pages whole, each once, and says which gold is in what was read."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self._pages = connection, Pages(connection)
        self._whole = cache(lambda url: whole(self._pages, url))
        self._sections = cache(lambda url: _sections(self._pages.record(url).document))
        self._size = cache(counter("o200k").count)

    def observed(self, query: Query, ranking: Ranking, owners: Mapping[str, str], budgets: Sequence[int]) -> Observed:
        best = list(dict.fromkeys(ranking.rows[one.entry][0].page for one in ranking.found))[:3]
        return Observed(
            query.id,
            query.text,
            query.groups,
            fold(query, owners),
            self._needs(query.gold),
            self._read(query, self._all(best[:1])),
            self._read(query, self._all(best)),
            {budget: self._ways(query, ranking, self._gathered(query, ranking, budget)) for budget in budgets},
            {near: self._near(query, ranking, budgets[-1], near) for near in NEARS},
        )

    def _gathered(self, query: Query, ranking: Ranking, budget: int) -> Gathered:
        return assemble(self._connection, ranking, Ask(query.text, None, budget, near=NEAR), 0.0, self._pages)

    def _ways(self, query: Query, ranking: Ranking, gathered: Gathered) -> Ways:
        signals = read(self._pages, ranking, gathered)
        texts = [(block.page, block.shown) for block in beside(gathered, signals.page)]
        full = self._read(query, [*self._all([signals.page] if signals.page else []), *texts])
        passages = self._passages(query, gathered.context)
        return Ways(replace(signals, document=full.tokens), passages, full)

    def _near(self, query: Query, ranking: Ranking, budget: int, near: float) -> Read:
        return self._passages(query, compose(self._pages, ranking, Ask(query.text, None, budget, near=near)))

    def _passages(self, query: Query, context: Context) -> Read:
        found = self._read(query, [(block.page, block.shown) for block in context.blocks])
        return found._replace(tokens=context.tokens)

    def _all(self, urls: Iterable[str]) -> list[tuple[str, str]]:
        return [(url, self._whole(url).text) for url in urls]

    def _read(self, query: Query, texts: Sequence[tuple[str, str]]) -> Read:
        seen = [(page, _words(text)) for page, text in texts]
        gold = [
            any(page in one.pages and covered(_words(one.text), words) for page, words in seen) for one in query.gold
        ]
        return Read(sum(self._size(text) for _, text in texts), tuple(gold))

    def _needs(self, gold: Sequence[Gold]) -> bool:
        """Whether the gold spreads over so many sections of a page, or is so large a part of one."""
        pages = {page for one in gold for page in one.pages}
        return any(self._spread(page, [one.text for one in gold if page in one.pages]) for page in pages)

    def _spread(self, page: str, texts: Sequence[str]) -> bool:
        held = sum(map(self._size, texts)) / max(self._whole(page).tokens, 1)
        sections = self._sections(page)
        where = {max(sections, key=lambda one: len(_words(text) & sections[one]), default=-1) for text in texts}
        return len(where) >= SECTIONS or held >= PART


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


def _sections(document: Document) -> dict[int, frozenset[str]]:
    """The content words of each section, by the ordinal of its heading; -1 for what is above all."""
    words: dict[int, set[str]] = {}
    for place, above in zip(document.places, trails(document), strict=True):
        words.setdefault(above[-1] if above else -1, set()).update(_words(document.text(place.ordinal)))
    return {heading: frozenset(found) for heading, found in words.items()}
