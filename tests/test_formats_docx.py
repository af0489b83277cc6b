"""Word files: every kind of block and run, nothing lost, addresses that an XPath finds."""

from __future__ import annotations

import io
import zipfile
from xml.etree import ElementTree

import mammoth
import pytest
from tests.office import DOCX, archive, checked, docx, shown

from wrac.core.structure import grid, numbers, trails
from wrac.core.types import Document, PartAddress

STYLES = """
<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Unser Kapitel"/>
  <w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="Gliederung"><w:name w:val="Eigene"/>
  <w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Quelltext"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="Zitat"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="Beschriftung"><w:name w:val="caption"/></w:style>
<w:style w:type="paragraph" w:styleId="Verzeichnis1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Liste"><w:name w:val="List Bullet 2"/>
  <w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>
<w:style w:type="character" w:styleId="Code"><w:name w:val="HTML Code"/></w:style>
<w:style w:type="character" w:styleId="Fett"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Raster"><w:name w:val="Grid"/><w:tblStylePr w:type="firstRow"/></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/></w:lvl>
  <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="decimal"/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="0"/></w:num>
"""


def p(text: str, style: str = "", properties: str = "") -> str:
    """A paragraph of one run, or of the runs that `text` is."""
    runs = text if text.startswith("<") else f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{runs}</w:p>"


def item(text: str, number: int, level: int = 0) -> str:
    return p(text, "", f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


CODE, STRONG = '<w:rStyle w:val="Code"/>', '<w:rStyle w:val="Fett"/>'


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def table(*rows: list[str], head: bool = False, properties: str = "") -> str:
    cells = (
        "<w:tr>"
        + ("<w:trPr><w:tblHeader/></w:trPr>" if head and not n else "")
        + "".join(f"<w:tc>{cell if '<w:p>' in cell else p(cell)}</w:tc>" for cell in row)
        + "</w:tr>"
        for n, row in enumerate(rows)
    )
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(cells)}</w:tbl>"


def read(body: str, links: dict[str, str] | None = None, **parts: str) -> Document:
    return checked(docx(body, links, styles=STYLES, numbering=NUMBERING, **parts), DOCX)


def marks(document: Document, ordinal: int) -> list[tuple[str, str, str]]:
    text = document.text(ordinal)
    return [(m.kind, text[m.start : m.end], m.value) for m in document.places[ordinal].marks]


def test_headings_by_style_in_any_language_by_base_and_by_outline() -> None:
    document = read(
        p("Bericht", "Titel") + p("Eins", "berschrift1") + p("Text.") + p("Zwei", "Kapitel") + p("Drei", "Gliederung")
        + p("Vier", "", '<w:outlineLvl w:val="0"/>')
    )  # fmt: skip
    levels = [(document.text(pl.ordinal), pl.level) for pl in document.places if pl.level]
    assert levels == [("Bericht", 1), ("Eins", 2), ("Zwei", 3), ("Drei", 4), ("Vier", 2)]
    assert [document.text(o) for o in trails(document)[2]] == ["Bericht", "Eins"]
    assert (document.title, document.language) == ("Bericht", "de-DE")


def test_an_address_is_a_path_that_finds_the_text_in_the_part() -> None:
    body = p("Eins", "berschrift1") + table(["a", "b"], ["c", "d"]) + p("Zwei") + item("x", 1) + item("y", 1)
    document = read(body)
    root = ElementTree.fromstring(f"<w:document xmlns:w='urn:w'><w:body>{body}</w:body></w:document>")  # noqa: S314
    for place in document.places:
        assert isinstance(place.address, PartAddress)
        assert place.address.part == "word/document.xml"
        (node,) = root.findall(place.address.shape, {"w": "urn:w"})
        assert "\t".join(text.text or "" for text in node.iter("{urn:w}t")) == document.text(place.ordinal)


