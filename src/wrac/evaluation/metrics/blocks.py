"""Gold-block recall at k and in a word budget, per query.

A gold block counts when at least 85 % of its distinct content words are in one passage of a page it stands on. B@w
reads passages best first until w words are given, the last one cut; R@k reads k passages. The budget is the fair
measure: @k rewards large passages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wrac.evaluation.values import Gold, Passage, Query

CUTS = (1, 3, 6)
BUDGETS = (250, 500, 1000)
CURVE = (50, 100, 150, 200, 250, 350, 500, 700, 1000, 1500, 2000)
"""Word budgets at which the whole curve is drawn."""
METRICS = tuple(f"R@{k}" for k in CUTS) + tuple(f"B@{w}" for w in BUDGETS)
COVERED = 0.85

_WORD = re.compile(r"[^\W_]+")
_SUFFIXES = ("ing", "edly", "ed", "es", "s", "ly")
_STOP = frozenset(
    "a an the of in on at for to from by with and or as is are was were be been being it its this that these "
    "those which who whom whose what when where how why do does did has have had can could may might will "
    "would should shall must not no yes there their they them he she his her you your we our i if then than so "
    "such also into over under between among about per each any all both more most other some including "
    "include includes included through via within while during across up out off only same very just like one "
    "two".split()
)


def content_terms(text: str) -> list[str]:
    """The content words of a text in order: lower case, stop words left out, a common English suffix cut."""
    words = (match.group().lower() for match in _WORD.finditer(text))
    return [_stem(word) for word in words if word not in _STOP]


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


class BlockJudge:
    """Scores passages against gold blocks. Word sets are kept, so judging many strategies over one set stays fast."""

    metrics = METRICS

    def __init__(self) -> None:
        self._content: dict[str, frozenset[str]] = {}

    def score(self, query: Query, hits: Sequence[Passage]) -> tuple[float, ...]:
        """The values of METRICS, in their order; hits best first, all 0 where there are none."""
        total = len(query.gold)
        at_k = [len(self._covered(query.gold, hits[:k])) / total for k in CUTS]
        in_budget = [len(self._within(query.gold, hits, budget)) / total for budget in BUDGETS]
        return (*at_k, *in_budget)

    def curve(self, query: Query, hits: Sequence[Passage]) -> tuple[float, ...]:
        """Gold recall at each budget of CURVE."""
        return tuple(len(self._within(query.gold, hits, budget)) / len(query.gold) for budget in CURVE)

    def _covered(self, gold: Sequence[Gold], hits: Sequence[Passage]) -> set[int]:
        found: set[int] = set()
        for hit in hits:
            wanted = [i for i, block in enumerate(gold) if hit.page in block.pages]
            found.update(i for i in wanted if self._holds(hit.text, gold[i].text))
        return found

    def _within(self, gold: Sequence[Gold], hits: Sequence[Passage], budget: int) -> set[int]:
        given: list[Passage] = []
        for hit in hits:
            if budget <= 0:
                break
            words = hit.text.split()
            given.append(hit if len(words) <= budget else hit._replace(text=" ".join(words[:budget])))
            budget -= len(words)
        return self._covered(gold, given)

    def _holds(self, text: str, block: str) -> bool:
        wanted = self._set(block)
        return len(wanted & self._set(text)) >= COVERED * len(wanted)

    def _set(self, text: str) -> frozenset[str]:
        if text not in self._content:
            self._content[text] = frozenset(content_terms(text))
        return self._content[text]
