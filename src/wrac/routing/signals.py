"""What a search says about how much of a document its question needs: figures of a ranking, nothing of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

FIRST: Final = 10
"""So many of the best results are looked at."""


class Seen(NamedTuple):
    """A result as routing sees it: the page it stands on, and its score."""

    page: str
    score: float


@dataclass(frozen=True, slots=True)
class Signals:
    """What a ranking says. `page` is the URL of the best result's page, empty where nothing was found.

    `shares` are the scores of its results among the first FIRST, each as a share of the best, `sections` how many
    sections of it hold units in focus, `held` is the share of its tokens that the passages hold. `passages` and
    `document` are the tokens that a model would read either way.
    """

    page: str = ""
    shares: tuple[float, ...] = ()
    sections: int = 0
    held: float = 0.0
    passages: int = 0
    document: int = 0

    def near(self, gap: float) -> int:
        """How many of the page's results lie within `gap` of the best score."""
        return sum(share >= 1.0 - gap for share in self.shares)


def signals(ranked: Sequence[Seen], sections: int, held: float, passages: int, document: int) -> Signals:
    """The signals of a ranking, best first."""
    if not ranked:
        return Signals(passages=passages)
    best, first = ranked[0], ranked[:FIRST]
    shares = tuple(one.score / best.score if best.score else 1.0 for one in first if one.page == best.page)
    return Signals(best.page, shares, sections, min(held, 1.0), passages, document)
