"""The laws of parsing as functions of a page and its document; each raises AssertionError naming the unit."""

from __future__ import annotations

from tests.oracle import decode, invented, missing, out_of_order

from wrac import chunking
from wrac.catalog.codec import decode_document, decode_plan, encode_document, encode_plan, unit_order
from wrac.chunking import chunk
from wrac.core.ids import content_id
from wrac.core.types import Document, HtmlAddress, Page, Policy
from wrac.parsing import Resolver, account, parse, resolve
from wrac.planning import check, plan
from wrac.text.render import markdown

SMALL = Policy(target=24, maximum=40)
"""Sizes at which even a small page has several chunks and cut units."""


def check_all(page: Page) -> Document:
    """Parses a page and checks every law that one document can break."""
    document = parse(page)
    check_shape(document)
    check_spans(document)
    check_conservation(page, document)
    check_addresses(page, document)
    again = parse(page)
    assert again == document, "two parses of the same page differ"
    return document


def check_any(page: Page) -> Document:
    """Parses a page of any media type and checks every law on its way to chunks and back from the store.

    Conservation is counted by wrac's own account, not by another parser. Raises InputError for a page that is refused.
    """
    document = parse(page)
    check_shape(document)
    check_spans(document)
    found = account(page, document)
    assert found.balanced, f"{found!r} for {page.body!r:.600}"
    resolver = Resolver(page.body, page.media_type, page.charset)
    for place in document.places:
        read, text = resolver.text(place.address), document.text(place.ordinal)
        assert read == text, f"{place.address!r} gives {read!r}, the unit is {text!r}"
    assert parse(page) == document, "two parses of the same page differ"
    check_flow(document)
    return document


def check_flow(document: Document, policy: Policy = SMALL) -> None:
    """The plan is a partition, chunks are verbatim and within limits, the codec gives all back, rendering is total."""
    made = plan(document, policy)
    check(document, made)
    for one in chunk(document, made, policy).chunks:
        chunking.verify(document, one)
        chunking.limits(one, policy)
    stored = decode_document(encode_document(document), [document.units[key] for key in unit_order(document)])
    assert stored == document, "the codec gives another document back"
    assert stored.id == document.id
    assert decode_plan(encode_plan(made), document.id) == made
    markdown(document, range(len(document.places)))


def check_shape(document: Document) -> None:
    """Ordinals count from 0, ids are those of the content, every unit is used, marks stay inside their text."""
    assert [place.ordinal for place in document.places] == list(range(len(document.places)))
    assert {place.unit for place in document.places} == set(document.units)
    for key, unit in document.units.items():
        assert key == unit.id == content_id("u1", (unit.kind, unit.text)), f"id of {unit!r} is not its content's"
        assert unit.text.strip(" \t\n\r\f"), f"blank unit {unit!r}"
    for place in document.places:
        text = document.text(place.ordinal)
        assert 0 <= place.score <= 1, f"score of {text!r} is {place.score}"
        for mark in place.marks:
            assert 0 <= mark.start <= mark.end <= len(text), f"{mark!r} is outside of {text!r}"
    parts = [document.body, document.media_type, document.encoding, document.parser]
    assert document.id == content_id("d1", parts)


def check_spans(document: Document) -> None:
    """Spans nest or are disjoint, in order of `first`, outer before inner, and know their parent."""
    open_: list[int] = []
    before = (-1, 0)
    for index, span in enumerate(document.spans):
        assert 0 <= span.first <= span.last < len(document.places), f"{span!r} is outside of the document"
        key = (span.first, -span.last)
        assert key >= before, f"{span!r} stands after {document.spans[index - 1]!r}"
        before = key
        while open_ and document.spans[open_[-1]].last < span.first:
            open_.pop()
        if open_:
            outer = document.spans[open_[-1]]
            assert span.last <= outer.last, f"{span!r} crosses {outer!r}"
        assert span.parent == (open_[-1] if open_ else -1), f"parent of {span!r} is not {open_[-1:]!r}"
        open_.append(index)


def check_conservation(page: Page, document: Document) -> None:
    """Every non-space code point is in one unit or one loss, nothing is invented, and tree order rules."""
    gone = missing(document, page.body)
    assert not gone, f"in no unit and no loss: {dict(gone)!r} of {page.body!r:.600}"
    extra = invented(document, page.body)
    assert not extra, f"in units but not on the page: {dict(extra)!r} of {page.body!r:.600}"
    late = out_of_order(document, page.body)
    assert not late, f"unit {late!r} is not in tree order in {page.body!r:.600}"


def check_addresses(page: Page, document: Document) -> None:
    """`resolve(address, body)` of every place gives its unit's text; a loss is at an element of the page's source."""
    source = decode(page.body, document.encoding)
    for place in document.places:
        text = document.text(place.ordinal)
        found = resolve(place.address, page.body, charset=page.charset)
        assert found == text, f"{place.address!r} gives {found!r}, the unit is {text!r}"
        if isinstance(place.address, HtmlAddress) and place.address.within is None:
            assert 0 <= place.address.start < place.address.end <= len(source), f"{place.address!r} outside the source"
    for loss in document.losses:
        assert loss.start < 0 or source.startswith("<", loss.start), f"{loss!r} is at {source[loss.start :][:40]!r}"
        assert loss.end < 0 or loss.start < loss.end <= len(source), f"{loss!r} outside the source"
