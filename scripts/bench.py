"""Measures again what docs/benchmarks.md says, and writes it there: `python scripts/bench.py [--list] [NAME…]`.

Each figure stands between `<!-- bench: NAME -->` and `<!-- end -->`, with the command that printed it, the machine and
the date. A command that cannot run here, for want of data or of a tool, leaves its figures as they are and says why.
"""

from __future__ import annotations

import argparse
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from wrac.evaluation.machine import machine

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/benchmarks.md"
PUBLISHED = "wrac,sections,recursive-200/0,recursive-250/125,fixed-250/125"
TUTORIAL = ".cache/debian/usr/share/doc/python3.11/html/tutorial"


class Bench(NamedTuple):
    """A script with its arguments, how long it takes on two cores, and whether it prints lines instead of Markdown."""

    command: str
    takes: str
    lines: bool = False


BENCHES: Mapping[str, Bench] = {
    "indexing": Bench("scripts/bench_index.py", "11 minutes"),
    "kills": Bench(f"scripts/bench_kill.py {TUTORIAL} --kills 20 --pages 8", "10 minutes", lines=True),
    "crawl": Bench("scripts/bench_crawl.py", "4 minutes"),
    "retrieval": Bench("scripts/bench_retrieval.py", "10 minutes; 1 when its vectors are cached"),
    "planning": Bench("scripts/bench_plans.py", "1 minute"),
    "planning-worth": Bench("scripts/bench_plans.py --worth", "5 minutes; 2 when its vectors are cached"),
    "planning-live": Bench("scripts/bench_plans.py --live", "2 minutes"),
    "formats": Bench("scripts/bench_formats.py", "20 seconds"),
    "formats-retrieval": Bench("scripts/bench_retrieval.py --formats", "1 minute"),
    "pdf": Bench("scripts/bench_pdf.py", "20 seconds"),
    "chroma": Bench(f"scripts/bench_retrieval.py chroma --search dense,default --strategies {PUBLISHED}", "10 minutes"),
    "python-faq": Bench("scripts/bench_retrieval.py faq/python-faq --search bm25", "10 minutes"),
    "debian-faq-en": Bench("scripts/bench_retrieval.py faq/debian-faq-en", "3 minutes"),
    "debian-faq-de": Bench("scripts/bench_retrieval.py faq/debian-faq-de", "3 minutes"),
    "faq": Bench("scripts/bench_faq.py", "4 minutes; 1 when its vectors are cached"),
    "labels": Bench("scripts/bench_labels.py", "10 minutes; 2 when its vectors are cached"),
    "similar": Bench("scripts/bench_similar.py", "1 minute"),
    "routing": Bench("-m wrac.cli.main eval ../shared/data/rmc --route", "5 minutes", lines=True),
    "answers": Bench("-m wrac.cli.main eval ../shared/data/rmc --answers", "5 minutes", lines=True),
    "focus": Bench("scripts/bench_focus.py", "2 minutes", lines=True),
    "entities": Bench("scripts/bench_entities.py", "2 seconds"),
    "score": Bench("scripts/bench_score.py --peers", "2 minutes"),
    "fidelity": Bench("scripts/bench_fidelity.py", "8 minutes with all peers"),
    "laws": Bench("scripts/bench_laws.py --every 1", "4 minutes"),
    "broken": Bench("scripts/bench_laws.py --mutate 1500", "6 minutes"),
    "speed": Bench("scripts/bench_parse.py --speed", "20 seconds"),
    "depth": Bench("scripts/bench_parse.py --depth", "40 seconds"),
    "serve": Bench("scripts/bench_serve.py", "6 minutes"),
    "statistics": Bench("scripts/bench_statistics.py", "1 minute", lines=True),
    "stores": Bench("scripts/bench_stores.py", "5 minutes"),
    "stores-large": Bench("scripts/bench_stores.py --rows 200000", "40 minutes"),
    "search": Bench("scripts/bench_search.py", "8 minutes"),
    "text": Bench("scripts/measure_text.py docs", "10 seconds", lines=True),
}


def measured(bench: Bench) -> str:
    """What the command prints, under a line that says with what, where and when. Raises RuntimeError where it fails."""
    command = [sys.executable, *shlex.split(bench.command)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8")
    if run.returncode:
        said = (run.stderr or run.stdout).strip().splitlines() or ["no word"]
        raise RuntimeError(f"left with {run.returncode}: {said[-1][:200]}")
    printed = run.stdout.strip()
    return f"`python {bench.command}`: {_where()}\n\n" + (f"```text\n{printed}\n```" if bench.lines else printed)


def _where() -> str:
    here, now = machine(), datetime.now(UTC)
    cores = f"{here['cores']} cores"
    return f"{platform.machine()} ({here['processor']}), {cores}, Python {here['python']}; {now.day} {now:%B %Y}"


def replaced(document: str, name: str, content: str) -> str:
    """The document with other content in the block of a name. Raises ValueError where it has not one such block."""
    pattern = re.compile(rf"(<!-- bench: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    found, count = pattern.subn(lambda match: f"{match[1]}{content}\n{match[2]}", document)
    if count != 1:
        raise ValueError(f"{count} blocks for {name!r}, one is needed")
    return found


def update(names: Sequence[str], document: Path = DOCUMENT, benches: Mapping[str, Bench] = BENCHES) -> list[str]:
    """The names whose commands failed; the figures of all others are written as soon as they are there."""
    failed = []
    for name in names:
        print(f"{name}: python {benches[name].command} ({benches[name].takes})", flush=True)
        try:
            content = measured(benches[name])
        except RuntimeError as error:
            print(f"{name}: left as it was: {error}")
            failed.append(name)
            continue
        partial = document.with_suffix(".partial")
        partial.write_text(replaced(document.read_text("utf-8"), name, content), "utf-8")
        partial.replace(document)
        print(f"{name}: written to {document.name}")
    return failed


def main() -> int:
    """0 when all that was asked for is measured and written, 1 when a command could not run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to measure; everything without a name")
    parser.add_argument("--list", action="store_true", help="print the names, their commands and how long they take")
    chosen = parser.parse_args()
    if chosen.list:
        print("\n".join(f"{name:10} {one.takes:42} python {one.command}" for name, one in BENCHES.items()))
        return 0
    if unknown := [name for name in chosen.names if name not in BENCHES]:
        parser.error(f"no bench {', '.join(unknown)}; choose from {', '.join(BENCHES)}")
    return int(bool(update(chosen.names or list(BENCHES))))


if __name__ == "__main__":
    sys.exit(main())
