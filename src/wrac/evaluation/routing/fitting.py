"""Thresholds of routing learned on all folds but one and read on the one left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple, TypeVar

import numpy as np

from wrac.evaluation.routing.observing import Observed, Read
from wrac.routing import RULE, Rule

WORTH: Final = 1e-4
"""What a token is worth beside recall: a thousand tokens are read for a tenth of a question's gold."""
NEARLY, PARTS = (0.6, 0.75, 0.85, 2.0), (0.25, 0.4, 0.5, 0.6)
HITS, GAPS, SECTIONS = (3, 4, 5, 6, 99), (0.1, 0.15, 0.2, 0.3), (3, 4, 5, 99)
"""What is tried; 2 and 99 are never."""

Choice = TypeVar("Choice")


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
    tried = rules()
    values = {rule: np.array([worth(choice(one, budget, rule)) for one in observed]) for rule in tried}
    never = np.array([worth(one.ways[budget].passages) for one in observed])
    shipped = np.array([worth(choice(one, budget, RULE)) for one in observed])
    found = []
    for fold, inside in _masks(observed):
        rest = ~inside if (~inside).any() else inside
        chosen = _best(tried, lambda rule, rest=rest: float(values[rule][rest].mean()))  # type: ignore[misc]
        means = {rule: float(value[inside].mean()) for rule, value in values.items()}
        at = float(shipped[inside].mean()), float(never[inside].mean())
        found.append(Fit(fold, chosen, means[chosen], max(means.values()), *at))
    return found


def together(observed: Sequence[Observed], budget: int) -> Rule:
    """The rule learned on every fold."""
    return _best(rules(), lambda rule: float(np.mean([worth(choice(one, budget, rule)) for one in observed])))


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
