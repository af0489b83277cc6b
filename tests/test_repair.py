"""Groups of anybody's choice become a plan: a partition, as near to what was chosen as can be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Builder, documents

from wrac.core.errors import PlanError
from wrac.core.types import Document, Plan, Usage
from wrac.planning import check, plan
from wrac.planning.repair import Repairs, repair

ORDINALS = st.lists(st.lists(st.integers(-2, 40), max_size=8), max_size=12)


@given(document=documents(), groups=ORDINALS)
def test_any_groups_become_a_partition(document: Document, groups: list[list[int]]) -> None:
    fallback = plan(document)
    made, counts = repair(document, groups, fallback)
    check(document, made)
    assert made.omitted == fallback.omitted
    said = [ordinal for group in groups for ordinal in group]
    known = {ordinal for ordinal in said if 0 <= ordinal < len(document.places)}
    kept = known - set(fallback.omitted)
    assert counts.unknown == sum(not 0 <= ordinal < len(document.places) for ordinal in said)
    assert counts.missing == len(document.places) - len(fallback.omitted) - len(kept)
    assert counts.repeated + counts.omitted + counts.unknown + len(kept) == len(said)


@given(document=documents(), groups=ORDINALS)
def test_what_is_mended_is_right(document: Document, groups: list[list[int]]) -> None:
    fallback = plan(document)
    made, _ = repair(document, groups, fallback)
    assert repair(document, made.groups, fallback) == (made, Repairs())
    assert repair(document, fallback.groups, fallback)[0].groups == fallback.groups
    assert repair(document, (), fallback)[0].groups == fallback.groups


def page() -> tuple[Document, Plan]:
    """Two sections of three paragraphs, then a footer: ordinals 0-3, 4-7 and 8."""
    builder = Builder()
    for title in ("Fees", "Limits"):
        builder.heading(2, title)
        for number in range(3):
            builder.paragraph(f"Paragraph {number} of {title.lower()}.")
    builder.role = "footer"
    builder.paragraph("All rights reserved.")
    document = builder.build()
    return document, Plan(document.id, ((0, 1, 2, 3), (4, 5, 6, 7)), {8: "footer"}, "rules")


@pytest.mark.parametrize(
    ("groups", "wanted", "counts"),
    [
        ([(0, 1), (2, 3), (4, 5, 6, 7)], ((0, 1), (2, 3), (4, 5, 6, 7)), Repairs()),
        ([(0, 1), (0, 2, 3), (4, 5), (4, 6, 7)], ((0, 1), (2, 3), (4, 5), (6, 7)), Repairs(repeated=2)),
        ([(3, 1, 0, 2), (99, -1)], ((0, 1, 2, 3), (4, 5, 6, 7)), Repairs(unknown=2, missing=4)),
        ([(1, 2), (3,), (5, 6, 7)], ((0, 1, 2), (3,), (4, 5, 6, 7)), Repairs(missing=2)),
        ([(0, 1), (3,), (4, 5, 6), (8,)], ((0, 1, 2), (3,), (4, 5, 6, 7)), Repairs(omitted=1, missing=2)),
        ([(0, 1, 6), (4, 5)], ((0, 1, 2, 3, 6, 7), (4, 5)), Repairs(missing=3)),
        ([(0,), (4, 5, 6, 7)], ((0, 1, 2, 3), (4, 5, 6, 7)), Repairs(missing=3)),
    ],
)  # fmt: skip
def test_what_is_wrong_goes_to_its_neighbours(
    groups: list[tuple[int, ...]], wanted: tuple[tuple[int, ...], ...], counts: Repairs
) -> None:
    document, fallback = page()
    made, found = repair(document, groups, fallback)
    assert (made.groups, found) == (wanted, counts)
    assert dict(made.omitted) == {8: "footer"}


def test_comments_are_taken_out_of_groups_of_text() -> None:
    builder = Builder()
    builder.paragraph("The text.")
    builder.role = "comment"
    builder.paragraph("What a reader said.")
    document = builder.build()
    assert repair(document, [(0, 1)], plan(document))[0].groups == ((0,), (1,))


def test_the_plan_says_who_made_it_and_what_it_cost() -> None:
    document, fallback = page()
    made, _ = repair(document, [], fallback, planner="model@1", usage=Usage(calls=1))
    assert (made.planner, made.usage.calls) == ("model@1", 1)
    assert repair(document, [], fallback)[0].planner == "rules+repaired"


def test_a_fallback_that_is_no_partition_is_refused() -> None:
    document, fallback = page()
    with pytest.raises(PlanError, match="missing 7"):
        repair(document, [], Plan(document.id, (*fallback.groups[:1], (4, 5, 6)), fallback.omitted, "rules"))