def test_lists_nest_and_are_numbered_as_the_file_says() -> None:
    document = read(
        item("a", 1) + item("a1", 1, 1) + item("b", 1) + p("between") + item("four", 2) + item("sub", 2, 1)
        + item("five", 2) + p("again") + item("six", 2)
    )  # fmt: skip
    assert [(document.text(pl.ordinal), pl.level) for pl in document.places if pl.level] == [
        ("a", 1), ("a1", 2), ("b", 1), ("four", 1), ("sub", 2), ("five", 1), ("six", 1),
    ]  # fmt: skip
    assert {document.text(o): n for o, n in numbers(document).items()} == {"four": 4, "sub": 1, "five": 5, "six": 6}
    assert [span.data["ordered"] for span in document.spans if span.kind == "list"] == [False, False, True, True, True]


def test_list_styles_of_depth_two_nest_though_their_list_does_not_say_so() -> None:
    document = read(item("a", 1) + p("a1", "Liste") + item("b", 1))
    assert [pl.level for pl in document.places] == [1, 2, 1]


def test_number_zero_takes_a_paragraph_out_of_its_styles_list() -> None:
    document = read(p("no item", "Liste", '<w:numPr><w:numId w:val="0"/></w:numPr>'))
    assert shown(document) == [("paragraph", "no item")]


def test_tables_with_header_rows_merged_cells_lists_and_tables_in_cells() -> None:
    merged = (
        '<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>' + p("Head")
        + "</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>" + p("tall") + "</w:tc><w:tc>"
        + item("x", 1) + item("y", 1) + "</w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc>"
        + table(["n1", "n2"]) + p("after") + "</w:tc></w:tr></w:tbl>"
    )  # fmt: skip
    document = read(merged)
    outer = next(span for span in document.spans if span.kind == "table")
    assert outer.data["header_rows"] == (0,)
    assert grid(document, outer)[1] == ("tall", "x\ny")
    assert grid(document, outer)[2] == ("tall", "after")
    assert ("table_row", "n1\tn2") in shown(document)


@pytest.mark.parametrize(
    "one",
    [
        table(["Plan", "USD"], ["Small", "5"], head=True),
        table(["Plan", "USD"], ["Small", "5"], properties='<w:tblStyle w:val="Raster"/><w:tblLook w:firstRow="1"/>'),
        table(["Plan", "USD"], ["Small", "5"], properties='<w:tblStyle w:val="Raster"/><w:tblLook w:val="04A0"/>'),
        table([p(r("Plan", "<w:b/>")), p(r("USD", "<w:b/>"))], ["Small", "5"]),
        table(["Plan", "USD", "Since"], ["Small", "5", "2021"], ["Large", "9", "2023"]),
    ],
)
def test_a_header_row_is_marked_styled_bold_or_reads_like_one(one: str) -> None:
    document = read(one)
    assert next(span for span in document.spans if span.kind == "table").data["header_rows"] == (0,)


def test_a_first_row_like_the_others_is_no_header() -> None:
    pairs = table(["Maker", "Airbus"], ["Seats", "320"], ["Weight", "140 t"])
    for one in (pairs, table(["a", "b", "c"], ["d", "e", "f"]), table([p(r("a", "<w:b/>"))], [p(r("b", "<w:b/>"))])):
        assert next(span for span in read(one).spans if span.kind == "table").data["header_rows"] == ()


def test_runs_become_marks_and_equal_neighbours_one_mark() -> None:
    document = read(
        "<w:p>" + r("bo", "<w:b/>") + r("ld", "<w:b/>") + r(" not", '<w:b w:val="0"/>')
        + r("fett", STRONG) + r(" x", CODE) + r("2", '<w:vertAlign w:val="superscript"/>')
        + '<w:hyperlink r:id="l1">' + r("a ") + r("link", "<w:i/>") + '</w:hyperlink><w:hyperlink w:anchor="here">'
        + r("inside") + "</w:hyperlink></w:p>",
        {"l1": "https://example.com/x?a=1&amp;b=2"},
    )  # fmt: skip
    assert document.text(0) == "bold notfett x2a linkinside"
    assert marks(document, 0) == [
        ("strong", "bold", ""), ("strong", "fett", ""), ("code", "x", ""), ("sup", "2", ""),
        ("link", "a link", "https://example.com/x?a=1&b=2"), ("em", "link", ""), ("link", "inside", "#here"),
    ]  # fmt: skip


