"""A PDF's glyphs, rules, pictures and links as pdfium reads them: page by page, in points from the top left.

The only module that imports pypdfium2. Its text is the glyphs' own: nothing is recognised, converted or reordered.
"""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import atan2, degrees, hypot
from typing import Final, NamedTuple

import pypdfium2 as pdfium  # type: ignore[import-untyped,unused-ignore]
from pypdfium2 import raw  # type: ignore[import-untyped,unused-ignore]

from wrac.core.errors import InputError, LimitError
from wrac.core.types import Page
from wrac.parsing.pdf_drawn import Box, Drawn, Handle, drawn_on

MAX_PAGES: Final = 5_000
MAX_SECONDS: Final = 300.0
MAX_GLYPHS: Final = 200_000
"""Glyphs of one page; what has more is no page."""

_BOLD: Final = re.compile(r"bold|black|heavy|demi|[-,]bd|^(?:cm|sf)(?:bx|ssbx)", re.IGNORECASE)
_ITALIC: Final = re.compile(r"ital|obli|slant|[-,]it$|^(?:cm|sf)(?:ti|sl|bxti)\d", re.IGNORECASE)
_MONO: Final = re.compile(
    r"mono|courier|consol|typewriter|menlo|(?:cm|sf|lm|ec)tt|inconsolata|source.?code|fira.?code|andale|lucidaco|gothic.?m",
    re.IGNORECASE,
)
_NARROW: Final = frozenset("iljtf.,:;'!|1")
_BROAD: Final = frozenset("mwMWOQGD@%")
HEADINGS: Final = {"H1": 1, "H2": 2, "H3": 3, "H4": 4, "H5": 5, "H6": 6, "Title": 1}
"""The level of each structure type that is a heading."""
_MAX_DEPTH: Final = 200
_FIXED_PITCH: Final = 1
_SPACES: Final = frozenset((32, 160, 9, 10, 13, 0x200B, 0xFEFF))
_SIMPLE: Final = {2: "-", 0xFFFE: "-", 0: "\ufffd"}
_HIGH, _LOW, _AFTER = 0xD800, 0xDC00, 0xE000


@dataclass(slots=True, eq=False)
class Font:
    """How a run of glyphs is set: size in points on the page, style, the turn of its baseline in degrees."""

    name: str
    size: float
    bold: bool
    italic: bool
    mono: bool
    turn: int
    tag: int


NO_FONT: Final = Font("", 0.0, False, False, False, 0, -1)


