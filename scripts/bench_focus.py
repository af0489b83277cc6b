"""How well focus marks what answers: gold units found, marked units that are gold, words marked of a hit.

On RAG-Multi-Corpus: of each query's first five hits those that hold gold. A unit is gold where its text is a gold
block's, or part of it, or holds it, white space folded.

    python scripts/bench_focus.py [--company cloudway] [--workspace FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import mean
from typing import NamedTuple
from urllib.parse import unquote

from wrac.catalog.contents import find_units
from wrac.evaluation.datasets.rmc import rmc
from wrac.evaluation.values import Query
from wrac.flow import Result, Workspace

HITS = 5


class Marked(NamedTuple):
    """One hit that holds gold."""

    found: float
    precise: float
    marked: int
    words: int


def folded(text: str) -> str:
    """The text without case, white space folded."""
    return " ".join(text.split()).casefold()


def is_gold(text: str, gold: list[str]) -> bool:
    """Whether a unit's text is, holds, or is a part of a gold text that is no mere word or two."""
    own = folded(text)
    return any(own == one or one in own or (own in one and len(own) > 20) for one in gold)


def marks(workspace: Workspace, query: Query) -> Iterator[Marked]:
    """What is marked in the hits of a query that hold gold."""
    for hit in workspace.search(query.text, k=HITS):
        gold = [folded(one.text) for one in query.gold if hit.url in one.pages]
        units = {name: text for name, text in said(workspace, hit).items() if is_gold(text, gold)}
        if units:
            focus = {one.unit for one in hit.focus}
            precise = len(focus & units.keys()) / len(focus) if focus else 0.0
            marked = sum(len(one.text.split()) for one in hit.focus)
            yield Marked(len(focus & units.keys()) / len(units), precise, marked, len(hit.text.split()))


def said(workspace: Workspace, hit: Result) -> dict[str, str]:
    """The units of a hit but for its headings, by id."""
    shown = workspace.show(hit.chunk)
    with workspace.database.read() as connection:
        units = find_units(connection, [unit.id for unit in shown.units])
    return {name: unit.text for name, unit in units.items() if unit.kind != "heading"}


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", nargs="?", type=Path, default=Path("../shared/data/rmc"))
    options.add_argument("--company", default="")
    options.add_argument("--workspace", type=Path, default=None, help="where the index is kept for another run")
    given = options.parse_args()
    data = rmc(given.data, where={"company": given.company} if given.company else {})
    place = tempfile.TemporaryDirectory() if given.workspace is None else nullcontext(given.workspace)
    with place as folder, Workspace(Path(folder) / "focus") as workspace:
        renamed = indexed(workspace, given.data, [page.url for page in data.pages])
        found = [one for query in data.queries for one in marks(workspace, moved(query, renamed))]
    print(f"{len(found)} hits that hold gold, of {mean(one.words for one in found):.1f} words")
    print(f"gold units found {mean(one.found for one in found):.3f}")
    print(f"marked units that are gold {mean(one.precise for one in found):.3f}")
    print(f"words marked {mean(one.marked for one in found):.1f}")


def indexed(workspace: Workspace, root: Path, pages: list[str]) -> dict[str, str]:
    """What the workspace calls the pages, each company's folder indexed as a site of its own."""
    renamed = {}
    for folder in sorted({str(Path(page).parent) for page in pages}):
        base = f"https://{folder.partition('/')[0]}.example/"
        workspace.index([str(root / folder)], base=base)
        renamed.update({f"{folder}/{unquote(page.url.removeprefix(base))}": page.url for page in workspace.pages(base)})
    return renamed


def moved(query: Query, names: dict[str, str]) -> Query:
    """The query with its gold on the pages as the workspace calls them."""
    gold = tuple(
        type(one)(one.text, frozenset(names[page] for page in one.pages), one.start, one.end) for one in query.gold
    )
    return Query(query.id, query.text, gold, query.groups)


if __name__ == "__main__":
    main()