def test_fields_give_their_result_and_their_link() -> None:
    field = (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://e.org" \\l "top" '
        '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>' + r("shown")
        + '<w:r><w:fldChar w:fldCharType="end"/></w:r>' + r(" plain") + "</w:p>"
    )  # fmt: skip
    document = read(field)
    assert document.text(0) == "shown plain"
    assert marks(document, 0) == [("link", "shown", "https://e.org#top")]


def test_notes_and_comments_follow_the_block_that_cites_them() -> None:
    document = read(
        "<w:p>" + r("Claim") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + r(" goes on.") + "</w:p>"
        + table([p('<w:r><w:t>cell</w:t><w:endnoteReference w:id="5"/><w:commentReference w:id="0"/></w:r>'), "b"])
        + p("Last."),
        footnotes='<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2">' + p("The note.")
        + '</w:footnote><w:footnote w:id="9">' + p("Never cited.") + "</w:footnote>",
        endnotes='<w:endnote w:id="5">' + p("At the end.") + "</w:endnote>",
        comments='<w:comment w:id="0">' + p("Really?") + "</w:comment>",
    )  # fmt: skip
    found = [(document.text(pl.ordinal), pl.role) for pl in document.places]
    assert found == [
        ("Claim goes on.", "main"), ("The note.", "aside"), ("cell\tb", "main"), ("At the end.", "aside"),
        ("Really?", "comment"), ("Last.", "main"), ("Never cited.", "aside"),
    ]  # fmt: skip
    assert document.places[1].address == PartAddress("word/footnotes.xml", "w:footnote[2]/w:p[1]")


def test_headers_and_footers_of_the_pages_have_their_roles_and_come_once() -> None:
    section = '<w:headerReference w:type="default" r:id="header1"/><w:footerReference r:id="footer1"/>'
    document = read(
        p("Text.", "", f"<w:sectPr>{section}</w:sectPr>") + p("More.") + f"<w:sectPr>{section}</w:sectPr>",
        header1=p("Company"), footer1=p("Page 1"),
    )  # fmt: skip
    assert [(document.text(pl.ordinal), pl.role) for pl in document.places] == [
        ("Company", "header"), ("Text.", "main"), ("More.", "main"), ("Page 1", "footer"),
    ]  # fmt: skip


def test_what_a_tracked_change_took_out_is_a_loss_and_what_it_put_in_is_text() -> None:
    document = read(
        "<w:p>" + r("Keep ") + "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>" + r("new") + "</w:ins>"
        + "<w:moveFrom>" + r("was here") + "</w:moveFrom></w:p><w:p><w:moveTo>" + r("was here") + "</w:moveTo></w:p>"
    )  # fmt: skip
    assert [text for _, text in shown(document)] == ["Keep new", "was here"]
    assert [(loss.reason, loss.text) for loss in document.losses] == [
        ("deleted in a tracked change", "gone"), ("moved in a tracked change", "was here"),
    ]  # fmt: skip


def test_text_boxes_follow_their_paragraph_once() -> None:
    box = f"<w:txbxContent>{p('In the box.')}{p('Second.')}</w:txbxContent>"
    document = read(
        "<w:p>" + r("Anchor.") + "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor><a:graphic>"
        f"<a:graphicData><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor>"
        f"</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>" + p("After.")
    )  # fmt: skip
    assert [text for _, text in shown(document)] == ["Anchor.", "In the box.", "Second.", "After."]


def drawing(alt: str) -> str:
    said = f'name="Picture 1" descr="{alt}"'
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" {said}/><a:graphic><a:graphicData>'
        f'<pic:pic><pic:nvPicPr><pic:cNvPr id="0" {said}/></pic:nvPicPr><pic:blipFill><a:blip r:embed="image1"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def test_pictures_by_their_text_or_as_losses() -> None:
    document = read(p(drawing("A red pump")) + p("<w:r><w:t>see </w:t></w:r>" + drawing("this")) + p(drawing("")))
    assert shown(document) == [("image", "A red pump"), ("paragraph", "see this")]
    assert [loss.reason for loss in document.losses] == ["picture without text: image1"]


