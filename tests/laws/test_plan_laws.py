"""Laws of planning and chunking on any document: partition, determinism, verbatim text, limits, headings never last."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import FakeEmbedder
from tests.lawbook import check_spans
from tests.strategies import Builder, documents

from wrac.chunking import chunk, entries, limits, prefix, verify
from wrac.core.errors import PlanError, WracError
from wrac.core.types import Document, Plan, Policy
from wrac.planning import check, plan
from wrac.text.render import markdown

LAW = settings(deadline=None)  # the first count loads a tokenizer
CHANGED: list[int] = []
POLICIES = st.sampled_from([Policy(), Policy(40, 80), Policy(512, 512), Policy(10, 24), Policy(60, 120, "words")])


@LAW
@given(documents())
def test_strategy_is_well_formed(document: Document) -> None:
    check_spans(document)


@LAW
@given(documents(), POLICIES)
def test_partition_and_determinism(document: Document, policy: Policy) -> None:
    made = plan(document, policy)
    check(document, made)
    assert plan(document, policy) == made
    assert bool(made.groups) == bool(document.places)


@LAW
@given(documents(), POLICIES)
def test_no_group_ends_with_a_heading_unless_all_are(document: Document, policy: Policy) -> None:
    for group in plan(document, policy).groups:
        kinds = {document.unit(ordinal).kind for ordinal in group}
        assert document.unit(group[-1]).kind != "heading" or kinds == {"heading"}, group


@LAW
@given(documents(), POLICIES)
def test_groups_ascend_and_never_mix_streams(document: Document, policy: Policy) -> None:
    made = plan(document, policy)
    for group in made.groups:
        assert list(group) == sorted(group)
        roles = {document.places[ordinal].role for ordinal in group}
        assert not roles & {"comment", "data"} or len(roles) == 1
    assert list(made.groups) == sorted(made.groups)


@LAW
@given(documents(), POLICIES)
def test_chunks_are_verbatim_within_limits_and_complete(document: Document, policy: Policy) -> None:
    made = plan(document, policy)
    chunked = chunk(document, made, policy, "page.html")
    covered: dict[int, list[tuple[int, int]]] = {}
    for one, occurrence in zip(chunked.chunks, chunked.occurrences, strict=True):
        verify(document, one)
        limits(one, policy)
        assert occurrence.chunk == one.id
        assert [document.places[o].unit for o in occurrence.ordinals] == [s.unit for s in one.slices]
        for ordinal, piece in zip(occurrence.ordinals, one.slices, strict=True):
            covered.setdefault(ordinal, []).append((piece.start, piece.end))
    assert set(covered) | set(made.omitted) == set(range(len(document.places)))
    for ordinal, ranges in covered.items():
        assert ranges[0][0] == 0
        assert ranges[-1][1] == len(document.text(ordinal))
        assert all(a[1] == b[0] for a, b in pairwise(ranges))


@LAW
@given(documents(), st.sampled_from([12, 40, 256]))
def test_entries_fit_the_window_and_tile_the_chunk(document: Document, window: int) -> None:
    embedder = FakeEmbedder(window=window)
    for one in chunk(document, plan(document)).chunks:
        rows = entries(one, prefix(document, one, "guide/refunds.html"), embedder)
        assert all(embedder.tokens(row.text) <= window for row in rows)
        parts = [one.text[row.start : None if row.end < 0 else row.end] for row in rows]
        assert "".join(parts) == one.text
        assert len({row.id for row in rows}) == len(rows)


@LAW
@given(documents())
def test_rendering_is_total(document: Document) -> None:
    assert isinstance(markdown(document, range(len(document.places))), str)
    for first in range(0, len(document.places), 3):
        markdown(document, range(first, min(first + 4, len(document.places))))


@LAW
@given(documents(), st.data())
def test_check_names_what_is_wrong(document: Document, data: st.DataObject) -> None:
    made = plan(document)
    used = [ordinal for group in made.groups for ordinal in group]
    if not used:
        return
    gone = data.draw(st.sampled_from(used))
    groups = tuple(tuple(o for o in group if o != gone) for group in made.groups)
    with pytest.raises(PlanError) as caught:
        check(document, Plan(document.id, (*(g for g in groups if g), (len(document.places),)), made.omitted, "t@1"))
    assert caught.value.missing == (gone,)
    assert caught.value.unknown == (len(document.places),)
    with pytest.raises(PlanError) as caught:
        check(document, Plan(document.id, (*made.groups, (gone,)), made.omitted, "t@1"))
    assert caught.value.twice == (gone,)
    with pytest.raises(WracError, match="empty group"):
        check(document, Plan(document.id, (*made.groups, ()), made.omitted, "t@1"))
    with pytest.raises(WracError, match="plan this document"):
        check(document, Plan("d1:0", made.groups, made.omitted, "t@1"))


@LAW
@given(st.integers(0, 2**20), st.integers(1, 119))
def test_an_inserted_paragraph_changes_few_chunks(seed: int, position: int) -> None:
    def page(inserted: bool) -> Document:
        made, random = Builder(), Random(seed)
        made.heading(1, "Fees")
        for number in range(120):
            if inserted and number == position:
                made.paragraph("An inserted paragraph with some words in it.")
            made.paragraph(f"Account {number} " + "pays fees " * random.randint(1, 30))
        return made.build()

    before, after = ({one.id for one in chunk(d, plan(d)).chunks} for d in (page(False), page(True)))
    assert len(after - before) <= max(3, len(after) / 2)
    CHANGED.append(len(after - before))


def test_most_insertions_change_three_chunks_at_most() -> None:
    assert CHANGED, "runs after the law above"
    assert sum(CHANGED) / len(CHANGED) <= 2
