"""Questions of documentation whose headings are masked: what ten passages, and 500 tokens of them, hold of the answer.

    python scripts/bench_faq.py [--strategies NAMES] [DATA …]

DATA is read below WRAC_DATA or ../shared/data; vectors are cached as `wrac eval` caches them. A sign says how a row
differs from wrac's: + more, - less (95 %, paired bootstrap), = no difference.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wrac.cli.evaluate import Wanted, names, run
from wrac.core.errors import WracError
from wrac.evaluation.datasets import load
from wrac.evaluation.run import differences

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data")
SETS = ("faq/debian-faq-en", "faq/debian-faq-de")
SHOWN = ("R@10", "T@500", "B@250", "B@500", "nDCG@10")


def table(results: dict[str, Any]) -> Iterator[str]:
    """A row a strategy, under the default search."""
    signs = {one["strategy"]: one["metrics"] for one in differences(results, "wrac")}
    yield f"\n{results['data']['name']}: {results['data']['queries']} questions\n"
    yield f"| strategy | {' | '.join(SHOWN)} | chunks | words |"
    yield "|---" * (len(SHOWN) + 3) + "|"
    for row in results["rows"]:
        figures = [f"{row['metrics'][name]:.3f}{_sign(signs.get(row['strategy'], {}).get(name))}" for name in SHOWN]
        yield f"| {row['strategy']} | {' | '.join(figures)} | {row['passages']} | {row['words'] // row['passages']} |"


def _sign(difference: dict[str, Any] | None) -> str:
    if difference is None:
        return ""
    return "=" if not difference["real"] else "+" if difference["mean"] > 0 else "-"


def main() -> None:
    """Run, and print the tables. Leaves with the reason where the data cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", default=list(SETS))
    parser.add_argument("--strategies", default="", metavar="NAMES", help="as `wrac eval --list` names them")
    chosen = parser.parse_args()
    wanted = Wanted(names("--strategies", chosen.strategies), ("default",))
    try:
        for data in chosen.data:
            print("\n".join(table(run(load(str(DATA / data), ()), wanted, lambda told: print(told, file=sys.stderr)))))
    except WracError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