def test_a_file_of_a_picture_only_is_not_silently_empty() -> None:
    assert [loss.reason for loss in read(p(drawing(""))).losses] == ["picture without text: image1"]
    assert [loss.reason for loss in read("<w:p/>").losses] == ["file without text"]


def test_code_by_style_and_by_font_keeps_its_spaces_and_lines() -> None:
    mono = '<w:rFonts w:ascii="Consolas"/>'
    document = read(
        p("def f():", "Quelltext") + "<w:p/>" + p("    return  1", "Quelltext") + "<w:p/>"
        + p("Text.")
        + p(r("a  = 1", mono)) + p(r("b", mono))
        + p(r("mixed ") + r("code", mono))
    )  # fmt: skip
    assert shown(document) == [
        ("code", "def f():\n\n    return  1"), ("paragraph", "Text."), ("code", "a  = 1\nb"),
        ("paragraph", "mixed code"),
    ]  # fmt: skip


def test_quotes_captions_and_tables_of_contents() -> None:
    document = read(
        p("Eins\t3", "Verzeichnis1") + p("Kapitel", "berschrift1") + p("Wise.", "Zitat")
        + p("Figure 1: x", "Beschriftung")
    )  # fmt: skip
    assert shown(document)[1:] == [("heading", "Kapitel"), ("quote", "Wise."), ("caption", "Figure 1: x")]
    assert document.places[0].role == "toc"


def test_what_else_a_run_may_hold() -> None:
    document = read(
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r>"
        '<w:r><w:sym w:font="Arial" w:char="2713"/></w:r><w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>'
        "<w:p><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></w:p><w:p><w:r><w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r></w:p>"
        "<w:sdt><w:sdtContent>" + p("controlled") + "</w:sdtContent></w:sdt>"
    )  # fmt: skip
    assert shown(document) == [
        ("paragraph", "a b\nc\u2011d✓"), ("math", "x=1"), ("paragraph", "漢kan"), ("paragraph", "unseen"),
        ("paragraph", "controlled"),
    ]  # fmt: skip
    assert document.places[3].visible == "hidden"
    assert [loss.reason for loss in document.losses] == ["symbol of the font Wingdings"]


def test_bookmarks_are_anchors_of_what_they_stand_at() -> None:
    mark = '<w:bookmarkStart w:id="1" w:name="{}"/>'
    document = read(
        mark.format("fees") + p("Fees", "berschrift1") + p(mark.format("_GoBack") + mark.format("late") + r("Late"))
    )
    assert [place.anchor for place in document.places] == ["fees", "late"]


def test_the_strict_form_of_the_standard_reads_alike() -> None:
    strict = {
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/": b"http://purl.oclc.org/ooxml/wordprocessingml/",
        b"http://schemas.openxmlformats.org/officeDocument/2006/": b"http://purl.oclc.org/ooxml/officeDocument/",
    }
    parts = {}
    with zipfile.ZipFile(io.BytesIO(docx(p("Eins", "berschrift1") + table(["a", "b"]), styles=STYLES))) as file:
        for name in file.namelist():
            parts[name] = file.read(name)
            for before, after in strict.items():
                parts[name] = parts[name].replace(before, after)
    assert shown(checked(archive(parts), DOCX)) == [("heading", "Eins"), ("table_row", "a\tb")]


def test_a_second_reader_finds_the_same_words() -> None:
    body = docx(
        p("Bericht", "berschrift1") + item("a", 1) + item("b", 1, 1) + table(["x", table(["y"]) + p("z")]) + p("End."),
        styles=STYLES, numbering=NUMBERING,
    )  # fmt: skip
    ours = " ".join(text for _, text in shown(checked(body, DOCX))).split()
    theirs = mammoth.extract_raw_text(io.BytesIO(body)).value.split()
    assert sorted(ours) == sorted(theirs)
