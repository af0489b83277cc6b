"""What labels are worth: each company's pages as one page without titles, the same chunks with and without labels.

python scripts/bench_labels.py [--search bm25,dense,default] [--chunks fixed-500/100,semantic,sections,wrac]
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import cache
from pathlib import Path

from wrac.core.errors import WracError
from wrac.evaluation.datasets import load
from wrac.evaluation.datasets.concatenated import concatenated
from wrac.evaluation.labelled import KINDS, METRICS, Measured, Trial
from wrac.evaluation.report.plain import grid
from wrac.evaluation.search import SEARCHES, prepare
from wrac.evaluation.vectors import VectorCache
from wrac.labelling import RulesLabeller

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data") / "rmc"


def main() -> None:
    """Prints a table a search. Leaves with the reason where the data cannot be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="?", default=str(DATA))
    parser.add_argument("--search", default=",".join(SEARCHES), metavar="NAMES")
    parser.add_argument("--chunks", default=",".join(KINDS), metavar="NAMES")
    chosen = parser.parse_args()
    vectors = cache(VectorCache.of("minilm"))
    try:
        sites = concatenated(load(chosen.data))
        trial = Trial(sites, RulesLabeller(), vectors)
        for search in chosen.search.split(","):
            languages = {site.page.url: site.document.language for site in sites}
            body = []
            for kind in chosen.chunks.split(","):
                print(f"{search}: {kind}", file=sys.stderr)
                body += rows(kind, trial.measure(kind, prepare(search, vectors, languages)))
            head = ["chunks", "labels", *METRICS, "labelled", "crossed over"]
            print(f"search: {search}\n\n{grid(head, body)}\n")
    except WracError as error:
        sys.exit(str(error))


def rows(kind: str, found: Measured) -> list[list[str]]:
    """Two lines of the table: without labels, with them."""
    off = [kind, "off", *(f"{value:.3f}" for value in found.plain), "", ""]
    gains = [f"{value:.3f}" for value in found.labelled]
    return [off, [kind, "on", *gains, f"{found.named}/{found.chunks}", f"{found.strange}"]]


if __name__ == "__main__":
    main()
