"""The planner without a model: the cheapest partition of a page structure first, size second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from math import inf
from typing import Final, NamedTuple

from wrac.core.errors import ConfigError
from wrac.core.ids import content_id
from wrac.core.seams import TokenCounter
from wrac.core.types import Document, Plan, Policy
from wrac.planning.costs import Costs, boundaries
from wrac.planning.omissions import omissions

VERSION: Final = "rules@2"
JOINER: Final = 1
"""Tokens counted for what stands between two units; the chunk's own count is exact."""

_WISH: Final = 1000.0
"""What it costs to go against a policy: more than any size does."""


@dataclass(frozen=True, slots=True)
class RulesPlanner:
    """Plans by rules under a policy. Equal documents give equal plans."""

    policy: Policy
    counter: TokenCounter
    costs: Costs = field(default_factory=Costs)

    def __post_init__(self) -> None:
        if not 1 <= self.policy.target <= self.policy.maximum:
            sizes = f"target {self.policy.target}, maximum {self.policy.maximum}"
            raise ConfigError(f"a policy needs 1 <= target <= maximum, this one has {sizes}")
        wish = self.costs
        if self.policy.whole_tables:
            wish = replace(wish, table=_WISH)
        if self.policy.one_question:
            wish = replace(wish, question=_WISH)
        object.__setattr__(self, "costs", wish)

    @property
    def name(self) -> str:
        """`rules@2`, with eight digits of the policy's digest when it is not the default."""
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
        terrain = self.terrain(document, stream)
        starts = cheapest(terrain, prices(self.policy, self.costs), self.costs.glued)
        return [tuple(stream[a:b]) for a, b in zip(starts, [*starts[1:], len(stream)], strict=True)]

    def terrain(self, document: Document, stream: Sequence[int]) -> Terrain:
        """Sizes and boundary costs of one stream of ordinals."""
        count = self.counter.count
        sizes = [count(document.text(ordinal)) + JOINER for ordinal in stream]
        headings = [document.unit(ordinal).kind == "heading" for ordinal in stream]
        return Terrain(sizes, headings, [sum(terms.values()) for terms in boundaries(document, stream, self.costs)])


def streams(document: Document, omitted: dict[int, str]) -> list[list[int]]:
    """The kept ordinals: the page's text, its comments, and its structured data, which never share a group."""
    kept: dict[str, list[int]] = {"main": [], "comment": [], "data": []}
    for place in document.places:
        if place.ordinal not in omitted:
            kept[place.role if place.role in kept else "main"].append(place.ordinal)
    return [stream for stream in kept.values() if stream]


@lru_cache(maxsize=16)
def prices(policy: Policy, costs: Costs) -> tuple[float, ...]:
    """The cost of a group of each size from 0 to the policy's maximum, in tokens."""
    small, large = costs.small_below * policy.target, costs.large_above * policy.target
    result = []
    for size in range(policy.maximum + 1):
        short, over = max(0.0, 1 - size / small), max(0.0, size / large - 1)
        result.append(costs.small * short * short + costs.large * over * over)
    return tuple(result)


class Terrain(NamedTuple):
    """What the units of a stream weigh, and what a group costs that starts with each: below 0 where it saves."""

    sizes: Sequence[int]
    headings: Sequence[bool]
    cuts: Sequence[float]


def cheapest(terrain: Terrain, price: Sequence[float], lonely: float) -> list[int]:
    """The starts of the groups of the cheapest partition, ascending from 0.

    `price[tokens]` is what a group of a size costs; a larger group is one unit with the headings right before it, and
    chunking splits that unit. A group ends with a heading only when it is all headings, and pays `lonely`.
    """
    sizes, headings, cuts = terrain
    total = list(accumulate(sizes, initial=0))
    limit, count = len(price) - 1, len(sizes)
    best = [0.0] * (count + 1)
    entry = [0.0] * count  # the cost up to a start, with the start's own
    previous = [0] * (count + 1)
    run = 0  # where the headings right before the end begin
    for end in range(1, count + 1):
        last = end - 1
        entry[last] = best[last] + cuts[last]
        lowest = run if headings[last] else 0
        least, chosen, reach = inf, last, total[end]
        for start in range(last, lowest - 1, -1):
            size = reach - total[start]
            if size > limit:
                # Too large, unless one unit is: it then takes the headings before it along, as many as a chunk holds.
                if start < last and (headings[last] or start < run or total[last] - total[start] > limit):
                    break
                size = limit
            cost = entry[start] + price[size]
            if cost < least:
                least, chosen = cost, start
        best[end], previous[end] = least, chosen
        if headings[last]:
            best[end] += lonely
        else:
            run = end
    starts = []
    while count:
        count = previous[count]
        starts.append(count)
    return starts[::-1]
