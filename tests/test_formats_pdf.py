"""PDF: laws on generated files, then one file for each kind of layout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import lawbook
from tests.pdf_writer import Sheet, pdf, width, wrapped

import wrac
from wrac.catalog import codec
from wrac.core.errors import InputError, LimitError
from wrac.core.structure import cells, trail
from wrac.core.types import Document, Page, PdfAddress
from wrac.parsing import account, parse, resolve

pytest.importorskip("pypdfium2")

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data")
TWINS = DATA / "formats" / "cloudway" / "pdf"
LOREM = (
    "The pump draws water from the tank and presses it through the filter into the upper basin where plants take what "
    "they need before the rest runs back over the stones into the tank below and the round begins again every hour"
)


def page(body: bytes, url: str = "manual.pdf") -> Page:
    return Page(url, body, "application/pdf")


def read(body: bytes) -> Document:
    """The Document of a file, every law checked."""
    found = page(body)
    document = parse(found)
    lawbook.check_shape(document)
    lawbook.check_spans(document)
    assert account(found, document).balanced, account(found, document)
    for place in document.places:
        assert resolve(place.address, body, "application/pdf") == document.text(place.ordinal)
    assert parse(found) == document
    return document


def told(document: Document, role: str = "main") -> list[tuple[str, str]]:
    """Kind and text of each place with a role."""
    return [
        (document.unit(place.ordinal).kind, document.text(place.ordinal))
        for place in document.places
        if place.role == role
    ]


def paragraph(sheet: Sheet, x: float, y: float, text: str, room: float = 400, **style: object) -> float:
    """Sets a paragraph and gives back the baseline of what comes after it."""
    return sheet.lines(x, y, wrapped(text, room), **style) + 8  # type: ignore[arg-type]


# -- laws

WORDS = st.lists(st.sampled_from(LOREM.split()), min_size=1, max_size=50).map(
    lambda words: f"{' '.join(words).capitalize()}."
)
BLOCKS = st.lists(
    st.one_of(
        st.tuples(st.just("heading"), st.sampled_from(["Water", "Filters and pumps", "What to do in winter"])),
        st.tuples(st.just("paragraph"), WORDS),
        st.tuples(st.just("list_item"), WORDS),
    ),
    min_size=1,
    max_size=16,
)


def set_blocks(blocks: list[tuple[str, str]]) -> bytes:
    """The blocks one below the other, over as many pages as they need."""
    sheets, y = [Sheet()], 80.0
    for kind, text in blocks:
        size, font = (15.0, "bold") if kind == "heading" else (10.0, "regular")
        indent = 20 if kind == "list_item" else 0
        lines = wrapped(text, 400 - indent, size, font)
        if y + 12 * len(lines) > 720:
            sheets.append(Sheet())
            y = 80.0
        y += 10 if kind == "heading" else 0
        if kind == "list_item":
            sheets[-1].text(110, y, "\u2022")
        y = sheets[-1].lines(100 + indent, y, lines, size, font) + 8
    return pdf(sheets)


@settings(max_examples=40)
@given(BLOCKS)
def test_blocks_are_read_back(blocks: list[tuple[str, str]]) -> None:
    document = read(set_blocks(blocks))
    assert [text for _, text in told(document)] == [text for _, text in blocks]
    wanted = [kind for kind, text in blocks if kind == "list_item"]
    assert [kind for kind, _ in told(document) if kind == "list_item"] == wanted


@settings(max_examples=60)
@given(st.binary(max_size=300), st.integers(0, 2000))
def test_damage_gives_a_document_or_an_input_error(noise: bytes, at: int) -> None:
    body = set_blocks([("heading", "Water"), ("paragraph", LOREM)])
    at %= len(body)
    damaged = body[:at] + noise + body[at + len(noise) :]
    try:
        document = parse(page(damaged))
    except InputError:
        return
    lawbook.check_shape(document)


def test_two_processes_agree(tmp_path: Path) -> None:
    source = tmp_path / "manual.pdf"
    source.write_bytes(set_blocks([("heading", "Water"), ("paragraph", LOREM), ("list_item", LOREM)] * 5))
    script = (
        "import hashlib, sys; from pathlib import Path\n"
        "from wrac.core.types import Page; from wrac.parsing import parse\n"
        "body = Path(sys.argv[1]).read_bytes()\n"
        "print(hashlib.sha256(repr(parse(Page('a', body, 'application/pdf'))).encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script, source],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_time_is_linear_in_the_pages() -> None:
    blocks = [("heading", "Water"), ("paragraph", LOREM), ("list_item", LOREM)]

    def seconds(times: int) -> float:
        body = set_blocks(blocks * times)
        parse(page(body))
        started = time.process_time()
        parse(page(body))
        return time.process_time() - started

    assert seconds(80) < 4 * 2.5 * seconds(20) + 0.1


# -- text


def test_lines_join_to_paragraphs_and_hyphens_go() -> None:
    sheet = Sheet()
    sheet.text(100, 90, "Care of the fil-")
    sheet.text(100, 102, "ter: the well-")
    sheet.text(100, 114, "known way to clean the filter is up-to-")
    sheet.text(100, 126, "date, and www.pumps.example/self-")
    sheet.text(100, 138, "help shows it.")
    document = read(pdf([sheet]))
    expected = (
        "Care of the filter: the wellknown way to clean the filter is up-to-date, "
        "and www.pumps.example/self-help shows it."
    )
    assert told(document)[0][1].replace("\n", " ") == expected
    assert [(loss.reason, loss.chars) for loss in document.losses] == [
        ("hyphen at a line's end, where the word goes on", 2)
    ]
    address = document.places[0].address
    assert isinstance(address, PdfAddress)
    assert address.page == 1
    assert len(address.boxes) == 5
    assert address.joins[1] == "-"


def test_headings_have_levels_and_sections() -> None:
    sheet = Sheet()
    sheet.text(100, 80, "Pump manual", 20, "bold")
    y = paragraph(sheet, 100, 110, LOREM)
    sheet.text(100, y + 14, "Setting up", 14, "bold")
    y = paragraph(sheet, 100, y + 34, LOREM)
    sheet.text(100, y + 10, "Power", 10, "bold")
    y = paragraph(sheet, 100, y + 24, LOREM)
    sheet.text(100, y + 14, "Care", 14, "bold")
    paragraph(sheet, 100, y + 34, LOREM)
    document = read(pdf([sheet]))
    levels = [
        (document.text(p.ordinal), p.level) for p in document.places if document.unit(p.ordinal).kind == "heading"
    ]
    assert levels == [("Pump manual", 1), ("Setting up", 2), ("Power", 3), ("Care", 2)]
    last = document.places[-1].ordinal
    assert [document.text(ordinal) for ordinal in trail(document, last)] == ["Pump manual", "Care"]
    assert document.title == "Pump manual"


def test_the_outline_tells_headings_and_the_file_its_title_and_language() -> None:
    sheet = Sheet()
    sheet.text(100, 80, "Setting up")
    y = paragraph(sheet, 100, 100, LOREM)
    sheet.text(100, y + 6, "Care")
    paragraph(sheet, 100, y + 26, LOREM)
    document = read(pdf([sheet], title="Pump manual", language="en-GB", outline=[("Setting up", 1), ("Care", 1)]))
    assert [kind for kind, _ in told(document)] == ["heading", "paragraph", "heading", "paragraph"]
    assert (document.title, document.language) == ("Pump manual", "en-GB")


def test_lists_nest_by_indent_and_keep_their_numbers() -> None:
    sheet = Sheet()
    y = paragraph(sheet, 100, 80, LOREM)
    for x, marker, text in (
        (110, "1.", "Close the tap."), (110, "2.", "Open the filter:"), (130, "\u2022", "turn the ring"),
        (130, "\u2022", "lift the lid " * 12), (110, "3.", "Rinse it."),
    ):  # fmt: skip
        sheet.text(x, y, marker)
        y = sheet.lines(x + 14, y, wrapped(text, 300)) + 2
    document = read(pdf([sheet]))
    items = [place for place in document.places if document.unit(place.ordinal).kind == "list_item"]
    assert [(document.text(p.ordinal)[:13], p.level) for p in items] == [
        ("Close the tap", 1), ("Open the filt", 1), ("turn the ring", 2), ("lift the lid ", 2), ("Rinse it.", 1),
    ]  # fmt: skip
    assert [span.data["number"] for span in document.spans if span.kind == "item" and span.data] == [1, 2, 3]
    lists = [(span.first, span.last, span.data["ordered"]) for span in document.spans if span.kind == "list"]
    assert lists == [(1, 5, True), (3, 4, False)]


def test_code_keeps_its_spaces_and_empty_lines() -> None:
    sheet = Sheet()
    y = paragraph(sheet, 100, 80, LOREM)
    code = ["def pump(hours):", "    while hours:", "        run()", "", "    return  None"]
    for number, line in enumerate(code):
        if line:
            sheet.text(
                100 + width(" ", font="mono") * (len(line) - len(line.lstrip())),
                y + 12 * number,
                line.lstrip(),
                10,
                "mono",
            )
    paragraph(sheet, 100, y + 80, LOREM)
    assert ("code", "\n".join(code)) in told(read(pdf([sheet])))


def test_marks_say_what_is_bold_and_what_is_a_link() -> None:
    sheet = Sheet()
    sheet.text(100, 80, "Read")
    sheet.text(100 + width("Read "), 80, "the warranty", 10, "bold")
    x = 100 + width("Read the warranty ")
    sheet.text(x, 80, "on our page first, and keep it.")
    sheet.link(x, 70, x + width("on our page"), 84, "https://pumps.example/warranty")
    document = read(pdf([sheet]))
    text = document.text(0)
    marks = {(mark.kind, text[mark.start : mark.end], mark.value) for mark in document.places[0].marks}
    assert marks == {("strong", "the warranty", ""), ("link", "on our page", "https://pumps.example/warranty")}


# -- tables

ROWS = [
    ["Mode", "Current", "Use"],
    ["Idle", "2 mA", "waits"],
    ["Active", "40 mA", "pumps water"],
    ["Night", "5 mA", "quiet"],
]
XS = [100, 200, 300]


def set_rows(sheet: Sheet, y: float, rows: list[list[str]], step: float = 18) -> float:
    for number, row in enumerate(rows):
        for x, text in zip(XS, row, strict=True):
            sheet.text(x + 4, y, text, 10, "bold" if number == 0 and rows[0] == ROWS[0] else "regular")
        y += step
    return y


def check_table(document: Document, rows: list[list[str]] = ROWS) -> None:
    found = [p.ordinal for p in document.places if document.unit(p.ordinal).kind == "table_row"]
    assert [list(cells(document, ordinal)) for ordinal in found] == rows
    (table,) = (span for span in document.spans if span.kind == "table")
    assert table.data["header_rows"] == (found[0],)


def test_a_table_with_rules_around_its_cells() -> None:
    sheet = Sheet()
    y = paragraph(sheet, 100, 80, LOREM)
    set_rows(sheet, y + 12, ROWS)
    for number in range(5):
        sheet.rule(100, y + 18 * number, 400, y + 18 * number)
    for x in (*XS, 400):
        sheet.rule(x, y, x, y + 72)
    paragraph(sheet, 100, y + 100, LOREM)
    check_table(read(pdf([sheet])))


def test_a_table_with_three_rules_and_cells_of_several_lines() -> None:
    rows = [
        ["Mode", "Current", "Use"],
        ["Idle", "2 mA", "waits for a signal of the timer"],
        ["Active", "40 mA", "pumps water"],
    ]
    sheet = Sheet()
    y = paragraph(sheet, 100, 80, LOREM)
    for at in (y, y + 16, y + 68):
        sheet.rule(100, at, 400, at)
    y += 12
    for row in rows:
        parts = [wrapped(text, 90) for text in row]
        for x, lines in zip(XS, parts, strict=True):
            sheet.lines(x + 4, y, lines)
        y += 12 * max(map(len, parts)) + (6 if row == rows[0] else 0)
    paragraph(sheet, 100, y + 30, LOREM)
    check_table(read(pdf([sheet])), rows)


def test_a_table_without_rules() -> None:
    sheet = Sheet()
    y = paragraph(sheet, 100, 80, LOREM)
    y = set_rows(sheet, y + 12, ROWS)
    paragraph(sheet, 100, y + 20, LOREM)
    check_table(read(pdf([sheet])))


def test_a_table_goes_on_on_the_next_page() -> None:
    sheets = [Sheet(), Sheet()]
    paragraph(sheets[0], 100, 80, LOREM)
    for sheet, rows in zip(sheets, (ROWS, [["Off", "0 mA", "rests"], ["Test", "9 mA", "checks"]]), strict=True):
        set_rows(sheet, 212, rows)
        for number in range(len(rows) + 1):
            sheet.rule(100, 200 + 18 * number, 400, 200 + 18 * number)
        for x in (*XS, 400):
            sheet.rule(x, 200, x, 200 + 18 * len(rows))
    document = read(pdf(sheets))
    check_table(document, [*ROWS, ["Off", "0 mA", "rests"], ["Test", "9 mA", "checks"]])


def test_cells_that_cover_columns() -> None:
    sheet = Sheet()
    sheet.text(104, 92, "Electrical data", 10, "bold")
    set_rows(sheet, 110, ROWS[1:])
    for number in range(5):
        sheet.rule(100, 80 + 18 * number, 400, 80 + 18 * number)
    for x, top in ((100, 80), (200, 98), (300, 98), (400, 80)):
        sheet.rule(x, top, x, 152)
    document = read(pdf([sheet]))
    assert cells(document, 0) == ("Electrical data",) * 3
    assert cells(document, 1) == tuple(ROWS[1])


# -- pages


@pytest.mark.parametrize("by_rows", [False, True])
def test_columns_are_read_one_after_the_other(by_rows: bool) -> None:
    left, right = wrapped(f"Left {LOREM}.", 190), wrapped(f"Right {LOREM}.", 190)
    marks = (
        [(100, 140 + 12 * n, line) for n, line in enumerate(left)],
        [(310, 140 + 12 * n, line) for n, line in enumerate(right)],
    )
    order = sorted([*marks[0], *marks[1]], key=lambda mark: (mark[1], mark[0])) if by_rows else [*marks[0], *marks[1]]
    sheet = Sheet()
    sheet.text(100, 100, "A title over both of the columns", 16, "bold")
    for x, y, line in order:
        sheet.text(x, y, line)
    assert [text for _, text in told(read(pdf([sheet])))][1:] == [f"Left {LOREM}.", f"Right {LOREM}."]


def test_running_lines_have_roles_and_paragraphs_go_on_below_them() -> None:
    sheets = []
    lines = wrapped(" ".join([LOREM] * 20), 400)
    for number in range(4):
        sheet = Sheet()
        sheet.text(100, 40, "Pump manual")
        sheet.text(300, 770, str(number + 1))
        sheet.lines(100, 80, lines[12 * number : 12 * number + 12])
        sheets.append(sheet)
    document = read(pdf(sheets))
    assert told(document, "header") == [("paragraph", "Pump manual")] * 4
    assert told(document, "footer") == [("paragraph", str(number + 1)) for number in range(4)]
    (text,) = told(document)
    assert text == ("paragraph", " ".join(lines[:48]))
    address = document.places[0].address
    pages = []
    while isinstance(address, PdfAddress):
        pages.append(address.page)
        address = address.rest  # type: ignore[assignment]
    assert pages == [1, 2, 3, 4]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_is_read_as_shown(turn: int) -> None:
    sheet = Sheet(turn=turn)
    matrix = {90: (0, 1, -1, 0, 590, 10), 180: (-1, 0, 0, -1, 590, 790), 270: (0, -1, 1, 0, 10, 790)}[turn]
    sheet.marks.append("q {} {} {} {} {} {} cm".format(*matrix))
    sheet.text(60, 700, "Wide tables", 16, "bold")
    paragraph(sheet, 60, 720, LOREM)
    sheet.marks.append("Q")
    document = read(pdf([sheet]))
    assert told(document) == [("heading", "Wide tables"), ("paragraph", LOREM)]


def test_text_at_the_side_is_one_line() -> None:
    sheet = Sheet()
    paragraph(sheet, 100, 80, LOREM)
    sheet.marks.append("BT /regular 9 Tf 0 1 -1 0 40 300 Tm (Draft of the third of May) Tj ET")
    assert ("paragraph", "Draft of the third of May") in told(read(pdf([sheet])))


def test_signs_of_china_and_words_from_the_right() -> None:
    sheet = Sheet()
    sheet.text(100, 100, "本手册说明如何安装配置和维护小部件请在开始之前")
    sheet.text(100, 115, "阅读本手册")
    document = read(pdf([sheet]))
    assert told(document) == [("paragraph", "本手册说明如何安装配置和维护小部件请在开始之前阅读本手册")]


def test_captions() -> None:
    sheet = Sheet()
    y = paragraph(sheet, 100, 80, LOREM)
    sheet.picture(100, y, 200, 100)
    sheet.text(100, y + 115, "Figure 3. The pump from below")
    paragraph(sheet, 100, y + 150, LOREM)
    assert ("caption", "Figure 3. The pump from below") in told(read(pdf([sheet])))


# -- losses and errors


def test_a_scanned_page_is_a_loss_and_a_scan_is_skipped(tmp_path: Path) -> None:
    scan, text = Sheet(), Sheet()
    scan.picture(0, 0, 600, 800)
    paragraph(text, 100, 80, LOREM)
    document = read(pdf([text, scan]))
    assert [loss.reason for loss in document.losses] == ["picture without text, page 2"]
    scanned = pdf([scan, scan])
    document = read(scanned)
    assert not document.places
    assert [loss.reason for loss in document.losses] == ["picture without text, page 1", "picture without text, page 2"]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "scan.pdf").write_bytes(scanned)
    (tmp_path / "site" / "text.pdf").write_bytes(pdf([text]))
    with wrac.Workspace(tmp_path / "ws") as workspace:
        report = workspace.index([str(tmp_path / "site")])
    assert report.pages == 1
    assert [(skip.url, skip.reason) for skip in report.skipped] == [
        ("site/scan.pdf", "no text in it: picture without text, page 1; picture without text, page 2")
    ]


def test_text_that_is_drawn_twice_is_read_once() -> None:
    sheet = Sheet()
    sheet.text(100, 80, "Shadow")
    sheet.text(100.3, 80.3, "Shadow")
    document = read(pdf([sheet]))
    assert told(document) == [("paragraph", "Shadow")]


WHOLE = set_blocks([("heading", "Water"), ("paragraph", LOREM)])
_LOCK = f"/Filter /Standard /V 1 /R 2 /P -4 /O <{'11' * 32}> /U <{'22' * 32}>"
LOCKED = pdf([Sheet()], extra=f"/ID [<{'00' * 16}> <{'00' * 16}>] /Encrypt << {_LOCK} >>")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "no PDF: it does not begin as one"),
        (b"plain words", "no PDF: it does not begin as one"),
        (WHOLE[: len(WHOLE) // 2], "PDF that is cut short: its end is missing"),
        (b"%PDF-1.4\nnothing\n%%EOF\n", "damaged PDF: it cannot be opened"),
        (pdf([]), "damaged PDF: it cannot be opened"),
        (LOCKED, "encrypted PDF: it opens with a password only"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_line(body: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        parse(page(body))
    assert caught.value.source == "manual.pdf"
    assert "\n" not in str(caught.value)


def test_too_many_pages_name_the_cap() -> None:
    one = pdf([Sheet()])
    kid = re.search(rb"/Kids \[(\d+ 0 R)\] /Count 1", one)
    assert kid
    many = one.replace(kid[0], b"/Kids [" + b" ".join([kid[1]] * 6000) + b"] /Count 6000")
    with pytest.raises(LimitError) as caught:
        parse(page(many))
    assert (caught.value.cap, caught.value.limit) == ("pages", 5000)


# -- twins


@pytest.mark.skipif(not TWINS.exists(), reason="no shared documents (set WRAC_DATA)")
@pytest.mark.parametrize("name", ["Baggage Allowance", "Airbus A350", "Check Your Visa and Passport Requirements"])
def test_a_pdf_says_what_its_html_twin_says(name: str) -> None:
    html = (DATA / "rmc" / "cloudway" / "html" / f"{name}.html").read_bytes()
    twin = parse(Page(f"{name}.html", html))
    document = read((TWINS / f"{name}.pdf").read_bytes())
    said = {folded(text) for _, text in told(document)}
    wanted = [folded(text) for _, text in told(twin)]
    assert sum(text in said for text in wanted) >= 0.95 * len(wanted)


def folded(text: str) -> str:
    """A text with the quotes and dashes that typesetting changes made equal."""
    return re.sub(
        r"\s+", " ", text.translate(str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--"))
    ).strip()


def test_addresses_over_pages_are_kept_by_the_catalog() -> None:
    document = parse(page(set_blocks([("paragraph", " ".join([LOREM] * 12))] * 2)))
    assert document.places[0].address.rest is not None  # type: ignore[union-attr]
    units = [document.units[name] for name in codec.unit_order(document)]
    assert codec.decode_document(codec.encode_document(document), units) == document
