"""Metrics: the same figures as the data set's own scorer, laws of recall and of the bootstrap."""

from __future__ import annotations

import importlib.util
import math
import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data import FOLDER, existing

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.evaluation.metrics import BlockJudge, Difference, SpanJudge, bootstrap, less_is_better, spread, verdict
from wrac.evaluation.metrics.answers import (
    exact_match,
    hit_at_page,
    passage_tokens,
    rouge_l,
    token_f1,
    tokens_spent,
)
from wrac.evaluation.metrics.blocks import METRICS, distinct
from wrac.evaluation.metrics.words import length, opening
from wrac.evaluation.values import Gold, Passage, Query, name
from wrac.text.tokens import counter

SCORER = FOLDER.parent / "tools" / "score_rmc.py"
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


@pytest.fixture(scope="module")
def scorer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_rmc", existing(SCORER))
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


JAPANESE = "返品は商品到着後八日以内に限り承ります。送料はお客様負担となります。"
THAI = "คืนเงินภายในห้าวันทำการหลังจากได้รับสินค้า"
OTHER = "平日は午前九時から午後六時まで営業しております。土日祝日は休業です。領収書はマイページから取得できます。"


@pytest.mark.parametrize("block", [JAPANESE, THAI, JAPANESE[:12], "设置会保留，缓存会被清除，插件会检查兼容性。"])
def test_scripts_without_spaces_have_words_too(block: str) -> None:
    """Gold is found inside a longer sentence, not in another text, and a page of them is not one word of a budget."""
    gold = [(block, {PAGES[2]})]
    assert scores(gold, [passage(PAGES[2], f"注：{block}{OTHER}")])["R@1"] == 1.0
    assert scores(gold, [passage(PAGES[2], OTHER * 9)])["R@6"] == 0.0
    late = passage(PAGES[2], OTHER * 12 + block)
    assert 250 < length(late.text) < 500
    assert (scores(gold, [late])["B@250"], scores(gold, [late])["B@500"]) == (0.0, 1.0)
    early = passage(PAGES[2], block + OTHER * 12)
    assert scores(gold, [early])["B@250"] == 1.0
    assert judged([query(gold)], [[early]], [early])[0]["T@400"] == 1.0


@given(st.text(st.sampled_from("aé1 \n,-。「退款は日ไทยี\ufe0f\u0301"), max_size=40), st.integers(0, 40))
def test_an_opening_holds_as_many_words_as_its_budget(text: str, budget: int) -> None:
    held = opening(text, budget, lambda _: 1)
    assert text.startswith(held)
    assert length(held) == min(budget, length(text))
    assert length(text) >= len(text.split())


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


def judged(queries: list[Query], rankings: list[list[Passage]], passages: list[Passage]) -> list[dict[str, float]]:
    judge = BlockJudge()
    return [dict(zip(judge.metrics, one, strict=True)) for one in judge.scores(queries, rankings, passages)]


@settings(max_examples=40)
@given(GOLD, HITS, HITS)
def test_places_are_scored_as_the_formulas_say(
    gold: list[tuple[str, set[str]]], hits: list[Passage], others: list[Passage]
) -> None:
    """P@3, MRR and nDCG@10 with binary relevance, ideal over all passages that were searched."""
    asked, ranked, everything = query(gold), distinct(hits), distinct([*hits, *others])
    found = judged([asked, asked], [hits, []], [*hits, *others])
    helps = [scores(gold, [hit])["R@1"] > 0 for hit in ranked]
    ideal = sum(scores(gold, [hit])["R@1"] > 0 for hit in everything)
    gain = sum(1 / math.log2(place + 2) for place, one in enumerate(helps[:10]) if one)
    best = sum(1 / math.log2(place + 2) for place in range(min(ideal, 10)))
    assert found[0]["P@3"] == pytest.approx(sum(helps[:3]) / 3)
    assert found[0]["MRR"] == pytest.approx(1 / (helps.index(True) + 1) if any(helps) else 0)
    assert found[0]["nDCG@10"] == pytest.approx(gain / best if best else 0)
    assert set(found[1].values()) == {0.0}


@settings(max_examples=30)
@given(GOLD, HITS, st.integers(2, 3))
def test_a_passage_counts_once_however_often_it_is_indexed(
    gold: list[tuple[str, set[str]]], hits: list[Passage], times: int
) -> None:
    often = [hit for hit in hits for _ in range(times)]
    renamed = [hit._replace(indexed=f"{place} {hit.indexed}") for place, hit in enumerate(often)]
    once = judged([query(gold)], [hits], hits)
    assert judged([query(gold)], [often], often) == judged([query(gold)], [renamed], renamed) == once


def test_of_equal_hits_the_first_stays() -> None:
    one, two = passage("a", "x"), passage("a", "y")
    assert distinct([one, two, one._replace(indexed="z"), two]) == [one, two]


@given(GOLD, HITS)
def test_token_budgets_grow_and_end_at_everything(gold: list[tuple[str, set[str]]], hits: list[Passage]) -> None:
    found = judged([query(gold)], [hits], hits)[0]
    assert 0.0 <= found["T@400"] <= found["T@800"] <= 1.0
    if sum(map(counter("o200k").count, (hit.text for hit in distinct(hits)))) <= 400:
        assert found["T@400"] == BlockJudge().recall(query(gold), distinct(hits), len(hits))
    assert found["tokens@3"] == sum(map(counter("o200k").count, (hit.text for hit in distinct(hits)[:3])))


def test_evaluation_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r'pip install "wrac\[eval\]"'):
        BlockJudge()


SPAN = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda one: (one[0], one[0] + one[1]))
TEXTS = st.sampled_from(["a.txt", "b.txt"])
CUT = st.lists(st.tuples(TEXTS, st.lists(SPAN, min_size=1, max_size=2)), max_size=7)


