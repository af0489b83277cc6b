"""Workbooks and delimited text: rows with their headers, values as a person sees them, addresses, linear time."""

from __future__ import annotations

import csv
import datetime as dt
import io
import time
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.comments import Comment
from tests.images import PNG
from tests.office import XLSX, checked, shown

from wrac.core.structure import grid
from wrac.core.types import Document, HtmlAddress, Page, PartAddress
from wrac.parsing import Resolver, parse
from wrac.parsing.xlsx_format import shown as formatted

Rows = list[list[Any]]


def book(**sheets: Rows) -> Any:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return made


def read(made: Any) -> Document:
    out = io.BytesIO()
    made.save(out)
    return checked(out.getvalue(), XLSX)


def tables(document: Document) -> list[tuple[int, int, tuple[int, ...]]]:
    return [(s.first, s.last, s.data["header_rows"]) for s in document.spans if s.kind == "table"]


def test_a_sheet_is_a_section_with_a_table_and_each_row_a_unit() -> None:
    document = read(book(Prices=[["Plan", "USD"], ["Small", 5], ["Large", 12.5]], Notes=[["Only a word"]]))
    assert shown(document) == [
        ("heading", "Prices"), ("table_row", "Plan\tUSD"), ("table_row", "Small\t5"), ("table_row", "Large\t12.5"),
        ("heading", "Notes"), ("paragraph", "Only a word"),
    ]  # fmt: skip
    assert tables(document) == [(1, 3, (1,))]
    assert document.places[2].address == PartAddress("Prices", "A2:B2")
    assert document.places[5].address == PartAddress("Notes", "A1")


def test_empty_rows_and_columns_are_left_out_and_a_title_stands_above_the_table() -> None:
    rows: Rows = [
        ["Prices of 2024"],
        [],
        [None, "Plan", None, "USD"],
        [None, "Small", None, 5],
        [],
        [None, "Large", None, 9],
    ]
    document = read(book(S=rows))
    assert shown(document)[1:] == [
        ("paragraph", "Prices of 2024"), ("table_row", "Plan\tUSD"), ("table_row", "Small\t5"),
        ("table_row", "Large\t9"),
    ]  # fmt: skip
    assert tables(document) == [(2, 4, (2,))]
    assert document.places[4].address == PartAddress("S", "B6:D6")


def test_two_tables_on_a_sheet_have_their_own_headers() -> None:
    rows: Rows = [["Plan", "USD"], ["Small", 5], [], ["City", "People"], ["Bonn", 330000]]
    assert tables(read(book(S=rows))) == [(1, 2, (1,)), (3, 4, (3,))]


def test_rows_of_texts_without_names_above_have_no_header() -> None:
    assert tables(read(book(S=[["alpha", "beta"], ["gamma", "delta"]]))) == [(1, 2, ())]


def test_a_table_that_a_person_made_says_its_header_itself() -> None:
    made = book(S=[["alpha", "beta"], ["gamma", "delta"]])
    made["S"].add_table(openpyxl.worksheet.table.Table(displayName="T", ref="A1:B2"))
    assert tables(read(made)) == [(1, 2, (1,))]


def test_merged_cells_reach_over_their_rows_and_columns() -> None:
    made = book(S=[["Region", "Q1", "Q2"], ["North", 1, 2], [None, 3, 4], ["Total", 10]])
    made["S"].merge_cells("A2:A3")
    made["S"].merge_cells("B4:C4")
    document = read(made)
    span = next(span for span in document.spans if span.kind == "table")
    assert list(grid(document, span).values())[1:] == [("North", "1", "2"), ("North", "3", "4"), ("Total", "10", "10")]


def test_formulas_without_a_value_comments_pictures_and_hidden_sheets() -> None:
    made = book(S=[["Plan", "USD"], ["Small", "=1+1"], ["Large", 5]], Old=[["a", "b"]])
    made["S"]["A2"].comment = Comment("Check this", "me")
    made["S"].add_image(openpyxl.drawing.image.Image(io.BytesIO(PNG)), "E5")
    made["Old"].sheet_state = "hidden"
    document = read(made)
    assert ("table_row", "Small") in shown(document)
    comment = next(place for place in document.places if place.role == "comment")
    assert (document.text(comment.ordinal), comment.address) == ("Check this", PartAddress("S", "A2/comment"))
    assert [(loss.reason, loss.text) for loss in document.losses] == [
        ("formulas whose values the file does not hold: 1 on S", "B2"),
    ]
    assert ("image", "Picture") in shown(document)
    assert [place.visible for place in document.places][-1] == "hidden"


