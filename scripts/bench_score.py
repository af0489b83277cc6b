"""The content score measured on held-out pages of WCXB: word F1, precision and recall by page type, and its cost.

    python scripts/bench_score.py [--pages N] [--peers]

The pages are those of the fifth of the domains that training never saw (scripts/train_score.py). `--peers` runs
trafilatura (pip install "wrac[peers]") on the same pages in the same run. Words are compared as bags, page by page, and
averaged.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts import wcxb

from wrac.core.types import Page
from wrac.parsing import parse
from wrac.parsing.dom import tree_of
from wrac.parsing.html import segment_tree
from wrac.parsing.score import BEST, KEEP_MORE, scores
from wrac.parsing.source import source_of

Triple: TypeAlias = tuple[float, float, float]
Rows: TypeAlias = dict[str, list[tuple[str, Triple]]]


def content(sample: wcxb.Sample, bars: Sequence[float]) -> list[str]:
    """The text of the places that score at least each of `bars`."""
    document = parse(Page(sample.url, sample.body))
    return ["\n".join(document.text(p.ordinal) for p in document.places if p.score >= bar) for bar in bars]


def peer() -> Callable[[str], str]:
    """trafilatura's main text of a page."""
    trafilatura: Any = importlib.import_module("trafilatura")
    return lambda html: trafilatura.extract(html, include_comments=True, include_tables=True) or ""


def measure(pages: Sequence[wcxb.Sample], extract: Callable[[str], str] | None) -> tuple[Rows, dict[str, float]]:
    """The measures of each page by extractor, and the CPU seconds of each extractor."""
    rows: Rows = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for sample in pages:
        truth = Counter(wcxb.words(sample.truth))
        start = time.process_time()
        main, more = content(sample, (BEST, KEEP_MORE))
        seconds["wrac"] += time.process_time() - start
        texts = {f"score >= {BEST}": main, f"score >= {KEEP_MORE}": more}
        if extract is not None:
            start = time.process_time()
            texts["trafilatura"] = extract(sample.body.decode("utf-8", "replace"))
            seconds["trafilatura"] += time.process_time() - start
        for name, text in texts.items():
            rows[name].append((sample.kind, wcxb.word_f1(Counter(wcxb.words(text)), truth)))
    return rows, seconds


def table(rows: Mapping[str, Sequence[tuple[str, Triple]]]) -> str:
    """A Markdown table: a row a page type, F1 / precision / recall of each extractor."""
    kinds = sorted({kind for values in rows.values() for kind, _ in values})
    lines = [f"| page type | pages | {' | '.join(rows)} |", "|---|---|" + "---|" * len(rows)]
    for kind in (*kinds, "all"):
        cells = []
        for values in rows.values():
            some = [triple for of, triple in values if kind in ("all", of)]
            cells.append(" / ".join(f"{sum(column) / len(some):.3f}" for column in zip(*some, strict=True)))
        lines.append(f"| {kind} | {len(some)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def overhead(pages: Sequence[wcxb.Sample]) -> float:
    """The CPU time of parsing with the score as a multiple of parsing without."""
    whole = alone = 0.0
    for sample in pages:
        tree = tree_of(sample.body)
        walk = segment_tree(tree, cache(lambda sample=sample, tree=tree: source_of(sample.body, tree.encoding)))
        start = time.process_time()
        scores(walk.drafts, "")
        alone += time.process_time() - start
        start = time.process_time()
        parse(Page(sample.url, sample.body))
        whole += time.process_time() - start
    return whole / (whole - alone)


def main() -> None:
    """Prints the table and the costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=0, help="only about so many pages")
    parser.add_argument("--peers", action="store_true", help="trafilatura beside")
    options = parser.parse_args()
    path = wcxb.archive()
    if not path.exists():
        print(f"no {path}: set WRAC_DATA to the folder that holds wcxb/dev.tar.xz")
        return
    held = [sample for sample in wcxb.samples(path) if sample.fold == wcxb.HELD_OUT]
    pages = held[:: max(1, len(held) // options.pages)] if options.pages else held
    rows, seconds = measure(pages, peer() if options.peers else None)
    print(f"WCXB development half, held-out domains, {len(pages)} pages, {date.today()}: F1 / precision / recall\n")
    print(table(rows))
    print(f"\nparse with score / parse without: {overhead(pages[::5]):.2f}")
    for name, spent in seconds.items():
        print(f"{name}: {len(pages) / spent:.0f} pages per CPU second")


if __name__ == "__main__":
    main()
