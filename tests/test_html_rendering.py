"""HTML renderings: read again they give the same texts, they nest as written, and nothing in them runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from selectolax.lexbor import LexborHTMLParser, LexborNode
from tests.debian import sample
from tests.strategies import Builder, documents

from wrac.core.types import Document, Mark, Page, Place
from wrac.parsing import parse
from wrac.text.html import html, page
from wrac.text.markup import inline, safe

ROOT = Path(__file__).parents[1]
PAGES = sorted([*(ROOT / "tests" / "cases").glob("*/input.html"), *(ROOT / "examples" / "site").rglob("*.html")])
VOID = ("br", "img", "meta")


def whole(document: Document) -> str:
    return page(document, range(len(document.places)))


def check_texts(document: Document) -> None:
    """The law: parsing what was rendered gives the same texts in the same order.

    The exception is an alternative text, whose white space is folded.
    """
    again = parse(Page("https://example.com/", whole(document).encode(), charset="utf-8"))
    assert len(again.places) == len(document.places), whole(document)
    for place in document.places:
        was, now = document.text(place.ordinal), again.text(place.ordinal)
        if document.unit(place.ordinal).kind == "image" or any(mark.kind == "image" for mark in place.marks):
            was, now = " ".join(was.split()), " ".join(now.split())
        assert now == was, whole(document)


def all_images(document: Document, place: Place) -> bool:
    """Whether a text is nothing but alternative texts: of a page each would be a unit of its own."""
    shown = {at for mark in place.marks if mark.kind == "image" for at in range(mark.start, mark.end)}
    text = document.text(place.ordinal)
    if document.unit(place.ordinal).kind == "image":
        return False
    return bool(shown) and not any(not char.isspace() and at not in shown for at, char in enumerate(text))


class Tags(HTMLParser):
    """The elements as they are written, with their depth; an end tag closes the innermost element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self.open: list[str] = []
        self.feed(text)
        assert not self.open, f"{self.open} is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((len(self.open), tag))
        for name, value in attrs:
            assert not name.startswith("on") and name not in ("srcdoc", "action", "formaction"), name
            assert name not in ("href", "src") or safe(value or ""), value
        assert tag not in ("script", "iframe", "object", "embed", "svg", "math", "base", "form", "template"), tag
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"


def tree(node: LexborNode, depth: int = 0) -> list[tuple[int, str]]:
    """The elements that a browser makes, with their depth."""
    found = [(depth, node.tag or "")]
    for child in node.iter():
        found += tree(child, depth + 1)
    return found


def check_markup(document: Document) -> None:
    """A browser's tree is what is written: nothing is closed, moved or added by its rules; nothing in it can run."""
    text = whole(document)
    root = LexborHTMLParser(text).root
    assert root is not None
    assert Tags(text).found == tree(root), text


@given(documents(4))
@settings(max_examples=100, deadline=None)
def test_any_document_keeps_its_texts_and_its_markup(document: Document) -> None:
    assume(not any(all_images(document, place) for place in document.places))
    check_texts(document)
    check_markup(document)


