"""Gold-block recall at k, in a word budget and in a token budget, and how the ranking stands by position.

A gold block counts when at least 85 % of its distinct content words are in one passage of a page it stands on. B@w
reads passages best first until w words are given, the last one cut; T@t the same in o200k tokens; R@k reads k
passages. The budget is the fair measure: @k rewards large passages. What a word is: `wrac.evaluation.metrics.words`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

from wrac.evaluation.metrics.ranking import RANKING, Needs, by_position, ir_measures
from wrac.evaluation.metrics.words import content_terms, length, opening
from wrac.evaluation.values import Gold, Passage, Query
from wrac.text.tokens import counter

CUTS = (1, 3, 6)
DEEP = 10
BUDGETS = (250, 500, 1000)
TOKENS = (400, 500, 800)
CURVE = (50, 100, 150, 200, 250, 350, 500, 700, 1000, 1500, 2000)
"""Word budgets at which the whole curve is drawn."""
METRICS = tuple(f"R@{k}" for k in CUTS) + tuple(f"B@{w}" for w in BUDGETS)
"""The figures of `score`."""
COVERED = 0.85
READ = 3
"""Passages of `tokens@3`: what a reader of the first three pays for."""

Size: TypeAlias = Callable[[str], int]


def covered(block: frozenset[str], text: frozenset[str]) -> bool:
    """Whether a text's content words hold those of a gold block: 85 % of them."""
    return len(block & text) >= COVERED * len(block)


def distinct(hits: Sequence[Passage]) -> list[Passage]:
    """The hits without those that give a reader the same text of the same page again, however often it is indexed."""
    first: dict[tuple[str, str], Passage] = {}
    for hit in hits:
        first.setdefault((hit.page, hit.text), hit)
    return list(first.values())


class BlockJudge:
    """Scores passages against gold blocks. Word sets are kept, so judging many strategies over one set stays fast.

    Raises MissingExtraError where ir-measures is not installed.
    """

    metrics = (*METRICS, f"R@{DEEP}", *(f"T@{t}" for t in TOKENS), *RANKING, f"tokens@{READ}")
    primary = ("R@1", "R@3", "B@250", "B@500", "B@1000", "nDCG@10", f"tokens@{READ}")

    def __init__(self) -> None:
        ir_measures()
        self._content: dict[str, frozenset[str]] = {}
        self._tokens: Size = cache(counter("o200k").count)
        self._words: Size = cache(length)

    def scores(
        self, queries: Sequence[Query], rankings: Sequence[Sequence[Passage]], passages: Sequence[Passage]
    ) -> list[tuple[float, ...]]:
        """The values of `metrics` for each query; all 0 where nothing was found."""
        rankings = [distinct(hits) for hits in rankings]
        placed = by_position(self._needs(queries, rankings, passages))
        return [
            (
                *self.score(query, hits),
                self.recall(query, hits, DEEP),
                *self._in_tokens(query, hits),
                *places,
                sum(self._tokens(hit.text) for hit in hits[:READ]),
            )
            for query, hits, places in zip(queries, rankings, placed, strict=True)
        ]

    def score(self, query: Query, hits: Sequence[Passage]) -> tuple[float, ...]:
        """The values of METRICS, in their order; hits best first, all 0 where there are none."""
        at_k = [self.recall(query, hits, k) for k in CUTS]
        in_budget = [self._within(query.gold, hits, budget) for budget in BUDGETS]
        return (*at_k, *in_budget)

    def recall(self, query: Query, hits: Sequence[Passage], k: int) -> float:
        """R@k: the share of the gold blocks that the first `k` hits hold."""
        return len(self._covered(query.gold, hits[:k])) / len(query.gold)

    def curve(self, query: Query, hits: Sequence[Passage]) -> tuple[float, ...]:
        """Gold recall at each budget of CURVE."""
        hits = distinct(hits)
        return tuple(self._within(query.gold, hits, budget) for budget in CURVE)

    def _holds(self, text: str, block: str) -> bool:
        return covered(self._set(block), self._set(text))

    def _needs(
        self, queries: Sequence[Query], rankings: Sequence[Sequence[Passage]], passages: Sequence[Passage]
    ) -> list[Needs]:
        standing: dict[str, list[Passage]] = {}
        for passage in distinct(passages):
            standing.setdefault(passage.page, []).append(passage)
        found = []
        for query, hits in zip(queries, rankings, strict=True):
            near = {page: None for gold in query.gold for page in sorted(gold.pages)}
            helpful = sum(self._helps(query, one) for page in near for one in standing.get(page, ()))
            found.append(Needs(tuple(self._helps(query, hit) for hit in hits), helpful))
        return found

    def _helps(self, query: Query, hit: Passage) -> bool:
        return bool(self._covered(query.gold, [hit]))

    def _covered(self, gold: Sequence[Gold], hits: Sequence[Passage]) -> set[int]:
        found: set[int] = set()
        for hit in hits:
            wanted = [i for i, block in enumerate(gold) if hit.page in block.pages]
            found.update(i for i in wanted if self._holds(hit.text, gold[i].text))
        return found

    def _within(self, gold: Sequence[Gold], hits: Sequence[Passage], budget: int) -> float:
        return self._read(gold, hits, budget, self._words, lambda _: 1)

    def _in_tokens(self, query: Query, hits: Sequence[Passage]) -> list[float]:
        return [self._read(query.gold, hits, budget, self._tokens, counter("o200k").count) for budget in TOKENS]

    def _read(self, gold: Sequence[Gold], hits: Sequence[Passage], budget: int, size: Size, of_word: Size) -> float:
        """Gold recall of the hits that fit a budget; the first that does not is cut after its last word that fits."""
        given: list[Passage] = []
        for hit in hits:
            if budget <= 0:
                break
            whole = size(hit.text)
            given.append(hit if whole <= budget else hit._replace(text=opening(hit.text, budget, of_word)))
            budget -= whole
        return len(self._covered(gold, given)) / len(gold)

    def _set(self, text: str) -> frozenset[str]:
        if text not in self._content:
            self._content[text] = frozenset(content_terms(text))
        return self._content[text]
