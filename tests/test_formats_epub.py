"""Books: pages of the spine in order, addresses inside them, sections over several files."""

from __future__ import annotations

import pytest
from tests.office import EPUB, archive, checked, epub, shown

from wrac.core.errors import InputError
from wrac.core.structure import trails
from wrac.core.types import HtmlAddress, Page, PartAddress
from wrac.parsing import parse

HEAD = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head>'


def page(body: str) -> str:
    return f"{HEAD}<body>{body}</body></html>"


def test_pages_come_in_the_order_of_the_spine_with_title_and_language() -> None:
    document = checked(
        epub(
            {"b.xhtml": page("<h1>Two</h1><p>y</p>"), "a.xhtml": page("<h1>One</h1><p>x</p>")},
            metadata="<dc:creator>Someone</dc:creator>",
        ),
        EPUB,
    )
    assert [text for _, text in shown(document)] == ["Two", "y", "One", "x"]
    assert (document.title, document.language, dict(document.meta)) == ("A book", "fr", {"author": "Someone"})
    assert [document.text(o) for o in trails(document)[3]] == ["One"]


def test_an_address_names_the_part_and_the_place_in_it() -> None:
    document = checked(epub({"text/a b.xhtml": page('<h1>One</h1><p id="p">x</p>')}), EPUB)
    address = document.places[1].address
    assert isinstance(address, HtmlAddress)
    assert address.within == PartAddress("OEBPS/text/a b.xhtml", "")
    assert page('<h1>One</h1><p id="p">x</p>')[address.start : address.end] == '<p id="p">x</p>'
    assert document.places[1].anchor == "p"


def test_the_empty_elements_and_literal_texts_of_xml_are_read_as_meant() -> None:
    body = '<p><a id="x"/>one<br/><i class="a > b"/>two</p><script src="x"/><p/><p><![CDATA[3 < 4]]></p>'
    document = checked(epub({"a.xhtml": page(body)}), EPUB)
    assert [text for _, text in shown(document)] == ["one\ntwo", "3 < 4"]


def test_the_table_of_contents_has_its_role() -> None:
    nav = page('<nav><h1>Contents</h1><ol><li><a href="a.xhtml">One</a></li></ol></nav>')
    document = checked(epub({"nav.xhtml": nav, "a.xhtml": page("<h1>One</h1>")}, nav="nav.xhtml"), EPUB)
    assert [place.role for place in document.places] == ["toc", "toc", "main"]


def test_a_chapter_cut_into_files_stays_under_its_heading() -> None:
    document = checked(
        epub(
            {
                "1.xhtml": page("<h1>Part</h1>"),
                "2.xhtml": page("<h2>Chapter</h2><p>begins</p>"),
                "3.xhtml": page("<p>goes on</p><h3>Deeper</h3><p>in</p>"),
                "4.xhtml": page("<p>still</p><h2>Next</h2><p>x</p><h1>Other</h1><p>y</p>"),
            }
        ),
        EPUB,
    )
    above = {
        document.text(o): [document.text(t) for t in trail]
        for o, trail in enumerate(trails(document))
        if document.unit(o).kind == "paragraph"
    }
    assert above == {
        "begins": ["Part", "Chapter"], "goes on": ["Part", "Chapter"], "in": ["Part", "Chapter", "Deeper"],
        "still": ["Part", "Chapter", "Deeper"], "x": ["Part", "Next"], "y": ["Other"],
    }  # fmt: skip


def test_parts_that_are_no_pages_are_losses() -> None:
    spine = '<item id="s" href="cover.svg" media-type="image/svg+xml"/></manifest><spine><itemref idref="s"/>'
    parts = {
        "META-INF/container.xml": '<container><rootfile full-path="b.opf"/></container>',
        "b.opf": f"<package><manifest>{spine}</spine></package>",
        "cover.svg": "<svg/>",
    }
    assert [loss.reason for loss in checked(archive(parts), EPUB).losses] == ["picture without text: cover.svg"]


def test_a_locked_book_is_refused_in_one_line() -> None:
    locked = '<encryption><EncryptedData><CipherReference URI="a.xhtml"/></EncryptedData></encryption>'
    parts = {
        "META-INF/container.xml": '<container><rootfile full-path="b.opf"/></container>',
        "META-INF/encryption.xml": locked,
        "b.opf": '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="a"/></spine></package>',
        "a.xhtml": "x",
    }
    with pytest.raises(InputError, match=r"^b\.epub: is locked by its seller"):
        parse(Page("b.epub", archive(parts), EPUB))
