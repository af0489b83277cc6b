"""Near-identical products: what a context holds of others than the one that is asked about, before and after.

python scripts/bench_similar.py [--budgets 1000,2000]

Three phones in three languages, written for it, a page each and on one page; and the car models of RAG-Multi-Corpus,
asked what its queries that name one of them ask.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from wrac.core.errors import WracError
from wrac.evaluation.datasets import load
from wrac.evaluation.report.plain import grid
from wrac.evaluation.similar import FAMILIES, Asked, about, comparisons, measured, questions, write
from wrac.flow import Result, Workspace

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data") / "rmc"
COMPANY = "aventro"
MODEL = re.compile(r"/aventro ?(\w+)(?: (?:sedan|suv|hatchback))?\.html$", re.IGNORECASE)
OTHER = ("connectivity",)  # pages of the same form of name that are no model's


def main() -> None:
    """Prints a table. Leaves with the reason where something cannot be used."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--budgets", default="1000,2000", metavar="TOKENS")
    budgets = [int(budget) for budget in parser.parse_args().budgets.split(",")]
    try:
        body = [*phones(budgets, joined=False), *phones(budgets, joined=True), *cars(budgets)]
    except WracError as error:
        sys.exit(str(error))
    head = ["questions about", "how many", "budget", "first is right", "after", "of others in the context", "after"]
    print(grid(head, body))


def phones(budgets: Sequence[int], *, joined: bool) -> Iterator[list[str]]:
    """Rows of the phones, a workspace a language."""
    how = "on one page" if joined else "a page each"
    for family in FAMILIES:
        with TemporaryDirectory() as folder, Workspace(Path(folder) / "ws", events=False) as workspace:
            pages = Path(folder) / "pages"
            pages.mkdir()
            write(pages, [family], joined=joined)
            workspace.index([pages], workers=0)
            one, two = list(questions(family)), list(comparisons(family))
            yield from rows(f"a phone, {family.language}, {how}", workspace, one, about, budgets)
            yield from rows(f"two phones, {family.language}, {how}", workspace, two, about, budgets)


def cars(budgets: Sequence[int]) -> Iterator[list[str]]:
    """Rows of the cars."""
    folder = DATA / COMPANY / "html"
    models = {path.name: found[1] for path in sorted(folder.iterdir()) if (found := MODEL.search(f"/{path.name}"))}
    names = {page: name for page, name in models.items() if name.casefold() not in OTHER}
    asked = []
    for query in load(str(DATA), where={"company": COMPANY}).queries:
        named = tuple(name for name in names.values() if re.search(rf"\b{name}\b", query.text))
        asked += [Asked(query.text, named)] if len(named) == 1 else []
    with TemporaryDirectory() as made, Workspace(Path(made) / "ws", events=False) as workspace:
        workspace.index([folder], workers=0)
        yield from rows(f"{len(names)} car models", workspace, asked, partial(of_page, names), budgets)


def of_page(names: Mapping[str, str], result: Result) -> str:
    """The model whose page a passage is on; "" for none."""
    return names.get(result.url.rsplit("/", 1)[-1], "")


def rows(
    kind: str, workspace: Workspace, asked: Sequence[Asked], about: Callable[[Result], str], budgets: Sequence[int]
) -> Iterator[list[str]]:
    """A row a budget: the figures without and with siblings told apart."""
    for budget in budgets:
        before, after = (measured(workspace, asked, about, budget, mixed=mixed) for mixed in (True, False))
        shares = [f"{one:.3f}" for one in (before.first, after.first, before.others, after.others)]
        yield [kind, str(before.questions), f"{budget:,}", *shares]


if __name__ == "__main__":
    main()
