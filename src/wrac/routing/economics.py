"""What answering from a corpus costs by architecture: pure arithmetic over factors, each of which says whence it is.

Four ways: the corpus in the window of every question; the same with the provider's cache of input; retrieval, which
reads a few passages; and the mixture, retrieval that reads a whole document for some questions. A month has 30 days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import exp, inf, isfinite
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from wrac.core.errors import ConfigError
from wrac.core.types import NOTHING
from wrac.llm.prices import MILLION
from wrac.llm.tariffs import Rates, Tariff

Way: TypeAlias = Literal["window", "cached window", "retrieval", "mixture"]
WAYS: Final[tuple[Way, ...]] = ("window", "cached window", "retrieval", "mixture")
Source: TypeAlias = Literal["measured", "listed", "given", "default"]
Axis: TypeAlias = Literal["queries_per_day", "corpus_tokens", "cache_ratio", "price_level"]
DAYS: Final = 30
_WEEK, _HOUR, _GB = 7, 3600, 1e9
_STEPS: Final = 160


class Kind(NamedTuple):
    """What a factor counts, and the values that make sense."""

    unit: str
    meaning: str
    low: float = 0.0
    high: float = inf


class Origin(NamedTuple):
    """Whence a number is, and how it was measured or why it is the default."""

    source: Source
    note: str = ""


KINDS: Final[Mapping[str, Kind]] = {
    "corpus_tokens": Kind("tokens", "as a model would read it", 1),
    "document_tokens": Kind("tokens", "a document, mean", 1),
    "passage_tokens": Kind("tokens", "a passage with its trail", 1),
    "passages": Kind("", "passages of an answer", 1),
    "instruction_tokens": Kind("tokens", "before corpus or passages"),
    "question_tokens": Kind("tokens", "a question"),
    "output_tokens": Kind("tokens", "an answer"),
    "queries_per_day": Kind("", "questions a day"),
    "active_hours": Kind("hours", "of a day with questions", 0.01, 24),
    "whole_share": Kind("share", "want a whole document", 0, 1),
    "prefix_share": Kind("share", "same beginning", 0, 1),
    "cache_lifetime": Kind("seconds", "input stays cached"),
    "cache_minimum": Kind("tokens", "the least input that is kept"),
    "changes_per_week": Kind("", "changes a week"),
    "documents_per_change": Kind("", "touched by a change"),
    "air": Kind("share", "of the window that stays empty", 0, 0.99),
    "plan_price": Kind("USD/M", "planning by a model"),
    "embed_price": Kind("USD/M", "embedding"),
    "bytes_per_token": Kind("bytes", "stored, a token of corpus"),
    "storage_price": Kind("USD/GB", "storage a month"),
    "index_months": Kind("months", "until all is made anew", 0.1),
    "upkeep": Kind("USD", "an index's servers and hours"),
    "provenance": Kind("", "1: answers must name passages", 0, 1),
}


TARIFF: Final = ("price", "window")
"""What else has an origin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """All that the costs follow from, in the units of `KINDS`.

    `origins` are by name, those of the tariff under `price` and `window`; a number without one is the default. Raises
    ConfigError for a number that makes no sense.
    """

    tariff: Tariff
    corpus_tokens: float
    document_tokens: float = 2000
    passage_tokens: float = 200
    passages: float = 6
    instruction_tokens: float = 200
    question_tokens: float = 30
    output_tokens: float = 300
    queries_per_day: float = 50
    active_hours: float = 24
    whole_share: float = 0.05
    prefix_share: float = 1
    cache_lifetime: float = 300
    cache_minimum: float = 1024
    changes_per_week: float = 0.1
    documents_per_change: float = 1
    air: float = 0.5
    plan_price: float = 0
    embed_price: float = 0
    bytes_per_token: float = 90
    storage_price: float = 0.1
    index_months: float = 12
    upkeep: float = 200
    provenance: float = 0
    origins: Mapping[str, Origin] = field(default_factory=lambda: NOTHING)

    def __post_init__(self) -> None:
        for name in KINDS:
            check(name, getattr(self, name))

    def origin(self, name: str) -> Origin:
        """Whence a number is."""
        return self.origins.get(name) or Origin("default", DEFAULTS.get(name, ""))

    @property
    def room(self) -> float:
        """Tokens of corpus that the window holds with air."""
        beside = self.instruction_tokens + self.question_tokens + self.output_tokens
        return max(0.0, self.tariff.window * (1 - self.air) - beside)

    @property
    def fits(self) -> bool:
        """Whether the window holds the corpus with air."""
        return self.corpus_tokens <= self.room

    @property
    def document(self) -> float:
        """Tokens of a document as they are sent."""
        return min(self.document_tokens, self.corpus_tokens, self.room)

    def row(self) -> dict[str, Any]:
        """All of it as JSON; `Factors.read` reads it."""
        told = {name: [getattr(self, name), *self.origin(name)] for name in KINDS}
        tariff = {name: list(self.origin(name)) for name in TARIFF}
        rates = [list(one) for one in self.tariff.rates]
        return {
            "model": self.tariff.model,
            "window": self.tariff.window,
            "rates": rates,
            "origins": tariff,
            "factors": told,
        }

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Factors:
        """The factors of a row. Raises ValueError, TypeError or KeyError for what is none."""
        model, rates, told = row["model"], [Rates(*one) for one in row["rates"]], row["factors"]
        if not (isinstance(model, str) and isinstance(told, dict) and rates and min(map(min, rates)) >= 0):
            raise ValueError("no row of factors")
        tariff = Tariff(model, tuple(rates), row["window"])
        origins = {name: Origin(source, note) for name, (_, source, note) in told.items()}
        origins |= {name: Origin(*origin) for name, origin in row["origins"].items()}
        return cls(tariff=tariff, origins=origins, **{name: value for name, (value, _, _) in told.items()})


