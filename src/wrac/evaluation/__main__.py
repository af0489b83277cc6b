"""`python -m wrac.evaluation rmc`: the table of strategies under each search; progress on standard error."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from wrac.core.errors import WracError
from wrac.evaluation import datasets, report
from wrac.evaluation.run import default_vectors, differences, run
from wrac.evaluation.search import SEARCHES
from wrac.evaluation.strategies import STRATEGIES
from wrac.evaluation.tuning import left_out, tune


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the report and returns the exit code; a user error is one line on standard error."""
    options = _parser().parse_args(arguments)
    start = time.perf_counter()
    try:
        data = datasets.rmc(options.data or _data_folder() / "rmc")
        tell = _progress if sys.stderr.isatty() else _line
        if options.tune:
            scores = tune(data, options.strategies.split(","), default_vectors(), tell)
            sys.stdout.write(left_out(data, scores) + "\n")
            return 0
        results = run(data, options.strategies.split(","), options.search.split(","), tell=tell)
    except WracError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    results["differences"] = differences(results["rows"], options.baseline)
    shown = sys.argv[1:] if arguments is None else arguments
    results["command"] = shlex.join(["python", "-m", "wrac.evaluation", *shown])
    results["seconds"] = round(time.perf_counter() - start, 1)
    if options.json:
        options.json.write_text(json.dumps(results, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(report.text(results, detail=not options.brief) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m wrac.evaluation", description="Compare ways to chunk a site.")
    say = parser.add_argument
    say("dataset", choices=["rmc"])
    say("--data", type=Path, help="the data set's folder (default: WRAC_DATA/rmc, else ../shared/data/rmc)")
    say("--strategies", default=",".join(STRATEGIES), help="names, comma between (default: %(default)s)")
    say("--search", default=",".join(SEARCHES), help="names, comma between (default: %(default)s)")
    say("--baseline", default="sections", help="the row that differences are measured to (default: %(default)s)")
    say("--json", type=Path, metavar="FILE", help="write all results, per query, to FILE")
    say("--tune", action="store_true", help="choose search weights by leaving one company out, and print them")
    say("--brief", action="store_true", help="no breakdown by company and query type")
    return parser


def _data_folder() -> Path:
    return Path(os.environ.get("WRAC_DATA") or Path("..") / "shared" / "data")


def _progress(message: str) -> None:
    sys.stderr.write(f"\r\x1b[K{message}")


def _line(message: str) -> None:
    if not message.startswith("embedding"):
        sys.stderr.write(message + "\n")


if __name__ == "__main__":
    sys.exit(main())
