"""The cheapest way to cut a run of texts into groups of like size: for units of a page, and for sentences of a unit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf
from typing import Final, NamedTuple

SMALL: Final = 3.0
SMALL_BELOW: Final = 0.6
LARGE: Final = 16.0
LARGE_ABOVE: Final = 1.5
"""A group below SMALL_BELOW targets costs up to SMALL, one above LARGE_ABOVE of them LARGE at twice that size."""
_ROUNDING: Final = 1e-6


def lot(content: str) -> float:
    """A number drawn from a content's id: 1 for one content in eight, else below 0.3.

    Few strong favourites, not many weak ones: with even odds a shifted partition costs nearly the same.
    """
    number = int(content[-8:], 16)
    return 1.0 if number & 7 == 0 else 0.3 * (number >> 3) / (1 << 29)


def curve(
    target: float,
    maximum: int,
    small: tuple[float, float] = (SMALL, SMALL_BELOW),
    large: tuple[float, float] = (LARGE, LARGE_ABOVE),
) -> tuple[float, ...]:
    """The cost of a group of each size from 0 to the maximum: nothing around the target, more to both sides."""
    low, high = small[1] * target, large[1] * target
    sizes = range(maximum + 1)
    return tuple(small[0] * max(0.0, 1 - size / low) ** 2 + large[0] * max(0.0, size / high - 1) ** 2 for size in sizes)


class Terrain(NamedTuple):
    """What texts weigh, which are headings, and what a group costs that starts with each: below 0 where it saves.

    `prices[i][tokens]` is what a group of a size costs that ends with text i; all have the same length.
    """

    sizes: Sequence[int]
    headings: Sequence[bool]
    cuts: list[float]
    prices: Sequence[Sequence[float]]


def cheapest(terrain: Terrain, lonely: float) -> list[int]:
    """The starts of the groups of the cheapest partition, ascending from 0, in linear time, given convex prices.

    A group larger than the prices reach is one text with the headings right before it; chunking splits that text. A
    group ends with a heading only when it is all headings, and pays `lonely`.
    """
    sizes, headings, cuts, prices = terrain
    total = list(accumulate(sizes, initial=0))
    count = len(sizes)
    limit = len(prices[0]) - 1 if count else 0
    best = [0.0] * (count + 1)
    entry = [0.0] * count  # the cost up to a start, with the start's own
    previous = [0] * (count + 1)
    run = 0  # where the headings right before the end begin
    lower = inf  # the least cost up to any start so far
    for end in range(1, count + 1):
        last = end - 1
        entry[last] = best[last] + cuts[last]
        lower = min(lower, entry[last])
        lowest = run if headings[last] else 0
        least, chosen, reach, price = inf, last, total[end], prices[last]
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
            elif price[0] < price[size] > least - lower + _ROUNDING:
                break  # prices that are above that of nothing only rise: no start further up can be cheaper
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