DEFAULTS: Final[Mapping[str, str]] = {
    "document_tokens": "two screens of text",
    "instruction_tokens": "wrac's own prompt",
    "passage_tokens": "wrac's target and a trail",
    "queries_per_day": "dozens of questions",
    "whole_share": "a practitioner: 1 in 20",
    "cache_lifetime": "the shortest of providers",
    "cache_minimum": "of OpenAI and Anthropic",
    "changes_per_week": "a few a year",
    "air": "half is used well (RULER)",
    "plan_price": "rules plan for nothing",
    "embed_price": "the embedder runs here",
    "bytes_per_token": "wrac's own, 37 pages",
    "storage_price": "a disk in a cloud",
    "upkeep": "two hours of somebody",
}
"""Why a default is what it is."""


def check(name: str, value: float) -> None:
    """Nothing. Raises ConfigError for a number that a factor cannot have."""
    kind = KINDS[name]
    if not (isfinite(value) and kind.low <= value <= kind.high):
        upto = f" to {kind.high:g}" if isfinite(kind.high) else ""
        raise ConfigError(f"{name.replace('_', '-')} is {value:g}; give a number from {kind.low:g}{upto}")


class Cost(NamedTuple):
    """What a way costs: tokens a question reads, USD a question, USD a month beside questions, and a month in all."""

    tokens: float
    question: float
    fixed: float
    month: float


def costs(f: Factors) -> dict[Way, Cost]:
    """What each way costs. A corpus beyond the window is read as far as the window holds it with air."""
    held = f.instruction_tokens + min(f.corpus_tokens, f.room)
    few = f.instruction_tokens + min(f.passages * f.passage_tokens, f.corpus_tokens) + f.question_tokens
    document = f.instruction_tokens + f.document + f.question_tokens
    embed, keep = f.question_tokens * f.embed_price / MILLION, sum(upkeep(f).values())
    passages = f.tariff.usd(few, f.output_tokens) + embed
    mixed = (1 - f.whole_share) * passages + f.whole_share * (f.tariff.usd(document, f.output_tokens) + embed)
    whole = held + f.question_tokens
    return {
        "window": _cost(f, whole, f.tariff.usd(whole, f.output_tokens), 0.0),
        "cached window": _cost(f, whole, _cached(f, held), 0.0),
        "retrieval": _cost(f, few, passages, keep),
        "mixture": _cost(f, (1 - f.whole_share) * few + f.whole_share * document, mixed, keep),
    }


def _cost(f: Factors, tokens: float, question: float, fixed: float) -> Cost:
    return Cost(tokens, question, fixed, DAYS * f.queries_per_day * question + fixed)


def _cached(f: Factors, prefix: float) -> float:
    """USD of a question behind a prefix that is in the cache for some, and put there by the others."""
    plain = f.tariff.usd(prefix + f.question_tokens, f.output_tokens)
    if prefix < f.cache_minimum:
        return plain
    hit = f.tariff.usd(f.question_tokens, f.output_tokens, cached=prefix)
    miss = f.tariff.usd(f.question_tokens, f.output_tokens, written=prefix)
    share = hits(f)
    return f.prefix_share * (share * hit + (1 - share) * miss) + (1 - f.prefix_share) * plain


