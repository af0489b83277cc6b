"""The planner without a model: the cheapest partition of a page by dynamic programming. Structure first, size second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import Final

from wrac.core.ids import content_id
from wrac.core.seams import TokenCounter
from wrac.core.types import Document, Plan, Policy
from wrac.planning.costs import Costs, boundaries
from wrac.planning.omissions import omissions

VERSION: Final = "rules@1"
JOINER: Final = 1
"""Tokens counted for what stands between two units; the chunk's own count is exact."""


@dataclass(frozen=True, slots=True)
class RulesPlanner:
    """Plans by rules under a policy. Equal documents give equal plans."""

    policy: Policy
    counter: TokenCounter
    costs: Costs = field(default_factory=Costs)

    @property
    def name(self) -> str:
        """`rules@1`, with eight digits of the policy's digest when it is not the default."""
        if self.policy == Policy():
            return VERSION
        digest = content_id("policy", [repr(self.policy)]).rpartition(":")[2]
        return f"{VERSION}+{digest[:8]}"

    def plan(self, document: Document) -> Plan:
        """A plan that uses each ordinal exactly once. Time is linear in the places of the page."""
        omitted = omissions(document)
        groups: list[tuple[int, ...]] = []
        for stream in streams(document, omitted):
            groups.extend(self._partition(document, stream))
        groups.sort()
        return Plan(document.id, tuple(groups), omitted, self.name)

    def _partition(self, document: Document, stream: Sequence[int]) -> list[tuple[int, ...]]:
        """The cheapest groups of one stream of ordinals."""
        count = self.counter.count
        sizes = [count(document.text(ordinal)) + JOINER for ordinal in stream]
        headings = [document.unit(ordinal).kind == "heading" for ordinal in stream]
        cuts, joins = boundaries(document, stream, self.costs)
        starts = cheapest(sizes, headings, cuts, joins, prices(self.policy, self.costs), self.costs.glued)
        return [tuple(stream[a:b]) for a, b in zip(starts, [*starts[1:], len(stream)], strict=True)]


def streams(document: Document, omitted: dict[int, str]) -> list[list[int]]:
    """The kept ordinals: the page's text, its comments, and its structured data, which never share a group."""
    kept: dict[str, list[int]] = {"main": [], "comment": [], "data": []}
    for place in document.places:
        if place.ordinal not in omitted:
            kept[place.role if place.role in kept else "main"].append(place.ordinal)
    return [stream for stream in kept.values() if stream]


def prices(policy: Policy, costs: Costs) -> list[float]:
    """The cost of a group of each size from 0 to the policy's maximum, in tokens."""
    small, large = costs.small_below * policy.target, costs.large_above * policy.target
    result = []
    for size in range(policy.maximum + 1):
        short, over = max(0.0, 1 - size / small), max(0.0, size / large - 1)
        result.append(costs.small * short * short + costs.large * over * over)
    return result


def cheapest(
    sizes: Sequence[int],
    headings: Sequence[bool],
    cuts: Sequence[float],
    joins: Sequence[float],
    price: Sequence[float],
    lonely: float,
) -> list[int]:
    """The starts of the groups of the cheapest partition, ascending from 0.

    A group ends with a heading only when it is all headings, at the cost `lonely`. A group is larger than the price list only as one
    unit with the headings right before it: what chunking then splits is that unit.
    """
    total = list(accumulate(sizes, initial=0))
    kept = list(accumulate(joins))
    limit, size = len(price) - 1, len(sizes)
    best: list[float] = [0.0] * (size + 1)
    entry: list[float] = [0.0] * size  # cost up to a start, less the joins before it: a group adds only its end's
    previous = [0] * (size + 1)
    run = 0
    for end in range(1, size + 1):
        last = end - 1
        entry[last] = best[last] + cuts[last] - kept[last]
        least, chosen = inf, last
        ended = total[end]
        only = run if headings[last] else -1
        for start in range(last, -1, -1):
            tokens = ended - total[start]
            if tokens > limit:
                if start < last and not all(headings[start:last]):
                    break
                tokens = limit
            if only >= 0 and start < only:
                break
            cost = entry[start] + price[tokens]
            if cost < least:
                least, chosen = cost, start
        best[end], previous[end] = least + kept[last] + (lonely if only >= 0 else 0.0), chosen
        if not headings[last]:
            run = end
    starts = []
    end = size
    while end:
        end = previous[end]
        starts.append(end)
    return starts[::-1]