SHOWN = {
    "General": {"0.30000000000000004": "0.3", "1E+20": "1E+20", "12345678": "12345678", "-2.5": "-2.5"},
    "#,##0.00": {"1234.565": "1,234.57", "-1234.5": "-1,234.50"},
    "#,##0.00;(#,##0.00)": {"-1234.5": "(1,234.50)"},
    "0.0": {"-3": "-3.0", "-0.01": "0.0"},
    "0.0%": {"0.125": "12.5%"},
    '0.0,,"M"': {"1500000": "1.5M"},
    '"EUR" #,##0': {"5": "EUR 5", "-5": "-EUR 5"},
    "#,##0.00\\ [$€-407]": {"1234.5": "1,234.50 €"},
    "[$$-409]#,##0.00": {"5": "$5.00"},
    "000": {"7": "007"},
    "#.##": {"0.5": ".5"},
    "0.00E+00": {"1234567": "1.23E+06", "0.00012": "1.20E-04"},
    "0;-0;;@": {"0": "", "3": "3"},
    "# ?/?": {"12.5": "12.5"},
    "yyyy-mm-dd": {"45413": "2024-05-01", "1": "1900-01-01", "61": "1900-03-01", "-5": "-5"},
    "d mmmm yyyy": {"45413": "1 May 2024"},
    "ddd, mmm-yy": {"45413": "Wed, May-24"},
    "m/d/yy h:mm AM/PM": {"45413.75": "5/1/24 6:00 PM", "45413": "5/1/24 12:00 AM"},
    'dd"."mm"."yyyy hh:mm:ss': {"45413.5": "01.05.2024 12:00:00"},
    "[h]:mm:ss": {"1.25": "30:00:00"},
    "mm:ss": {"0.0104166666666667": "15:00"},
    "0": {"1e999": "1e999", "x": "x"},
}


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [(value, code, text) for code, pairs in SHOWN.items() for value, text in pairs.items()],
)
def test_numbers_as_they_are_shown(value: str, code: str, expected: str) -> None:
    assert formatted(value, code) == expected


@given(
    st.floats(allow_nan=True, allow_infinity=True) | st.integers(),
    st.text(max_size=12) | st.sampled_from("0 # ? y m d h s E+ % ; , . [h] @".split()),
)
@settings(max_examples=300)
def test_no_number_and_no_format_breaks_the_reader(number: float, code: str) -> None:
    formatted(str(number), code)


def test_dates_by_their_type_and_the_other_calendar() -> None:
    made = book(S=[["When", "What"], [dt.date(2024, 2, 29), True], [dt.datetime(2024, 1, 2, 3, 4, 5), "#N/A"]])
    assert [text for _, text in shown(read(made))][2:] == ["2024-02-29\tTRUE", "2024-01-02 3:04:05\t#N/A"]
    made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    assert [text for _, text in shown(read(made))][2:] == ["2024-02-29\tTRUE", "2024-01-02 3:04:05\t#N/A"]


def test_time_grows_with_the_rows() -> None:
    def seconds(count: int) -> float:
        out = io.BytesIO()
        book(S=[["id", "name"], *([n, f"name {n}"] for n in range(count))]).save(out)
        page = Page("x", out.getvalue(), XLSX)
        begun = time.process_time()
        assert len(parse(page).places) == count + 2
        return time.process_time() - begun

    seconds(100)
    assert min(seconds(8000) for _ in range(2)) < 24 * max(seconds(1000) for _ in range(3)) + 0.3


# Delimited text


def delimited(text: str, media_type: str = "text/csv") -> Document:
    return checked(text.encode(), media_type)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = ["name|price|since", "a, b|1,50|2024", 'c "d"|2|2023']
    text = "\n".join(
        row.replace("|", delimiter) if delimiter != "," else row.replace(",", "").replace("|", ",") for row in rows
    )
    document = delimited(text)
    assert document.text(0) == "name\tprice\tsince"
    assert {document.text(n).count("\t") for n in range(3)} == {2}
    assert tables(document) == [(0, 2, (0,))]


def test_quoted_fields_hold_delimiters_quotes_and_lines() -> None:
    text = '\ufeffid,text\r\n1,"a ""b"", c\r\nsecond line"\r\n\r\n2,x,\r\n'
    document = delimited(text)
    assert [row for _, row in shown(document)] == ["id\ttext", '1\ta "b", c\nsecond line', "2\tx"]
    address = document.places[1].address
    assert isinstance(address, HtmlAddress)
    source = text.removeprefix("\ufeff").replace("\r\n", "\n")
    assert source[address.start : address.end] == '1,"a ""b"", c\nsecond line"\n'


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=8)


@given(st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=6))
@settings(max_examples=100)
def test_any_table_is_read_and_resolved(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    page = Page("x.csv", out.getvalue().encode(), "text/csv", "utf-8")
    document = parse(page)
    resolver = Resolver(page.body, page.media_type, "utf-8")
    for place in document.places:
        assert resolver.text(place.address) == document.text(place.ordinal)
