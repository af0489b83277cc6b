"""Markdown: every kind of block, HTML inside, front matter, and the laws."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.office import checked, shown

from wrac.core.errors import LimitError
from wrac.core.structure import numbers, trails
from wrac.core.types import Document, HtmlAddress, Page
from wrac.parsing import account, parse
from wrac.parsing.front import front_matter


def read(source: str) -> Document:
    return checked(source.encode(), "text/markdown")


def test_blocks_and_their_places_in_the_source() -> None:
    source = "# A\n\ntext\nmore\n\n- one\n  1. sub\n\n     para\n- two\n\n```py\nx  = 1\n\ny\n```\n\n> quoted\n"
    document = read(source)
    assert shown(document) == [
        ("heading", "A"), ("paragraph", "text more"), ("list_item", "one"), ("list_item", "sub"), ("paragraph", "para"),
        ("list_item", "two"), ("code", "x  = 1\n\ny"), ("quote", "quoted"),
    ]  # fmt: skip
    addresses = [place.address for place in document.places]
    assert all(isinstance(address, HtmlAddress) for address in addresses)
    code = addresses[6]
    assert isinstance(code, HtmlAddress)
    assert source[code.start : code.end] == "```py\nx  = 1\n\ny\n```\n"
    assert document.places[6].marks[0].value == "py"
    assert list(numbers(document).values()) == [1]


def test_tables_with_pipes_code_and_empty_cells() -> None:
    document = read("| a | b \\| c |\n|---|:-:|\n| `x` | |\n| 1 | **2** |\n")
    assert [text for _, text in shown(document)] == ["a\tb | c", "x\t", "1\t2"]
    table = next(span for span in document.spans if span.kind == "table")
    assert table.data["header_rows"] == (0,)


def test_html_around_blocks_of_markdown() -> None:
    document = read(
        "<details>\n<summary>How <b>much</b>?</summary>\n\nIt costs **5**.\n\n- item\n\n</details>\n\nafter"
    )
    assert [(s.first, s.last) for s in document.spans if s.kind == "details"] == [(0, 2)]
    assert [place.visible for place in document.places] == ["visible", "collapsed", "collapsed", "visible"]
    assert shown(document)[0] == ("question", "How much?")


def test_html_in_a_line_makes_marks_and_a_picture_keeps_its_text() -> None:
    document = read(
        'H<sub>2</sub>O, <a href="/x">link</a>, <img alt="a pump" src="p.png">, ![an *alt*](q.png) <!-- no -->'
    )
    text = document.text(0)
    assert text == "H2O, link, a pump, an alt"
    marks = [(mark.kind, text[mark.start : mark.end], mark.value) for mark in document.places[0].marks]
    assert marks == [
        ("sub", "2", ""), ("link", "link", "/x"), ("image", "a pump", "p.png"), ("image", "an alt", "q.png"),
    ]  # fmt: skip


def test_headings_are_named_as_hosts_name_them() -> None:
    document = read("# First `code`, too!\n\n## Same\n\n## Same\n\n## Own name {#mine .cls}\n")
    assert [place.anchor for place in document.places] == ["first-code-too", "same", "same-1", "mine"]
    assert document.text(3) == "Own name"
    assert trails(document)[3] == (0,)


@pytest.mark.parametrize(
    ("block", "fields"),
    [
        ("---\ntitle: \"A: b\"\nlang: de # why\n---\n", {"title": "A: b", "lang": "de"}),
        ("---\ntags: [a, 'b']\nauthors:\n- X\n- Y\nnested:\n  key: v\n---\n", {"tags": "a, b", "authors": "X, Y"}),
        ("---\nabout: >\n  one\n  two\nraw: |\n  three\n  four\n...\n", {"about": "one two", "raw": "three\nfour"}),
        ('+++\ntitle = "T"\nweight = 3\n+++\n', {"title": "T", "weight": "3"}),
        ("---\n---\n", {}),
    ],
)  # fmt: skip
def test_front_matter(block: str, fields: dict[str, str]) -> None:
    assert front_matter(block + "text") == (len(block), fields)
    document = read(block + "# Head\n")
    assert dict(document.meta) == fields
    assert document.title == fields.get("title", "Head")
    assert [(loss.reason, loss.start, loss.end) for loss in document.losses] == [
        ("front matter, kept as metadata", 0, len(block))
    ]


def test_a_rule_is_no_front_matter() -> None:
    assert front_matter("---\n\nNo field ends this block\n") == (0, {})
    assert front_matter("text\n---\na: b\n---\n") == (0, {})


def test_blocks_beyond_the_cap_are_refused_by_name() -> None:
    assert read("> " * 50 + "x").places
    with pytest.raises(LimitError, match="depth of blocks is more, the cap is 60"):
        parse(Page("deep.md", b"> " * 100 + b"x", "text/markdown"))


LINES = """# a|b||- c|  - d|1. e|> f|```|    g|---|***o** p*|<details>|</details>|<div>|</div>|<b>j</b>|![k](l)|[m]: n
<table><td>q|<!--|-->|<script>|</script>|r\\|&amp; &lt;s&gt;|\t- t|<p>u|<template>v</template>|[x|](y)|`z"""
TABLE = ["| h | i |", "|---|---|"]
lines = st.lists(st.sampled_from([*LINES.replace("\n", "|").split("|"), *TABLE]), max_size=14).map("\n".join)


@given(lines | st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@settings(max_examples=200)
def test_nothing_is_lost_and_every_address_leads_back(source: str) -> None:
    page = Page("x.md", source.encode(), "text/markdown", "utf-8")
    document = parse(page)
    found = account(page, document)
    assert found.balanced, found
    size = len(source) + 1
    for place in document.places:
        assert isinstance(place.address, HtmlAddress)
        assert 0 <= place.address.start <= place.address.end <= size
    if document.places:
        checked(page.body, "text/markdown")
