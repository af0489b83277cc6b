"""Addresses back to text, by the segmenter itself."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from wrac.core.errors import WracError
from wrac.core.types import Address, DataAddress, HtmlAddress, Outer, Page, PartAddress, PdfAddress
from wrac.parsing import data, delimited, markdown, plain
from wrac.parsing.dom import document, fragment, tree_of
from wrac.parsing.formats import EPUB, FORMATS, PDF, reader
from wrac.parsing.frames import Draft
from wrac.parsing.html import segment_tree
from wrac.parsing.segment import first_text
from wrac.parsing.source import decode, source_of
from wrac.parsing.strings import tree_of as tree_of_script
from wrac.parsing.strings import unfolded

if TYPE_CHECKING:
    from wrac.parsing.pdf import BoxReader

MARKDOWN_TYPE: Final = "text/markdown"
TEXT_TYPE: Final = "text/plain"
_WHOLE: Final = "document"
_PLAIN_TYPES: Final = frozenset((MARKDOWN_TYPE, TEXT_TYPE, *delimited.TYPES))


def resolve(address: Address, body: bytes, media_type: str = "text/html", charset: str = "") -> str:
    """The text at an address of a page.

    Raises WracError when the address leads nowhere in this body.
    """
    return Resolver(body, media_type, charset).text(address)


class Resolver:
    """Resolves the addresses of one page: it and each script and frame in it are decoded and read once."""

    def __init__(self, body: bytes, media_type: str = "text/html", charset: str = "") -> None:
        self._page = Page("", body, media_type, charset)
        self._read: dict[tuple[str, str], list[Draft]] = {}
        self._parts: dict[str, str] = {}
        self._inner: dict[Outer, str] = {}
        self._json: dict[tuple[str, int, int], Any] = {}

    def text(self, address: Address) -> str:
        """The text at the address."""
        if isinstance(address, HtmlAddress | DataAddress):
            return self._in_source(address)
        if isinstance(address, PdfAddress) and self._page.media_type == PDF:
            return self._boxes.text(address)
        text = self._places.get(address)
        if text is None:
            raise WracError(f"{address}: there is no such place in this body")
        return text

    @cached_property
    def _places(self) -> dict[Address, str]:
        """The text of every place of a file of parts or pages, by its address."""
        if self._page.media_type not in FORMATS:
            return {}
        found = reader(self._page.media_type).parse(self._page)
        return {place.address: found.text(place.ordinal) for place in found.places}

    @cached_property
    def _boxes(self) -> BoxReader:
        """The words of a PDF by their places."""
        reader(PDF)
        from wrac.parsing.pdf import BoxReader

        return BoxReader(self._page)

    @cached_property
    def _source(self) -> str:
        body, charset = self._page.body, self._page.charset
        if self._page.media_type in _PLAIN_TYPES:
            return decode(body, charset)[0]
        if self._page.media_type in FORMATS:
            raise WracError(f"a {FORMATS[self._page.media_type].module} file has no source of its own; its parts have")
        return source_of(body, tree_of(body, charset).encoding)

    @cached_property
    def _delimiter(self) -> str:
        return delimited.delimiter_of(self._source)

    def _in_source(self, address: HtmlAddress | DataAddress) -> str:
        source = self._around(address)
        if isinstance(address, DataAddress):
            return self._string(address, source)
        if address.context in (_WHOLE, markdown.CONTEXT):
            return self._whole(source, address.context)[address.nth].text
        if address.context == data.CONTEXT:
            return source.strip()
        piece = source[address.start : address.end]
        if address.context == plain.CONTEXT:
            return piece
        if address.context == delimited.CONTEXT:
            return delimited.text_of(piece, self._delimiter)
        return first_text(piece, address.context)

    def _around(self, address: HtmlAddress | DataAddress) -> str:
        """The source that an address counts in: the page, a part of the file, a srcdoc, a string of a JSON script."""
        outer = address.within
        if outer is None:
            return self._source
        if isinstance(outer, PartAddress):
            return self._part(outer)
        if outer not in self._inner:
            self._inner[outer] = self._inside(outer, self._around(outer))
        return self._inner[outer]

    def _inside(self, outer: HtmlAddress | DataAddress, source: str) -> str:
        """The document that stands in a string or a frame of a source."""
        if isinstance(outer, DataAddress):
            return self._string(outer, source)
        frame = fragment(source[outer.start : outer.end], "body").select_one("iframe,noframes,noembed")
        if frame is None:
            raise WracError(f"{outer.selector}: no frame at {outer.start}-{outer.end}")
        return frame.text if frame.tag != "iframe" else frame.attr("srcdoc") or ""

    def _string(self, address: DataAddress, source: str) -> str:
        """The string at a pointer into a JSON script."""
        key = source, address.start, address.end
        if key not in self._json:
            script = fragment(source[address.start : address.end], "body").select_one("script")
            if script is None:
                raise WracError(f"{address.pointer}: no script at {address.start}-{address.end}")
            self._json[key] = tree_of_script(script.text)
        value = self._json[key]
        for part in address.pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
        return unfolded(str(value))

    def _part(self, outer: PartAddress) -> str:
        """The source of a page in a book."""
        if self._page.media_type != EPUB:
            raise WracError(f"{outer}: only a book has pages of HTML")
        if outer.part not in self._parts:
            from wrac.parsing.epub import part_source

            self._parts[outer.part] = part_source(self._page, outer.part)
        return self._parts[outer.part]

    def _whole(self, source: str, context: str) -> list[Draft]:
        """The units of a whole source, for texts that stand where the tree does not show them."""
        drafts = self._read.get((source, context))
        if drafts is None:
            if context == _WHOLE:
                shadow = "shadowroot" in source.lower()
                drafts = segment_tree(document(source), lambda: source, shadow=shadow).drafts
            else:
                drafts = markdown.walk_markdown(source).drafts
            self._read[source, context] = drafts
        return drafts