def spans(page: str, wanted: list[tuple[int, int]]) -> Query:
    return Query("q", "?", tuple(Gold("x", frozenset({page}), *one) for one in wanted), {})


@given(TEXTS, st.lists(SPAN.filter(lambda one: one[0] < one[1]), min_size=1, max_size=3), CUT, st.integers(0, 7))
def test_spans_are_counted_character_by_character(
    page: str, wanted: list[tuple[int, int]], cut: list[tuple[str, list[tuple[int, int]]]], shown: int
) -> None:
    """The published rules over sets of characters: what is retrieved twice is paid for twice, gold is found once."""
    passages = [Passage(url, f"text {row}", "", tuple(sorted(ranges))) for row, (url, ranges) in enumerate(cut)]
    hits, near = passages[:shown][:5], [one for one in passages if one.page == page]
    held = {i for hit in hits if hit.page == page for a, b in hit.ranges for i in range(a, b)}
    gold = {i for a, b in wanted for i in range(a, b)}
    read = sum(b - a for hit in hits for a, b in hit.ranges)
    total, found = sum(b - a for a, b in wanted), len(gold & held)
    missed = sum(i not in held for a, b in wanted for i in range(a, b))
    touching = [hit for hit in near if any(a <= d and b >= c for a, b in hit.ranges for c, d in wanted)]
    whole = {i for hit in touching for a, b in hit.ranges for i in range(a, b)}
    scored = SpanJudge().scores([spans(page, wanted)], [passages[:shown]], passages)[0]
    assert scored[:4] == pytest.approx((
        found / total, found / read if read else 0, len(gold & whole) / len(gold | whole), found / (read + missed)
    ))  # fmt: skip


def test_passages_without_ranges_are_paid_for_and_a_strategy_without_any_is_refused() -> None:
    asked, known = spans("a.txt", [(0, 10)]), Passage("a.txt", "0123456789", "", ((0, 10),))
    unknown = Passage("a.txt", "rewritten!", "")
    assert SpanJudge().scores([asked], [[known, unknown]], [known, unknown])[0][:4] == (1.0, 0.5, 1.0, 0.5)
    with pytest.raises(ConfigError, match="no offsets into the source; leave it out"):
        SpanJudge().scores([asked], [[unknown]], [unknown])


def test_a_difference_inside_its_interval_or_the_spread_of_runs_is_none() -> None:
    real, noise = Difference(0.04, 0.01, 0.07), Difference(0.04, -0.01, 0.09)
    assert (verdict(real), verdict(noise), verdict(Difference(-0.04, -0.07, -0.01))) == (
        "better",
        "no difference",
        "worse",
    )
    assert verdict(real, less=less_is_better("tokens@3")) == "worse"
    assert verdict(real, within=spread([0.50, 0.55])) == "no difference"
    assert verdict(real, within=spread([0.50, 0.51])) == "better"
    assert spread([0.5]) == (0.5, 0.5, 0.5, 0.0)
    assert spread([0.2, 0.4]) == pytest.approx((0.3, 0.2, 0.4, math.sqrt(0.02)))
    with pytest.raises(ValueError, match="at least one run"):
        spread([])


ANSWER = st.lists(st.sampled_from(["Five", "days", "the", "退款", "5", "Straße", "."]), max_size=8).map(" ".join)


@given(ANSWER, ANSWER)
def test_answers_agree_from_no_word_to_every_word(ours: str, theirs: str) -> None:
    exact, f1, rouge = (measure(ours, [theirs]) for measure in (exact_match, token_f1, rouge_l))
    assert 0 <= exact <= rouge <= f1 <= 1
    assert exact_match(theirs, [ours]) == exact
    assert token_f1(theirs, [ours]) == pytest.approx(f1)
    assert rouge_l(theirs, [ours]) == pytest.approx(rouge)
    assert exact_match(ours, [theirs, ours]) == rouge_l(ours, [theirs, ours]) == token_f1(ours, [ours]) == 1
    assert exact_match(ours, []) == 0


@pytest.mark.parametrize(
    ("ours", "theirs", "exact", "f1", "rouge"),
    [
        ("the Eiffel Tower.", "Eiffel tower", 1, 1, 1),
        ("In fünf Tagen, bis zum Freitag", "fünf Tagen", 0, 4 / 8, 4 / 8),
        ("5天内退款", "退款5天", 0, 8 / 9, 4 / 9),
        ("Der Straßenname ist ＡＢＣ", "strassenname ist abc", 1, 1, 1),
        ("paid card by", "by card paid", 0, 1, 1 / 3),
        ("the", "the", 1, 1, 1),
        ("", "five", 0, 0, 0),
    ],
)
def test_answers_are_compared_by_folded_words(ours: str, theirs: str, exact: float, f1: float, rouge: float) -> None:
    assert exact_match(ours, [theirs]) == exact
    assert token_f1(ours, [theirs]) == pytest.approx(f1)
    assert rouge_l(ours, [theirs]) == pytest.approx(rouge)


def test_a_hit_at_the_page_and_the_tokens_it_costs() -> None:
    hits = [passage(PAGES[1], "a"), passage(PAGES[0], FILLER), passage(PAGES[0], FILLER)]
    asked = query([(BLOCKS[0], {PAGES[0]})])
    found = Query("q", "?", (Gold(BLOCKS[0], frozenset({PAGES[0]})),), {})
    assert (hit_at_page(found, hits), hit_at_page(found, hits, 2), hit_at_page(asked, [])) == (0, 1, 0)
    assert passage_tokens(hits, 3) == tokens_spent(["a", FILLER])
