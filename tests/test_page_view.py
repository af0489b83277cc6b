"""A page as people look at it: chunks over units, previews that store nothing, policies for a page, its type or all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.endpoint import Wire, says
from tests.fakes import FakeEmbedder, units
from tests.site import build

from wrac.core.types import Document, Page, Policy
from wrac.flow import Workspace
from wrac.flow.page import Scope, carriers, count, preview, ruled, stored
from wrac.flow.planners import Planning
from wrac.flow.remembered import Wish
from wrac.llm.prices import Price
from wrac.parsing import parse
from wrac.planning.page_types import page_type
from wrac.planning.policies import Policies, Rule

URL = "site/000-refunds.html"
HTML = "<main><h1>Fees</h1><p>They are low.</p><h2>Late</h2><p>Two dollars a day.</p><h2>Early</h2><p>None.</p></main>"
DOCUMENT: Document = parse(Page("https://a.example/fees", HTML.encode()))
POLICIES = st.builds(
    lambda target, more, tables, questions: Policy(target, target + more, whole_tables=tables, one_question=questions),
    st.integers(1, 300),
    st.integers(0, 300),
    st.booleans(),
    st.booleans(),
)
RULES = st.lists(
    st.sampled_from(["https://a.example/*", "https://b.example/*", "https://a.example/fees"]).map(
        lambda match: Rule(match, (("whole_lists", True),))
    ),
    max_size=3,
).map(tuple)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as opened:
        opened.index(build(tmp_path, 4), workers=0)
        yield opened


@given(POLICIES, POLICIES, RULES, st.sampled_from(["page", "type", "all"]))
def test_a_policy_holds_for_the_pages_it_is_for(
    default: Policy, wanted: Policy, sites: tuple[Rule, ...], scope: Scope
) -> None:
    before = Policies(default, sites)
    after = ruled(before, DOCUMENT, "https://a.example/fees", wanted, scope)
    assert after.of("https://a.example/fees", DOCUMENT) == wanted
    other = parse(Page("https://a.example/list", b"<ul><li>one<li>two<li>three</ul>"))
    assert page_type(other) != page_type(DOCUMENT)
    if scope == "all":
        assert after.of("https://a.example/list", other).target == wanted.target
    else:
        assert after.of("https://a.example/list", other) == before.of("https://a.example/list", other)
    assert ruled(after, DOCUMENT, "https://a.example/fees", wanted, scope) == after


def test_a_rule_for_a_page_is_replaced_and_goes_with_its_reason() -> None:
    url = "https://a.example/fees"
    once = ruled(Policies(), DOCUMENT, url, Policy(target=40), "page")
    twice = ruled(once, DOCUMENT, url, Policy(target=80), "page")
    assert once.sites == (Rule(url, (("target", 40),)),)
    assert twice.sites == (Rule(url, (("target", 80),)),)
    assert ruled(twice, DOCUMENT, url, Policy(), "page") == Policies()


def test_a_preview_is_what_planning_anew_stores_and_stores_nothing(shop: Workspace) -> None:
    record = shop.record(URL)
    wish = Wish(Policies(Policy(target=20)))
    tried = preview(shop, record, wish)
    assert shop.record(URL) == record
    assert shop.remembered() == Wish()
    changes = stored(record).changes(tried)
    assert changes and len(tried.chunks) > len(record.chunks)
    shop.replan(policy=wish.policies, workers=0)
    assert [one.id for one in tried.chunks] == [one.id for one in shop.record(URL).chunks]
    assert stored(shop.record(URL)).changes(tried) == ()


def test_each_kept_unit_is_in_the_chunks_that_hold_it(shop: Workspace) -> None:
    cut = stored(shop.record(URL))
    assert cut.of.keys() | cut.plan.omitted.keys() == set(range(len(cut.document.places)))
    for ordinal, chunks in cut.of.items():
        assert all(cut.document.places[ordinal].unit in {s.unit for s in cut.chunks[one].slices} for one in chunks)
    assert cut.starts <= cut.boundaries.keys()
    assert all(cut.boundaries[ordinal].taken for ordinal in cut.starts)


def test_a_model_is_asked_only_where_that_may_cost(shop: Workspace) -> None:
    with Wire(says(lambda question: f"1-2;3-{units(question)}")) as wire:
        wish = Wish(planning=Planning("llm", "small", wire.address, price=Price(2, 8)))
        record = shop.record(URL)
        free = preview(shop, record, wish)
        assert wire.requests == []
        assert free.asked is not None and free.asked.unanswered == free.asked.segments > 0
        assert [one.id for one in free.chunks] == [one.id for one in record.chunks]
        paid = preview(shop, record, wish, pay=True)
        asked = len(wire.requests)
        assert asked > 0 and paid.asked is not None and paid.asked.unanswered == 0
        again = preview(shop, record, wish)
        assert len(wire.requests) == asked
        assert again.asked is not None and again.asked.remembered == again.asked.segments
        assert again.plan.groups == paid.plan.groups != free.plan.groups
    assert sum(one.cost for one in shop.costs().values()) > 0
    assert shop.record(URL) == record


def test_pages_that_carry_a_unit(shop: Workspace) -> None:
    document = shop.record(URL).document
    with shop.database.read() as connection:
        found = {place.unit: carriers(connection, place.unit) for place in document.places}
        assert all(URL in urls for urls in found.values())
        assert count(connection) == 4 and count(connection, "site/000") == 1 and count(connection, "x") == 0
        shared = [urls for urls in found.values() if len(urls) > 1]
        assert shared and all(urls == sorted(set(urls)) for urls in shared)
        assert carriers(connection, "u1:" + "0" * 32) == []
        assert all(len(carriers(connection, unit, 1)) == 1 for unit in found)
    assert replace(document) == document
