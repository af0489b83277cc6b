"""Every built-in way to chunk on RAG-Multi-Corpus, as Markdown tables: what `wrac eval` prints for a terminal.

    python scripts/bench_retrieval.py [--search NAMES] [--strategies NAMES]

The data is read from `rmc` in WRAC_DATA or ../shared/data; vectors are cached as `wrac eval` caches them.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from wrac.cli.evaluate import Wanted, names, run
from wrac.core.errors import WracError
from wrac.evaluation.datasets import load
from wrac.evaluation.report import markdown

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data") / "rmc"


def main() -> None:
    """Run, and print the tables. Leaves with the reason where the data cannot be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--search", default="", metavar="NAMES", help="bm25, dense, default")
    parser.add_argument("--strategies", default="", metavar="NAMES", help="as `wrac eval --list` names them")
    chosen = parser.parse_args()
    try:
        wanted = Wanted(names("--strategies", chosen.strategies), names("--search", chosen.search))
        print(markdown(run(load(str(DATA), ()), wanted, lambda message: print(message, file=sys.stderr))))
    except WracError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
