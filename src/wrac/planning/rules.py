"""The planner without a model: the cheapest partition of a page structure first, size second."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from wrac.core.errors import ConfigError
from wrac.core.ids import content_id
from wrac.core.seams import TokenCounter
from wrac.core.types import Document, Plan, Policy
from wrac.planning.costs import Costs, Terms, boundaries
from wrac.planning.omissions import omissions
from wrac.text.entities import entities
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
        refuse(self.policy)
        wish = self.costs
        if self.policy.whole_tables:
            wish = replace(wish, table=_WISH)
        if self.policy.whole_lists:
            wish = replace(wish, list=_WISH)
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
        terrain, _ = self.terrain(document, stream)
        starts = cheapest(terrain, self.costs.glued)
        return [tuple(stream[a:b]) for a, b in zip(starts, [*starts[1:], len(stream)], strict=True)]

    def terrain(self, document: Document, stream: Sequence[int]) -> tuple[Terrain, list[Terms]]:
        """Sizes and prices of one stream of ordinals, and the named costs of a start at each position."""
        headings = [document.unit(ordinal).kind == "heading" for ordinal in stream]
        terms = boundaries(document, stream, self.costs)
        sizes, prose = self._sizes(document, stream), unheaded(document)
        near, far = prices(self.policy, self.costs, min(self.policy.maximum, 1 << sum(sizes).bit_length()))
        priced = [far if ordinal in prose else near for ordinal in stream]
        terrain = Terrain(sizes, headings, [sum(one.values()) for one in terms], priced)
        if self.policy.chunks_per_h2:
            self._limit(terrain, terms, list(_sections(document, stream)))
        return terrain, terms

    def _sizes(self, document: Document, stream: Sequence[int]) -> list[int]:
        """Tokens of each unit; of one dense with entities what as many would stand in elsewhere."""
        count, most = self.counter.count, self.policy.entities
        sizes = [count(document.text(ordinal)) + JOINER for ordinal in stream]
        if most:
            weighed = (len(entities(document.text(o), document.language)) for o in stream)
            sizes = [max(size, found * self.policy.target // most) for size, found in zip(sizes, weighed, strict=True)]
        return sizes

    def _limit(self, terrain: Terrain, terms: list[Terms], sections: Sequence[range]) -> None:
        """Raises what a start costs inside sections that become too many chunks, until they do not or nothing helps."""
        cuts, fine = terrain.cuts, 1.0
        while fine <= _WISH:
            starts = set(cheapest(terrain, self.costs.glued))
            crowded = [one for one in sections if len(starts & {*one[1:]}) >= self.policy.chunks_per_h2]
            for position in {position for one in crowded for position in one[1:]}:
                terms[position]["limit"] = terms[position].get("limit", 0.0) + fine
                cuts[position] += fine
            if not crowded:
                return
            fine *= 2


def _sections(document: Document, stream: Sequence[int]) -> Iterator[range]:
    """The positions of each section of the second level."""
    for span in document.spans:
        if span.kind == "section" and span.data.get("level") == 2:
            yield range(bisect_left(stream, span.first), bisect_right(stream, span.last))


def streams(document: Document, omitted: dict[int, str]) -> list[list[int]]:
    """The kept ordinals: the page's text, its comments, and its structured data, which never share a group."""
    kept: dict[str, list[int]] = {"main": [], "comment": [], "data": []}
    for place in document.places:
        if place.ordinal not in omitted:
            kept[place.role if place.role in kept else "main"].append(place.ordinal)
    return [stream for stream in kept.values() if stream]


@lru_cache(maxsize=16)
def prices(policy: Policy, costs: Costs, largest: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The cost of a group of each size from 0 to the largest, in tokens: under headings, and far from any."""
    small = costs.small, costs.small_below
    near = curve(policy.target, largest, small, (costs.large, costs.large_above))
    return near, curve(min(policy.prose, policy.target), largest, small)


def refuse(policy: Policy, where: str = "") -> None:
    """Nothing for a policy that makes sense. Raises ConfigError, which names its sizes and `where` they are said."""
    if not 1 <= policy.target <= policy.maximum:
        sizes = f"target {policy.target}, maximum {policy.maximum}{where}"
        raise ConfigError(f"{sizes}: a policy needs 1 <= target <= maximum")
    for name, least in (("prose", 1), ("chunks_per_h2", 0), ("entities", 0)):
        if (value := getattr(policy, name)) < least:
            raise ConfigError(f"{name} {value}{where}: a policy needs {name} >= {least}")
