"""Ways to chunk on a data set, as Markdown tables: what `wrac eval` prints for a terminal.

    python scripts/bench_retrieval.py [DATA] [--search NAMES] [--strategies NAMES]    all built-in ways, on rmc
    python scripts/bench_retrieval.py --formats                                       wrac, document format by format

DATA is read below WRAC_DATA or ../shared/data: rmc, chroma, faq/python-faq, faq/debian-faq-de and so on. Vectors are
cached as `wrac eval` caches them.
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
from wrac.evaluation.values import DataSet

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data")
COMPANY = "cloudway"
SHOWN = ("R@1", "R@3", "B@250", "B@500", "B@1000")


def main() -> None:
    """Run, and print the tables. Leaves with the reason where the data cannot be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", nargs="?", default="rmc")
    parser.add_argument("--search", default="", metavar="NAMES", help="bm25, dense, default")
    parser.add_argument("--strategies", default="", metavar="NAMES", help="as `wrac eval --list` names them")
    parser.add_argument("--formats", action="store_true", help="wrac on one company's documents, format by format")
    chosen = parser.parse_args()
    try:
        wanted = Wanted(names("--strategies", chosen.strategies), names("--search", chosen.search))
        print(formats() if chosen.formats else markdown(run(load(str(DATA / chosen.data), ()), wanted, _tell)))
    except WracError as error:
        sys.exit(str(error))


def formats() -> str:
    """A row a format: the same questions about the same documents, wrac's chunks under the default search."""
    rows = []
    for form in ("html", "md", "docx", "pptx", "pdf"):
        data = in_form(form)
        (row,) = run(data, Wanted(("wrac",), ("default",)), _tell)["rows"]
        figures = [f"{row['metrics'][metric]:.3f}" for metric in SHOWN]
        rows.append([form, str(len(data.queries)), str(len(data.excluded)), str(row["passages"]), *figures])
    head = ["format", "queries", "gold not found", "chunks", *SHOWN]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


def in_form(form: str) -> DataSet:
    """One company's questions over its documents in a format."""
    folder = DATA / "formats" / COMPANY / form
    pages = [str(folder)] if folder.is_dir() else [str(DATA / "rmc" / COMPANY / form)]
    return load(str(DATA / "rmc"), pages, where={"company": COMPANY})


def _tell(message: str) -> None:
    print(message, file=sys.stderr)


if __name__ == "__main__":
    main()