class Glyph(NamedTuple):
    """A character with its box, from the top left of the page."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    font: Font


class Link(NamedTuple):
    """A rectangle of the page that leads somewhere."""

    x0: float
    y0: float
    x1: float
    y1: float
    href: str


@dataclass(slots=True)
class Sheet:
    """One page as it is seen: `runs` are glyphs between white space, in the order of the file.

    A run that follows the one before without white space in the file has True in `glued`. `tags` gives the structure
    type (`H1`, `P`, `LBody`) of marked content by its number, in a file that says so.
    """

    number: int
    width: float
    height: float
    runs: list[list[Glyph]] = field(default_factory=list)
    drawn: Drawn = field(default_factory=Drawn)
    links: list[Link] = field(default_factory=list)
    tags: dict[int, str] = field(default_factory=dict)


class Facts(NamedTuple):
    """What a file says of itself: its title, language, and the outline as (level from 1, title, page from 1)."""

    title: str
    language: str
    outline: tuple[tuple[int, str, int], ...]


def read_pdf(page: Page) -> tuple[Facts, list[Sheet]]:
    """What a file says of itself, and its pages.

    Raises InputError for bytes that are no PDF, are cut short, damaged or encrypted; LimitError beyond a cap.
    """
    with _opened(page) as document:
        read = list(_sheets(page, document))
        said = _facts(document)
    _tell_mono([run for sheet in read for run in sheet.runs])
    return said, read


def _tell_mono(runs: Sequence[Sequence[Glyph]]) -> None:
    """Marks the fonts whose letters are all of one width, unless most of the text is set in such."""
    widths: dict[str, list[float]] = {}
    letters: dict[str, set[str]] = {}
    for run in runs:
        font, text = run[0].font, "".join([glyph.text for glyph in run])
        if len(run) > 2 and text.isascii() and run[-1].font is font and not font.turn and font.size:
            widths.setdefault(font.name, []).append((run[-1].x1 - run[0].x0) / len(run) / font.size)
            letters.setdefault(font.name, set()).update(text)
    even = {name for name, found in widths.items() if len(found) > 3 and max(found) - min(found) < 0.02}
    even = {name for name in even if letters[name] & _NARROW and letters[name] & _BROAD}
    total = sum(map(len, runs))
    mono = sum(len(run) for run in runs if run[0].font.mono or run[0].font.name in even)
    for font in {id(glyph.font): glyph.font for run in runs for glyph in (run[0], run[-1])}.values():
        font.mono = (font.mono or font.name in even) and mono * 3 < total * 2


@contextmanager
def _opened(page: Page) -> Iterator[Handle]:
    """The open file; closed at the end.

    Raises InputError for bytes that are no PDF, are cut short, or are encrypted; LimitError for too many pages.
    """
    _look(page)
    try:
        document = pdfium.PdfDocument(page.body)
    except pdfium.PdfiumError as error:
        raise InputError(page.url, *_problem(error)) from error
    try:
        count = len(document)
        if count > MAX_PAGES:
            raise LimitError(page.url, "pages", MAX_PAGES, count, "split the file")
        yield document
    finally:
        document.close()


def _look(page: Page) -> None:
    head = page.body[:1024]
    if b"%PDF-" not in head:
        raise InputError(page.url, "no PDF: it does not begin as one")
    length = re.search(rb"/Linearized\b.{0,200}?/L\s+(\d+)", head, re.DOTALL)
    if page.body.rfind(b"%%EOF") < 0 or (length and int(length[1]) > len(page.body)):
        raise InputError(page.url, "PDF that is cut short: its end is missing", "fetch or copy it again")


def _problem(error: Exception) -> tuple[str, str]:
    code = getattr(error, "err_code", None)
    if code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        return "encrypted PDF: it opens with a password only", "save it without one"
    return "damaged PDF: it cannot be opened", "open it in a viewer and save it again"


def _sheets(page: Page, document: Handle) -> Iterator[Sheet]:
    """The pages, in order; one that cannot be loaded has nothing on it and the number 0 less than its own.

    Raises LimitError when they take longer than MAX_SECONDS.
    """
    started = time.monotonic()
    for number in range(1, len(document) + 1):
        if time.monotonic() - started > MAX_SECONDS:
            raise LimitError(page.url, "seconds", MAX_SECONDS, f"reached at page {number}", "split the file")
        try:
            loaded = document[number - 1]
        except pdfium.PdfiumError as error:
            raise InputError(page.url, f"damaged PDF: page {number} cannot be read") from error
        try:
            yield _sheet(page, document, loaded, number)
        finally:
            loaded.close()


def _sheet(page: Page, document: Handle, loaded: Handle, number: int) -> Sheet:
    width, height = loaded.get_size()
    seen = _View(loaded)
    sheet = Sheet(number, width, height)
    text = raw.FPDFText_LoadPage(loaded.raw)
    if not text:
        raise InputError(page.url, f"damaged PDF: the text of page {number} cannot be read")
    try:
        count = raw.FPDFText_CountChars(text)
        if count > MAX_GLYPHS:
            raise LimitError(page.url, "glyphs", MAX_GLYPHS, f"{count} on page {number}", "split the file")
        sheet.runs = _runs(text, count, seen)
    finally:
        raw.FPDFText_ClosePage(text)
    sheet.drawn = drawn_on(loaded.raw, seen.box)
    sheet.links = list(_links(document.raw, loaded.raw, seen))
    sheet.tags = _tags(loaded.raw)
    return sheet


class _View:
    """The turn and crop of a page: user space to points from the top left as the page is shown."""

    def __init__(self, loaded: Handle) -> None:
        rect = raw.FS_RECTF()
        raw.FPDF_GetPageBoundingBox(loaded.raw, rect)
        self.left, self.bottom, self.right, self.top = rect.left, rect.bottom, rect.right, rect.top
        self.turn = raw.FPDFPage_GetRotation(loaded.raw)

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """(x0, y0, x1, y1) as shown."""
        if self.turn == 0:
            return left - self.left, self.top - top, right - self.left, self.top - bottom
        if self.turn == 1:
            return bottom - self.bottom, left - self.left, top - self.bottom, right - self.left
        if self.turn == 2:
            return self.right - right, bottom - self.bottom, self.right - left, top - self.bottom
        return self.top - top, self.right - right, self.top - bottom, self.right - left


def _runs(text: Handle, count: int, view: _View) -> list[list[Glyph]]:
    """The glyphs between white space, in the file's order."""
    runs: list[list[Glyph]] = []
    run: list[Glyph] = []
    rect, fonts, upright = raw.FS_RECTF(), _Fonts(text, view.turn), view.turn == 0
    code_at, box_at, left, top = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox, view.left, view.top
    fresh, high, font, above, below = True, 0, NO_FONT, 0.0, 0.0
    for index in range(count):
        code = code_at(text, index)
        if code in _SPACES:
            fresh = True
            continue
        if _HIGH <= code < _AFTER:
            if code < _LOW:
                high = code
                continue
            code, high = (0x10000 + ((high - _HIGH) << 10) + code - _LOW if high else 0xFFFD), 0
        character = _SIMPLE.get(code) or chr(code)
        if character.isspace() or character < " ":
            fresh = True
            continue
        box_at(text, index, rect)
        x0, y0, x1, y1 = rect.left, rect.bottom, rect.right, rect.top
        if y1 <= y0 or x1 <= x0:
            x0, y0, x1, y1 = _inked(text, index)
        if fresh or y0 != below or y1 != above:  # the same line of the same font else
            font, below, above = fonts.of(index), y0, y1
        box: Box = (x0 - left, top - y1, x1 - left, top - y0) if upright else view.box(x0, y0, x1, y1)
        if fresh:
            run = []
            runs.append(run)
            fresh = False
        run.append(Glyph(character, *box, font))
    return runs


