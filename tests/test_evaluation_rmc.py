"""Evaluation over RAG-Multi-Corpus: the published rows again, what the published plans did, and the harness itself."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fakes import FakeEmbedder

from wrac.core.errors import InputError, StorageError
from wrac.core.types import Page
from wrac.evaluation import differences, run
from wrac.evaluation.datasets import rmc
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.search import Dense, Lexical
from wrac.evaluation.strategies import Corpus
from wrac.evaluation.strategies.baselines import Sections, WholePage, Words
from wrac.evaluation.tuning import DENSE, PAGE, SATURATIONS, Weights, left_out, tune
from wrac.evaluation.values import DataSet, Passage, Passages, Query
from wrac.evaluation.vectors import VectorCache, pieces
from wrac.text import bm25

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data")
ROOT = DATA / "rmc"
TABLE = {
    "agentic": {"R@1": 0.534, "R@3": 0.770, "B@250": 0.765, "B@500": 0.865, "B@1000": 0.903},
    "published": {"R@1": 0.489, "R@3": 0.699, "B@250": 0.702, "B@500": 0.790, "B@1000": 0.821},
    "sections": {"R@1": 0.511, "R@3": 0.743, "B@250": 0.809, "B@500": 0.902, "B@1000": 0.947},
}


@pytest.fixture(scope="module")
def data() -> DataSet:
    if not ROOT.is_dir():
        pytest.skip(f"no {ROOT} (set WRAC_DATA)")
    return rmc(ROOT)


@pytest.fixture(scope="module")
def results(data: DataSet) -> dict[str, Any]:
    return run(data, list(TABLE), ["bm25"])


@pytest.mark.parametrize("strategy", TABLE)
def test_bm25_rows_of_the_comparison_come_out_again(results: dict[str, Any], strategy: str) -> None:
    row = next(row for row in results["rows"] if row["strategy"] == strategy)
    off = {metric: row["metrics"][metric] - value for metric, value in TABLE[strategy].items()}
    assert all(abs(value) <= 0.01 for value in off.values()), off


def test_breakdowns_are_of_all_queries_and_mean_to_the_whole(results: dict[str, Any], data: DataSet) -> None:
    for row in results["rows"]:
        for parts in row["by"].values():
            assert sum(part["queries"] for part in parts.values()) == len(data.queries)
            whole = sum(part["queries"] * part["metrics"]["B@250"] for part in parts.values()) / len(data.queries)
            assert whole == pytest.approx(row["metrics"]["B@250"])


def test_published_plans_repeat_headings_and_drop_units(results: dict[str, Any], data: DataSet) -> None:
    """Why they are replayed as published and told apart from repaired ones: a plan of theirs is no partition."""
    notes = next(row for row in results["rows"] if row["strategy"] == "published")["notes"]
    assert notes["units dropped"] > 300
    assert notes["words dropped"] / notes["words"] > 0.07
    assert notes["unknown ids"] == 0
    repeated = Counter[str]()
    for row in lines(data.root / "published" / "wrac-gpt-4.1.jsonl"):
        used = Counter(unit for group in row["plan"] for unit in group)
        repeated.update(unit.partition("_")[0] for unit, times in used.items() if times > 1)
    assert repeated["heading"] > 100
    assert repeated["heading"] > 10 * repeated["text"]


def test_rows_for_pages_that_are_not_in_the_set_are_counted_and_not_searched(results: dict[str, Any]) -> None:
    for title in ("agentic", "published"):
        row = next(row for row in results["rows"] if row["strategy"] == title)
        assert row["notes"]["rows of pages not in the set"] == 1


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small data set in RAG-Multi-Corpus form."""
    pages = {
        "Refunds": "<h1>Refunds</h1><p>Refunds are paid daily.</p><h2>Limits</h2><p>At most 500 euros a day.</p>",
        "Cards": "<h1>Cards</h1><p>A card costs nothing.</p><h2>Limits</h2><p>At most 900 euros a week.</p>",
    }
    folder = tmp_path / "data" / "bank" / "html"
    folder.mkdir(parents=True)
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(body, "utf-8")
    gold = [{"page": "bank/html/Refunds.html", "text": "At most 500 euros a day."}]
    query = {"id": "q1", "company": "bank", "type": "Fact", "query": "What is the limit of refunds?", "gold": gold}
    (tmp_path / "data" / "queries.jsonl").write_text(json.dumps(query) + "\n", "utf-8")
    return tmp_path / "data"


