"""Trains the content score on the development half of WCXB and writes src/wrac/parsing/data/score.npz and its card.

    python scripts/train_score.py [--data dev.tar.xz]

A fifth of the domains is held out: no page of it is trained on or tuned with. Thresholds are chosen on the other pages,
each scored by a forest that has not seen its half of the domains. The same data gives the same file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts import boosting, wcxb

from wrac.parsing import score
from wrac.parsing.dom import tree_of
from wrac.parsing.features import NAMES, features
from wrac.parsing.html import segment_tree
from wrac.parsing.source import source_of

SETTINGS: Final = boosting.Settings(trees=320, depth=6, rate=0.08, rows=0.5, columns=0.3, smoothing=5.0)
HALVES: Final = ((1, 2), (3, 4))
SMALLEST: Final = 8
"""Units of the smallest page that is trained on."""
PER_PAGE: Final = 150
"""About as many units of a page are trained on, drawn by their weight."""
CARD: Final = score.MODEL.with_name("card.json")


@dataclass(frozen=True, slots=True)
class Example:
    """A page as it is learned: its feature table, how much of each unit is content, and the units' words."""

    name: str
    kind: str
    fold: int
    table: NDArray[np.int16]
    share: NDArray[np.float64]
    sizes: NDArray[np.int64]
    bags: tuple[Counter[str], ...]
    truth: Counter[str]


def example(sample: wcxb.Sample) -> Example | None:
    """A page as an example; None when it has too few units."""
    tree = tree_of(sample.body)
    walk = segment_tree(tree, cache(lambda: source_of(sample.body, tree.encoding)))
    if len(walk.drafts) < SMALLEST:
        return None
    title = tree.select_one("head > title,body > title")
    texts = [draft.text for draft in walk.drafts]
    return Example(
        sample.name,
        sample.kind,
        sample.fold,
        features(walk.drafts, " ".join(title.text.split()) if title is not None else ""),
        np.array(wcxb.shares(texts, sample.truth)),
        np.array([len(text) for text in texts]),
        tuple(Counter(wcxb.words(text)) for text in texts),
        Counter(wcxb.words(sample.truth)),
    )


def train(pages: Sequence[Example]) -> score.Forest:
    """The forest of some pages. Every page weighs the same, and a unit in it by the root of its words."""
    drawn = np.random.default_rng(1)
    tables, targets, weights = [], [], []
    for page in pages:
        mass = np.sqrt([min(bag.total(), 60) for bag in page.bags]) + 0.3
        mass /= mass.sum()
        chance = np.minimum(1.0, mass * PER_PAGE)
        taken = drawn.random(len(mass)) < chance
        tables.append(page.table[:, taken])
        targets.append(page.share[taken])
        weights.append((mass / chance)[taken])
    weight = np.concatenate(weights)
    grown = boosting.fit(np.concatenate(tables, axis=1), np.concatenate(targets), weight / weight.mean(), SETTINGS)
    odds = np.arange(1, 1001) / 1000 - 0.0005
    return score.Forest(
        grown.column,
        grown.cut,
        np.round(grown.leaves * score.UNIT).astype(np.int32),
        round(grown.start * score.UNIT),
        np.round(np.log(odds / (1 - odds)) * score.UNIT).astype(np.int32),
    )


def scored(forest: score.Forest, page: Example) -> NDArray[np.float64]:
    """The scores of a page's units."""
    odds = forest.odds(page.table)
    moved = odds + score.shift(odds, page.sizes, forest.steps)
    return np.searchsorted(forest.steps, moved, side="right") / 1000


def measure(pages: Iterable[Example], found: Mapping[str, NDArray[np.float64]], bar: float) -> NDArray[np.float64]:
    """(pages, 3): word F1, precision and recall of the units that score at least `bar`."""
    rows = []
    for page in pages:
        bag: Counter[str] = Counter()
        for ordinal in np.flatnonzero(found[page.name] >= bar):
            bag.update(page.bags[ordinal])
        rows.append(wcxb.word_f1(bag, page.truth))
    return np.array(rows)


def thresholds(pages: Sequence[Example], found: Mapping[str, NDArray[np.float64]]) -> tuple[float, float]:
    """The scores of best mean F1, and the highest with a mean recall of .96 (a margin over .95 for other pages)."""
    grid = [bar / 100 for bar in range(5, 80, 5)]
    means = [measure(pages, found, bar).mean(axis=0) for bar in grid]
    for bar, (f1, precision, recall) in zip(grid, means, strict=True):
        print(f"  {bar:.2f}  F1 {f1:.4f}  precision {precision:.4f}  recall {recall:.4f}")
    best = max(zip(means, grid, strict=True), key=lambda pair: pair[0][0])[1]
    return best, max(bar for bar, mean in zip(grid, means, strict=True) if mean[2] >= 0.96)


def by_kind(pages: Sequence[Example], rows: NDArray[np.float64]) -> dict[str, list[float]]:
    """Pages, mean F1, precision and recall by page type, and of all."""
    kinds = np.array([page.kind for page in pages])
    picks = {kind: kinds == kind for kind in sorted(set(kinds))} | {"all": kinds != ""}
    return {kind: [int(pick.sum()), *rows[pick].mean(axis=0).round(3).tolist()] for kind, pick in picks.items()}


def main() -> None:
    """Trains, measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=wcxb.archive())
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        made = list(pool.map(example, wcxb.samples(options.data), chunksize=8))
    write(build([page for page in made if page is not None]), options.data)


def build(pages: Sequence[Example]) -> tuple[score.Forest, dict[str, Any]]:
    """The forest of the development folds, and the figures of its card."""
    development = [page for page in pages if page.fold != wcxb.HELD_OUT]
    held = [page for page in pages if page.fold == wcxb.HELD_OUT]
    unseen: dict[str, NDArray[np.float64]] = {}
    for half, others in (HALVES, HALVES[::-1]):
        forest = train([page for page in development if page.fold in others])
        unseen |= {page.name: scored(forest, page) for page in development if page.fold in half}
    print(f"development pages ({len(development)}), each by a forest that has not seen its half of the domains")
    best, keep = thresholds(development, unseen)
    forest = train(development)
    found = {page.name: scored(forest, page) for page in held}
    figures: dict[str, Any] = {"best": best, "keep_more": keep, "pages": [len(development), len(held)]}
    for name, bar in (("held out at best", best), ("held out at keep_more", keep)):
        figures[name] = by_kind(held, measure(held, found, bar))
        print(name, json.dumps(figures[name], indent=1))
    return forest, figures


def write(made: tuple[score.Forest, Mapping[str, Any]], data: Path) -> None:
    """Stores the forest and its card."""
    forest, figures = made
    score.MODEL.parent.mkdir(exist_ok=True)
    np.savez_compressed(score.MODEL, **forest._asdict())
    card = {
        "what": "content score of wrac: an ensemble of oblivious trees",
        "data": "WCXB, development half (Web Content Extraction Benchmark, Murrough Foley)",
        "source": "https://github.com/Murrough-Foley/web-content-extraction-benchmark",
        "licence": "CC-BY-4.0",
        "data_sha256": sha256(data.read_bytes()).hexdigest(),
        "sha256": sha256(score.MODEL.read_bytes()).hexdigest(),
        "trees": len(forest.feature),
        "depth": forest.feature.shape[1],
        "figures": figures,
        "features": list(NAMES),
    }
    CARD.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
