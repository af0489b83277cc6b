"""The planner without a model: the cheapest partition of a page structure first, size second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from wrac.core.errors import ConfigError
from wrac.core.ids import content_id
from wrac.core.seams import TokenCounter
from wrac.core.types import Document, Plan, Policy
from wrac.planning.costs import Costs, boundaries
from wrac.planning.omissions import omissions
from wrac.text.partition import Terrain, cheapest, curve
from wrac.text.topics import unheaded

VERSION: Final = "rules@3"
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
        """`rules@3`, with eight digits of the policy's digest when it is not the default."""
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
        starts = cheapest(self.terrain(document, stream), self.costs.glued)
        return [tuple(stream[a:b]) for a, b in zip(starts, [*starts[1:], len(stream)], strict=True)]

    def terrain(self, document: Document, stream: Sequence[int]) -> Terrain:
        """Sizes and boundary costs of one stream of ordinals."""
        count = self.counter.count
        sizes = [count(document.text(ordinal)) + JOINER for ordinal in stream]
        headings = [document.unit(ordinal).kind == "heading" for ordinal in stream]
        cuts = [sum(terms.values()) for terms in boundaries(document, stream, self.costs)]
        (near, far), prose = prices(self.policy, self.costs), unheaded(document)
        return Terrain(sizes, headings, cuts, [far if ordinal in prose else near for ordinal in stream])


def streams(document: Document, omitted: dict[int, str]) -> list[list[int]]:
    """The kept ordinals: the page's text, its comments, and its structured data, which never share a group."""
    kept: dict[str, list[int]] = {"main": [], "comment": [], "data": []}
    for place in document.places:
        if place.ordinal not in omitted:
            kept[place.role if place.role in kept else "main"].append(place.ordinal)
    return [stream for stream in kept.values() if stream]


@lru_cache(maxsize=16)
def prices(policy: Policy, costs: Costs) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The cost of a group of each size from 0 to the policy's maximum, in tokens: under headings, and far from any."""
    small = costs.small, costs.small_below
    near = curve(policy.target, policy.maximum, small, (costs.large, costs.large_above))
    return near, curve(min(policy.prose, policy.target), policy.maximum, small)
