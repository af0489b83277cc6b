"""Metrics: the same figures as the data set's own scorer, laws of recall and of the bootstrap."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrac.evaluation.metrics import BlockJudge, bootstrap
from wrac.evaluation.metrics.blocks import METRICS
from wrac.evaluation.values import Gold, Passage, Query, name

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data")
SCORER = DATA.parent / "tools" / "score_rmc.py"
PAGES = ["a/html/Fees & Limits.html", "b/html/ fees  & limits.HTML", "a/html/Refunds.html"]
BLOCKS = [
    "Refunds are calculated daily and paid within 5 days.",
    "Fee\tLimit\tNotes",
    "the of and",
    "Gold loans need proof of identity, income and address",
    "वापसी 退款 24/7",
]
FILLER = " ".join(f"word{i}" for i in range(140))
TEXT = st.lists(st.sampled_from([*BLOCKS, FILLER, "needed", "refunded"]), min_size=1, max_size=5).map("\n".join)
GOLD = st.lists(st.tuples(st.sampled_from(BLOCKS), st.sets(st.sampled_from(PAGES), min_size=1)), min_size=1, max_size=5)


def passage(page: str, text: str) -> Passage:
    return Passage(page, text, text)


HITS = st.lists(st.builds(passage, st.sampled_from(PAGES), TEXT), max_size=12)


def named(pages: set[str]) -> frozenset[str]:
    """All pages of these file names: the scorer tells pages by name alone."""
    return frozenset(one for one in PAGES if name(one) in set(map(name, pages)))


def query(gold: list[tuple[str, set[str]]]) -> Query:
    return Query("q", "?", tuple(Gold(text, named(pages)) for text, pages in gold), {})


def scores(gold: list[tuple[str, set[str]]], hits: list[Passage]) -> dict[str, float]:
    return dict(zip(METRICS, BlockJudge().score(query(gold), hits), strict=True))


def absent(reason: str) -> None:
    """Skips, but fails in CI where the data folder is there and lacks the scorer."""
    if os.environ.get("CI") and DATA.is_dir():
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    if not SCORER.is_file():
        absent(f"no {SCORER} (set WRAC_DATA to the data folder beside it)")
    spec = importlib.util.spec_from_file_location("score_rmc", SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@given(gold=GOLD, hits=HITS)
def test_scores_are_those_of_the_data_sets_own_scorer(
    scorer: ModuleType, gold: list[tuple[str, set[str]]], hits: list[Passage]
) -> None:
    rows = [{"id": "q", "gold": [{"page": min(pages), "pages": sorted(pages), "text": text} for text, pages in gold]}]
    theirs = scorer.score(rows, {"q": [hit._asdict() for hit in hits]})
    assert {metric: round(value, 4) for metric, value in scores(gold, hits).items()} | {"queries": 1} == theirs


@given(GOLD, HITS)
def test_more_passages_and_more_words_never_find_less(gold: list[tuple[str, set[str]]], hits: list[Passage]) -> None:
    found = scores(gold, hits)
    assert 0.0 <= found["R@1"] <= found["R@3"] <= found["R@6"] <= 1.0
    assert 0.0 <= found["B@250"] <= found["B@500"] <= found["B@1000"] <= 1.0
    assert all(value == 0.0 for value in scores(gold, []).values())


def test_a_block_cut_by_the_budget_does_not_count_and_one_on_another_page_neither() -> None:
    gold = [(BLOCKS[0], {PAGES[2]})]
    late = passage(PAGES[2], f"{FILLER} {FILLER} {BLOCKS[0]}")
    assert scores(gold, [late]) == {"R@1": 1, "R@3": 1, "R@6": 1, "B@250": 0, "B@500": 1, "B@1000": 1}
    assert scores(gold, [passage(PAGES[0], BLOCKS[0])])["R@6"] == 0.0
    assert scores([(BLOCKS[0], {PAGES[0], PAGES[2]})], [passage(PAGES[0], BLOCKS[0])])["R@1"] == 1.0


def test_two_halves_of_a_block_in_two_passages_are_not_the_block() -> None:
    block = BLOCKS[3].split()
    halves = [passage(PAGES[2], " ".join(block[:5])), passage(PAGES[2], " ".join(block[5:]))]
    assert scores([(BLOCKS[3], {PAGES[2]})], halves)["R@6"] == 0.0


VALUES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(VALUES)
def test_the_bootstrap_is_antisymmetric_and_holds_its_mean(pairs: list[tuple[int, int]]) -> None:
    ours, theirs = np.array(pairs, float).T / 4
    there, back = bootstrap(ours, theirs, rounds=200), bootstrap(theirs, ours, rounds=200)
    assert np.allclose([there.mean, there.low, there.high], [-back.mean, -back.high, -back.low])
    assert there.low - 1e-9 <= there.high
    assert bootstrap(ours, ours, rounds=50) == (0.0, 0.0, 0.0)
    assert not bootstrap(ours, ours, rounds=50).real


def test_the_bootstrap_tells_a_real_difference_from_noise_and_repeats() -> None:
    random = np.random.default_rng(1)
    base = random.random(400)
    noise = base + random.normal(0, 0.3, 400)
    assert bootstrap(base + 0.05 + random.normal(0, 0.1, 400), base).real
    assert not bootstrap(noise - noise.mean() + base.mean(), base).real
    assert bootstrap(noise, base) == bootstrap(noise, base)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(2)
    intervals = [bootstrap(random.normal(0.1, 0.5, 120), np.zeros(120), rounds=400) for _ in range(200)]
    covered = sum(one.low <= 0.1 <= one.high for one in intervals) / len(intervals)
    assert 0.88 <= covered <= 0.99
