"""A small writer of PDFs for tests: text by place in the standard fonts, rules, pictures, links, an outline."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

FONTS = {"regular": "Helvetica", "bold": "Helvetica-Bold", "italic": "Helvetica-Oblique", "mono": "Courier"}
_ASCII = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 "
    "944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 "
    "500 278 556 500 722 500 500 500 334 260 334 584"
)
WIDTHS = [int(width) for width in _ASCII.split()]
"""Of the characters from space to tilde in Helvetica, in thousandths of the size; bold is set as wide."""


def width(text: str, size: float = 10, font: str = "regular") -> float:
    """How wide a text is set, in points."""
    if font == "mono":
        return 0.6 * size * len(text)
    return sum(WIDTHS[ord(c) - 32] if " " <= c <= "~" else 556 for c in text) * size / 1000


def wrapped(text: str, room: float, size: float = 10, font: str = "regular") -> list[str]:
    """The text in lines no wider than `room` points."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, size, font) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@dataclass
class Sheet:
    """A page of 600 by 800 points; places count from its top left, a text's is the left end of its baseline."""

    turn: int = 0
    marks: list[str] = field(default_factory=list)
    links: list[tuple[float, float, float, float, str]] = field(default_factory=list)
    pictures: int = 0

    def text(self, x: float, y: float, text: str, size: float = 10, font: str = "regular") -> None:
        """One line of text."""
        name = font
        try:
            code = text.encode("cp1252").hex()
        except UnicodeEncodeError:
            name, code = "wide", text.encode("utf-16-be").hex()
        self.marks.append(f"BT /{name} {size} Tf {x} {800 - y} Td <{code}> Tj ET")

    def lines(  # noqa: PLR0913, PLR0917 - a line has what it has
        self, x: float, y: float, lines: Iterable[str], size: float = 10, font: str = "regular", step: float = 12
    ) -> float:
        """Lines below one another; gives back the baseline after the last."""
        for line in lines:
            self.text(x, y, line, size, font)
            y += step
        return y

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A straight line."""
        self.marks.append(f"0.5 w {x0} {800 - y0} m {x1} {800 - y1} l S")

    def picture(self, x: float, y: float, wide: float, high: float) -> None:
        """A grey picture; its place is its top left."""
        self.pictures += 1
        self.marks.append(f"q {wide} 0 0 {high} {x} {800 - y - high} cm /picture Do Q")

    def link(self, x0: float, y0: float, x1: float, y1: float, href: str) -> None:
        """A rectangle that leads somewhere."""
        self.links.append((x0, y0, x1, y1, href))


def _stream(data: bytes, head: str = "") -> bytes:
    packed = zlib.compress(data)
    return f"<< {head} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode() + packed + b"\nendstream"


def _unicode() -> bytes:
    """The map that says every code of two bytes is the character of that number."""
    ranges = [f"<{high:02X}00> <{high:02X}FF> <{high:02X}00>" for high in range(256)]
    blocks = [ranges[at : at + 64] for at in range(0, 256, 64)]
    listed = "\n".join(f"{len(block)} beginbfrange\n" + "\n".join(block) + "\nendbfrange" for block in blocks)
    head = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Same def /CMapType 2 def"
    space = "1 begincodespacerange <0000> <FFFF> endcodespacerange"
    return f"{head}\n{space}\n{listed}\nendcmap end end".encode()


def _fonts() -> list[tuple[str, bytes]]:
    """The font objects in order, with their names in pages; "wide" takes any character of two bytes."""
    found = []
    for name, base in FONTS.items():
        widths = " ".join(map(str, [600] * 224 if name == "mono" else [*WIDTHS, *[556] * 129]))
        body = (
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 255 "
        )
        found.append((name, f"{body} /Widths [{widths}] >>".encode()))
    return found


def pdf(
    sheets: Sequence[Sheet],
    title: str = "",
    language: str = "",
    outline: Sequence[tuple[str, int]] = (),
    extra: str = "",
) -> bytes:
    """A file of some pages; `outline` holds titles with page numbers from 1, `extra` goes into its trailer."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    fonts = {name: add(body) for name, body in _fonts()}
    unicode = add(_stream(_unicode()))
    info = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    inner = add(f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Wide {info} /DW 1000 >>".encode())
    head = "<< /Type /Font /Subtype /Type0 /BaseFont /Wide /Encoding /Identity-H"
    fonts["wide"] = add(f"{head} /DescendantFonts [{inner} 0 R] /ToUnicode {unicode} 0 R >>".encode())
    look = "/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8"
    picture = add(_stream(bytes(64), look))
    names = " ".join(f"/{name} {number} 0 R" for name, number in fonts.items())
    root = len(objects) + 1 + 2 * len(sheets)
    kids = []
    for sheet in sheets:
        content = add(_stream("\n".join(sheet.marks).encode()))
        links = " ".join(
            f"<< /Type /Annot /Subtype /Link /Rect [{x0} {800 - y1} {x1} {800 - y0}] /A << /S /URI /URI ({href}) >> >>"
            for x0, y0, x1, y1, href in sheet.links
        )
        resources = f"<< /Font << {names} >> /XObject << /picture {picture} 0 R >> >>"
        head = f"<< /Type /Page /Parent {root} 0 R /MediaBox [0 0 600 800] /Rotate {sheet.turn} /Annots [{links}]"
        kids.append(add(f"{head} /Resources {resources} /Contents {content} 0 R >>".encode()))
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    pages = add(f"<< /Type /Pages /Kids [{listed}] /Count {len(kids)} >>".encode())
    assert pages == root
    items = [add(b"") for _ in outline]
    marks = add(f"<< /Type /Outlines /First {items[0]} 0 R /Last {items[-1]} 0 R >>".encode()) if items else 0
    for place, (name, page) in enumerate(outline):
        following = f"/Next {items[place + 1]} 0 R" if place + 1 < len(items) else ""
        body = f"<< /Title ({name}) /Parent {marks} 0 R {following} /Dest [{kids[page - 1]} 0 R /Fit] >>"
        objects[items[place] - 1] = body.encode()
    said = f"/Lang ({language})" if language else ""
    catalog = add(
        f"<< /Type /Catalog /Pages {pages} 0 R {said} {f'/Outlines {marks} 0 R' if marks else ''} >>".encode()
    )
    facts = add(f"<< /Title ({title}) >>".encode())
    return _file(objects, f"/Root {catalog} 0 R /Info {facts} 0 R {extra}")


def _file(objects: Sequence[bytes], trailer: str) -> bytes:
    result, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(result))
        result += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(result)
    size = len(objects) + 1
    head = f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    end = f"{head}trailer\n<< /Size {size} {trailer} >>\nstartxref\n{start}\n%%EOF\n"
    return result + end.encode()
