"""The head of a ranking ordered anew by token-wise late interaction: blended in, never in place of what ranked it.

Source: ColBERT (Khattab and Zaharia, 2020): each token of the query is as close as its closest token of the passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wrac.retrieval.fusion import Scored

HEAD: Final = 20
"""Passages that are read token by token; from 30 on the far ones gain more than the near ones."""
WEIGHT: Final = 0.3


def closeness(query: NDArray[np.float32], passage: NDArray[np.float32]) -> float:
    """The mean over the query's tokens of the cosine of the closest token of the passage; 0 where one has no token.

    Both are float32 (tokens, d), rows of unit length. Six digits: a product's last bits depend on its shape.
    """
    if not len(query) or not len(passage):
        return 0.0
    return round(float((query.astype(np.float64) @ passage.astype(np.float64).T).max(axis=1).mean()), 6)


def rerank(ranked: Sequence[Scored], close: Mapping[str, float], *, trust: float = 1.0) -> list[Scored]:
    """The entries in `close` anew by their score, as a share of the best, and `WEIGHT` of their closeness.

    Closeness counts by its place between the least and the most in `close`, scaled by `trust`. The others follow, all
    below, in their order; scores stay in 0..1 and best first.
    """
    if not ranked or not close:
        return list(ranked)
    best, least, most = ranked[0][1], min(close.values()), max(close.values())
    scale, share = (most - least) or 1.0, WEIGHT * trust
    head = {
        entry: round(((score / best if best else 1.0) + share * (close[entry] - least) / scale) / (1.0 + share), 9)
        for entry, score in ranked
        if entry in close
    }
    floor = min(head.values())
    rest = [(entry, score) for entry, score in ranked if entry not in head]
    top = max((score for _, score in rest), default=0.0)
    shrink = floor / top if top > floor else 1.0
    return [
        *sorted(head.items(), key=lambda pair: (-pair[1], pair[0])),
        *((entry, round(score * shrink, 9)) for entry, score in rest),
    ]
