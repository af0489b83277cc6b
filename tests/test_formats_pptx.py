"""Presentations: titles, bullets, tables, notes, order, and nothing lost."""

from __future__ import annotations

import io
from typing import Any

import pptx
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml.ns import qn
from pptx.util import Emu, Inches
from tests.images import PNG
from tests.office import PPTX, checked, shown

from wrac.core.structure import grid, numbers, trails
from wrac.core.types import Document, PartAddress
from wrac.parsing.pptx_layout import reading_order

TITLE, CONTENT, SECTION, TWO, BLANK = 0, 1, 2, 3, 6


def read(deck: Any) -> Document:
    out = io.BytesIO()
    deck.save(out)
    return checked(out.getvalue(), PPTX)


def slide(deck: Any, layout: int, title: str = "", body: str = "") -> Any:
    made = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        made.shapes.title.text = title
    if body:
        made.placeholders[1].text = body
    return made


def box(made: Any, text: str, left: float, top: float, width: float = 2) -> None:  # inches
    made.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(1)).text_frame.text = text


def bullets(made: Any, *lines: tuple[str, int]) -> None:
    frame = made.placeholders[1].text_frame
    for number, (text, level) in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text, paragraph.level = text, level


def test_the_deck_its_sections_and_its_slides_are_headings_of_three_levels() -> None:
    deck = pptx.Presentation()
    slide(deck, TITLE, "The deck", "A subtitle")
    slide(deck, CONTENT, "Before", "x")
    slide(deck, SECTION, "Part one")
    slide(deck, CONTENT, "Inside", "y")
    document = read(deck)
    headings = [place for place in document.places if document.unit(place.ordinal).kind == "heading"]
    assert [(document.text(place.ordinal), place.level) for place in headings] == [
        ("The deck", 1), ("Before", 2), ("Part one", 2), ("Inside", 3),
    ]  # fmt: skip
    above = trails(document)
    last = len(document.places) - 1
    assert [document.text(o) for o in above[last]] == ["The deck", "Part one", "Inside"]
    assert document.title == "The deck"


def test_a_slide_without_a_title_is_not_under_that_of_the_slide_before() -> None:
    deck = pptx.Presentation()
    slide(deck, CONTENT, "One", "x")
    box(slide(deck, BLANK), "alone", 1, 1)
    document = read(deck)
    assert trails(document) == ((), (0,), ())


def test_bullets_nest_by_level_and_text_boxes_have_none() -> None:
    deck = pptx.Presentation()
    made = slide(deck, CONTENT, "List")
    bullets(made, ("a", 0), ("a1", 1), ("b", 0))
    box(made, "free text", 1, 6)
    document = read(deck)
    assert [(*row, document.places[n].level) for n, row in enumerate(shown(document))] == [
        ("heading", "List", 2), ("list_item", "a", 1), ("list_item", "a1", 2), ("list_item", "b", 1),
        ("paragraph", "free text", 0),
    ]  # fmt: skip
    assert document.places[2].address == PartAddress("slide 1", "3/p[2]")


def test_numbers_and_paragraphs_without_a_bullet() -> None:
    deck = pptx.Presentation()
    made = slide(deck, CONTENT, "Steps")
    bullets(made, ("one", 0), ("two", 0), ("aside", 0), ("three", 0))
    for number, paragraph in enumerate(made.placeholders[1].text_frame.paragraphs):
        mark = "a:buNone" if number == 2 else "a:buAutoNum"
        properties = paragraph._p.get_or_add_pPr()
        element = properties.makeelement(qn(mark))
        properties.append(element)
        if number == 0:
            element.set("startAt", "5")
    document = read(deck)
    assert [kind for kind, _ in shown(document)] == ["heading", "list_item", "list_item", "paragraph", "list_item"]
    assert list(numbers(document).values()) == [5, 6, 1]


