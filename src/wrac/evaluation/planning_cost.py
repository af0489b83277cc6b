"""What planning with a model costs: tokens, seconds and USD a page, counted on published plans in wrac's own form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import Document, Page, Plan, Usage
from wrac.evaluation.metrics.altered import Altered, altered
from wrac.evaluation.strategies.agentic import blocks
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import chunks
from wrac.evaluation.strategies.published import Row, account, rows
from wrac.evaluation.strategies.replay import Recorded, answered, rules_planner
from wrac.evaluation.values import DataSet
from wrac.llm.ledger import total
from wrac.llm.prices import price
from wrac.planning.llm import LlmPlanner
from wrac.planning.rules import streams
from wrac.planning.why import why
from wrac.text.tokens import counter

PLANS, REWRITES = "published/wrac-gpt-4.1.jsonl", "published/agentic-gpt-4.1.jsonl"


class Replay(NamedTuple):
    """A page for which a plan and a rewrite are published."""

    page: Page
    document: Document
    plan: Row
    rewrite: Row


def replays(data: DataSet, corpus: Corpus) -> list[Replay]:
    """The pages of a data set that both were published for. Raises InputError where nothing is published beside it."""
    plans, rewrites = (
        {row["page"]: row for row in rows(data.root / name, data.pages)[0]} for name in (PLANS, REWRITES)
    )
    both = [page for page in data.pages if page.url in plans and page.url in rewrites]
    return [Replay(page, corpus.document(page), plans[page.url], rewrites[page.url]) for page in both]


# -- tokens, seconds, USD


@dataclass(frozen=True, slots=True)
class Way:
    """What a way to cut takes: a usage for each page; `fixed` tokens of all input are the same in every question."""

    name: str
    pages: tuple[Usage, ...]
    fixed: int = 0

    @property
    def total(self) -> Usage:
        """The usage of all pages."""
        return total(self.pages)

    @property
    def asked(self) -> int:
        """How many pages a model was asked about."""
        return sum(usage.calls > 0 for usage in self.pages)

    def usd(self, model: str, *, cached: bool = False, batch: bool = False) -> float:
        """USD of all pages at a model's list prices; `cached` pays the fixed part as a cached beginning."""
        paid = self.total
        return price(replace(paid, cached=max(paid.cached, self.fixed)) if cached else paid, model, batch=batch)


def published(found: Sequence[Replay]) -> list[Way]:
    """The published rewrite and the published plans, as their own usage fields say."""
    return [
        Way("agentic rewrite, published", tuple(account([one.rewrite]) for one in found)),
        Way("W-RAC plans, published", tuple(account([one.plan]) for one in found)),
    ]


def ours(found: Sequence[Replay], name: str, threshold: float | None = None, *, once: bool = False) -> Way:
    """What wrac would send and be answered in o200k tokens, answers being the published plans.

    `once` says each unit in one group, as the prompt asks; the published plans say headings again and again.
    """
    rules, count = rules_planner(), counter("o200k").count
    usages, fixed = [], 0
    for one in found:
        model = Recorded(one.document, one.plan, rules, once=once)
        asked = LlmPlanner(rules, model, {}, threshold=threshold).questions(one.document)
        usages.append(total(model.ask(window.question).usage for window in asked))
        fixed += sum(count(window.question.instructions) for window in asked)
    return Way(name, tuple(usages), fixed)


class Pace(NamedTuple):
    """Seconds of a call as a line through calls that were timed: `base`, and for 1,000 tokens in and 100 out.

    `explained` is the share of the variance that the line explains.
    """

    base: float
    input: float
    output: float
    explained: float

    def of(self, usage: Usage) -> float:
        """What the line says for a usage."""
        return usage.calls * self.base + usage.input / 1000 * self.input + usage.output / 100 * self.output


def pace_of(usages: Sequence[Usage]) -> Pace:
    """The line of least squares through timed calls."""
    known = np.array([(1, usage.input / 1000, usage.output / 100) for usage in usages])
    taken = np.array([usage.seconds for usage in usages])
    line = np.linalg.lstsq(known, taken, rcond=None)[0]
    base, read, written = line.tolist()
    return Pace(base, read, written, 1 - float(np.var(taken - known @ line) / np.var(taken)))


# -- words


def changed(found: Sequence[Replay], texts: Callable[[Replay], Iterable[str]]) -> list[Altered]:
    """What chunks made of the words of each page; `texts` gives the chunks of a page."""
    return [altered(blocks(one.document), texts(one)) for one in found]


def summed(counts: Sequence[Altered]) -> Altered:
    """The sum over pages."""
    return Altered(*(sum(column) for column in zip(*counts, strict=True)))


def resolved(corpus: Corpus, one: Replay, plan: Plan) -> list[str]:
    """The texts of a plan's chunks, as a reader is given them."""
    return [passage.text for passage in chunks(corpus, one.page, plan)]


# -- where rules and model differ


class Decision(NamedTuple):
    """A boundary: the rules' margin, and whether the rules, the model and a cascade start a chunk there."""

    margin: float
    rules: bool
    model: bool
    cascade: bool


def decisions(found: Sequence[Replay], threshold: float) -> list[Decision]:
    """Every boundary of the pages, decided by the rules, by the published plans and by the cascade of a threshold."""
    rules, decided = rules_planner(), list[Decision]()
    for one in found:
        margins = {boundary.ordinal: boundary.margin for boundary in why(rules, one.document)}
        model, cascade = (answered(one.document, one.plan, rules, limit)[0] for limit in (None, threshold))
        plans = [starts(one.document, plan) for plan in (rules.plan(one.document), model, cascade)]
        decided += [Decision(margin, *(ordinal in begun for begun in plans)) for ordinal, margin in margins.items()]
    return decided


def starts(document: Document, plan: Plan) -> frozenset[int]:
    """The ordinals that stand in another group than the one before them in their stream."""
    owner = {ordinal: number for number, group in enumerate(plan.groups) for ordinal in group}
    kept = streams(document, dict(plan.omitted))
    return frozenset(after for stream in kept for before, after in pairwise(stream) if owner[before] != owner[after])


def ranked(scores: Sequence[float], wanted: Sequence[bool]) -> float:
    """How often a wanted one has a higher score than another one (the area under the ROC curve); ties count half."""
    values: NDArray[np.float64] = np.array(scores, np.float64)
    yes, no = values[np.array(wanted, np.bool_)], np.sort(values[~np.array(wanted, np.bool_)])
    if not yes.size or not no.size:
        return float("nan")
    below, upto = np.searchsorted(no, yes, "left"), np.searchsorted(no, yes, "right")
    return float((below + upto).mean() / 2 / no.size)


def caught(decided: Sequence[Decision]) -> float:
    """The share of the boundaries on which rules and model differ that the cascade decides as the model does."""
    differ = [one for one in decided if one.rules != one.model]
    return sum(one.cascade == one.model for one in differ) / max(len(differ), 1)


def by_margin(decided: Iterable[Decision], edges: Sequence[float]) -> list[tuple[float, float, int, int]]:
    """For each class of margins its edges, how many boundaries it holds, and on how many the model differs."""
    counts, differ = Counter[int](), Counter[int]()
    for one in decided:
        group = int(np.searchsorted(edges, one.margin, "right")) - 1
        counts[group] += 1
        differ[group] += one.rules != one.model
    upper = [*edges[1:], float("inf")]
    return [(edges[group], upper[group], counts[group], differ[group]) for group in range(len(edges))]