def _inked(text: Handle, index: int) -> Box:
    """The box of a glyph's ink (left, bottom, right, top), where its font does not tell its extent."""
    sides = [ctypes.c_double() for _ in range(4)]
    raw.FPDFText_GetCharBox(text, index, *sides)
    left, right, bottom, top = (side.value for side in sides)
    return left, bottom, right, top


class _Fonts:
    """The font of a glyph, asked for once a text object."""

    def __init__(self, text: Handle, turn: int) -> None:
        self._text, self._turn = text, turn
        self._known: dict[bytes, Font] = {}
        self._names: dict[tuple[str, int], tuple[bool, bool, bool]] = {}
        self._matrix, self._flags = raw.FS_MATRIX(), ctypes.c_int()
        self._name = ctypes.create_string_buffer(256)

    def of(self, index: int) -> Font:
        """The font of the glyph at an index."""
        piece = raw.FPDFText_GetTextObject(self._text, index)
        key = bytes(piece)  # the pointer itself
        font = self._known.get(key)
        if font is None:
            font = self._known[key] = self._read(piece, index)
        return font

    def _read(self, piece: Handle, index: int) -> Font:
        matrix = self._matrix
        scale, turn = 1.0, 0.0
        if raw.FPDFText_GetMatrix(self._text, index, matrix):
            scale = hypot(matrix.c, matrix.d)
            turn = degrees(atan2(matrix.b, matrix.a)) - 90 * self._turn
        size = raw.FPDFText_GetFontSize(self._text, index) * scale
        tag = raw.FPDFPageObj_GetMarkedContentID(piece) if piece else -1
        name, bold, italic, mono = self._face(index)
        name = name or bytes(raw.FPDFTextObj_GetFont(piece)).hex()
        return Font(name, round(size, 1), bold, italic, mono, round(turn / 5) * 5 % 360, tag)

    def _face(self, index: int) -> tuple[str, bool, bool, bool]:
        self._name.value = b""
        raw.FPDFText_GetFontInfo(self._text, index, self._name, 256, self._flags)
        key = (self._name.value.decode("utf-8", "replace").split("+", 1)[-1], self._flags.value & _FIXED_PITCH)
        style = self._names.get(key)
        if style is None:
            name, fixed = key
            style = bool(_BOLD.search(name)), bool(_ITALIC.search(name)), bool(_MONO.search(name) or fixed)
            self._names[key] = style
        return (key[0], *style)


