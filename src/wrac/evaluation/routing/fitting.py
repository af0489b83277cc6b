"""Thresholds of routing learned on all folds but one and read on the one left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wrac.evaluation.routing.observing import Observed, Read
from wrac.routing import RULE, Rule

WORTH: Final = 1e-4
"""What a token is worth beside recall: a thousand tokens are read for a tenth of a question's gold."""
NEARLY, PARTS = (0.75, 0.8, 0.9, 2.0), (0.25, 0.4, 0.5, 0.6)
HITS, GAPS, SECTIONS = (3, 4, 5, 6, 99), (0.1, 0.15, 0.2, 0.3), (4, 8, 12, 99)
"""What is tried; 2 and 99 are never."""

NEVER: Final = Rule(2.0, 2.0, 99, 0.1, 99)
Floats: TypeAlias = NDArray[np.float64]


class Fit(NamedTuple):
    """What was chosen on the other folds, and what it is worth on this one beside the best that could be chosen.

    `shipped` is what wrac's own choice is worth there, `never` that of passages alone.
    """

    fold: str
    chosen: Rule
    held_out: float
    best: float
    shipped: float
    never: float


def choice(one: Observed, budget: int, rule: Rule) -> Read:
    """What a model reads under a rule."""
    ways = one.ways[budget]
    return ways.document if rule.why(ways.signals) else ways.passages


def worth(read: Read) -> float:
    """Recall less what its tokens are worth."""
    return read.recall - WORTH * read.tokens


def rules() -> list[Rule]:
    """Every rule that is tried."""
    tried = product(NEARLY, PARTS, HITS, GAPS, SECTIONS)
    return [replace(RULE, nearly=n, part=p, hits=h, gap=g, sections=s) for n, p, h, g, s in tried if p <= n]


def fitted(observed: Sequence[Observed], budget: int) -> list[Fit]:
    """For each fold the rule learned on the others; one fold of all is read on itself."""
    tried, value = rules(), worths(observed, [budget])
    values = {rule: value(rule) for rule in tried}
    never, shipped = value(NEVER), value(RULE)
    found = []
    for fold, inside in _masks(observed):
        rest = ~inside if (~inside).any() else inside
        chosen = _best(tried, lambda rule, rest=rest: float(values[rule][rest].mean()))  # type: ignore[misc]
        means = {rule: float(each[inside].mean()) for rule, each in values.items()}
        at = float(shipped[inside].mean()), float(never[inside].mean())
        found.append(Fit(fold, chosen, means[chosen], max(means.values()), *at))
    return found


def together(observed: Sequence[Observed], budgets: Sequence[int]) -> Rule:
    """The rule learned on every fold, of most worth in the mean over the budgets."""
    value = worths(observed, budgets)
    return _best(rules(), lambda rule: float(value(rule).mean()))


def worths(observed: Sequence[Observed], budgets: Sequence[int]) -> Callable[[Rule], Floats]:
    """Of a rule what it is worth for each question, the mean over the budgets: as `Rule.why`, for all at once."""
    ways = [[one.ways[budget] for one in observed] for budget in budgets]
    held = np.array([[way.signals.held for way in row] for row in ways])
    sections = np.array([[way.signals.sections for way in row] for row in ways])
    near = {gap: np.array([[way.signals.near(gap) for way in row] for row in ways]) for gap in (*GAPS, RULE.gap)}
    passages = np.array([[worth(way.passages) for way in row] for row in ways])
    document = np.array([[worth(way.document) for way in row] for row in ways])

    def of(rule: Rule) -> Floats:
        alike = (near[rule.gap] >= rule.hits) | (sections >= rule.sections)
        whole = (held >= rule.nearly) | ((held >= rule.part) & alike)
        return np.asarray(np.where(whole, document, passages).mean(axis=0), np.float64)

    return of


def held_out(observed: Sequence[Observed], fits: Sequence[Fit]) -> list[Rule]:
    """For each question the rule learned without its fold."""
    chosen = {fit.fold: fit.chosen for fit in fits}
    return [chosen[one.fold] for one in observed]


def _best(tried: Iterable[Rule], value: Callable[[Rule], float]) -> Rule:
    """The rule of most value; of equals the one that reads whole documents least."""
    return max(
        tried, key=lambda rule: (round(value(rule), 6), rule.nearly, rule.part, rule.hits, rule.sections, -rule.gap)
    )


def _masks(observed: Sequence[Observed]) -> Iterable[tuple[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]]:
    labels = np.array([one.fold for one in observed])
    for fold in sorted(set(labels.tolist())):
        yield fold, labels == fold