@pytest.mark.parametrize("path", [*PAGES, *sample(12)], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_page_keeps_its_texts_and_its_markup(path: Path) -> None:
    document = parse(Page("https://example.com/", path.read_bytes()))
    check_texts(document)
    check_markup(document)


def shown(page: Builder, *ordinals: int) -> str:
    document = page.build()
    return html(document, ordinals or range(len(document.places))).replace("\n", "")


def of(source: str) -> str:
    """The rendering of a page."""
    document = parse(Page("https://example.com/", source.encode(), charset="utf-8"))
    return html(document, range(len(document.places)))


@pytest.mark.parametrize(
    "source",
    [
        '<h2 id="fees">Fees</h2><p>One <strong>two</strong> <em>three</em><br>4<sup>th</sup></p>',
        '<ul><li>a<ul><li>b</li></ul></li><li><p lang="de">drei</p><p>four</p></li></ul>',
        '<ol start="5"><li>five</li><li>six</li><li value="9">nine</li></ol>',
        "<dl><dt>fee</dt><dd>a price<p>of any kind</p></dd><dd>a charge<ul><li>monthly</li></ul></dd></dl>",
        '<pre><code class="language-py">if x:\n\ty</code></pre>',
        "<pre><code>\n\tlines\n \n\n</code></pre>",
        "<blockquote><p>said</p><ul><li>in it</li></ul></blockquote>",
        "<details open><summary>Why?</summary><p>Because.</p></details>",
        "<details><summary>Why not?</summary><p>No.</p></details>",
        '<figure><img src="/a.png" alt="A map"><figcaption>The way</figcaption></figure>',
        "<table><caption>Prices</caption>"
        '<thead><tr><th scope="col">Plan</th><th scope="col" colspan="2">Fee</th></tr></thead>'
        '<tbody><tr><th scope="row" rowspan="2">Basic</th><td>1</td><td><code>a|b</code></td></tr>'
        "<tr><td>3</td><td></td></tr></tbody></table>",
        "<p><ruby>漢字<rt>かんじ</rt></ruby>です</p>",
        '<p><a href="mailto:a@example.com">Us</a>, <a href="#fees">fees</a>, <a href="../b?c=1&amp;d=%22">more</a></p>',
        '<p>An <img src="x.png" alt="icon"> here</p>',
        '<p dir="rtl">שלום עולם</p><p>Hello world</p><p>Bye</p>',
        '<p style="white-space: pre-wrap">two  spaces\n  and indented</p>',
    ],
)
def test_what_is_semantic_stays_as_it_is(source: str) -> None:
    assert of(source).replace("\n", "") == source.replace("\n", "")
    check_texts(parse(Page("https://example.com/", source.encode(), charset="utf-8")))


def test_headings_deeper_than_html_has() -> None:
    page = Builder()
    page.heading(7, "Deep")
    assert shown(page) == '<div role="heading" aria-level="7">Deep</div>'


def test_an_anchor_stands_once() -> None:
    page = Builder()
    for _ in range(2):
        page.add("paragraph", "here", anchor='a"b')
    assert shown(page) == '<p id="a&quot;b">here</p><p>here</p>'


def test_a_part_of_a_list_keeps_its_numbers() -> None:
    page = Builder()
    page.items("five", "six", "seven", ordered=True, start=5)
    assert shown(page, 1, 2) == '<ol start="6"><li>six</li><li>seven</li></ol>'


def test_a_part_of_a_table_carries_its_header_and_its_spanning_cells() -> None:
    page = Builder()
    with page.span("table") as data:
        page.add("caption", "Prices")
        data["header_rows"] = (page.row("Plan", "Fee", header=True),)
        page.add("table_row", "Basic\t1", marks=(Mark("cell", 0, 5, rows=2), Mark("cell", 6, 7)))
        page.row("2")
    rest = (
        '<thead><tr><th scope="col">Plan</th><th scope="col">Fee</th></tr></thead>'
        "<tbody><tr><td>Basic</td><td>2</td></tr></tbody></table>"
    )
    assert shown(page, 3) == f"<table>{rest}"
    assert shown(page, 0, 3) == f"<table><caption>Prices</caption>{rest}"


def test_what_stands_inside_a_table_parts_its_rows() -> None:
    page = Builder()
    with page.span("table", header_rows=()):
        page.row("a")
        with page.span("table", header_rows=()):
            page.row("inner")
        page.row("b")
    table = "<table><tbody><tr><td>{}</td></tr></tbody></table>"
    assert shown(page) == "".join(map(table.format, ("a", "inner", "b")))


def test_places_in_another_order_and_out_of_their_spans() -> None:
    page = Builder()
    with page.span("qa"):
        page.add("question", "Why?")
        page.paragraph("Because.")
    page.add("list_item", "alone")
    assert shown(page, 2, 1, 0) == ("<ul><li>alone</li></ul><div><p>Because.</p><p><strong>Why?</strong></p></div>")


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", " JavaScript:alert(1)", "java\nscript:x", "\x01javascript:x", "data:text/html,x",
     "vbscript:x", "file:///etc/passwd", "blob:x", "intent:x"],
)  # fmt: skip
def test_an_address_that_could_run_something_is_left_out(address: str) -> None:
    assert inline("a b", (Mark("link", 0, 1, address), Mark("image", 2, 3, address)), (0, 3)) == 'a <img alt="b">'


def test_everything_is_escaped() -> None:
    page = Builder(title="</title><script>", language='e"n')
    text = "<script>alert(\"1\")</script> & 'x' onload=y"
    marks = (Mark("link", 0, 8, '"><script>'), Mark("image", 9, 14, 'x" onerror="y'))
    for kind in ("heading", "paragraph", "list_item", "code", "math", "quote", "term", "image", "question"):
        page.add(kind, text, 1, anchor=f'"><script>{kind}', marks=marks)
    page.row(text)
    document = page.build()
    check_markup(document)
    assert not re.search(r"<script|<[^>]* on\w+=", whole(document).replace("&quot;", '"').split("<body>")[0][200:])


def test_a_long_page_is_rendered_in_linear_time() -> None:
    import time

    def seconds(count: int) -> float:
        page = Builder()
        for _ in range(count):
            with page.span("list"), page.span("item"):
                page.add("list_item", "item", 1)
        for _ in range(count):
            page.drafts.append(("quote", 0, len(page.places) - 1, {}))
        document = page.build()
        began = time.process_time()
        html(document, range(len(document.places)))
        return time.process_time() - began

    assert seconds(2000) < 5 * seconds(1000) + 0.05
