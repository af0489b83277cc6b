"""What a usage costs, from the list prices of the package genai-prices; read offline, nothing is guessed."""

from __future__ import annotations

from collections.abc import Sequence

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.core.types import Usage

MODELS = ("openai:gpt-4.1", "anthropic:claude-sonnet-4-5", "google:gemini-2.5-flash")
"""Models that accounts are given for when none is named: provider and model."""


def price(usage: Usage, model: str) -> float:
    """USD of a usage at a model's list price.

    Some prices depend on the size of a call; calls are taken to be of equal size. `input` includes `cached` tokens.
    Raises ConfigError where no price is known, MissingExtraError without the package of prices.
    """
    try:
        import genai_prices
    except ImportError as error:
        raise MissingExtraError("eval", "a price") from error
    calls = max(usage.calls, 1)
    each = genai_prices.Usage(
        input_tokens=round(usage.input / calls),
        cache_read_tokens=round(usage.cached / calls),
        output_tokens=round(usage.output / calls),
    )
    provider, _, name = model.rpartition(":")
    try:
        found = genai_prices.calc_price(each, model_ref=name, provider_id=provider or None)
    except LookupError as error:
        raise ConfigError(f"no price is known for {model!r}; name it as PROVIDER:MODEL, such as {MODELS[0]}") from error
    return float(found.total_price) * calls


def prices(usage: Usage, models: Sequence[str]) -> dict[str, float]:
    """USD of a usage by model."""
    return {model: price(usage, model) for model in models}
