"""What a model's provider asks for tokens, by the size of a call, and how much the model reads: listed or as given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.llm.prices import MILLION, MODELS, Price

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

SHORT: Final = 300.0
"""Seconds: providers that have a second price for what stays in the cache longer ask it above this."""


class Rates(NamedTuple):
    """USD per million tokens in calls of more than `above` tokens of input; `write` is of input put into the cache."""

    input: float
    output: float
    cached: float
    write: float
    above: int = 0


@dataclass(frozen=True, slots=True)
class Tariff:
    """A model's rates, by `above`, the first from 0, and its window in tokens, 0 where nobody says it.

    As most providers do, a call pays all its tokens at the rates of its size.
    """

    model: str
    rates: tuple[Rates, ...]
    window: int = 0

    def at(self, tokens: float) -> Rates:
        """The rates of a call with that much input."""
        return next(one for one in reversed(self.rates) if tokens > one.above or not one.above)

    def usd(self, plain: float, output: float, *, cached: float = 0.0, written: float = 0.0) -> float:
        """USD of a call that reads `plain` tokens, others from the cache, and puts others into it."""
        rates = self.at(plain + cached + written)
        paid = plain * rates.input + cached * rates.cached + written * rates.write + output * rates.output
        return paid / MILLION

    @classmethod
    def given(cls, model: str, price: Price, window: int = 0, write: float | None = None) -> Tariff:
        """One price for calls of every size; what is not said of the cache costs what input costs."""
        cached = price.input if price.cached is None else price.cached
        return cls(model, (Rates(price.input, price.output, cached, price.input if write is None else write),), window)


def tariff(model: str, lifetime: float = SHORT) -> Tariff:
    """The list prices of a model that caches input for `lifetime` seconds, and its window.

    Raises ConfigError where no price is known, MissingExtraError without the package of prices.
    """
    found = _listed(model)
    if found is None:
        raise ConfigError(
            f"no price is known for {model!r}; give --price IN/OUT/CACHED in USD per million tokens, or name it as "
            f"PROVIDER:MODEL, such as {MODELS[0]}"
        )
    rates = tuple(_rates(model, found.model_price, lifetime))
    return Tariff(model, rates, found.model.context_window or 0)


def window(model: str) -> int:
    """Tokens that a model reads at once; 0 where no list says it. Raises MissingExtraError as `tariff` does."""
    found = _listed(model)
    return 0 if found is None else found.model.context_window or 0


def input_price(model: str) -> float:
    """USD per million tokens that a model reads, in small calls; 0 where no list says it. Raises as `window` does."""
    found = _listed(model)
    return (found and _at(found.model_price.input_mtok, 0)) or 0.0


def _listed(model: str) -> PriceCalculation | None:
    """What genai-prices knows of a model; None where it does not know it."""
    try:
        import genai_prices
    except ImportError as error:
        raise MissingExtraError("eval", "looking up list prices") from error
    provider, _, name = model.rpartition(":")
    try:
        return genai_prices.calc_price(genai_prices.Usage(), model_ref=name, provider_id=provider or None)
    except LookupError:
        return None


def _rates(model: str, listed: Any, lifetime: float) -> Iterator[Rates]:  # noqa: ANN401 - fields by name
    """The rates by size of call. Raises ConfigError for a model that is not paid by tokens in and out."""
    if listed.input_mtok is None:
        raise ConfigError(f"no price by tokens is known for {model!r}; give --price IN/OUT/CACHED")
    longer = listed.cache_write_1h_mtok if lifetime > SHORT else None
    parts = (listed.input_mtok, listed.output_mtok, listed.cache_read_mtok, longer or listed.cache_write_mtok)
    starts = {tier.start for part in parts for tier in getattr(part, "tiers", ())}
    for above in (0, *sorted(starts)):
        read, output, cached, write = (_at(part, above) for part in parts)
        read = read or 0.0
        cached, write = (read if one is None else one for one in (cached, write))
        yield Rates(read, output or 0.0, cached, write, above)


def _at(part: Any, above: int) -> float | None:  # noqa: ANN401 - a number or one by tiers
    """The price of a part above a size of call; None where there is none."""
    if part is None or not hasattr(part, "tiers"):
        return None if part is None else float(part)
    reached = [tier.price for tier in part.tiers if tier.start <= above]
    return float(reached[-1] if reached else part.base)
