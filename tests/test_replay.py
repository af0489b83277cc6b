"""Published plans as a strong model's answers: valid after repair, repairs counted, nothing dropped or rewritten."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data import FOLDER, existing
from tests.strategies import documents

from wrac.chunking import chunk, verify
from wrac.core.errors import WracError
from wrac.core.types import Document, Page, Plan, Policy, Usage
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.metrics.altered import altered
from wrac.evaluation.strategies.published import faults
from wrac.evaluation.strategies.replay import Recorded, answered, located, rules_planner
from wrac.parsing import parse
from wrac.planning import check
from wrac.planning.answers import read
from wrac.planning.llm import Asked, LlmPlanner

Row = Mapping[str, Any]
RULES = rules_planner()
NOBODY = 1e9  # a doubt that no segment reaches
TEXT = "<h1>Fees</h1><p>A card costs nothing.</p><h2>Limits</h2><p>At most 900 euros a week.</p><p>Ask us for more.</p>"
NAMES = ("h0", "p0", "h1", "p1", "p2")


def row(document: Document, groups: Sequence[Sequence[str]], names: Sequence[str] = NAMES) -> Row:
    """A published row whose units are the page's own."""
    units = [{"id": name, "text": document.text(ordinal)} for ordinal, name in enumerate(names)]
    return {"units": units, "plan": groups}


def page(body: str = TEXT) -> Document:
    return parse(Page("a.html", f"<main>{body}</main>".encode()))


# -- laws


@given(documents(), st.lists(st.lists(st.integers(0, 40), max_size=6), max_size=6), st.booleans())
def test_whatever_was_published_the_plan_is_a_partition_and_omits_what_the_rules_omit(
    document: Document, groups: list[list[int]], once: bool
) -> None:
    names = [str(place.ordinal) for place in document.places]
    recorded = Recorded(document, row(document, [list(map(str, group)) for group in groups], names), RULES, once=once)
    plan, asked = LlmPlanner(RULES, recorded, {}).ask(document)
    check(document, plan)
    assert plan.omitted == RULES.plan(document).omitted
    assert asked.repairs.unknown == asked.repairs.omitted == 0
    assert not (once and asked.repairs.repeated)


@given(documents())
def test_a_cascade_that_asks_nobody_is_the_rules_and_one_that_asks_all_is_the_model(document: Document) -> None:
    names = [str(place.ordinal) for place in document.places]
    published = row(document, [names[::2], names[1::2]], names)
    none, asked = answered(document, published, RULES, NOBODY)
    assert (none.groups, asked.usage) == (RULES.plan(document).groups, Usage())
    assert answered(document, published, RULES, 0.0)[0].groups == answered(document, published, RULES)[0].groups


# -- one page


def test_a_plan_without_faults_comes_out_as_published_even_when_others_stand_between() -> None:
    document = page()
    plan, asked = answered(document, row(document, [["h0", "p0", "p2"], ["h1", "p1"]]), RULES)
    assert plan.groups == ((0, 1, 4), (2, 3))
    assert asked.answers == ['{"groups":["1-2,5","3-4"]}']
    assert asked.repairs == (0, 0, 0, 0)


def test_headings_said_again_are_counted_or_left_out() -> None:
    document = page()
    published = row(document, [["h0", "p0"], ["h0", "h1", "p1"], ["h0", "h1", "p2"]])
    plan, asked = answered(document, published, RULES)
    assert (asked.repairs.repeated, asked.repairs.missing) == (3, 0)
    assert plan.groups == ((0, 1), (2, 3), (4,))
    once = Recorded(document, published, RULES, once=True)
    again, asked = LlmPlanner(RULES, once, {}).ask(document)
    assert asked.answers == ['{"groups":["1-2","3-4","5"]}']
    assert (again.groups, asked.repairs.repeated) == (plan.groups, 0)


def test_what_was_dropped_goes_to_its_neighbours_and_is_counted() -> None:
    document = page()
    plan, asked = answered(document, row(document, [["h0", "p0"], ["h1", "p2"]]), RULES)
    assert asked.repairs.missing == 1
    assert plan.groups == ((0, 1), (2, 3, 4))


def test_a_question_about_another_page_is_refused() -> None:
    document, other = page(), page("<h1>Refunds</h1><p>Refunds are paid daily.</p>")
    with pytest.raises(WracError, match="asked about another page: 1 h1"):
        LlmPlanner(RULES, Recorded(document, row(document, []), RULES), {}, fallback=False).ask(other)


# -- the published plans of GPT-4.1


class Replayed(NamedTuple):
    document: Document
    row: Row
    plan: Plan
    asked: Asked


@cache
def replayed() -> list[Replayed]:
    """Every page that has a published plan, planned anew by its answers."""
    root = existing(FOLDER / "rmc")
    found = []
    for one in lines(existing(root / "published/wrac-gpt-4.1.jsonl")):
        if one["page"] is not None:
            document = parse(Page(one["page"], (root / one["page"]).read_bytes()))
            found.append(Replayed(document, one, *answered(document, one, RULES)))
    return found


def test_every_published_plan_is_valid_after_repair() -> None:
    assert len(replayed()) == 157
    for one in replayed():
        check(one.document, one.plan)
        assert one.plan.omitted == RULES.plan(one.document).omitted
        assert one.asked.malformed == 0
        assert bool(one.asked.failed) == bool(one.asked.unanswered)


def test_every_repair_of_a_published_plan_is_counted() -> None:
    """Each unit that is kept was said once, was missing, or is of a segment of which the plan says nothing."""
    totals = Counter[str]()
    for one in replayed():
        answers = [read(answer, "ranges", 10**6).groups for answer in one.asked.answers]
        said = sum(len(group) for groups in answers for group in groups)
        kept, repairs = sum(map(len, one.plan.groups)), one.asked.repairs
        left = kept - (said - repairs.repeated + repairs.missing)
        assert (left > 0) == (one.asked.unanswered > 0)
        totals.update(repairs._asdict() | {"left": left})
    assert (totals["unknown"], totals["repeated"], totals["omitted"]) == (0, 993, 0)
    assert totals["missing"] + totals["left"] == 340


def test_published_plans_dropped_text_and_ours_of_the_same_answers_drop_none() -> None:
    theirs = Counter[str]()
    for one in replayed():
        theirs.update(faults(one.row["units"], one.row["plan"]))
        made = chunk(one.document, one.plan, Policy(), "a").chunks
        for each in made:
            verify(one.document, each)
        texts = [one.document.text(ordinal) for group in one.plan.groups for ordinal in group]
        kept = Counter(re.findall(r"\S+", "\n".join(texts)))
        assert Counter(re.findall(r"\S+", "\n".join(each.text for each in made))) == kept
        assert altered(texts, (each.text for each in made))[1:4] == (0, 0, 0)
    assert theirs["units dropped"] / theirs["units"] > 0.07
    assert theirs["words dropped"] / theirs["words"] > 0.08


def test_places_are_found_in_the_published_units() -> None:
    assert all(len(located(one.document, one.row["units"])) == len(one.document.places) for one in replayed())
