"""Why a boundary is where it is: margins are those of all plans there are."""

from __future__ import annotations

from itertools import combinations
from math import inf
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import documents

from wrac.core.types import Document, Page, Policy
from wrac.parsing import parse
from wrac.planning.compare import compare, starts
from wrac.planning.rules import RulesPlanner, streams
from wrac.planning.why import _Groups, why
from wrac.text.partition import cheapest
from wrac.text.tokens import counter

COUNT = counter("o200k")
SMALL = RulesPlanner(Policy(target=12, maximum=30), COUNT)


def cost(groups: _Groups, starts: tuple[int, ...]) -> float:
    """What a partition costs; infinite when a group is larger than may be."""
    ends = (*starts[1:], groups.size)
    pairs = list(zip(starts, ends, strict=True))
    allowed = all(start in groups.starts(end) for start, end in pairs)
    return sum(groups.cost(start, end) for start, end in pairs) if allowed else inf


@given(documents(3))
def test_margins_are_those_of_every_plan_there_is(document: Document) -> None:
    told = iter(why(SMALL, document))
    for stream in streams(document, dict(SMALL.plan(document).omitted)):
        size = len(stream)
        terrain, _ = SMALL.terrain(document, stream)
        groups = _Groups(terrain, SMALL.costs.glued)
        chosen = tuple(cheapest(terrain, SMALL.costs.glued))
        found = [next(told) for _ in range(size - 1)]
        assert [boundary.ordinal for boundary in found] == stream[1:]
        assert [at for at in range(1, size) if found[at - 1].taken] == list(chosen[1:])
        if size > 9:
            continue
        plans = [(0, *cuts) for count in range(size) for cuts in combinations(range(1, size), count)]
        best = min(cost(groups, plan) for plan in plans)
        assert cost(groups, chosen) == pytest.approx(best)
        for at, boundary in enumerate(found, 1):
            other = min((cost(groups, plan) for plan in plans if (at in plan) != boundary.taken), default=inf)
            assert boundary.margin == pytest.approx(other - best, abs=1e-3)


def test_a_group_of_headings_is_priced_at_once_however_long_it_is() -> None:
    heads = [parse(Page("a.html", b"".join(b"<h2>H %d</h2>" % n for n in range(count)))) for count in (250, 4000)]
    planner = RulesPlanner(Policy(target=4000, maximum=8000), COUNT)
    seconds = []
    for document in heads:
        terrain, _ = planner.terrain(document, streams(document, {})[0])
        groups = _Groups(terrain, planner.costs.glued)
        started = process_time()
        for _ in range(20_000):
            groups.cost(0, groups.size)
        seconds.append(process_time() - started)
    assert seconds[1] < 4 * seconds[0]


def test_a_heading_is_a_sure_boundary_and_a_lead_in_a_sure_join() -> None:
    text = "Words that fill a paragraph so that it has a size. " * 8
    items = "".join(f"<li>Item {n}</li>" for n in range(4))
    page = f"<main><h1>A</h1><p>{text}</p><h2>B</h2><p>Do all of this:</p><ul>{items}</ul><p>{text}</p></main>"
    told = why(RulesPlanner(Policy(), COUNT), parse(Page("a.html", page.encode())))
    heading, list_start = told[1], told[3]
    assert heading.taken
    assert heading.margin > 1
    assert heading.terms == {"heading": -2.25}
    assert not list_start.taken
    assert list_start.margin > 3
    assert {"cut", "chance", "colon"} == list_start.terms.keys()
    assert list_start.cut - list_start.join == pytest.approx(sum(list_start.terms.values()), abs=2e-3)


@given(documents(4), st.builds(Policy, st.integers(1, 30), st.integers(30, 90), prose=st.integers(1, 60)))
def test_terms_add_up_and_two_plans_differ_by_what_is_told(document: Document, policy: Policy) -> None:
    planner = RulesPlanner(policy, COUNT)
    for boundary in why(planner, document):
        assert boundary.cut - boundary.join == pytest.approx(sum(boundary.terms.values()), abs=0.01)
    old, new = SMALL.plan(document), planner.plan(document)
    changes = [change for stretch in compare(document, old, new) for change in stretch.changes]
    assert starts(old) - {change.old for change in changes} == starts(new) - {change.new for change in changes}
    assert not compare(document, new, new)
