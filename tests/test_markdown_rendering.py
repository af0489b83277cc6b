"""Markdown renderings read again by a CommonMark parser: the same blocks, in the same lists, with the same text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.commonmark import Block, read, squeezed, wanted
from tests.data import FOLDER, existing
from tests.debian import sample
from tests.strategies import Builder, documents

from wrac.core.types import Document, Mark, Page
from wrac.parsing import parse
from wrac.text.inline import inline
from wrac.text.render import markdown

# In Markdown lists stand in items and items in lists, none has a number below 0; what stands in a table parts its rows.
UNLIKE = {
    "list-invalid-nesting", "law-text-after-html", "law-heading-closed-by-another", "list-ol-negative",
    "table-nested-in-data-cell", "law-hidden-cloned", "law-hidden-unclosed",
}  # fmt: skip
CASES = sorted(page.parent for page in (Path(__file__).parent / "cases").glob("*/input.html"))


def check(document: Document) -> None:
    """Reads the rendering of every place; formulas need more than CommonMark has, permalinks are left out of it."""
    places = [
        place._replace(marks=tuple(mark for mark in place.marks if mark.kind not in ("math", "permalink")))
        for place in document.places
    ]
    document = replace(document, places=tuple(places))
    ordinals = [place.ordinal for place in places if document.unit(place.ordinal).kind != "math"]
    text = markdown(document, ordinals)
    assert read(text) == wanted(document, ordinals), text


@given(documents(4))
@settings(max_examples=120, deadline=None)
def test_any_document_is_read_as_it_is(document: Document) -> None:
    check(document)


@pytest.mark.parametrize("case", [case for case in CASES if case.name not in UNLIKE], ids=lambda case: case.name)
def test_a_page_is_read_as_it_is(case: Path) -> None:
    page = case / "input.html"
    check(parse(Page("https://example.com/", page.read_bytes())))


@pytest.mark.parametrize("path", sample(12), ids=lambda path: path.stem)
def test_documentation_is_read_as_it_is(path: Path) -> None:
    check(parse(Page("https://example.com/", path.read_bytes())))


def test_pages_of_a_benchmark_are_read_as_they_are() -> None:
    for path in sorted(existing(FOLDER / "rmc").rglob("*.html"))[::12]:
        check(parse(Page("https://example.com/", path.read_bytes())))


def blocks(page: Builder, *ordinals: int) -> list[Block]:
    document = page.build()
    return read(markdown(document, ordinals or range(len(document.places))))


def test_lists_one_after_another_stay_apart() -> None:
    page = Builder()
    page.items("a", "b")
    page.items("c")
    page.items("d", ordered=True)
    page.items("e", ordered=True)
    assert [(block.around, block.text) for block in blocks(page)] == [
        (("ul 1", "li"), "a"), (("ul 1", "li"), "b"), (("ul 2", "li"), "c"),
        (("ol 3", "li 1"), "d"), (("ol 4", "li 1"), "e"),
    ]  # fmt: skip
    text = markdown(page.build(), range(5))
    assert text == "- a\n- b\n\n* c\n\n1. d\n\n1) e"


def test_lists_that_only_the_excerpt_brings_together_stay_apart() -> None:
    page = Builder()
    page.items("a")
    page.paragraph("between")
    page.items("b")
    assert {block.around[0] for block in blocks(page, 0, 2)} == {"ul 1", "ul 2"}


def test_nested_numbers_that_begin_late_and_wide_ones() -> None:
    page = Builder()
    with page.span("list", ordered=True), page.span("item", number=100):
        page.add("list_item", "hundred", 1)
        page.items("three", "four", ordered=True, start=3)
        page.add("code", "x")
    assert [block.around for block in blocks(page)] == [
        ("ol 1", "li 100"), ("ol 1", "li 100", "ol 2", "li 3"), ("ol 1", "li 100", "ol 2", "li 4"), ("ol 1", "li 100")
    ]  # fmt: skip


def test_numbers_that_markdown_has_not_are_text() -> None:
    page = Builder()
    page.items("minus", "large", ordered=True, start=-1)
    assert markdown(page.build(), [0]) == "- -1. minus"
    assert [block.text for block in blocks(page, 0, 1)] == ["-1.minus", "large"]


def test_an_item_holds_a_quote_code_and_a_table_and_goes_on_after_a_list() -> None:
    page = Builder()
    with page.span("list"), page.span("item"):
        page.add("list_item", "item", 1)
        with page.span("quote"):
            page.add("quote", "said")
            page.items("in the quote")
            page.add("code", "a\n\n\tb")
        page.items("nested")
        page.add("list_item", "goes on", 1)
        page.table(("h", "i"), ("1", "2"))
    item, quote = ("ul 1", "li"), ("ul 1", "li", "quote")
    assert blocks(page) == [
        Block(item, "p", "item"), Block(quote, "p", "said"), Block((*quote, "ul 2", "li"), "p", "inthequote"),
        Block(quote, "fence", "a\n\n\tb\n"), Block((*item, "ul 3", "li"), "p", "nested"), Block(item, "p", "goeson"),
        Block(item, "table", (("h", "i"), ("1", "2"))),
    ]  # fmt: skip


def test_quotes_one_after_another_stay_apart() -> None:
    page = Builder()
    for text in ("one", "two"):
        with page.span("quote"):
            page.add("quote", text)
            page.add("quote", text)
    assert markdown(page.build(), range(4)) == "> one\n>\n> one\n\n> two\n>\n> two"


def test_each_definition_of_a_term_is_marked_and_its_later_paragraphs_are_not() -> None:
    fee = "<dt>fee<dd>what one pays<dd><p>a charge<p>of any kind<ul><li>monthly</ul><dd>a price"
    page = f"<dl>{fee}<dt>VAT<dd>a tax<dl><dt>rate<dd>19 %</dl><p>on top</dl>"
    document = parse(Page("https://example.com/", page.encode()))
    assert markdown(document, range(len(document.places))) == (
        "fee\n: what one pays\n: a charge\n\nof any kind\n\n- monthly\n\n: a price\n\n"
        "VAT\n: a tax\n\nrate\n: 19 %\n\non top"
    )


def test_a_heading_that_ends_in_number_signs() -> None:
    page = Builder()
    for text in ("C #", "C#", "#", "a ##"):
        page.heading(2, text)
    assert [block.text for block in blocks(page)] == ["C#", "C#", "#", "a##"]


@pytest.mark.parametrize("text", ["    four spaces", "\ttab", "one\n\n    two", "one\n \n\n\tand # two", "  \n    x"])
def test_text_that_begins_with_space_is_no_code(text: str) -> None:
    page = Builder()
    page.paragraph(text)
    page.items(text)
    found = blocks(page)
    assert {block.kind for block in found} == {"p"}
    assert squeezed("".join(str(block.text) for block in found)) == squeezed(text * 2)


def test_cells_with_pipes_and_backslashes() -> None:
    page = Builder()
    with page.span("table", header_rows=()):
        text = "a|b\tc\\|d\te\\\nf\tg|"
        marks = [Mark("cell", 0, 3), Mark("code", 0, 3), Mark("cell", 4, 8), Mark("code", 4, 8), Mark("cell", 9, 13)]
        page.add("table_row", text, marks=(*marks, Mark("cell", 14, 16)))
    assert blocks(page)[0].text == (("", "", "", ""), ("a|b", "c\\|d", "e\\f", "g|"))


def drawn(text: str, *marks: Mark) -> str:
    return inline(text, marks, (0, len(text)))


@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        ("ab", (Mark("code", 0, 1), Mark("code", 1, 2)), "`ab`"),
        ("ab", (Mark("strong", 0, 1), Mark("strong", 1, 2)), "**ab**"),
        ("ab", (Mark("strong", 0, 2), Mark("strong", 0, 1)), "**ab**"),
        ("ab", (Mark("em", 0, 1), Mark("strong", 1, 2)), "*a***b**"),
        ("says“so”and", (Mark("strong", 4, 8),), "says“so”and"),
        ("runs it", (Mark("strong", 0, 3), Mark("code", 0, 3)), "`run`s it"),
        ("&amp;x", (Mark("em", 1, 5),), "\\&amp;x"),
        ("Wow!here", (Mark("link", 4, 8, "/a"),), 'Wow!<a href="/a">here</a>'),
        ("a ] b", (Mark("link", 0, 5, '/"a'),), '<a href="/&quot;a">a ] b</a>'),
        ("a\n\nb", (Mark("link", 0, 4, "/a"),), "a  \n\nb"),
        ("in a link", (Mark("link", 0, 9, "/a"), Mark("link", 3, 4, "/b")), "[in a link](/a)"),
        ("[x](y)", (Mark("em", 1, 2),), "[*x*\\](y)"),
        ("a * b", (Mark("image", 0, 5, "x.png"),), "![a * b](x.png)"),
        ("[1]: where", (), "\\[1]: where"),
        ("[1]: where", (Mark("em", 1, 2),), "\\[*1*]: where"),
        ("*a* [1]", (Mark("image", 0, 7, "x.png"),), r"![\*a\* \[1\]](x.png)"),
    ],
)
def test_marks_that_markdown_would_misread(text: str, marks: tuple[Mark, ...], expected: str) -> None:
    assert drawn(text, *marks) == expected


def test_a_question_keeps_its_stars() -> None:
    page = Builder()
    page.add("question", "Is 2**3 a * b\nor not?", marks=(Mark("code", 3, 7), Mark("strong", 10, 13)))
    assert markdown(page.build(), [0]) == "**Is `2**3` a \\* b**  \n**or not?**"
    assert blocks(page)[0].text == "Is2**3a*bornot?"
