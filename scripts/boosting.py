"""Gradient boosting of oblivious trees in numpy: every node of a level asks the same question.

Such a tree of depth d is d questions `column > cut` and a table of 2**d values, so that a page is scored by comparing
whole columns (Prokhorenkova et al., CatBoost, 2018). Gains come from histograms over rows and columns drawn anew for
each tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

BINS: Final = 32
Table = NDArray[np.int16]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Settings:
    """How trees are grown; `rows` and `columns` are the shares drawn for each tree."""

    trees: int = 100
    depth: int = 6
    rate: float = 0.12
    rows: float = 0.5
    columns: float = 0.4
    smoothing: float = 3.0
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Trees:
    """`column` and `cut` are (trees, depth), `leaves` (trees, 2**depth) log odds; bit k of a leaf is answer k."""

    column: NDArray[np.int16]
    cut: NDArray[np.int16]
    leaves: Floats
    start: float


class _Pull(NamedTuple):
    """For each row how the loss falls with its log odds, and how that slope bends; `smoothing` holds leaves back."""

    slope: Floats
    bend: Floats
    smoothing: float

    def sums(self, key: Ints, size: int) -> tuple[Floats, Floats]:
        """Slope and bend by key."""
        slope: Floats = np.bincount(key, self.slope, size).astype(np.float64, copy=False)
        bend: Floats = np.bincount(key, self.bend, size).astype(np.float64, copy=False)
        return slope, bend


def cuts_of(table: Table) -> list[NDArray[np.int16]]:
    """For each column the values between its bins, ascending: at most `BINS - 1`."""
    marks = np.linspace(0, 1, BINS + 1)[1:-1]
    found = (np.unique(np.quantile(row, marks, method="lower")) for row in table)
    return [cuts[cuts < row.max()].astype(np.int16) for cuts, row in zip(found, table, strict=True)]


def fit(table: Table, target: Floats, weight: Floats, settings: Settings) -> Trees:
    """Trees for targets in 0..1 by weighted logistic loss. `table` is (columns, rows)."""
    cuts = cuts_of(table)
    binned = np.stack([np.searchsorted(cut, row) for cut, row in zip(cuts, table, strict=True)]).astype(np.uint8)
    drawn = np.random.default_rng(settings.seed)
    mean = float(np.average(target, weights=weight))
    start = float(np.log(mean / (1 - mean)))
    odds = np.full(table.shape[1], start)
    trees = []
    for _ in range(settings.trees):
        rows = np.flatnonzero(drawn.random(len(odds)) < settings.rows)
        columns = {int(c): len(cuts[c]) for c in np.flatnonzero(drawn.random(len(table)) < settings.columns)}
        chance = 1 / (1 + np.exp(-odds[rows]))
        pull = _Pull(weight[rows] * (target[rows] - chance), weight[rows] * chance * (1 - chance), settings.smoothing)
        questions, values = _grow(binned[:, rows], columns, pull, settings)
        odds += values[_leaf(binned, questions)]
        trees.append(([c for c, _ in questions], [cuts[c][at] for c, at in questions], values))
    column, cut, leaves = zip(*trees, strict=True)
    return Trees(np.array(column, np.int16), np.array(cut, np.int16), np.array(leaves), start)


def _leaf(binned: NDArray[np.uint8], questions: Sequence[tuple[int, int]]) -> Ints:
    leaf = np.zeros(binned.shape[1], np.int64)
    for bit, (column, at) in enumerate(questions):
        leaf |= (binned[column] > at).astype(np.int64) << bit
    return leaf


def _grow(
    part: NDArray[np.uint8], columns: Mapping[int, int], pull: _Pull, settings: Settings
) -> tuple[list[tuple[int, int]], Floats]:
    """A tree: its questions as (column, bin), and its values; `columns` maps a drawn column to its number of cuts."""
    questions: list[tuple[int, int]] = []
    for level in range(settings.depth):
        leaf = _leaf(part, questions)
        base, leaves = leaf * BINS, 1 << level
        found = [(column, *_gain(base + part[column], leaves, cuts, pull)) for column, cuts in columns.items() if cuts]
        column, _, after = max(found, key=lambda one: one[1])
        questions.append((column, after))
    slope, bend = pull.sums(_leaf(part, questions), 1 << settings.depth)
    return questions, settings.rate * slope / (bend + settings.smoothing)


def _gain(key: Ints, leaves: int, cuts: int, pull: _Pull) -> tuple[float, int]:
    """The best gain of cutting all leaves after the same one of the first `cuts` bins, and that bin.

    `key` is leaf * BINS + bin for each row.
    """
    slope, bend = (np.cumsum(row.reshape(leaves, BINS), axis=1) for row in pull.sums(key, leaves * BINS))
    left, low = slope[:, :cuts], bend[:, :cuts]
    right, high = slope[:, -1:] - left, bend[:, -1:] - low
    gain = (left**2 / (low + pull.smoothing) + right**2 / (high + pull.smoothing)).sum(axis=0)
    best = int(np.argmax(gain))
    return float(gain[best]), best
