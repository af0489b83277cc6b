"""What answering costs by architecture: laws of the arithmetic, break-evens, rules, and worked examples."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wrac.core.errors import ConfigError
from wrac.llm.prices import MODELS, Price
from wrac.llm.tariffs import Rates, Tariff, tariff, window
from wrac.routing.advice import crossed, number, recommend
from wrac.routing.economics import (
    AXES,
    DAYS,
    KINDS,
    WAYS,
    Factors,
    Origin,
    break_even,
    costs,
    gap,
    held,
    hits,
    moved,
    present,
    upkeep,
)

MONEY = ("plan_price", "embed_price", "storage_price", "upkeep")
prices = st.floats(0.01, 100)


@st.composite
def tariffs(draw: Any, /) -> Tariff:
    """One rate for every size of call; reading the cache costs at most what input costs, writing it at least."""
    read = draw(prices)
    rates = Rates(read, draw(prices), read * draw(st.floats(0, 1)), read * draw(st.floats(1, 2)))
    return Tariff("any:model", (rates,), draw(st.integers(10_000, 2_000_000)))


@st.composite
def factors(draw: Any, /, **fixed: Any) -> Factors:
    """Factors that make sense, and that say nothing of the least input that is cached."""
    share = st.floats(0, 1)
    values = {
        "tariff": draw(tariffs()),
        "corpus_tokens": draw(st.floats(100, 1e8)),
        "document_tokens": draw(st.floats(10, 1e5)),
        "passage_tokens": draw(st.floats(20, 500)),
        "passages": draw(st.floats(1, 12)),
        "instruction_tokens": draw(st.floats(0, 1000)),
        "question_tokens": draw(st.floats(1, 100)),
        "output_tokens": draw(st.floats(1, 1000)),
        "queries_per_day": draw(st.floats(0.1, 1e6)),
        "active_hours": draw(st.floats(1, 24)),
        "whole_share": draw(share),
        "prefix_share": draw(share),
        "cache_lifetime": draw(st.floats(0, 86_400)),
        "cache_minimum": 0,
        "changes_per_week": draw(st.floats(0, 1000)),
        "documents_per_change": draw(st.floats(0, 10)),
        "air": draw(st.floats(0, 0.9)),
        **{name: draw(st.floats(0, 500)) for name in MONEY},
    }
    return Factors(**{**values, **fixed})


# -- laws


@given(factors(), st.floats(1, 100))
def test_more_questions_never_cost_less_where_no_cache_is_warmed_by_them(one: Factors, by: float) -> None:
    more = costs(replace(one, queries_per_day=one.queries_per_day * by))
    for way, before in costs(one).items():
        if way != "cached window":
            assert more[way].month >= before.month * (1 - 1e-12)
            assert more[way].question == before.question
    assert hits(replace(one, queries_per_day=one.queries_per_day * by)) >= hits(one) - 1e-12


@given(factors(), st.floats(1, 100))
def test_a_larger_corpus_never_costs_less(one: Factors, by: float) -> None:
    more = costs(replace(one, corpus_tokens=one.corpus_tokens * by))
    for way, before in costs(one).items():
        assert more[way].month >= before.month * (1 - 1e-9)
        assert more[way].tokens >= before.tokens * (1 - 1e-12)


@given(factors())
def test_twice_the_prices_are_twice_the_costs(one: Factors) -> None:
    dear = replace(moved(one, "price_level", 2), **{name: 2 * getattr(one, name) for name in MONEY})
    for way, before in costs(one).items():
        assert costs(dear)[way].question == pytest.approx(2 * before.question)
        assert costs(dear)[way].month == pytest.approx(2 * before.month)
        assert costs(dear)[way].tokens == before.tokens


@given(factors())
def test_a_month_is_its_questions_and_its_index(one: Factors) -> None:
    for cost in costs(one).values():
        assert cost.month == pytest.approx(DAYS * one.queries_per_day * cost.question + cost.fixed)
    assert costs(one)["window"].fixed == 0
    assert costs(one)["retrieval"].fixed == pytest.approx(sum(upkeep(one).values()))


@given(factors())
def test_a_cached_window_lies_between_all_hits_and_all_misses(one: Factors) -> None:
    share = hits(one)
    assert 0 <= share <= 1
    never, always = (
        replace(one, cache_lifetime=0),
        replace(one, prefix_share=1, cache_lifetime=1e12, changes_per_week=0),
    )
    cost = costs(one)["cached window"].question
    assert costs(always)["cached window"].question <= cost * (1 + 1e-9)
    assert hits(never) == 0
    if one.tariff.rates[0].write == one.tariff.rates[0].input:
        assert cost <= costs(one)["window"].question * (1 + 1e-9)


@given(factors(changes_per_week=0, prefix_share=1, active_hours=24))
def test_hits_of_a_corpus_at_rest_are_those_of_chance(one: Factors) -> None:
    assert hits(one) == pytest.approx(1 - math.exp(-one.queries_per_day / 86_400 * one.cache_lifetime))


@given(factors())
def test_a_mixture_lies_between_passages_and_documents(one: Factors) -> None:
    found = costs(one)
    ends = [costs(replace(one, whole_share=share))["mixture"].question for share in (0, 1)]
    assert min(ends) * (1 - 1e-9) <= found["mixture"].question <= max(ends) * (1 + 1e-9)
    assert ends[0] == pytest.approx(found["retrieval"].question)


@settings(max_examples=40)
@given(factors(), st.sampled_from(list(AXES)))
def test_at_a_break_even_both_cost_the_same(one: Factors, axis: Any) -> None:
    values = break_even(one, axis)
    assert list(values) == sorted(values)
    for value in values:
        at = moved(one, axis, value)
        month = costs(at)["retrieval"].month
        assert held(costs(at)).month == pytest.approx(month, rel=1e-6)
        before, after = (gap(moved(one, axis, value * by)) for by in (0.999, 1.001))
        if axis != "cache_ratio" and min(abs(before), abs(after)) > month * 1e-9:
            near = [other for other in values if other != value and abs(other - value) <= value * 0.001]
            assert (before < 0) != (after < 0) or near


@settings(max_examples=30)
@given(factors(upkeep=100, embed_price=0, prefix_share=0))
def test_the_break_even_of_prices_has_a_closed_form(one: Factors) -> None:
    found = costs(one)
    more = found["window"].question - found["retrieval"].question
    assume(more > 0)
    level = found["retrieval"].fixed / (DAYS * one.queries_per_day * more)
    assume(1e-4 < level < 1e4)
    assert break_even(one, "price_level") == pytest.approx((level,), rel=1e-6)


@given(factors(), st.sampled_from(["measured", "given", "default"]), st.text(max_size=20))
def test_factors_go_through_json(one: Factors, source: Any, note: str) -> None:
    told = replace(one, origins=dict.fromkeys((*KINDS, "price", "window"), Origin(source, note)))
    for kept in (one, told):
        row = json.loads(json.dumps(kept.row()))
        assert Factors.read(row).row() == kept.row()
    assert Factors.read(json.loads(json.dumps(told.row()))) == told


@settings(max_examples=20)
@given(factors())
def test_the_first_rule_that_holds_decides(one: Factors) -> None:
    assume(costs(one)["retrieval"].tokens + one.output_tokens <= one.tariff.window)
    advice = recommend(one)
    first = next(verdict for verdict in advice.verdicts if verdict.holds)
    assert (advice.choice, advice.rule, advice.reason) == (first.choice, first.rule, first.reason)
    assert crossed(advice, advice) == []
    if advice.choice == "window":
        assert one.fits
        assert gap(one) <= 0
    named = recommend(replace(one, provenance=1))
    assert (named.choice, named.rule) == ("retrieval", "provenance")


# -- worked examples


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("queries", [24, 40, 60])
def test_a_small_corpus_that_rests_belongs_into_the_window(model: str, queries: int) -> None:
    """30,000 tokens, a few changes a year, dozens of questions a day."""
    advice = recommend(
        Factors(tariff=tariff(model), corpus_tokens=30_000, changes_per_week=0.08, queries_per_day=queries)
    )
    assert (advice.choice, advice.rule) == ("window", "fits with air")
    assert advice.month < advice.costs["retrieval"].month
    assert 7 < advice.factor < 15  # a question is dearer all the same: what decides is the month


def test_a_large_corpus_is_retrieved_at_a_fortieth_of_the_price() -> None:
    """Hundreds of megabytes, weekly changes, thousands of questions a day, six passages."""
    found = [
        recommend(
            Factors(tariff=tariff(model), corpus_tokens=60e6, changes_per_week=1, queries_per_day=5_000, passages=6)
        )
        for model in MODELS
    ]
    assert {(one.choice, one.rule) for one in found} == {("retrieval", "no fit")}
    sonnet = next(one for one in found if "sonnet" in one.factors.tariff.model)
    assert 30 < sonnet.factor < 50
    assert all(one.factor > 30 for one in found)
    # By hand: 99,670 + 30 tokens at 3 USD and 300 at 15, to 1,430 tokens and the same answer.
    assert sonnet.costs["window"].question == pytest.approx((99_700 * 3 + 300 * 15) / 1e6)
    assert sonnet.costs["retrieval"].question == pytest.approx((1_430 * 3 + 300 * 15) / 1e6)


def test_many_questions_make_an_index_pay() -> None:
    few = Factors(tariff=tariff(MODELS[0]), corpus_tokens=30_000, queries_per_day=40)
    many = replace(few, queries_per_day=2_000)
    assert recommend(few).choice == "window"
    assert (recommend(many).choice, recommend(many).rule) == ("retrieval", "high volume")
    (across,) = [one.across for one in crossed(recommend(few), recommend(many))]
    assert 40 < across < 2_000
    assert gap(replace(few, queries_per_day=across)) == pytest.approx(0, abs=1e-6)


def test_weekly_changes_save_making_an_index_anew() -> None:
    advice = recommend(Factors(tariff=tariff(MODELS[0]), corpus_tokens=30_000, queries_per_day=40, changes_per_week=1))
    assert (advice.choice, advice.rule) == ("window", "frequent changes")
    assert "8,571 tokens a month" in advice.reason


def test_an_index_that_costs_nothing_to_keep_always_pays() -> None:
    one = Factors(tariff=tariff(MODELS[0]), corpus_tokens=30_000, queries_per_day=40, upkeep=0)
    assert (recommend(one).choice, recommend(one).rule) == ("retrieval", "high volume")
    assert break_even(one, "queries_per_day") == ()


def test_a_corpus_that_grew_out_of_the_window_and_prices_that_rose_are_told() -> None:
    one = Factors(tariff=tariff(MODELS[2]), corpus_tokens=30_000, queries_per_day=40)
    grown = replace(one, corpus_tokens=600_000.0)
    assert [(m.axis, m.across) for m in crossed(recommend(one), recommend(grown))] == [("corpus_tokens", one.room)]
    dear = moved(one, "price_level", 1_000)
    moves = crossed(recommend(one), recommend(dear))
    assert [m.axis for m in moves] == ["price_level"]
    assert moves[0].now == pytest.approx(1_000)


def test_a_cache_that_is_rarely_hit_may_cost_more_than_none() -> None:
    one = Factors(tariff=tariff("anthropic:claude-sonnet-4-5"), corpus_tokens=30_000, passage_tokens=250)
    found = costs(one)
    assert found["cached window"].question > found["window"].question
    assert held(found) == found["window"]
    assert recommend(one).month == found["window"].month
    assert len(break_even(one, "queries_per_day")) == 3  # up, down while the cache warms, and up for good


def test_less_than_providers_keep_is_not_cached() -> None:
    one = Factors(tariff=tariff(MODELS[0]), corpus_tokens=500, instruction_tokens=300, queries_per_day=10_000)
    assert costs(one)["cached window"] == costs(one)["window"]
    assert costs(replace(one, cache_minimum=0))["cached window"].question < costs(one)["window"].question


# -- tariffs


def test_a_call_pays_the_rates_of_its_size() -> None:
    sonnet = tariff("anthropic:claude-sonnet-4-5")
    assert sonnet.at(200_000) == Rates(3, 15, 0.3, 3.75, 0)
    assert sonnet.at(200_001) == Rates(6, 22.5, 0.6, 7.5, 200_000)
    assert sonnet.usd(200_001, 0) == pytest.approx(1.200006)
    assert tariff("anthropic:claude-sonnet-4-5", lifetime=3_600).rates[0].write == 6
    assert (window("openai:gpt-4.1"), window("openai:nothing-of-the-kind"), window("x")) == (1_000_000, 0, 0)


def test_what_is_not_said_of_the_cache_costs_what_input_costs() -> None:
    assert Tariff.given("m", Price(2, 8), 1000).rates == (Rates(2, 8, 2, 2),)
    assert Tariff.given("m", Price(2, 8, 0.5), 1000, 2.5).rates == (Rates(2, 8, 0.5, 2.5),)


@pytest.mark.parametrize("model", ["openai:nothing-of-the-kind", "nobody:gpt-4.1", "x"])
def test_prices_that_nobody_knows_are_asked_for(model: str) -> None:
    with pytest.raises(ConfigError) as caught:
        tariff(model)
    assert str(caught.value) == (
        f"no price is known for {model!r}; give --price IN/OUT/CACHED in USD per million tokens, or name it as "
        "PROVIDER:MODEL, such as openai:gpt-4.1"
    )


# -- bad numbers


def test_a_window_that_nobody_knows_is_asked_for() -> None:
    with pytest.raises(ConfigError, match=r"^no window is known for 'my:model'; give --window TOKENS$"):
        recommend(Factors(tariff=Tariff.given("my:model", Price(1, 2)), corpus_tokens=1_000))


def test_a_window_smaller_than_its_passages_is_told() -> None:
    with pytest.raises(ConfigError) as caught:
        recommend(Factors(tariff=Tariff.given("my:model", Price(1, 2), 1_000), corpus_tokens=10_000))
    assert str(caught.value) == (
        "my:model: a window of 1,000 tokens is smaller than a question with 6 passages and its answer (1,730); "
        "give fewer --passages, or another --model"
    )


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("air", 1.0, "air is 1; give a number from 0 to 0.99"),
        ("queries_per_day", -1, "queries-per-day is -1; give a number from 0"),
        ("whole_share", math.nan, "whole-share is nan; give a number from 0 to 1"),
        ("corpus_tokens", math.inf, "corpus-tokens is inf; give a number from 1"),
    ],
)
def test_numbers_that_make_no_sense_are_told(name: str, value: float, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Factors(**{"tariff": tariff(MODELS[0]), "corpus_tokens": 1_000, name: value})  # type: ignore[arg-type]
    assert str(caught.value) == told


def test_no_question_at_all_costs_nothing_but_the_index() -> None:
    found = costs(Factors(tariff=tariff(MODELS[0]), corpus_tokens=1_000, queries_per_day=0))
    assert {way: cost.month > 0 for way, cost in found.items()} == dict(
        zip(WAYS, (False, False, True, True), strict=True)
    )


def test_every_factor_is_a_number_with_a_meaning() -> None:
    one = Factors(tariff=tariff(MODELS[0]), corpus_tokens=1_000)
    assert all(isinstance(getattr(one, name), int | float) and kind.meaning for name, kind in KINDS.items())
    assert {name: one.origin(name).source for name in KINDS} == dict.fromkeys(KINDS, "default")
    assert present(one, "cache_ratio") == 0.25
    assert number(0.5) == "0.5"
