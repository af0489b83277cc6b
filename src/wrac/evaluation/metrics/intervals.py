"""Is a difference real? The paired bootstrap over queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Difference(NamedTuple):
    """Mean of the paired differences and its 95 % interval; `real` when the interval leaves zero out."""

    mean: float
    low: float
    high: float

    @property
    def real(self) -> bool:
        return self.low > 0 or self.high < 0


def bootstrap(ours: ArrayLike, baseline: ArrayLike, *, rounds: int = 2000, seed: int = 7) -> Difference:
    """The paired bootstrap (resampling queries) of `ours - baseline`; the same seed gives the same interval."""
    difference = np.asarray(ours, np.float64) - np.asarray(baseline, np.float64)
    if not difference.size:
        return Difference(0.0, 0.0, 0.0)
    picks = np.random.default_rng(seed).integers(0, difference.size, (rounds, difference.size))
    low, high = np.percentile(difference[picks].mean(axis=1), (2.5, 97.5))
    return Difference(float(difference.mean()), float(low), float(high))
