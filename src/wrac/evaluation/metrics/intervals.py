"""Is a difference real? The paired bootstrap over queries, and the spread of repeated runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

Verdict: TypeAlias = Literal["better", "worse", "no difference"]


class Difference(NamedTuple):
    """Mean of the paired differences and its 95 % interval; `real` when the interval leaves zero out."""

    mean: float
    low: float
    high: float

    @property
    def real(self) -> bool:
        return self.low > 0 or self.high < 0


class Spread(NamedTuple):
    """One figure over repeated runs: mean, lowest, highest, and the sample's standard deviation (0 of a single run)."""

    mean: float
    low: float
    high: float
    stdev: float


def bootstrap(ours: ArrayLike, baseline: ArrayLike, *, rounds: int = 2000, seed: int = 7) -> Difference:
    """The paired bootstrap (resampling queries) of `ours - baseline`; the same seed gives the same interval."""
    difference = np.asarray(ours, np.float64) - np.asarray(baseline, np.float64)
    if not difference.size:
        return Difference(0.0, 0.0, 0.0)
    picks = np.random.default_rng(seed).integers(0, difference.size, (rounds, difference.size))
    low, high = np.percentile(difference[picks].mean(axis=1), (2.5, 97.5))
    return Difference(float(difference.mean()), float(low), float(high))


def spread(runs: Sequence[float]) -> Spread:
    """What one figure did over repeated runs. Raises ValueError for no runs."""
    values = np.asarray(runs, np.float64)
    if not values.size:
        raise ValueError("a spread is of at least one run")
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return Spread(float(values.mean()), float(values.min()), float(values.max()), deviation)


def verdict(difference: Difference, *, within: Spread | None = None, less: bool = False) -> Verdict:
    """What may be said of a difference; "no difference" where its interval holds zero, or repeated runs differ as much.

    `within` is the spread of the figure that varies; `less` says that less of it is better, as of tokens.
    """
    noise = within.high - within.low if within else 0.0
    if not difference.real or abs(difference.mean) <= noise:
        return "no difference"
    return "better" if (difference.mean > 0) != less else "worse"


def less_is_better(metric: str) -> bool:
    """Whether less of a metric is better: of what is paid for."""
    return metric.startswith("tokens@")