def test_sections_carry_their_trail_and_their_file_name_is_searched(site: Path) -> None:
    items = Sections(Corpus()).passages(rmc(site).pages).items
    assert (
        Passage(
            "bank/html/Refunds.html",
            "Refunds > Limits\nAt most 500 euros a day.",
            "refunds\nRefunds > Limits\nAt most 500 euros a day.",
        )
        in items
    )
    assert len(items) == 4


@given(st.integers(1, 60), st.integers(2, 12), st.data())
def test_fixed_windows_cover_every_word_and_repeat_the_overlap(count: int, size: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    words = [f"w{i}" for i in range(count)]
    page = Page("a.html", f"<p>{' '.join(words)}</p>".encode())
    windows = [p.text.split() for p in Words(Corpus(), size, overlap).passages([page]).items]
    assert all(len(window) <= size for window in windows)
    assert windows[0] + [word for window in windows[1:] for word in window[overlap:]] == words
    assert all(a[len(a) - overlap :] == b[:overlap] for a, b in pairwise(windows))


class Twice:
    """A strategy that indexes every page twice."""

    name = "twice"

    def passages(self, pages: Any) -> Passages:
        once = WholePage(Corpus()).passages(pages).items
        return Passages((*once, *once))


def test_a_passage_counts_once_however_often_it_is_indexed(site: Path) -> None:
    row = run(rmc(site), [Twice()], ["bm25"])["rows"][0]
    assert (row["passages"], row["repeated"]) == (2, 2)


def test_default_search_runs_and_a_second_run_embeds_nothing(site: Path, tmp_path: Path) -> None:
    data = rmc(site)
    first, second = FakeEmbedder(), FakeEmbedder()
    strategies = ["wrac", "sections", "page"]
    before = run(data, strategies, ["default"], vectors=lambda: VectorCache(first, tmp_path / "cache"))
    after = run(data, strategies, ["default"], vectors=lambda: VectorCache(second, tmp_path / "cache"))
    assert first.embedded
    assert second.embedded == []
    assert [row["queries"] for row in before["rows"]] == [row["queries"] for row in after["rows"]]
    assert [row["metrics"]["R@3"] for row in before["rows"]] == [1.0, 1.0, 1.0]


def test_bm25_alone_loads_no_model(site: Path) -> None:
    def never() -> VectorCache:
        raise AssertionError("BM25 asked for vectors")

    assert len(run(rmc(site), ["sections"], ["bm25"], vectors=never)["rows"]) == 1


def test_differences_are_paired_with_the_baseline_under_the_same_search(results: dict[str, Any]) -> None:
    found = differences(results, "sections")
    assert [one["strategy"] for one in found] == ["agentic", "published"]
    assert all(one["metrics"]["B@250"]["real"] and one["metrics"]["B@250"]["high"] < 0 for one in found)
    assert differences(results, "no such row") == []


def test_weights_are_chosen_without_the_company_they_are_read_on() -> None:
    """Each company has weights that are best on it alone; leaving it out must never choose them."""
    companies = ["a", "b", "c"]
    queries = tuple(Query(c, "?", (), {"company": c}) for c in companies)
    data = DataSet("three", Path(), (), queries)
    grid = [Weights(1.0, 0.5, dense, page) for dense in (0.0, 0.5, 0.7) for page in (0.0, 0.5)]
    scores = {weights: np.full(3, 0.5) for weights in grid}
    for own, weights in enumerate(grid[1:4]):
        scores[weights] = np.where(np.arange(3) == own, 0.9, 0.2)
    scores[grid[5]] = np.full(3, 0.6)
    rows = [line.split() for line in left_out(data, scores).splitlines()[1:]]
    assert [row[0] for row in rows] == companies
    assert [row[1:5] for row in rows] == [["1", "0.5", "0.7", "0.5"]] * 3
    assert [row[5:] for row in rows] == [
        ["0.600", "0.900", "0.500", "0.900"],
        *[["0.600", "0.900", "0.500", "0.200"]] * 2,
    ]


def test_tuning_runs_every_choice_once_for_each_query(site: Path, tmp_path: Path) -> None:
    scores = tune(rmc(site), ["sections", "page"], VectorCache(FakeEmbedder(), tmp_path / "cache"), lambda _: None)
    assert len(scores) == len(SATURATIONS) * len(DENSE) * len(PAGE)
    assert all(values.shape == (1,) and 0.0 <= values[0] <= 1.0 for values in scores.values())


@pytest.mark.parametrize(
    ("line", "words"),
    [("{", "is not JSON"), ("[]", "not a JSON object"), ('{"id": "x"}', "lacks 'gold'"), ("", "stands twice")],
)
def test_a_bad_query_file_is_named_with_its_fault(site: Path, line: str, words: str) -> None:
    file = site / "queries.jsonl"
    file.write_text(file.read_text("utf-8") + (line or file.read_text("utf-8")) + "\n", "utf-8")
    with pytest.raises(InputError, match=words):
        rmc(site)


WORDS = st.lists(st.sampled_from(["fee", "limit", "refund", "day", "a"]), max_size=8)


@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_bm25_over_arrays_is_the_formula(documents: list[list[str]], query: list[str]) -> None:
    average = sum(map(len, documents)) / len(documents)
    holding = {term: sum(term in document for document in documents) for term in query}

    def score(document: list[str]) -> float:
        return sum(
            bm25.idf(len(documents), holding[term]) * bm25.saturation(document.count(term), len(document), average)
            for term in set(query)
        )

    expected = {row: score(document) for row, document in enumerate(documents) if set(query) & set(document)}
    found = Lexical(documents).search(query, 99)
    assert dict(found) == pytest.approx(expected)
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert Lexical(documents).search(query, 2) == found[:2]


def test_a_long_passage_is_as_near_as_its_nearest_part() -> None:
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32)
    dense = Dense(vectors, np.array([0, 0, 1], np.intp), 2)
    assert dense.search(np.array([0, 1], np.float32), 9) == [(1, 1.0), (0, pytest.approx(0.8))]


