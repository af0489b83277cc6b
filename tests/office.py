"""Small documents of parts, written by the tests themselves."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from wrac.core.types import Document, Page
from wrac.parsing import Resolver, account, parse
from wrac.parsing.formats import DOCX, EPUB, PDF, PPTX, XLSX

__all__ = ["DOCX", "EPUB", "PDF", "PPTX", "XLSX", "archive", "checked", "docx", "epub", "shown"]

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SPACES = (
    f'xmlns:w="{_W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"'
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of the parts, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """A relations part: kind and target by id; a target with a scheme is external."""
    rows = (
        f'<Relationship Id="{name}" Type="{_KIND}{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if "://" in target else "/>")
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{"".join(rows)}</Relationships>'


def docx(body: str, links: Mapping[str, str] | None = None, **parts: str) -> bytes:
    """A Word file of this body; `parts` are further ones by kind (styles, numbering, footnotes, header1 …)."""
    kinds = {name: name.rstrip("0123456789") for name in parts}
    targets = {name: (kinds[name], f"{name}.xml") for name in parts}
    targets |= {name: ("hyperlink", target) for name, target in (links or {}).items()}
    content = {
        "[Content_Types].xml": '<Types><Override ContentType="application/vnd.openxmlformats-officedocument.'
        'wordprocessingml.document.main+xml" PartName="/word/document.xml"/></Types>',
        "_rels/.rels": relations({"r1": ("officeDocument", "word/document.xml")}),
        "word/document.xml": f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(targets),
    }
    for name, xml in parts.items():
        root = {"header": "hdr", "footer": "ftr"}.get(kinds[name], name)
        content[f"word/{name}.xml"] = f"<w:{root} {_SPACES}>{xml}</w:{root}>"
    return archive(content)


def epub(pages: Mapping[str, str], nav: str = "", metadata: str = "") -> bytes:
    """A book of these pages, in their order; `nav` is a page of the spine that holds the table of contents."""
    use = {nav: ' properties="nav"'}
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"{use.get(name, "")}/>'
        for n, name in enumerate(pages)
    )
    root = '<rootfile full-path="OEBPS/book.opf"/>'
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages)))
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f"<container><rootfiles>{root}</rootfiles></container>",
            "OEBPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/'
            f'elements/1.1/"><dc:title>A book</dc:title><dc:language>fr</dc:language>{metadata}</metadata>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            **{f"OEBPS/{name}": text for name, text in pages.items()},
        }
    )


def checked(body: bytes, media_type: str) -> Document:
    """The document of a body, after the laws were checked: conservation, addresses, determinism."""
    page = Page("file", body, media_type)
    document = parse(page)
    assert parse(page) == document
    found = account(page, document)
    assert found.balanced, found
    resolver = Resolver(body, media_type)
    for place in document.places:
        assert resolver.text(place.address) == document.text(place.ordinal), place
    assert document.places or document.losses
    return document


def shown(document: Document) -> list[tuple[str, str]]:
    """Kind and text of each place."""
    return [(document.unit(place.ordinal).kind, document.text(place.ordinal)) for place in document.places]
