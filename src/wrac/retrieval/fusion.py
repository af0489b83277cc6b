"""Two lists to one order: fused by shares, lifted by their page. Equal scores stand in the order of their ids.

Every store is asked for its best DEPTH entries by BM25 and by cosine; all that follows is the same for every store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wrac.text.characters import MARKS, UNSPACED

Scored: TypeAlias = tuple[str, float]
"""An entry's id and its score; a list of them is best first."""

DEPTH = 200
KNOWN, STRANGE, DOUBT = 2.0, 4.0, 0.3

_UNSPACED = re.compile(f"[{UNSPACED}]")
_RUN = re.compile(f"(?:[^\\W_{UNSPACED}][{MARKS}]*)+")
_SIGN = re.compile(f"[^\\w\\s{MARKS}]|_")


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights beside BM25's 1: `dense` of the cosine's list, `page` of the entry's page.

    The defaults won when each company of RAG-Multi-Corpus was left out in turn; see docs/design/0005-retrieval.md.
    """

    dense: float = 0.5
    page: float = 0.5


FUSION = Fusion()


def fuse(
    lexical: Sequence[Scored],
    dense: Sequence[Scored],
    pages: Mapping[str, str],
    fusion: Fusion = FUSION,
    *,
    trust: float = 1.0,
) -> list[Scored]:
    """The entries of both lists by one score in 0..1, best first.

    A BM25 score counts as a share of the best one, a cosine by its place between the last and the best of its list:
    BM25 has a true zero, cosines do not. A page is as good as its best entry. `pages` names the page of each entry;
    one that is missing there has no page to lift it. `trust` in 0..1 scales the dense part. Lists longer than DEPTH
    are read to DEPTH, so the order does not depend on how deep a store looked.
    """
    weight = fusion.dense * trust
    own = dict.fromkeys((entry for entry, _ in (*lexical[:DEPTH], *dense[:DEPTH])), 0.0)
    for entry, score in shares(lexical[:DEPTH], floor=0.0):
        own[entry] += score
    for entry, score in shares(dense[:DEPTH], floor=min((s for _, s in dense[:DEPTH]), default=0.0)):
        own[entry] += weight * score
    lifted = lift(own, pages)
    total = 1.0 + weight + fusion.page
    for entry, score in own.items():
        # Rounded: two sums that are equal but for the order of their terms are a tie.
        own[entry] = round((score + fusion.page * lifted.get(pages.get(entry, ""), 0.0)) / total, 9)
    return sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))


def trust(text: str, pieces: int) -> float:
    """How far an embedder that reads `text` in `pieces` tokens, special ones left out, can be believed about it: 0..1.

    A model reads its own languages in little more than a piece a word, and related ones in two; other scripts,
    identifiers and codes fall to splinters, and their vectors say little. 1 up to KNOWN pieces a word, then down to
    DOUBT at STRANGE. Scripts without spaces have no words: a model that knows one reads several characters at once, so
    a quarter of a word is counted for each.
    """
    words = len(_RUN.findall(text)) + len(_UNSPACED.findall(text)) / 4
    each = (pieces - len(_SIGN.findall(text))) / words if words else KNOWN
    return 1.0 - (1.0 - DOUBT) * min(max((each - KNOWN) / (STRANGE - KNOWN), 0.0), 1.0)


def shares(ranked: Sequence[Scored], floor: float) -> list[Scored]:
    """Scores as shares of the best one above `floor`; where all are equal each is best."""
    best = max((score for _, score in ranked), default=0.0)
    height = best - floor
    return [(entry, (score - floor) / height if height > 0 else 1.0) for entry, score in ranked]


def lift(own: Mapping[str, float], pages: Mapping[str, str]) -> dict[str, float]:
    """For each page its best entry's score as a share of the best entry's of all."""
    best = max(own.values(), default=0.0)
    lifted: dict[str, float] = {}
    for entry, score in own.items():
        page = pages.get(entry)
        if page is not None and best > 0:
            lifted[page] = max(lifted.get(page, 0.0), score / best)
    return lifted