def hits(f: Factors) -> float:
    """The share of questions with the common prefix that find it cached.

    Questions and changes come by chance at their mean rates a and b (Poisson): a question finds the prefix where
    another came within the lifetime T, and no change since that one: a / (a + b) (1 - exp(-(a + b) T)).
    """
    second = f.active_hours * _HOUR
    asked, changed = f.queries_per_day * f.prefix_share / second, f.changes_per_week / _WEEK / second
    rate = asked + changed
    return asked / rate * (1 - exp(-rate * f.cache_lifetime)) if rate else 0.0


def upkeep(f: Factors) -> dict[str, float]:
    """What an index costs beside questions, USD a month by part; `building` is spread over the months it lasts."""
    price = (f.plan_price + f.embed_price) / MILLION
    return {
        "building": f.corpus_tokens * price / f.index_months,
        "re-indexing": reindexed(f) * price,
        "storage": f.corpus_tokens * f.bytes_per_token / _GB * f.storage_price,
        "upkeep": f.upkeep,
    }


def reindexed(f: Factors) -> float:
    """Tokens that changes make anew in a month: of the changed documents alone, as `wrac refresh` does."""
    changed = min(f.documents_per_change * min(f.document_tokens, f.corpus_tokens), f.corpus_tokens)
    return f.changes_per_week * DAYS / _WEEK * changed


def held(found: Mapping[Way, Cost]) -> Cost:
    """The window the cheaper way: the cache is used where it pays."""
    return min((found["window"], found["cached window"]), key=lambda one: one.month)


# -- break-even

AXES: Final[Mapping[Axis, str]] = {
    "queries_per_day": "questions a day",
    "corpus_tokens": "tokens of corpus",
    "cache_ratio": "price of cached input / input",
    "price_level": "prices, times the present ones",
}


def moved(f: Factors, axis: Axis, value: float) -> Factors:
    """The factors with one moved to a value."""
    if axis == "cache_ratio":
        return _rated(f, lambda one: one._replace(cached=one.input * value))
    if axis == "price_level":
        return _rated(f, lambda one: _scaled(one, value))
    return replace(f, queries_per_day=value) if axis == "queries_per_day" else replace(f, corpus_tokens=value)


def present(f: Factors, axis: Axis) -> float:
    """The value that a factor has."""
    if axis == "cache_ratio":
        rates = f.tariff.rates[0]
        return rates.cached / rates.input if rates.input else 1.0
    return 1.0 if axis == "price_level" else float(getattr(f, axis))


def _rated(f: Factors, change: Callable[[Rates], Rates]) -> Factors:
    return replace(f, tariff=replace(f.tariff, rates=tuple(map(change, f.tariff.rates))))


def _scaled(one: Rates, by: float) -> Rates:
    return Rates(one.input * by, one.output * by, one.cached * by, one.write * by, one.above)


def gap(f: Factors) -> float:
    """USD a month that the window costs more than retrieval."""
    found = costs(f)
    return held(found).month - found["retrieval"].month


def break_even(f: Factors, axis: Axis) -> tuple[float, ...]:
    """Where window and retrieval cost the same, ascending, all other factors as they are; none where they never do.

    There may be two: a cache that is rarely hit costs more than retrieval, one that is always hit may cost less. At a
    step of the rates the costs change sides without being the same.
    """
    return tuple(_crossings(lambda value: gap(moved(f, axis, value)), _grid(f, axis)))


def _grid(f: Factors, axis: Axis) -> list[float]:
    """Values to look at, ascending: of a share evenly, of all others by their logarithm; of corpora those that fit."""
    if axis == "cache_ratio":
        return [step / _STEPS for step in range(_STEPS + 1)]
    low, high = {"queries_per_day": (1e-3, 1e8), "corpus_tokens": (1.0, f.room)}.get(axis, (1e-5, 1e5))
    return [low * (high / low) ** (step / _STEPS) for step in range(_STEPS + 1)] if high > low else []


def _crossings(gap_at: Callable[[float], float], grid: list[float]) -> Iterator[float]:
    """Where a function changes its sign between neighbours of a grid, by halving."""
    known = [(value, gap_at(value)) for value in grid]
    known = [(value, sign) for value, sign in known if sign]
    for (low, below), (high, above) in pairwise(known):
        if (below < 0) != (above < 0):
            yield _halved(gap_at, low, high, below < 0)


def _halved(gap_at: Callable[[float], float], low: float, high: float, negative: bool) -> float:
    for _ in range(80):
        middle = (low + high) / 2
        if (gap_at(middle) < 0) == negative:
            low = middle
        else:
            high = middle
    return high