def _string(fill: Callable[[Handle, int], int], encoding: str) -> str:
    """A string of pdfium: asked for its length, then for itself."""
    length = fill(None, 0)
    if length <= 0:
        return ""
    buffer = ctypes.create_string_buffer(length)
    fill(buffer, length)
    end = 2 if encoding == "utf-16-le" else 1
    return buffer.raw[: length - end].decode(encoding, "replace")


def _wide(buffer: Handle) -> Handle:
    return ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)) if buffer else None


def _links(document: Handle, page: Handle, view: _View) -> Iterator[Link]:
    position, link = ctypes.c_int(0), raw.FPDF_LINK()
    while raw.FPDFLink_Enumerate(page, position, link):
        href = _href(document, link)
        rect = raw.FS_RECTF()
        if href and raw.FPDFLink_GetAnnotRect(link, rect):
            yield Link(*view.box(rect.left, rect.bottom, rect.right, rect.top), href)


def _tags(page: Handle) -> dict[int, str]:
    """The structure type of each piece of marked content of a page."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    found: dict[int, str] = {}
    try:
        count = raw.FPDF_StructTree_CountChildren(tree)
        stack = [(raw.FPDF_StructTree_GetChildAtIndex(tree, n), "", 0) for n in range(max(count, 0))]
        while stack:
            element, outer, depth = stack.pop()
            if not element or depth > _MAX_DEPTH:
                continue
            kind = _structure(element, outer)
            for n in range(max(raw.FPDF_StructElement_CountChildren(element), 0)):
                content = raw.FPDF_StructElement_GetChildMarkedContentID(element, n)
                if content >= 0:
                    found[content] = kind
                else:
                    stack.append((raw.FPDF_StructElement_GetChildAtIndex(element, n), kind, depth + 1))
    finally:
        raw.FPDF_StructTree_Close(tree)
    return found


def _structure(element: Handle, outer: str) -> str:
    """The type of a structure element; what stands inside a heading is a part of it."""
    if outer in HEADINGS:
        return outer
    return _string(lambda buffer, size: raw.FPDF_StructElement_GetType(element, buffer, size), "utf-16-le")


def _href(document: Handle, link: Handle) -> str:
    action = raw.FPDFLink_GetAction(link)
    if action and raw.FPDFAction_GetType(action) == raw.PDFACTION_URI:
        return _string(lambda buffer, size: raw.FPDFAction_GetURIPath(document, action, buffer, size), "utf-8")
    goal = raw.FPDFLink_GetDest(document, link) or (action and raw.FPDFAction_GetDest(document, action))
    number = raw.FPDFDest_GetDestPageIndex(document, goal) if goal else -1
    return f"#page={number + 1}" if number >= 0 else ""


def _facts(document: Handle) -> Facts:
    """The file's title, language and outline."""
    title = _string(lambda buffer, size: raw.FPDF_GetMetaText(document.raw, b"Title", buffer, size), "utf-16-le")
    language = _string(lambda buffer, size: raw.FPDFCatalog_GetLanguage(document.raw, _wide(buffer), size), "utf-16-le")
    outline = []
    for mark in document.get_toc(max_depth=8):
        dest = mark.get_dest()
        number = dest.get_index() if dest else None
        outline.append((mark.level + 1, " ".join(mark.get_title().split()), (number or 0) + 1))
        if len(outline) >= 20_000:
            break
    return Facts(" ".join(title.replace("\0", "").split()), language.replace("\0", "").strip(), tuple(outline))