def test_tables_have_rows_headers_and_merged_cells() -> None:
    deck = pptx.Presentation()
    made = slide(deck, BLANK)
    table = made.shapes.add_table(3, 2, Inches(1), Inches(1), Inches(4), Inches(2)).table
    for number, text in enumerate(["Plan", "USD", "Small", "5", "Large", ""]):
        table.cell(number // 2, number % 2).text = text
    table.cell(1, 1).merge(table.cell(2, 1))
    document = read(deck)
    span = next(span for span in document.spans if span.kind == "table")
    assert span.data["header_rows"] == (0,)
    assert list(grid(document, span).values()) == [("Plan", "USD"), ("Small", "5"), ("Large", "5")]


def test_notes_comments_and_footers_are_beside_the_slide() -> None:
    deck = pptx.Presentation()
    made = slide(deck, CONTENT, "One", "x")
    made.notes_slide.notes_text_frame.text = "Say this slowly."
    slide(deck, CONTENT, "Two", "y")
    document = read(deck)
    assert [(document.text(pl.ordinal), pl.role) for pl in document.places] == [
        ("One", "main"), ("x", "main"), ("Say this slowly.", "aside"), ("Two", "main"), ("y", "main"),
    ]  # fmt: skip
    address = document.places[2].address
    assert isinstance(address, PartAddress)
    assert address.part == "slide 1"
    assert address.shape.startswith("notes/")


def test_shapes_of_groups_links_and_formats() -> None:
    deck = pptx.Presentation()
    made = slide(deck, BLANK)
    group = made.shapes.add_group_shape()
    inner = group.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1)).text_frame
    run = inner.paragraphs[0].add_run()
    run.text, run.font.bold, run.hyperlink.address = "in the group", True, "https://example.com/"
    document = read(deck)
    assert shown(document) == [("paragraph", "in the group")]
    found = {(mark.kind, mark.value) for mark in document.places[0].marks}
    assert found == {("link", "https://example.com/"), ("strong", "")}


def test_charts_are_tables_of_what_they_draw() -> None:
    deck = pptx.Presentation()
    make: Any = CategoryChartData
    data = make()
    data.categories = ["East", "West"]
    data.add_series("2023", (1.5, 2))
    data.add_series("2024", (3, 4))
    made = slide(deck, BLANK)
    frame = made.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Inches(1), Inches(1), Inches(4), Inches(3), data)
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Sales"
    document = read(deck)
    assert shown(document) == [
        ("paragraph", "Sales"), ("table_row", "\t2023\t2024"), ("table_row", "East\t1.5\t3"),
        ("table_row", "West\t2\t4"),
    ]  # fmt: skip


def picture(made: Any, alt: str) -> None:
    made.shapes.add_picture(io.BytesIO(PNG), Inches(1), Inches(1))._element._nvXxPr.cNvPr.set("descr", alt)


def test_pictures_by_their_text_or_as_losses_that_name_the_slide() -> None:
    deck = pptx.Presentation()
    picture(slide(deck, BLANK), "A red pump")
    picture(slide(deck, BLANK), "")
    slide(deck, BLANK)
    document = read(deck)
    assert shown(document) == [("image", "A red pump")]
    reasons = [loss.reason.partition(",")[0] for loss in document.losses]
    assert reasons == ["picture without text: slide 2", "slide without text: 3"]


def test_a_deck_without_slides_says_so() -> None:
    assert [loss.reason for loss in read(pptx.Presentation()).losses] == ["file without text"]


def test_hidden_slides_are_hidden_units() -> None:
    deck = pptx.Presentation()
    slide(deck, CONTENT, "Backup", "x")._element.set("show", "0")
    assert {place.visible for place in read(deck).places} == {"hidden"}


def test_the_order_of_the_file_is_kept_where_it_reads_forward() -> None:
    deck = pptx.Presentation()
    made = slide(deck, BLANK)
    for text, left, top in (("head 1", 1, 1), ("body 1", 1, 3), ("head 2", 5, 1), ("body 2", 5, 3)):
        box(made, text, left, top)
    assert [text for _, text in shown(read(deck))] == ["head 1", "body 1", "head 2", "body 2"]


def test_places_give_the_order_where_the_file_reads_backward() -> None:
    deck = pptx.Presentation()
    made = slide(deck, BLANK)
    for text, left, top, width in (("bottom", 1, 5, 6), ("right", 5, 3, 2), ("left", 1, 3, 2), ("top", 1, 1, 6)):
        box(made, text, left, top, width)
    assert [text for _, text in shown(read(deck))] == ["top", "left", "right", "bottom"]


sizes = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 20), st.integers(0, 20))
boxes = sizes.map(lambda size: (size[0], size[1], size[0] + size[2], size[1] + size[3]))


@given(st.lists(st.none() | boxes, max_size=30))
@settings(max_examples=100)
def test_reading_order_is_a_permutation(places: list[tuple[int, int, int, int] | None]) -> None:
    numbers_ = list(range(len(places)))
    assert sorted(reading_order(numbers_, places)) == numbers_


def test_code_keeps_its_spaces() -> None:
    deck = pptx.Presentation()
    made = slide(deck, BLANK)
    frame = made.shapes.add_textbox(Emu(0), Emu(0), Inches(3), Inches(1)).text_frame
    for number, text in enumerate(("def f():", "    return  1")):
        run = (frame.paragraphs[0] if number == 0 else frame.add_paragraph()).add_run()
        run.text, run.font.name = text, "Courier New"
    assert shown(read(deck)) == [("code", "def f():\n    return  1")]
