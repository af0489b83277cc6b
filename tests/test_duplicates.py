"""The published W-RAC table counts duplicates: what can be shown of it with the published plans and chunks.

The paper's table (P@3 .55 to .71, R@3 .88 to .84 from agentic chunks to W-RAC) was made with an index that holds each
W-RAC chunk two or three times for three of four companies. That index, its rankings (595 of 786 queries have
duplicates among the first six) and the model's judgements of relevance are not part of the data, so the table itself
cannot be recomputed here. What can be shown on the published chunks: indexing them twice or three times, and counting
as if each row were a passage, moves P@3 up and R@3 down by as much as the table's difference, without any change of
chunking; the same lists give the same figures here; and the plans themselves put one unit into several chunks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.data import FOLDER, existing

from wrac.core.types import Page
from wrac.evaluation import run
from wrac.evaluation.datasets import rmc
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.metrics import BlockJudge
from wrac.evaluation.search import plain
from wrac.evaluation.strategies import Corpus, strategy
from wrac.evaluation.values import Chunker, DataSet, Passage, Passages

PLANS = FOLDER / "rmc" / "published" / "wrac-gpt-4.1.jsonl"
COMPANY = "cloudway"


@dataclass(frozen=True)
class Often:
    """The published chunks, each indexed several times."""

    published: Chunker
    times: int

    @property
    def name(self) -> str:
        return f"published {self.times} times"

    def passages(self, pages: Sequence[Page]) -> Passages:
        once = self.published.passages(pages).items
        return Passages(tuple(passage for passage in once for _ in range(self.times)))


@pytest.fixture(scope="module")
def data() -> DataSet:
    whole = rmc(existing(PLANS).parents[1])
    pages = tuple(page for page in whole.pages if page.url.startswith(COMPANY))
    queries = tuple(query for query in whole.queries if query.groups["company"] == COMPANY)
    return replace(whole, pages=pages, queries=queries)


def often(data: DataSet, times: int) -> Often:
    return Often(strategy("published", data, Corpus()), times)


def naive(data: DataSet, times: int) -> tuple[float, float, float]:
    """P@3, R@3 and the share of queries with a repeat in the first six, each row of the index counted as a passage."""
    rows = often(data, times).passages(data.pages).items
    find, judge = plain(rows), BlockJudge()
    ranked: list[list[Passage]] = [[rows[row] for row in find(query.text)] for query in data.queries]
    pairs = list(zip(data.queries, ranked, strict=True))
    precision = np.mean([sum(judge.recall(query, [hit], 1) > 0 for hit in hits[:3]) / 3 for query, hits in pairs])
    recall = np.mean([judge.recall(query, hits, 3) for query, hits in pairs])
    repeats = np.mean([len(set(hits[:6])) < len(hits[:6]) for hits in ranked])
    return float(precision), float(recall), float(repeats)


def test_indexing_twice_raises_a_naive_precision_and_lowers_a_naive_recall(data: DataSet) -> None:
    once, twice, thrice = (naive(data, times) for times in (1, 2, 3))
    assert (once[2], twice[2], thrice[2]) == (0.0, 1.0, 1.0)
    assert once[0] + 0.1 < twice[0] < thrice[0] - 0.05
    assert once[1] > twice[1] + 0.03 > thrice[1] + 0.1


def test_indexing_twice_changes_no_figure_here(data: DataSet) -> None:
    rows: list[dict[str, Any]] = run(data, [often(data, times) for times in (1, 3)], ["bm25"])["rows"]
    assert [row["repeated"] for row in rows] == [0, 2 * rows[0]["passages"]]
    assert rows[0]["queries"] == rows[1]["queries"]
    assert rows[0]["metrics"] == rows[1]["metrics"]


@pytest.mark.usefixtures("data")
def test_published_plans_put_one_heading_into_several_chunks() -> None:
    plans, headings, others, shown = 0, 0, 0, 0
    for row in lines(PLANS):
        used = Counter(unit for group in row["plan"] for unit in set(group))
        repeated = [unit for unit, groups in used.items() if groups > 1]
        texts = {unit["id"]: unit["text"].strip("# \n") for unit in row["units"]}
        plans += bool(repeated)
        headings += sum(unit.startswith("heading") for unit in repeated)
        others += sum(not unit.startswith("heading") for unit in repeated)
        shown += sum(sum(texts[unit] in chunk for chunk in row["chunks"]) > 1 for unit in repeated)
    assert plans > 140
    assert headings >= 200
    assert others < headings / 10
    assert shown > 0.8 * headings
