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
from wrac.evaluation.audit import BY_KEY, FIGURES, audit, theirs

PEERS = (
    "semchunk", "langchain-recursive", "langchain-header", "langchain-semantic", "chonkie", "text-splitter",
    "unstructured", "docling",
)  # fmt: skip
LARGEST = 300_000
INDEXES = ("genindex", "contents", "changelog")


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
            print(f"- without {name}: {error}")
        else:
            yield name


def table(columns: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The figures as Markdown, a strategy a column, under wrac's bar."""
    yield _line("", "bar", *(column["strategy"] for column in columns))
    yield "|---" * (len(columns) + 2) + "|"
    for figure in FIGURES:
        bar = "" if figure.bar is None else f"{'≤' if figure.low else '≥'} {figure.bar:g}"
        values = (column["figures"][figure.key]["value"] for column in columns)
        unit = {"%": " %", "/10k": " of 10,000"}.get(figure.unit, "")
        yield _line(f"{figure.title}{unit}", bar, *("-" if one is None else f"{one:.2f}" for one in values))
    ours = columns[0]["pages_per_cpu_second"]
    speeds = [column["pages_per_cpu_second"] for column in columns]
    yield _line("chunks", "", *(f"{column['chunks']:,}" for column in columns))
    yield _line("pages that failed", "≤ 0", *(str(len(column["failed"])) for column in columns))
    yield _line("pages a CPU second", "", *(f"{speed:.1f}" if speed else "-" for speed in speeds))
    yield _line("wrac is faster by", "≥ 5", *(f"{ours / speed:.1f}" if speed else "-" for speed in speeds))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def faults(column: dict[str, Any]) -> Iterator[str]:
    """What keeps a figure of wrac below its bar."""
    for key, row in column["figures"].items():
        if row["good"] is False:
            yield f"- {BY_KEY[key].title}: {row['count']:,g} of {row['of']:,g}"
            yield from (f"  - {one['page']}: `{one['text'][:60]}` {one['what']}" for one in row["examples"])


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
    found = ", ".join(f"{count} {rule}" for rule, count in results["truth"].items())
    print(f"- {len(pages)} pages, {sum(len(page.body) for page in pages) / 1e6:.1f} MB; main content: {found}\n")
    print("\n".join([*table(results["columns"]), "", *faults(results["columns"][0])]))
    if chosen.json:
        chosen.json.write_text(json.dumps(results, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
