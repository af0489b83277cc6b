"""What cutting the pages cost: tokens, calls, seconds and USD by model, a row a strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wrac.core.types import Usage
from wrac.llm.prices import prices


def costs(results: Mapping[str, Any], models: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each strategy whose pages a model read: its usage, and `usd` by model for all its calls.

    A strategy that asks no model has no row; its seconds stand in its row of figures.
    """
    usages = {row["strategy"]: Usage(**row["usage"]) for row in results["rows"]}
    return [
        {
            "strategy": strategy,
            "calls": usage.calls,
            "input": usage.input,
            "cached": usage.cached,
            "output": usage.output,
            "seconds": round(usage.seconds, 1),
            "usd": {model: round(value, 4) for model, value in prices(usage, models).items()},
        }
        for strategy, usage in usages.items()
        if usage.calls
    ]
