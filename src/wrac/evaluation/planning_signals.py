"""What tells where a model would decide otherwise than the rules: signals held against published plans, set by set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, inf
from typing import Final, NamedTuple, TypeAlias

from wrac.core.types import Usage
from wrac.evaluation.planning_cost import Replay, starts
from wrac.evaluation.strategies.replay import Recorded, answered, rules_planner
from wrac.llm.asking import Question
from wrac.llm.ledger import total
from wrac.llm.prices import MODELS, price
from wrac.planning.cascade import STEEP
from wrac.planning.llm import LlmPlanner
from wrac.planning.outline import segments
from wrac.planning.rules import RulesPlanner, streams
from wrac.planning.why import why

SHARE: Final = 0.25
"""What a cascade may cost, as a share of asking about everything."""


class Piece(NamedTuple):
    """A segment that a cascade may ask about: its page and set, the margins of its boundaries, how many units and
    headings it has, on how many boundaries the model differs, and what asking takes.
    """

    page: str
    set: str
    margins: tuple[float, ...]
    units: int
    headings: int
    differ: int
    usage: Usage


Signal: TypeAlias = Callable[[Piece], float]
SIGNALS: Final[Mapping[str, Signal]] = {
    "sum of doubts": lambda one: sum(exp(-STEEP * margin) for margin in one.margins),
    "the same a unit": lambda one: sum(exp(-STEEP * margin) for margin in one.margins) / one.units,
    "boundaries with a margin below 0.5": lambda one: sum(margin < 0.5 for margin in one.margins),
    "smallest margin": lambda one: -min(one.margins),
    "mean margin": lambda one: -sum(min(margin, 5.0) for margin in one.margins) / len(one.margins),
    "headings": lambda one: one.headings,
    "no headings": lambda one: -one.headings / one.units,
    "units": lambda one: one.units,
}
"""Ways to say how much a segment is worth asking about; more is more."""


class Told(NamedTuple):
    """How well a signal tells: of the boundaries on which the model differs the share in segments that are asked.

    `caught` for SHARE of the cost, chosen on all pages; `held_out` and its `cost` with the threshold chosen on all sets
    but the one it is read on.
    """

    signal: str
    caught: float
    held_out: float
    cost: float


def told(found: Sequence[Replay]) -> list[Told]:
    """Every signal over the pages; a set is the first folder of a page's path."""
    made, fixed = pieces(found)
    sets = sorted({one.set for one in made})
    everything = _cost(made, fixed)
    rows = []
    for name, signal in SIGNALS.items():
        chosen: list[Piece] = []
        for own in sets:
            limit = _threshold([one for one in made if one.set != own], signal, fixed)
            chosen += [one for one in made if one.set == own and signal(one) >= limit]
        limit = _threshold(made, signal, fixed)
        asked = [one for one in made if signal(one) >= limit]
        rows.append(Told(name, _differ(asked, made), _differ(chosen, made), _cost(chosen, fixed) / everything))
    return rows


def pieces(found: Sequence[Replay]) -> tuple[list[Piece], int]:
    """The segments of the pages, and the tokens of the instructions that each page with a question pays."""
    rules, made, fixed = rules_planner(), list[Piece](), 0
    for one in found:
        made += _pieces(one, rules)
        windows = LlmPlanner(rules, Recorded(one.document, one.plan, rules), {}).questions(one.document)
        fixed = fixed or rules.counter.count(windows[0].question.instructions)
    return made, fixed


def _pieces(one: Replay, rules: RulesPlanner) -> Iterator[Piece]:
    document, count = one.document, rules.counter.count
    plan = rules.plan(document)
    margins = {boundary.ordinal: boundary.margin for boundary in why(rules, document)}
    moved = starts(document, plan) ^ starts(document, answered(document, one.plan, rules)[0])
    recorded = Recorded(document, one.plan, rules)
    for stream in streams(document, dict(plan.omitted)):
        for segment in segments(document, stream, count):
            inner = segment.ordinals[1:]
            if not inner:
                continue
            yield Piece(
                one.page.url,
                one.page.url.partition("/")[0],
                tuple(margins[ordinal] for ordinal in inner),
                len(segment.ordinals),
                sum(document.unit(ordinal).kind == "heading" for ordinal in segment.ordinals),
                len(moved.intersection(inner)),
                recorded.ask(Question("", "\n".join(segment.shown(0)))).usage,
            )


def _threshold(made: Sequence[Piece], signal: Signal, fixed: int) -> float:
    """The lowest value of a signal from which on asking costs at most SHARE of asking about everything."""
    limit, most = inf, SHARE * _cost(made, fixed)
    for value in sorted({signal(one) for one in made}, reverse=True):
        if _cost([one for one in made if signal(one) >= value], fixed) > most:
            break
        limit = value
    return limit


def _cost(asked: Sequence[Piece], fixed: int) -> float:
    """USD of asking about segments, at MODELS' first price; each page with one pays the instructions once."""
    paid = total(one.usage for one in asked)
    pages = len({one.page for one in asked})
    return price(replace(paid, input=paid.input + fixed * pages), MODELS[0])


def _differ(asked: Sequence[Piece], made: Sequence[Piece]) -> float:
    return sum(one.differ for one in asked) / max(sum(one.differ for one in made), 1)
