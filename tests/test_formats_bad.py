"""Files that are damaged, locked, too large or something else: one clear line, never a crash or a silent nothing."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import openpyxl
import pptx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.commands import command
from tests.office import DOCX, EPUB, PDF, PPTX, XLSX, archive, docx, epub

from wrac.catalog.codec import decode_document, encode_document, unit_order
from wrac.core.errors import InputError, LimitError, MissingExtraError, WracError
from wrac.core.types import Page
from wrac.fetching import Skip, media, pages
from wrac.parsing import Resolver, account, package, parse


def _saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def _presentation() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Title", "Text"
    slide.notes_slide.notes_text_frame.text = "Note"
    return _saved(deck)


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    for row in (["Plan", "USD"], ["Small", 1.5]):
        book.active.append(row)
    return _saved(book)


WORD = docx(
    '<w:p><w:pPr><w:pStyle w:val="H"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
    "<w:r><w:t>One</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
    styles='<w:style w:styleId="H"><w:name w:val="heading 1"/><w:basedOn w:val="H"/></w:style>',
    numbering='<w:abstractNum w:abstractNumId="0"/><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
)
FILES = {
    DOCX: WORD,
    PPTX: _presentation(),
    XLSX: _workbook(),
    EPUB: epub({"a.xhtml": "<html><body><h1>One</h1><p>x</p></body></html>"}),
}


@pytest.mark.parametrize("media_type", FILES)
def test_damaged_and_foreign_bytes_are_refused_in_one_line(media_type: str) -> None:
    for body in (
        FILES[media_type][:-40],
        FILES[media_type][:200],
        b"",
        b"no archive",
        archive({"x": "y"}),
        bytes(9999),
    ):
        with pytest.raises(InputError, match=r"^file: (?:damaged or no|.*missing)") as caught:
            parse(Page("file", body, media_type))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("media_type", FILES)
@given(data=st.data())
@settings(max_examples=60)
def test_changed_bytes_never_crash(media_type: str, data: st.DataObject) -> None:
    """In the archive as a whole, and inside its parts, where checksums do not help."""
    body = FILES[media_type]
    if data.draw(st.booleans()):
        with zipfile.ZipFile(io.BytesIO(body)) as file:
            parts = {name: file.read(name) for name in file.namelist()}
        name = data.draw(st.sampled_from(sorted(parts)))
        parts[name] = _mutated(parts[name], data)
        body = archive(parts)
    else:
        body = _mutated(body, data)
    page = Page("file", body, media_type)
    try:
        document = parse(page)
    except WracError as error:
        assert "\n" not in str(error)
        return
    assert account(page, document).balanced
    resolver = Resolver(body, media_type)
    for place in document.places:
        assert resolver.text(place.address) == document.text(place.ordinal)


def _mutated(body: bytes, data: st.DataObject) -> bytes:
    at = data.draw(st.integers(0, max(len(body) - 1, 0)))
    length = data.draw(st.integers(0, 40))
    new = data.draw(
        st.binary(max_size=8) | st.sampled_from([b"", b">", b"/>", b'"', b"<w:p>", b"</a:p>", b"-1", b"99999999"])
    )
    return body[:at] + new + body[at + length :]


def test_a_bomb_is_stopped_by_a_cap_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_PART", 100_000)
    body = docx("<w:p><w:r><w:t>" + "x" * 200_000 + "</w:t></w:r></w:p>")
    assert len(body) < 5_000
    with pytest.raises(LimitError, match=r"size of word/document\.xml in bytes is \d+, the cap is 100000") as caught:
        parse(Page("bomb.docx", body, DOCX))
    assert caught.value.limit == 100_000
    monkeypatch.setattr(package, "MAX_EXPANDED", 1_000)
    with pytest.raises(LimitError, match="expanded size in bytes is"):
        parse(Page("bomb.xlsx", FILES[XLSX], XLSX))


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><w:document>&b;</w:document>'
    with zipfile.ZipFile(io.BytesIO(WORD)) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["word/document.xml"] = bomb.encode()
    with pytest.raises(InputError, match="declares entities"):
        parse(Page("x.docx", archive(parts), DOCX))


def test_content_nested_too_deeply_is_refused() -> None:
    deep = "<w:tbl><w:tr><w:tc>" * 2_000 + "</w:tc></w:tr></w:tbl>" * 2_000
    with pytest.raises(InputError, match="nested too deeply"):
        parse(Page("deep.docx", docx(deep), DOCX))


def test_a_format_without_its_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("wrac.parsing.pdf")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r'reading PDF files needs an extra: pip install "wrac\[pdf\]"'):
        parse(Page("x.pdf", b"%PDF-1.7", PDF))


# What the bytes are, whatever the name says


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
OPEN_DOCUMENT = archive({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"})


@pytest.mark.parametrize("media_type", FILES)
def test_a_document_is_known_by_its_bytes(media_type: str) -> None:
    assert media.by_bytes(FILES[media_type]) == (media_type, "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (OLE, "old office file: save it as .docx, .pptx or .xlsx"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "encrypted office file: save it without a password"),
        (OPEN_DOCUMENT, "OpenDocument file: save it as .docx, .pptx or .xlsx"),
        (archive({"a.txt": "x"}), "ZIP archive of no document: unpack it and give the folder"),
        (WORD[:100], "damaged or truncated ZIP archive or office file: get it again"),
    ],
)
def test_what_is_passed_over_says_what_to_do(body: bytes, reason: str, tmp_path: Path) -> None:
    for name in ("x.docx", "x.html", "x"):
        (tmp_path / name).write_bytes(body)
        (found,) = pages([str(tmp_path / name)])
        assert isinstance(found, Skip) or reason.startswith("damaged") or name == "x", found
        if isinstance(found, Skip) and name != "x":
            assert found.reason == reason


def test_names_and_bytes_that_disagree(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(WORD)
    (tmp_path / "b.docx").write_bytes(b"<html><p>saved as Word</p></html>")
    (tmp_path / "c.docx").write_bytes(b"just text")
    (tmp_path / "d.xlsx").write_bytes(FILES[PPTX])
    (tmp_path / "e.doc").write_bytes(OLE)
    found = {page.url.rpartition("/")[2]: page for page in pages([str(tmp_path)])}
    assert {name: page.media_type for name, page in found.items() if isinstance(page, Page)} == {
        "a.html": DOCX, "b.docx": "text/html", "d.xlsx": PPTX,
    }  # fmt: skip
    assert {name: skip.reason for name, skip in found.items() if isinstance(skip, Skip)} == {
        "c.docx": "not the document that its name says: damaged, or text under a wrong name",
        "e.doc": "not a page: .doc (save it as .docx)",
    }


@pytest.mark.parametrize("media_type", FILES)
def test_what_is_stored_is_read_back_alike(media_type: str) -> None:
    document = parse(Page("file", FILES[media_type], media_type))
    units = [document.units[unit] for unit in unit_order(document)]
    assert decode_document(encode_document(document), units) == document


# From end to end


def test_a_folder_of_documents_is_indexed_searched_shown_and_verified(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.docx").write_bytes(docx("<w:p><w:r><w:t>The pump runs dry.</w:t></w:r></w:p>"))
    (folder / "b.pptx").write_bytes(FILES[PPTX])
    (folder / "c.xlsx").write_bytes(FILES[XLSX])
    (folder / "d.epub").write_bytes(FILES[EPUB])
    (folder / "e.csv").write_bytes(b"Plan,USD\nSmall,5\n")
    (folder / "f.docx").write_bytes(WORD[:300])
    code, stdout, _ = command("index", "files", "--json", cwd=tmp_path)
    assert (code, '"pages": 5' in stdout) == (0, True), stdout
    code, stdout, _ = command("search", "pump", "--json", "-k", "1", cwd=tmp_path)
    assert (code, "files/a.docx" in stdout) == (0, True), stdout
    code, stdout, _ = command("verify", "--json", cwd=tmp_path)
    assert (code, '"problems": []' in stdout) == (0, True), stdout
    for name in ("a.docx", "b.pptx", "c.xlsx", "d.epub", "e.csv"):
        for verb in ("parse", "chunk"):
            assert command(verb, f"files/{name}", "--json", cwd=tmp_path)[0] == 0
