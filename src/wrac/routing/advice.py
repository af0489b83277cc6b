"""Which architecture a corpus wants: rules in their order, the first that holds decides; and what moved since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from wrac.core.errors import ConfigError
from wrac.routing.economics import (
    AXES,
    Axis,
    Cost,
    Factors,
    Way,
    break_even,
    costs,
    held,
    present,
    reindexed,
)

Choice: TypeAlias = Literal["window", "retrieval"]
OFTEN: Final = 1.0
"""Changes a week from which on making an index anew counts."""


class Verdict(NamedTuple):
    """A rule: what it says where it holds, whether it does, and the figures."""

    rule: str
    choice: Choice
    holds: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Advice:
    """What to choose for one model. `rule` decided and `reason` has its figures; `breaks` are the break-evens by axis.

    `verdicts` are those of all rules, in their order.
    """

    factors: Factors
    choice: Choice
    rule: str
    reason: str
    costs: Mapping[Way, Cost]
    breaks: Mapping[Axis, tuple[float, ...]]
    verdicts: tuple[Verdict, ...]

    @property
    def factor(self) -> float:
        """How many times as much a question costs from the whole window as by retrieval."""
        return times(self.costs["window"], self.costs["retrieval"])

    @property
    def factor_cached(self) -> float:
        """The same with a window whose beginning is cached."""
        return times(self.costs["cached window"], self.costs["retrieval"])

    @property
    def month(self) -> float:
        """USD a month of the window, cached where that pays."""
        return held(self.costs).month


def times(one: Cost, other: Cost) -> float:
    """How many times as much a question costs; 1 where both cost nothing."""
    if not other.question:
        return float("inf") if one.question else 1.0
    return one.question / other.question


def recommend(factors: Factors) -> Advice:
    """The advice. Raises ConfigError for a window that nobody knows, or that holds less than a question's passages."""
    found = costs(factors)
    _refuse(factors, found["retrieval"])
    breaks = {axis: break_even(factors, axis) for axis in AXES}
    verdicts = tuple(_verdicts(factors, found, breaks))
    decided = next(one for one in verdicts if one.holds)
    return Advice(factors, decided.choice, decided.rule, decided.reason, found, breaks, verdicts)


def _refuse(f: Factors, retrieval: Cost) -> None:
    if not f.tariff.window:
        raise ConfigError(f"no window is known for {f.tariff.model!r}; give --window TOKENS")
    if (needed := retrieval.tokens + f.output_tokens) > f.tariff.window:
        raise ConfigError(
            f"{f.tariff.model}: a window of {f.tariff.window:,} tokens is smaller than a question with "
            f"{f.passages:g} passages and its answer ({needed:,.0f}); give fewer --passages, or another --model"
        )


def _verdicts(f: Factors, found: Mapping[Way, Cost], breaks: Mapping[Axis, Sequence[float]]) -> Iterator[Verdict]:
    """The rules, the one that overrides all others first."""
    window, retrieval = held(found), found["retrieval"]
    room = f"a window of {f.tariff.window:,} holds {f.room:,.0f} with {f.air:.0%} air"
    price = f"{usd(window.month)} a month from the window, {usd(retrieval.month)} by retrieval with its index"
    volume = f"at {number(f.queries_per_day)} questions a day {price}"
    anew = f"{number(f.changes_per_week)} changes a week"
    yield Verdict(
        "provenance", "retrieval", f.provenance > 0,
        f"every answer must name what it rests on: {f.passages:g} passages, each with its address",
    )  # fmt: skip
    yield Verdict("no fit", "retrieval", not f.fits, f"of {f.corpus_tokens:,.0f} tokens {room}")
    yield Verdict("high volume", "retrieval", window.month > retrieval.month, f"{volume}{_pays(f, breaks)}")
    yield Verdict(
        "frequent changes", "window", f.fits and f.changes_per_week >= OFTEN,
        f"{anew}, and no index to make anew ({reindexed(f):,.0f} tokens a month); {volume}",
    )  # fmt: skip
    yield Verdict("fits with air", "window", f.fits, f"{f.corpus_tokens:,.0f} tokens, and {room}; {volume}")


def _pays(f: Factors, breaks: Mapping[Axis, Sequence[float]]) -> str:
    below = [one for one in breaks["queries_per_day"] if one <= f.queries_per_day]
    return f"; retrieval pays from {number(below[-1])} a day on" if below else ""


# -- what moved


class Moved(NamedTuple):
    """A figure that crossed a break-even: `across` lies between what it was and what it is."""

    axis: Axis
    before: float
    now: float
    across: float


def crossed(before: Advice, now: Advice) -> list[Moved]:
    """What moved across a break-even of the advice before: volume, corpus (also out of the window), prices."""
    old, new = before.factors, now.factors
    found = []
    for axis in AXES:
        was, became = present(old, axis), present(new, axis)
        if axis == "price_level":
            became = _level(old, new)
        lines = [*before.breaks[axis], *([old.room] if axis == "corpus_tokens" else [])]
        found += [Moved(axis, was, became, one) for one in lines if (was <= one) != (became <= one)]
    return found


def _level(old: Factors, new: Factors) -> float:
    """The price of input, times the one before."""
    before, now = old.tariff.at(old.corpus_tokens).input, new.tariff.at(old.corpus_tokens).input
    return now / before if before else 1.0


# -- figures in words


def usd(value: float) -> str:
    """Dollars as a person reads them, three digits that count.

    >>> usd(45540.2), usd(0.0631), usd(0)
    ('45,540 USD', '0.0631 USD', '0 USD')
    """
    return f"{number(value)} USD"


def number(value: float) -> str:
    """A number with the three digits that count, and thousands apart.

    >>> number(1697.6), number(12.346), number(0.00012345), number(5)
    ('1,698', '12.3', '0.000123', '5')
    """
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    digits = f"{value:.3g}"
    return digits if "e" not in digits else f"{value:.12f}"[:10].rstrip("0.") or "0"
