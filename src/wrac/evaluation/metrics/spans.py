"""Recall, precision and IoU by character, as Chroma's chunking evaluation counts them.

Source: "Evaluating Chunking Strategies for Retrieval" (Smith and Troynikov, 2024) and the code published with it. Of
the five passages retrieved: recall is the gold they hold over all gold; precision the same over the sum of their
lengths, so overlap is paid for twice; IoU adds the gold they miss to that sum. Precision-omega is the IoU of a perfect
search: all passages that touch gold, overlap counted once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import ConfigError
from wrac.evaluation.values import Passage, Query, Ranges
from wrac.text.tokens import counter

RETRIEVED = 5


class SpanJudge:
    """Scores the first five passages against gold spans of the pages' sources, by character."""

    metrics = ("recall", "precision", "precision-omega", "IoU", f"tokens@{RETRIEVED}")
    primary = metrics

    def scores(
        self, queries: Sequence[Query], rankings: Sequence[Sequence[Passage]], passages: Sequence[Passage]
    ) -> list[tuple[float, ...]]:
        """The values of `metrics` for each query; all 0 where nothing was found.

        Raises ConfigError for passages that do not say which code points of the source they hold.
        """
        if passages and not any(passage.ranges for passage in passages):
            raise ConfigError("its passages have no offsets into the source; leave it out where gold is spans")
        pages = _Pages(passages)
        return [_score(query, hits[:RETRIEVED], pages) for query, hits in zip(queries, rankings, strict=True)]


class _Pages:
    """The ranges of all passages, by page: which of them touch a gold span?"""

    def __init__(self, passages: Iterable[Passage]) -> None:
        held: dict[str, list[Ranges]] = {}
        for passage in passages:
            held.setdefault(passage.page, []).append(passage.ranges)
        self._held = held
        self._bounds = {page: _bounds(ranges) for page, ranges in held.items()}

    def touching(self, page: str, gold: Ranges) -> list[tuple[int, int]]:
        """All ranges of the page's passages that touch gold, the end of one meeting the start of the other included."""
        if page not in self._bounds:
            return []
        starts, ends, owners = self._bounds[page]
        touched = np.zeros(len(starts), np.bool_)
        for start, end in gold:
            touched |= (starts <= end) & (ends >= start)
        return [one for owner in np.unique(owners[touched]).tolist() for one in self._held[page][owner]]


def _bounds(held: Sequence[Ranges]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    flat = [(start, end, owner) for owner, ranges in enumerate(held) for start, end in ranges]
    starts, ends, owners = np.array(flat, np.int64).reshape(-1, 3).T
    return starts, ends, owners


def _score(query: Query, hits: Sequence[Passage], pages: _Pages) -> tuple[float, ...]:
    gold = _gold(query)
    total = sum(_size(ranges) for ranges in gold.values())
    found = sum(_size(_common(ranges, _held(hits, page))) for page, ranges in gold.items())
    missed = sum(_missed(ranges, _held(hits, page)) for page, ranges in gold.items())
    read = sum(_size(hit.ranges) if hit.ranges else len(hit.text) for hit in hits)
    tokens = float(sum(map(counter("o200k").count, (hit.text for hit in hits))))
    return found / total, found / read if read else 0.0, _omega(gold, pages), found / (read + missed), tokens


def _omega(gold: Mapping[str, Ranges], pages: _Pages) -> float:
    found = whole = 0
    for page, ranges in gold.items():
        touching = _union(pages.touching(page, ranges))
        found += _size(_common(ranges, touching))
        whole += _size(_union([*touching, *ranges]))
    return found / whole


def _gold(query: Query) -> dict[str, Ranges]:
    """The query's gold by page, as given: a span given twice is wanted twice."""
    found: dict[str, Ranges] = {}
    for gold in query.gold:
        for page in sorted(gold.pages):
            found[page] = (*found.get(page, ()), (gold.start, gold.end))
    return found


def _held(hits: Iterable[Passage], page: str) -> Ranges:
    return _union(one for hit in hits if hit.page == page for one in hit.ranges)


def _missed(gold: Ranges, held: Ranges) -> int:
    return sum(end - start - _size(_common(((start, end),), held)) for start, end in gold)


def _size(ranges: Iterable[tuple[int, int]]) -> int:
    return sum(end - start for start, end in ranges)


def _union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Disjoint ranges, ascending, that cover the same code points."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def _common(gold: Ranges, held: Ranges) -> Ranges:
    """What both cover, each code point once; `held` is disjoint."""
    pairs = ((max(a, c), min(b, d)) for a, b in gold for c, d in held)
    return _union((start, end) for start, end in pairs if start < end)
