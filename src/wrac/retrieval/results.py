"""An order to results: each text once, with all its pages, cut to a number or a size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from wrac.retrieval.fusion import Scored

DOUBTFUL: Final = 0.35
"""A search whose best passage is of less confidence found nothing that matches: see docs/design/0005-retrieval.md."""
FAINT: Final = 0.25
"""A passage of less confidence has nothing to say: a budget is not filled up with it."""
WORDS: Final = 0.5
"""What the share of the query's terms weighs beside the cosine."""


class Found(NamedTuple):
    """A distinct result: the best entry with this text, and every page the text was found on, the entry's own first."""

    entry: str
    score: float
    pages: tuple[str, ...]


def distinct(ranked: Iterable[Scored], texts: Mapping[str, str], pages: Mapping[str, Sequence[str]]) -> list[Found]:
    """Each text once, at the rank of its best entry, with all the pages its entries stand on.

    Entries of one chunk, chunks that differ only in their trail, and equal texts of several pages are one result.
    """
    order: dict[str, Scored] = {}
    places: dict[str, dict[str, None]] = {}
    for entry, score in ranked:
        text = " ".join(texts[entry].split())
        order.setdefault(text, (entry, score))
        places.setdefault(text, {}).update(dict.fromkeys(pages.get(entry, ())))
    return [Found(entry, score, tuple(places[text])) for text, (entry, score) in order.items()]


def cut(
    found: Sequence[Found], tokens: Mapping[str, int], *, k: int | None = None, budget: int | None = None
) -> list[Found]:
    """The first `k`, or those that fit `budget` tokens taken in order; what does not fit is passed over for what does.

    `tokens` is the size of each entry as it will be rendered. Both limits hold where both are given.
    """
    kept: list[Found] = []
    left = budget
    for one in found:
        if k is not None and len(kept) >= k:
            break
        size = tokens[one.entry] if left is not None else 0
        if left is not None and size > left:
            continue
        left = left - size if left is not None else None
        kept.append(one)
    return kept


def confidence(cosine: float, held: float, trust: float = 1.0) -> float:
    """How well a passage matches a query, 0..1, whatever else was found: what a score, a share of the best, cannot say.

    Of the cosine, as far as the embedder is trusted, and half as much of the share of the query's terms it holds. The
    scale is that of the shipped embedder; see docs/design/0005-retrieval.md.
    """
    return round((trust * min(max(cosine, 0.0), 1.0) + WORDS * held) / (trust + WORDS), 4)
