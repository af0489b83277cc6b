"""Chunks of a plan: joined text, trails, anchors, oversized units, prefixes, entries within a window, verification."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fakes import FakeEmbedder
from tests.strategies import Builder

from wrac.chunking import Chunked, chunk, entries, entry, limits, name, prefix, verify
from wrac.core.errors import WracError
from wrac.core.types import Chunk, Document, Entry, Mark, Plan, Policy
from wrac.planning import plan

WORDS = Policy(20, 30, "words")


def planned(page: Builder, policy: Policy = WORDS, *groups: tuple[int, ...]) -> tuple[Document, Chunked]:
    document = page.build()
    made = Plan(document.id, groups, {}, "hand@1") if groups else plan(document, policy)
    chunked = chunk(document, made, policy, "guide/fees.html")
    for one in chunked.chunks:
        verify(document, one)
        limits(one, policy)
    return document, chunked


def test_text_joins_lists_and_tables_by_lines_and_all_else_by_empty_lines() -> None:
    page = Builder()
    page.heading(2, "Fees")
    page.items("none", "late")
    page.table(("Year", "Fee"), ("2024", "5"))
    page.paragraph("One.")
    page.paragraph("Two.")
    _, made = planned(page, WORDS, tuple(range(7)))
    assert made.chunks[0].text == "Fees\n\nnone\nlate\n\nYear\tFee\n2024\t5\n\nOne.\n\nTwo."


def test_the_trail_is_above_the_chunk_and_never_in_it() -> None:
    page = Builder()
    page.heading(1, "Bank")
    page.heading(2, "Fees")
    page.paragraph("One.")
    page.paragraph("Two.")
    document, made = planned(page, WORDS, (0, 1, 2), (3,))
    texts = [[document.units[unit].text for unit in one.trail] for one in made.chunks]
    assert texts == [[], ["Bank", "Fees"]]


def test_the_anchor_is_the_nearest_before_in_the_section_else_of_a_heading_above() -> None:
    page = Builder()
    page.heading(1, "Bank", anchor="bank")
    page.heading(2, "Fees", anchor="fees")
    page.paragraph("One.")
    page.add("paragraph", "Two.", anchor="two")
    page.paragraph("Three.")
    page.heading(2, "Rates")
    page.paragraph("Four.")
    _, made = planned(page, WORDS, (0,), (1, 2), (3,), (4,), (5, 6))
    assert [one.anchor for one in made.occurrences] == ["bank", "fees", "two", "two", "bank"]


def test_a_unit_over_the_maximum_is_cut_at_sentence_ends_under_its_heading() -> None:
    page = Builder()
    page.heading(2, "Terms")
    page.paragraph(" ".join(f"Sentence number {number} speaks of the fees of an account." for number in range(20)))
    page.paragraph("Short.")
    document, made = planned(page)
    first, *rest = made.chunks
    assert first.text.startswith("Terms\n\nSentence number 0")
    assert all(one.text.rstrip().endswith(".") for one in made.chunks)
    assert all([document.units[unit].text for unit in one.trail] == ["Terms"] for one in rest)
    whole = "".join(document.units[s.unit].text[s.start : s.end] for one in made.chunks for s in one.slices)
    assert whole == "Terms" + document.text(1) + "Short."
    assert [one.ordinals for one in made.occurrences][:2] == [(0, 1), (1,)]


def test_a_large_group_is_cut_between_units_and_headings_go_with_what_follows() -> None:
    page = Builder()
    for number in range(6):
        page.heading(2, f"Part {number}")
        page.paragraph("Ten words about the fees of this account in euro.")
    _, made = planned(page, WORDS, tuple(range(12)))
    assert len(made.chunks) == 3
    assert all(one.text.startswith("Part") for one in made.chunks)


def test_a_part_of_a_table_renders_its_header_and_stores_only_its_rows() -> None:
    page = Builder()
    page.table(("Account", "Fee"), *((f"Account {number}", "five euro a year") for number in range(12)))
    _, made = planned(page)
    assert len(made.chunks) > 1
    for one, occurrence in zip(made.chunks, made.occurrences, strict=True):
        assert occurrence.markdown.startswith("| Account | Fee |\n|---|---|\n| Account ")
        assert one.text.count("Account\tFee") == (1 if one is made.chunks[0] else 0)


def test_the_same_section_on_two_pages_is_one_chunk() -> None:
    pages = []
    for title in ("A", "B"):
        page = Builder(title=title)
        page.paragraph(title)
        page.heading(1, "Contact")
        page.paragraph("Call us.")
        pages.append(planned(page, WORDS, (0,), (1, 2))[1])
    assert pages[0].chunks[1].id == pages[1].chunks[1].id
    assert pages[0].chunks[0].id != pages[1].chunks[0].id


def test_the_prefix_is_title_or_file_name_trail_and_own_headings() -> None:
    page = Builder()
    page.heading(1, "Fees", anchor="fees")
    page.heading(2, "Cards¶", marks=(Mark("permalink", 5, 6, "#cards"),))
    page.paragraph("Five\neuro.")
    page.heading(2, "Loans")
    page.paragraph("One per cent.")
    document, made = planned(page, WORDS, (0,), (1, 2, 3, 4))
    assert prefix(document, made.chunks[1], "https://bank.example/guide/fees.html") == "fees > Cards / Loans"
    assert prefix(replace(document, title=" Bank\n guide "), made.chunks[1]) == "Bank guide > Fees > Cards / Loans"
    assert entry(document, made.chunks[1]).text == f"Fees > Cards / Loans\n{made.chunks[1].text}"
    assert "¶" in made.chunks[1].text


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("https://docs.example.com/refunds/index.html", "refunds"),
        ("https://docs.example.com/", "docs.example.com"),
        ("https://docs.example.com/a%20b.html?x=1#y", "a b"),
        ("guides/Gold Loan.md", "Gold Loan"),
        ("guides\\v1.2 notes.html", "v1.2 notes"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_names_of_pages(page: str, expected: str) -> None:
    assert name(page) == expected


def long_chunk(words: int) -> Chunk:
    page = Builder()
    page.paragraph(" ".join(f"Word{number} here." for number in range(words // 2)))
    document = page.build()
    return chunk(document, Plan(document.id, ((0,),), {}, "hand@1"), Policy(tokenizer="words")).chunks[0]


def test_a_chunk_that_fits_is_one_entry_with_all_of_its_prefix() -> None:
    one = long_chunk(20)
    assert entries(one, "Bank > Fees", FakeEmbedder(window=40)) == (Entry(one, "Bank > Fees"),)


def test_a_prefix_loses_its_outer_parts_before_the_text_is_cut() -> None:
    one = long_chunk(20)
    title = " ".join(f"t{number}" for number in range(15))
    assert [row.prefix for row in entries(one, f"{title} > Fees > Cards", FakeEmbedder(window=30))] == ["Fees > Cards"]


def test_a_text_over_the_window_has_an_entry_for_each_part() -> None:
    one, embedder = long_chunk(100), FakeEmbedder(window=32)
    rows = entries(one, "Bank > Fees", embedder)
    assert len(rows) > 3
    assert {row.prefix for row in rows} == {"Bank > Fees"}
    assert all(embedder.tokens(row.text) <= 32 for row in rows)
    assert "".join(one.text[row.start : row.end] for row in rows) == one.text
    assert len({row.id for row in rows}) == len(rows)


def test_verify_and_limits_name_the_chunk_that_breaks_a_law() -> None:
    page = Builder()
    page.paragraph("One.")
    document, made = planned(page)
    good = made.chunks[0]
    wrong = [
        replace(good, text="One"),
        replace(good, slices=(good.slices[0]._replace(unit="u1:0"),)),
        replace(good, slices=(good.slices[0]._replace(end=99),)),
        replace(good, trail=("u1:0",)),
    ]
    for one in wrong:
        with pytest.raises(WracError, match=one.id):
            verify(document, one)
    with pytest.raises(WracError, match="says 7 tokens"):
        limits(replace(good, tokens=7), WORDS)
    with pytest.raises(WracError, match="maximum is 0"):
        limits(good, Policy(1, 0, "words"))


def test_no_plan_no_chunks() -> None:
    assert planned(Builder())[1] == Chunked((), ())
