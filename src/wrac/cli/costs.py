"""costs: what models were paid for, from the ledger of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date

from wrac import contract
from wrac.catalog.ledger import Grouping
from wrac.cli import paint
from wrac.core.errors import ConfigError
from wrac.core.types import Usage
from wrac.flow import Workspace
from wrac.llm.ledger import total

_HEAD = ("calls", "input", "cached", "output", "seconds", "USD")


def run(path: str, by: Grouping, since: str, *, as_json: bool) -> None:
    """Prints the sums and their total. Raises ConfigError for a day that is none."""
    try:
        day = date.fromisoformat(since).isoformat() if since else ""
    except ValueError:
        raise ConfigError(f"--since {since}: no date; write it as 2026-11-30") from None
    with Workspace(path, create=False) as workspace:
        found, place = workspace.costs(by, day), workspace.place
    if as_json:
        rows = [{by: name, **asdict(usage)} for name, usage in found.items()]
        print(contract.dumps({"by": by, "since": day, "rows": rows, "total": asdict(total(found.values()))}))
    elif found:
        _table(by, found)
    else:
        when = f" since {day}" if day else ""
        paint.put(paint.console(), f"no model was paid for in {place}{when}; planning by rules costs nothing")


def _table(by: str, found: Mapping[str, Usage]) -> None:
    out = paint.console()
    width = max(len(by), len("total"), *map(len, found))
    paint.put(out, (f"{by:<{width}}{''.join(f'{name:>12}' for name in _HEAD)}", "bold"))
    for name, usage in found.items():
        paint.put(out, f"{name:<{width}}{_cells(usage)}")
    paint.put(out, (f"{'total':<{width}}{_cells(total(found.values()))}", "bold"))


def _cells(usage: Usage) -> str:
    counts = (usage.calls, usage.input, usage.cached, usage.output)
    return "".join(f"{count:>12,}" for count in counts) + f"{usage.seconds:>12,.1f}{usage.cost:>12,.4f}"
