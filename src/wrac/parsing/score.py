"""How likely a unit is content of its page, 0..1: by a small forest over `features`, by rules where that cannot be.

The forest is oblivious: a tree is a few questions `feature > cut` and a value for each way of answering them, so a page
is scored by comparing rows of its feature table. Values are whole numbers (1/1024 of log odds) and the last step is a
table, so scores are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import BEST, KEEP_MORE, Role
from wrac.parsing.features import Seen
from wrac.parsing.frames import Draft

__all__ = ["BEST", "KEEP_MORE", "MODEL", "Forest", "forest", "scores", "shift"]

MODEL: Final = Path(__file__).parent / "data/score.npz"
UNIT: Final = 1024
"""Log odds of 1 in the forest's whole numbers."""
FEW: Final = 16
"""A page with fewer units is scored by rules: there is no page to compare a unit with."""
_BATCH: Final = 256  # units at a time, so that the answers stay in the cache
_BY_ROLE: Final[dict[Role, float]] = {
    "main": 0.9, "data": 0.7, "comment": 0.5, "aside": 0.35, "form": 0.3, "header": 0.2, "dialog": 0.1,
    "control": 0.15, "breadcrumb": 0.1, "toc": 0.1, "footer": 0.1, "nav": 0.05, "cookie": 0.0,
}  # fmt: skip
_BY_VISIBILITY: Final = {"visible": 1.0, "collapsed": 0.95, "hidden": 0.6}


class Forest(NamedTuple):
    """`feature` and `cut` are (trees, depth), `leaves` (trees, 2**depth); the answer to question k is bit k of a leaf.

    `steps` are the log odds at which the score becomes 0.001, 0.002, up to 1.
    """

    feature: NDArray[np.int16]
    cut: NDArray[np.int16]
    leaves: NDArray[np.int32]
    start: int
    steps: NDArray[np.int32]

    def odds(self, table: NDArray[np.int16]) -> NDArray[np.int32]:
        """int32 (units,): the log odds of each column of a feature table, in 1/`UNIT`."""
        trees, depth = self.feature.shape
        found = np.empty(table.shape[1], np.int32)
        offsets = (np.arange(trees) << depth)[:, None]
        values = self.leaves.ravel()
        questions, cuts = self.feature.T.astype(np.intp), self.cut.T[:, :, None]
        for start in range(0, len(found), _BATCH):
            part = table[:, start : start + _BATCH]
            leaf = np.zeros((trees, part.shape[1]), np.uint8)  # a byte holds the answers to eight questions
            for bit in reversed(range(depth)):
                leaf += leaf
                leaf += (part.take(questions[bit], axis=0) > cuts[bit]).view(np.uint8)
            found[start : start + _BATCH] = values.take(leaf + offsets).sum(axis=0, dtype=np.int32)
        return found + self.start


@cache
def forest() -> Forest:
    """The trained forest."""
    with np.load(MODEL) as stored:
        return Forest(stored["feature"], stored["cut"], stored["leaves"], int(stored["start"]), stored["steps"])


def scores(drafts: Sequence[Draft], title: str | None = None) -> list[float]:
    """The content scores of a page's units, in their order, rounded to three digits.

    `title` is that of a web page; what has none, a document of another format, is scored by rules.
    """
    return scorer(drafts, title)()


def scorer(drafts: Sequence[Draft], title: str | None = None) -> Callable[[], list[float]]:
    """What gives the `scores`; of the drafts' frames all has been read, so that they, and the tree, may go before."""
    if title is None or len(drafts) < FEW:
        found = [_by_rules(draft) for draft in drafts]
        return lambda: found
    seen = Seen(drafts, title)
    return lambda: _by_forest(seen)


def _by_forest(seen: Seen) -> list[float]:
    model = forest()
    odds = model.odds(seen.table())
    return _thousandths(odds + shift(odds, seen.chars, model.steps), model.steps)


def _thousandths(odds: NDArray[np.int32], steps: NDArray[np.int32]) -> list[float]:
    found: list[float] = (np.searchsorted(steps, odds, side="right") / 1000).tolist()
    return found


def shift(odds: NDArray[np.int32], sizes: NDArray[np.int64], steps: NDArray[np.int32]) -> int:
    """What to add to the log odds of a page so that `BEST` is where its expected F1 is highest.

    When a unit is content with probability p, the best set of units is those with p above half of the F1 it is expected
    to reach (Lipton, Elkan and Narayanaswamy, 2014): on a page full of doubt the bar is lower.
    """
    chance = np.searchsorted(steps, odds, side="right")
    order = np.argsort(-chance, kind="stable")
    size = sizes[order]
    right = np.cumsum(size * chance[order])
    half = 1000 * right // np.maximum(1000 * np.cumsum(size) + right[-1], 1)  # thousandths of F1
    bar = min(max(int(half.max()), 50), 500)
    return int(steps[499] - steps[bar - 1])


def _by_rules(draft: Draft) -> float:
    base = _BY_ROLE[draft.role] * _BY_VISIBILITY[draft.visible]
    if draft.kind == "heading" or not draft.marks:
        return round(base, 3)
    linked = sum(mark.end - mark.start for mark in draft.marks if mark.kind == "link")
    density = min(linked / max(len(draft.text), 1), 1.0)
    if density > 0.8 and len(draft.text) < 60:
        return round(base * 0.6, 3)
    return round(base * (1 - 0.3 * density), 3)
