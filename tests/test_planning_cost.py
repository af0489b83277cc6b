"""What planning with a model costs: counted on published plans, priced, and told where it is worth it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data import FOLDER, existing
from tests.fakes import FakeEmbedder

from wrac.core.errors import InputError
from wrac.core.types import Page, Usage
from wrac.evaluation import planning_signals as signals
from wrac.evaluation.datasets import rmc
from wrac.evaluation.metrics.altered import Altered
from wrac.evaluation.planning_cost import (
    Decision,
    Replay,
    Way,
    by_margin,
    caught,
    changed,
    decisions,
    ours,
    pace_of,
    published,
    ranked,
    replays,
    resolved,
    starts,
    summed,
)
from wrac.evaluation.planning_worth import BUDGETS, worth
from wrac.evaluation.strategies import Corpus
from wrac.evaluation.strategies.replay import answered, rules_planner
from wrac.evaluation.values import DataSet, Gold, Query
from wrac.evaluation.vectors import VectorCache
from wrac.planning.cascade import THRESHOLD
from wrac.planning.llm import prompt

GPT = "openai:gpt-4.1"
NOBODY = 1e9
UNITS = ("Fees", "A card costs nothing.", "Limits", "At most 900 euros a week.", "Ask us for more.")
BODY = "<main><h1>{}</h1><p>{}</p><h2>{}</h2><p>{}</p><p>{}</p></main>".format(*UNITS)


def row(page: str, tokens: tuple[int, int, int], **more: Any) -> dict[str, Any]:
    given, cached, answered = tokens
    usage = {"input_tokens": given, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": answered}
    return {
        "page": page,
        "usage": usage,
        "seconds": 2.0,
        "chunks": ["Fees\nA card is free.", "At most 900 euros."],
        **more,
    }


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    """Two pages of the same text; a plan is published for both, a rewrite for the first alone."""
    units = [{"id": str(number), "text": text} for number, text in enumerate(UNITS)]
    plans = [row(url, (900, 100, 40), units=units, plan=[["0", "1", "4"], ["0", "2", "3"]]) for url in ("a", "b")]
    rewrites = [row("a", (700, 0, 300))]
    (tmp_path / "published").mkdir()
    for name, rows in (("wrac", plans), ("agentic", rewrites)):
        (tmp_path / f"published/{name}-gpt-4.1.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    gold = Gold("At most 900 euros a week.", frozenset(("a", "b")))
    pages = tuple(Page(url, BODY.encode()) for url in ("a", "b"))
    return DataSet("some", tmp_path, pages, tuple(Query(f"q{n}", "What is the limit?", (gold,)) for n in range(4)))


# -- counting


def test_a_page_counts_that_has_both_a_plan_and_a_rewrite(data: DataSet) -> None:
    (one,) = replays(data, Corpus())
    assert (one.page.url, one.plan["usage"]["output_tokens"], one.rewrite["usage"]["output_tokens"]) == ("a", 40, 300)
    with pytest.raises(InputError, match="is absent"):
        replays(DataSet("some", Path("nowhere"), data.pages, ()), Corpus())


def test_published_ways_are_paid_as_published_and_ours_as_counted(data: DataSet) -> None:
    found = replays(data, Corpus())
    rewrite, plans = published(found)
    assert (rewrite.total, plans.total) == (Usage(700, 0, 300, 1, 2.0), Usage(900, 100, 40, 1, 2.0))
    every, once = ours(found, "every"), ours(found, "once", once=True)
    assert every.asked == every.total.calls == 1
    assert len(prompt()) // 8 < every.fixed < every.total.input < every.fixed + 60
    assert once.total.input == every.total.input
    assert once.total.output < every.total.output < plans.total.output
    nobody = ours(found, "nobody", NOBODY)
    assert (nobody.asked, nobody.fixed, nobody.total) == (0, 0, Usage())


def test_usd_is_the_list_price_with_a_cached_beginning_or_in_batches() -> None:
    way = Way("some", (Usage(1_000_000, 0, 100_000, 1),), fixed=500_000)
    assert way.usd(GPT) == pytest.approx(2.8)
    assert way.usd(GPT, cached=True) == pytest.approx(2.05)
    assert way.usd(GPT, batch=True) == pytest.approx(1.4)
    seen = Way("some", (Usage(1_000_000, 800_000, 0, 1),), fixed=500_000)
    assert seen.usd(GPT, cached=True) == seen.usd(GPT)


@given(
    st.tuples(*[st.floats(0.1, 5)] * 3),
    st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 2000)), min_size=4, max_size=20, unique=True),
)
def test_the_pace_of_calls_on_a_line_is_that_line(
    line: tuple[float, float, float], sizes: list[tuple[int, int]]
) -> None:
    base, read, written = line
    calls = [Usage(a, 0, b, 1, base + a / 1000 * read + b / 100 * written) for a, b in sizes]
    if np.linalg.matrix_rank([(1, one.input, one.output) for one in calls]) == 3:
        assert pace_of(calls).of(Usage(2000, 0, 500, 1)) == pytest.approx(
            base + 2 * read + 5 * written, rel=1e-3, abs=1e-3
        )
    assert pace_of(calls).of(Usage()) == 0


# -- decisions


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30))
def test_ranking_is_how_often_a_wanted_one_is_above_another(pairs: list[tuple[int, bool]]) -> None:
    yes, no = ([score for score, wanted in pairs if wanted is kind] for kind in (True, False))
    found = ranked([score for score, _ in pairs], [wanted for _, wanted in pairs])
    if not yes or not no:
        assert isnan(found)
        return
    wins = sum((a > b) + 0.5 * (a == b) for a in yes for b in no)
    assert found == pytest.approx(wins / len(yes) / len(no))


def test_margins_are_counted_in_classes_and_what_a_cascade_catches_among_those_that_differ() -> None:
    decided = [
        Decision(0.0, True, False, False), Decision(0.5, True, False, True), Decision(0.7, True, True, True),
        Decision(9.0, False, False, True),
    ]  # fmt: skip
    assert by_margin(decided, (0.0, 0.5, 1.0)) == [(0.0, 0.5, 1, 1), (0.5, 1.0, 2, 1), (1.0, float("inf"), 1, 0)]
    assert caught(decided) == 0.5
    assert caught(decided[2:]) == 0


def test_decisions_are_of_every_boundary_and_a_cascade_of_all_is_the_model(data: DataSet) -> None:
    found = replays(data, Corpus())
    model, rules = answered(found[0].document, found[0].plan, rules_planner())[0], decisions(found, NOBODY)
    assert starts(found[0].document, model) == {2, 4}
    assert [one.model for one in rules] == [False, True, False, True]
    assert all(one.cascade == one.rules for one in rules)
    assert all(one.cascade == one.model for one in decisions(found, 0.0))


def test_words_of_all_pages_are_added_up(data: DataSet) -> None:
    corpus = Corpus()
    found = replays(data, corpus)
    theirs = summed(changed(found, lambda one: one.rewrite["chunks"]) * 2)
    assert (theirs.words, theirs.lost, theirs.added) == (32, 18, 4)
    plan = answered(found[0].document, found[0].plan, rules_planner())[0]
    joined_over_others = [Altered(16, moved=2)]
    assert changed(found, lambda one: resolved(corpus, one, plan)) == joined_over_others


# -- worth


def test_each_way_is_held_against_the_rules_under_each_search_and_budget(data: DataSet, tmp_path: Path) -> None:
    gains = worth(data, [0.0, NOBODY], lambda: VectorCache(FakeEmbedder(), tmp_path / "cache"), ["bm25", "default"])
    ways = list(dict.fromkeys(one.way for one in gains))
    assert ways == ["llm", "cascade:0", "cascade:1e+09", "best by page, with hindsight", "best by page, held out"]
    assert len(gains) == len(ways) * 2 * len(BUDGETS)
    assert all(one.rules == one.mean == 1.0 and one.better == one.worse == 0 for one in gains)


# -- the bars


@cache
def real() -> tuple[list[Replay], Corpus]:
    root = existing(FOLDER / "rmc")
    existing(root / "published/agentic-gpt-4.1.jsonl")
    corpus = Corpus()
    return replays(rmc(root), corpus), corpus


def test_a_page_is_planned_within_its_bars() -> None:
    """Means over the pages of RAG-Multi-Corpus: 1,100 tokens in and 60 out, a cascade a quarter of that."""
    found, _ = real()
    assert len(found) == 157
    every, some = ours(found, "every"), ours(found, "some", THRESHOLD)
    assert mean(every) <= (1100, 60)
    assert every.total.output <= 60 * len(found)
    assert some.total.input <= 275 * len(found)
    assert some.total.output <= 15 * len(found)
    rewrite, plans = published(found)
    assert every.usd(GPT) < 0.3 * plans.usd(GPT) < 0.3 * rewrite.usd(GPT)
    assert every.usd(GPT) <= 0.65 / 236 * len(found)
    assert some.usd(GPT) <= 0.16 / 236 * len(found)


def mean(way: Way) -> tuple[float, float]:
    return way.total.input / len(way.pages), way.total.output / len(way.pages)


def test_the_margin_tells_where_the_model_decides_otherwise() -> None:
    found, _ = real()
    decided = decisions(found[::3], THRESHOLD)
    differ: Sequence[bool] = [one.rules != one.model for one in decided]
    assert sum(differ) > 50
    assert ranked([-one.margin for one in decided], differ) > 0.85
    assert caught(decided) > 0.3


def test_doubts_tell_better_than_sizes_which_segments_to_ask_about() -> None:
    found, _ = real()
    told = {one.signal: one for one in signals.told(found[::2])}
    assert all(0 <= one.cost <= 0.4 for one in told.values())
    assert told["sum of doubts"].held_out > told["units"].held_out
    assert told["sum of doubts"].held_out > told["no headings"].held_out


def test_no_word_is_lost_added_or_torn_by_the_plans_whose_publication_dropped_many() -> None:
    found, corpus = real()
    rules = rules_planner()
    made = summed(changed(found, lambda one: resolved(corpus, one, answered(one.document, one.plan, rules)[0])))
    theirs = summed(changed(found, lambda one: one.plan["chunks"]))
    assert made._replace(moved=0) == Altered(theirs.words)
    assert made.moved < 0.001 * made.words
    assert theirs.lost > 0.08 * theirs.words
