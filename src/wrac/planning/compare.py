"""What is different between two plans of one page: boundaries that one has alone, or has elsewhere."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import NamedTuple

from wrac.core.types import Document, Plan


class Change(NamedTuple):
    """A boundary before the ordinal `old` of one plan that the other has before `new`; None where it has none.

    So `old` alone is a boundary removed, `new` alone one added, both one moved.
    """

    old: int | None
    new: int | None


class Stretch(NamedTuple):
    """Ordinals `[first, end)` between boundaries that both plans have, or the page's ends; what differs within."""

    first: int
    end: int
    changes: tuple[Change, ...]


def compare(document: Document, old: Plan, new: Plan) -> tuple[Stretch, ...]:
    """The stretches of a page in which its plans differ, in reading order.

    Within a stretch the boundaries of each plan are paired in their order; those left over are removed or added.
    """
    before, after = starts(old), starts(new)
    edges = [0, *sorted(before & after), len(document.places)]
    olds, news = _by_edge(before - after, edges), _by_edge(after - before, edges)
    return tuple(
        Stretch(edges[at], edges[at + 1], tuple(_paired(olds.get(at, []), news.get(at, []))))
        for at in sorted({*olds, *news})
    )


def starts(plan: Plan) -> frozenset[int]:
    """The ordinals before which the plan has a boundary: kept ones that are not with the kept one before them."""
    group = {ordinal: number for number, members in enumerate(plan.groups) for ordinal in members}
    kept = sorted(group)
    return frozenset(b for a, b in pairwise(kept) if group[a] != group[b])


def _by_edge(boundaries: frozenset[int], edges: list[int]) -> dict[int, list[int]]:
    """The boundaries, ascending, by the number of the edge before each."""
    found: dict[int, list[int]] = {}
    for one in sorted(boundaries):
        found.setdefault(bisect(edges, one) - 1, []).append(one)
    return found


def _paired(olds: list[int], news: list[int]) -> Iterator[Change]:
    return (Change(old, new) for old, new in zip_longest(olds, news))
