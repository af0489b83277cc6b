"""Chooses the search's weights on all companies but one and reads them on the one left out; prints a table.

python scripts/tune_search.py [DATA] [--strategies wrac,sections]
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from wrac.evaluation.datasets import load
from wrac.evaluation.tuning import left_out, tune
from wrac.evaluation.vectors import VectorCache


def main() -> None:
    """Prints the table; progress goes to standard error."""
    data = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data") / "rmc"
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", nargs="?", default=str(data))
    parser.add_argument("--strategies", default="wrac,sections")
    options = parser.parse_args()
    found = load(options.data)
    scores = tune(found, options.strategies.split(","), VectorCache.of("minilm")(), _tell)
    print(left_out(found, scores))


def _tell(message: str) -> None:
    sys.stderr.write(f"\r\x1b[K{message}" if sys.stderr.isatty() else f"{message}\n")


if __name__ == "__main__":
    main()