@cache
def small() -> FakeEmbedder:
    return FakeEmbedder(window=8)


@given(st.lists(st.sampled_from(["a", "b-c", "d", "e.f.g"]), max_size=40))
def test_parts_fit_the_window_and_hold_every_word_in_order(words: list[str]) -> None:
    parts = pieces(" ".join(words), small())
    assert [word for part in parts for word in part.split()] == words
    assert all(small().tokens(part) <= small().window for part in parts)


def test_a_cache_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(b"this is no database, " * 64)
    with pytest.raises(StorageError, match="set WRAC_CACHE"):
        VectorCache(FakeEmbedder(), tmp_path).embed(["a"])


def test_a_vector_cut_short_on_disk_is_computed_again(tmp_path: Path) -> None:
    wanted = VectorCache(FakeEmbedder(), tmp_path).embed(["a fee", "a limit"])
    with sqlite3.connect(tmp_path / "vectors.sqlite") as db:
        db.execute("update vector set value = substr(value, 1, 8)")
    db.close()
    again = VectorCache(FakeEmbedder(), tmp_path)
    assert np.array_equal(again.embed(["a fee", "a limit"]), wanted)
    assert again.computed == 2
    last = VectorCache(FakeEmbedder(), tmp_path)
    last.embed(["a fee"])
    assert last.computed == 0


@pytest.fixture(autouse=True)
def no_user_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the user's own cache."""
    monkeypatch.setenv("WRAC_CACHE", str(tmp_path / "user-cache"))
    yield
