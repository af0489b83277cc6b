"""What a score is made of: computed only for who asks, from what the ranking was made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from wrac.retrieval.fusion import DEPTH, FUSION, Fusion, Scored, lift, shares
from wrac.retrieval.reranking import WEIGHT


class Parts(NamedTuple):
    """What a passage's words, its vector, its page and a second reading give to its score; they sum to it."""

    lexical: float = 0.0
    dense: float = 0.0
    page: float = 0.0
    rerank: float = 0.0

    def scaled(self, by: float, rerank: float = 0.0) -> Parts:
        """The parts by a factor, with what a second reading gives."""
        return Parts(self.lexical * by, self.dense * by, self.page * by, rerank)


def parts(
    lexical: Sequence[Scored],
    dense: Sequence[Scored],
    pages: Mapping[str, str],
    fusion: Fusion = FUSION,
    *,
    trust: float = 1.0,
) -> dict[str, Parts]:
    """The parts of the score that `fuse` gives each entry, to eight digits."""
    weight = fusion.dense * trust
    total = 1.0 + weight + fusion.page
    words, near = (dict(shares(one[:DEPTH], floor=floor)) for one, floor in ((lexical, 0.0), (dense, _least(dense))))
    own = {entry: words.get(entry, 0.0) + weight * near.get(entry, 0.0) for entry in (*words, *near)}
    lifted = lift(own, pages)
    return {
        entry: Parts(
            words.get(entry, 0.0) / total,
            weight * near.get(entry, 0.0) / total,
            fusion.page * lifted.get(pages.get(entry, ""), 0.0) / total,
        )
        for entry in own
    }


def reread(
    made_of: Mapping[str, Parts], before: Iterable[Scored], after: Iterable[Scored], head: Iterable[str], trust: float
) -> dict[str, Parts]:
    """The parts of the scores that `rerank` gives: those of `before` as they count `after`, and the reading's own."""
    scores, read = dict(before), frozenset(head)
    best, share = max(scores.values(), default=0.0) or 1.0, WEIGHT * trust
    found = {}
    for entry, score in after:
        base = scores[entry] / best / (1.0 + share) if entry in read else score
        whole = sum(made_of[entry])
        found[entry] = made_of[entry].scaled(base / whole, score - base) if whole else Parts(rerank=score)
    return found


def _least(dense: Sequence[Scored]) -> float:
    return min((score for _, score in dense[:DEPTH]), default=0.0)
