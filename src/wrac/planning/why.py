"""Why is there a boundary, or none? For each place where one could be, what spoke for and against, in cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from typing import NamedTuple

from wrac.core.types import Document
from wrac.planning.rules import RulesPlanner, streams
from wrac.text.partition import Terrain, cheapest


@dataclass(frozen=True, slots=True)
class Boundary:
    """The place before an ordinal of a stream.

    `terms` are the named costs of starting a chunk there, before sizes: what speaks against it is above 0, what speaks
    for it below. `margin` is how much dearer the whole plan is with the other decision: near 0 the rules do not mind.
    """

    ordinal: int
    taken: bool
    terms: Mapping[str, float]
    margin: float

    @property
    def cut(self) -> float:
        """What speaks against a start there, summed."""
        return round(sum(cost for cost in self.terms.values() if cost > 0), 3)

    @property
    def join(self) -> float:
        """What speaks for a start there, summed: `cut - join` is what the start costs."""
        return round(-sum(cost for cost in self.terms.values() if cost < 0), 3)


class _Costs(NamedTuple):
    """The cheapest way to each position from the start, and from it to the end, each position being a start."""

    before: list[float]
    after: list[float]


def why(planner: RulesPlanner, document: Document) -> list[Boundary]:
    """Every boundary of a page, in reading order of its streams; none before a stream's first unit.

    Quadratic in the units a chunk may hold, linear in the page.
    """
    plan = planner.plan(document)
    found: list[Boundary] = []
    for stream in streams(document, dict(plan.omitted)):
        terrain, terms = planner.terrain(document, stream)
        starts = set(cheapest(terrain, planner.costs.glued))
        margins = _margins(terrain, planner.costs.glued, starts)
        found += [
            Boundary(ordinal, at in starts, {name: round(cost, 3) for name, cost in terms[at].items()}, margins[at])
            for at, ordinal in enumerate(stream)
            if at
        ]
    return found


def _margins(terrain: Terrain, lonely: float, starts: set[int]) -> list[float]:
    """For each position the cost of the best plan that decides otherwise there, less that of the best plan."""
    size = len(terrain.sizes)
    groups = _Groups(terrain, lonely)
    before, after = groups.costs()
    least = before[size]
    without = _spanned(groups, before, after) if size > 1 else [inf] * size
    other = [without[at] if at in starts else before[at] + after[at] for at in range(size)]
    return [round(max(cost - least, 0.0), 3) if cost < inf else inf for cost in other]


class _Groups:
    """What each possible group costs, by the rules of `cheapest`."""

    def __init__(self, terrain: Terrain, lonely: float) -> None:
        self._terrain, self._lonely = terrain, lonely
        self.size = len(terrain.sizes)
        self._total = list(accumulate(terrain.sizes, initial=0))
        self._first = self._reach()
        self._run = self._runs()

    def _reach(self) -> list[int]:
        """For each end the first start of a group: within the maximum, or one unit with the headings before it."""
        limit, total = len(self._terrain.prices[0]) - 1, self._total
        first, start, run = [0] * (self.size + 1), 0, 0
        for end in range(1, self.size + 1):
            last = end - 1
            while start < last and total[end] - total[start] > limit:
                start += 1
            low = start
            if not self._terrain.headings[last]:
                while low > run and total[last] - total[low - 1] <= limit:
                    low -= 1
                run = end
            first[end] = low
        return first

    def _runs(self) -> list[int]:
        """For each end where the headings right before it begin."""
        runs = [0]
        for at, heading in enumerate(self._terrain.headings):
            runs.append(runs[-1] if heading else at + 1)
        return runs

    def starts(self, end: int) -> range:
        """The starts of groups that end before a position."""
        return range(self._first[end], end)

    def cost(self, start: int, end: int) -> float:
        """What the group from a start to an end costs; infinite where a heading would be last but not all."""
        extra = 0.0
        if self._terrain.headings[end - 1]:
            if start < self._run[end]:
                return inf
            extra = self._lonely
        price = self._terrain.prices[end - 1]
        size = min(self._total[end] - self._total[start], len(price) - 1)
        return self._terrain.cuts[start] + price[size] + extra

    def costs(self) -> _Costs:
        """The cheapest way to each position, and from each."""
        before = [0.0] + [inf] * self.size
        for end in range(1, self.size + 1):
            before[end] = min((before[start] + self.cost(start, end) for start in self.starts(end)), default=inf)
        after = [inf] * self.size + [0.0]
        for end in range(self.size, 0, -1):
            for start in self.starts(end):
                after[start] = min(after[start], self.cost(start, end) + after[end])
        return _Costs(before, after)


def _spanned(groups: _Groups, before: Sequence[float], after: Sequence[float]) -> list[float]:
    """For each position the cheapest plan with a group that goes on over it."""
    best = [inf] * groups.size
    for end in range(1, groups.size + 1):
        running = inf
        for start in groups.starts(end):
            if start > groups.starts(end).start:
                best[start] = min(best[start], running)
            running = min(running, before[start] + groups.cost(start, end) + after[end])
    return best
