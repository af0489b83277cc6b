"""What cutting the pages cost: tokens, calls, seconds and USD by model, a row a strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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


def pace(seconds: Sequence[float]) -> dict[str, float]:
    """Mean and 90th percentile of what pages took, as notes of a strategy; none for no pages."""
    if not seconds:
        return {}
    return {
        "seconds a page": round(float(np.mean(seconds)), 3),
        "seconds a page, P90": round(float(np.percentile(seconds, 90)), 3),
    }
