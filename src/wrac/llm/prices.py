"""What a usage costs: at a given price, or at the list prices of the package genai-prices; nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final, NamedTuple

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.core.types import Usage

MODELS = ("openai:gpt-4.1", "anthropic:claude-sonnet-4-5", "google:gemini-2.5-flash")
"""Models that accounts are given for when none is named: provider and model."""
MILLION: Final = 1_000_000


class Price(NamedTuple):
    """USD per million tokens; `cached` is that of input the provider has seen just before, None for the same."""

    input: float
    output: float
    cached: float | None = None

    @classmethod
    def read(cls, text: str) -> Price:
        """The price written as `IN/OUT` or `IN/OUT/CACHED`. Raises ConfigError where it is none.

        >>> Price.read("2/8/0.5")
        Price(input=2.0, output=8.0, cached=0.5)
        """
        try:
            numbers = [float(part) for part in text.split("/")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 3) or not all(isfinite(number) and number >= 0 for number in numbers):
            raise ConfigError(f"{text!r} is no price; write IN/OUT or IN/OUT/CACHED in USD per million tokens, as 2/8")
        return cls(*numbers)

    def of(self, usage: Usage) -> float:
        """USD of a usage; `usage.input` includes `usage.cached` tokens."""
        cached = self.input if self.cached is None else self.cached
        dear = (usage.input - usage.cached) * self.input + usage.cached * cached + usage.output * self.output
        return dear / MILLION


def price(usage: Usage, model: str, *, batch: bool = False, written: int = 0) -> float:
    """USD of a usage at a model's list price, with `batch` at that of its batches where it has one.

    Some prices depend on the size of a call; calls are taken to be of equal size. `input` includes `cached` tokens, and
    the `written` ones that the provider keeps from now on, for which some ask more.
    Raises ConfigError where no price is known, MissingExtraError without the package of prices.
    """
    try:
        import genai_prices
    except ImportError as error:
        raise MissingExtraError("eval", "looking up list prices") from error
    calls = max(usage.calls, 1)
    each = genai_prices.Usage(
        input_tokens=round(usage.input / calls),
        cache_read_tokens=round(usage.cached / calls),
        cache_write_tokens=round(written / calls),
        output_tokens=round(usage.output / calls),
    )
    provider, _, name = model.rpartition(":")
    try:
        found = genai_prices.calc_price(
            each, model_ref=name, provider_id=provider or None, price_context={"processing": "batch"} if batch else None
        )
    except LookupError as error:
        raise ConfigError(f"no price is known for {model!r}; name it as PROVIDER:MODEL, such as {MODELS[0]}") from error
    return float(found.total_price) * calls


def prices(usage: Usage, models: Sequence[str]) -> dict[str, float]:
    """USD of a usage by model."""
    return {model: price(usage, model) for model in models}
