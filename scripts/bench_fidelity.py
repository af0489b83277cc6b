"""Fidelity and cost of wrac's chunks and of every installed peer's, on 160 documentation pages in one run.

    python scripts/bench_fidelity.py [--against NAME ...] [--every N] [--json FILE]

Pages: every fourth of Debian's python3.11-doc up to 300 kB without indexes and change logs, and 41 of postgresql-doc-15
(scripts/fetch_debian_docs.sh, or WRAC_DEBIAN_DOCS). Each page goes through all strategies before the next one does.
Without --against all peers that are installed are set beside wrac; `--against none` measures wrac alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import debian

from wrac.core.errors import ConfigError
from wrac.core.types import Page
from wrac.evaluation.audit import BY_KEY, audit, theirs

PEERS = (
    "semchunk", "langchain-recursive", "langchain-header", "langchain-semantic", "chonkie", "text-splitter",
    "unstructured", "docling",
)  # fmt: skip
LARGEST = 300_000
INDEXES = ("genindex", "contents", "changelog")
COLUMNS = {
    "lost": "words lost %", "added": "words not on the page /10k", "exact": "units exact %",
    "exact_bare": "ignoring markup %", "heading": "heading with its text %", "defined": "dt+dd together %",
    "rows": "rows whole %", "header": "row has its header %", "lines": "code lines verbatim %",
    "chrome": "site chrome %", "tokens": "tokens out / main", "unique": "chunks with one address %",
    "again": "embedded again %",
}  # fmt: skip


def corpus(every: int = 1) -> Iterator[Page]:
    """The pages, each n-th of them, under their path inside the packages."""
    python = [path for path in debian.pages("python3.11-doc") if path.stat().st_size <= LARGEST]
    python = [path for path in python if not any(word in path.name for word in INDEXES)]
    postgres = debian.pages("postgresql-doc-15")
    chosen = [*python[::4], *postgres[:: max(1, len(postgres) // 41)][:41]]
    for path in chosen[::every]:
        yield Page("/".join(path.parts[path.parts.index("doc") + 1 :]), path.read_bytes())


def installed(names: Sequence[str]) -> Iterator[str]:
    """The peers that can run; of the others says why not."""
    for name in names:
        try:
            theirs(name)
        except ConfigError as error:
            print(f"without {name}: {error}")
        else:
            yield name


def table(results: dict[str, Any]) -> Iterator[str]:
    """The figures as Markdown, a strategy a row, and wrac's speed as a multiple of each."""
    ours = results["columns"][0]["pages_per_cpu_second"]
    head = ["chunks", "number", "pages/CPU-s", "wrac is faster by", *COLUMNS.values(), "pages failed"]
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for column in results["columns"]:
        speed, figures = column["pages_per_cpu_second"], column["figures"]
        rate = [str(column["chunks"]), f"{speed:.1f}", f"{ours / speed:.1f}"]
        values = [_cell(figures[key]["value"]) for key in COLUMNS]
        yield f"| {' | '.join([column['strategy'], *rate, *values, str(len(column['failed']))])} |"
    bars = ["" if (bar := BY_KEY[key].bar) is None else f"{bar:g}" for key in COLUMNS]
    yield f"| bar | | | | {' | '.join(bars)} | 0 |"


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".rstrip("0").rstrip(".")


def faults(column: dict[str, Any]) -> Iterator[str]:
    """What keeps a figure of wrac below its bar."""
    for key, row in column["figures"].items():
        if row["good"] is False:
            yield f"{BY_KEY[key].title}: {row['count']:g} of {row['of']:g}"
            yield from (f"    {one['page']}: {one['text']} -- {one['what']}" for one in row["examples"])


def main() -> None:
    """Parses the options, runs, prints and saves."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--against", nargs="*", default=PEERS, metavar="NAME")
    options.add_argument("--every", type=int, default=1, metavar="N", help="each n-th page only")
    options.add_argument("--json", type=Path, metavar="FILE", help="keep all counts and what they are out of")
    chosen = options.parse_args()
    pages = list(corpus(chosen.every))
    if not pages:
        sys.exit(debian.ABSENT)
    results = audit(pages, [*installed([name for name in chosen.against if name != "none"])])
    machine = results["machine"]
    print(f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, {machine['date']}")
    print(f"{len(pages)} pages, {sum(len(page.body) for page in pages) / 1e6:.2f} MB; truth: {results['truth']}\n")
    print("\n".join([*table(results), "", *faults(results["columns"][0])]))
    if chosen.json:
        chosen.json.write_text(json.dumps(results, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
