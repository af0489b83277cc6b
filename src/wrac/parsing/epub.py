"""Books to a Document: the pages of the spine in order, each segmented as HTML.

The address of a unit is that in its page's source, within the page's part. The source is the part's text with the empty
elements of XML (`<a id="x"/>`) and its CDATA sections written as HTML has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

from wrac.core.errors import InputError
from wrac.core.types import Document, Loss, Page, PartAddress
from wrac.parsing.dom import document
from wrac.parsing.emit import Emitter
from wrac.parsing.formats import EPUB, FORMATS
from wrac.parsing.frames import SpanDraft
from wrac.parsing.html import segment_tree
from wrac.parsing.inline import is_void
from wrac.parsing.markup import assembled
from wrac.parsing.package import Node, Package, within
from wrac.parsing.segment import Segmenter
from wrac.parsing.source import decode
from wrac.parsing.texts import tree_sources

_PAGES: Final = frozenset(("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml"))
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.-]+)""")
_EMPTY: Final = re.compile(r"""<([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)/>""")
_CDATA: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_META: Final = {"creator": "author", "description": "description", "publisher": "publisher", "date": "date",
                "subject": "keywords"}  # fmt: skip


class _Item(NamedTuple):
    """A part of the book: its name, its media type, and what it is for."""

    name: str
    media_type: str
    properties: str


class _Book:
    """The parts of a book that are read, in order, and what it says of itself."""

    def __init__(self, page: Page) -> None:
        self.package = Package(page, "EPUB book")
        container = self.package.xml("META-INF/container.xml")
        roots = [node.get("full-path", "") for node in container.iter() if node.tag.endswith("rootfile")]
        if not roots:
            raise self.package.damaged("it has no package document")
        self._folder, self._root = roots[0].rpartition("/")[0], self.package.xml(roots[0])
        self._refuse_locked(page.url)

    def spine(self) -> Iterator[_Item]:
        """The parts in reading order."""
        items = {
            node.get("id", ""): _Item(
                within(self._folder, node.get("href", "")), node.get("media-type", ""), node.get("properties", "")
            )
            for node in _all(self._root, "item")
        }
        for node in _all(self._root, "itemref"):
            item = items.get(node.get("idref", ""))
            if item is not None:
                yield item

    def about(self) -> dict[str, str]:
        """Title, language and metadata; of several values the first."""
        found: dict[str, str] = {}
        for node in next(_all(self._root, "metadata"), ()):
            name, text = _local(node), " ".join((node.text or "").split())
            key = name if name in ("title", "language") else _META.get(name, "")
            if key and text:
                found.setdefault(key, text)
        return found

    def _refuse_locked(self, url: str) -> None:
        """Raises InputError when a page of the book is encrypted; fonts often are, and are not read."""
        if "META-INF/encryption.xml" not in self.package:
            return
        locked = {
            within("", node.get("URI", ""))
            for node in _all(self.package.xml("META-INF/encryption.xml"), "CipherReference")
        }
        if any(item.name in locked for item in self.spine()):
            raise InputError(url, "is locked by its seller (DRM)", "get it without a lock")


def parse(page: Page) -> Document:
    """The Document of a book. Raises InputError for bytes that are none, LimitError for one beyond a cap."""
    book = _Book(page)
    out = Emitter(str)
    open_: list[SpanDraft] = []  # sections that go on into the next part
    for item in book.spine():
        if item.media_type not in _PAGES or item.name not in book.package:
            reason = "picture without text" if item.media_type.startswith("image/") else "part that is no page of text"
            out.losses.append(Loss(f"{reason}: {item.name}", 0))
            continue
        walk = _walk(_source(book.package, item.name))
        if "nav" in item.properties.split():
            for draft in walk.drafts:
                draft.role = "toc"
        base = len(out.drafts)
        out.adopt(walk, PartAddress(item.name, ""))
        open_ = _carried(open_, [span for span in walk.spans if span.kind == "section"], base, len(out.drafts))
    return assembled(page, FORMATS[EPUB].parser, out, book.about())


def _walk(source: str) -> Segmenter:
    return segment_tree(document(source), lambda: source, shadow="shadowroot" in source.lower())


def _carried(open_: list[SpanDraft], sections: list[SpanDraft], base: int, end: int) -> list[SpanDraft]:
    """The sections that are open after a part: a chapter may be cut into files, and a part title stands in its own.

    Those that were open go on to the first heading of their level or higher.
    """
    if base == end:
        return open_
    still = []
    for span in open_:
        ends = [s.first for s in sections if s.data["level"] <= span.data["level"]]
        span.last = max(span.last, min(ends, default=end) - 1)
        if not ends:
            still.append(span)
    return still + [span for span in sections if span.last == end - 1]


def part_source(page: Page, part: str) -> str:
    """The source of a page of the book, in which addresses count. Raises InputError when there is no such part."""
    return _source(Package(page, "EPUB book"), part)


def _source(package: Package, part: str) -> str:
    body = package.read(part)
    declared = _DECLARED.match(body[:300].lstrip())
    source = decode(body, declared[1].decode("ascii") if declared else "")[0]
    if "/>" in source:
        source = _EMPTY.sub(_written_out, source)
    return _CDATA.sub(lambda found: escape(found[1], quote=False), source) if "<![CDATA[" in source else source


def _written_out(found: re.Match[str]) -> str:
    return found[0] if is_void(found[1].lower()) else f"<{found[1]}{found[2]}></{found[1]}>"


def sources(page: Page) -> Iterator[str]:
    """The texts of the pages in the spine."""
    book = _Book(page)
    for item in book.spine():
        if item.media_type in _PAGES and item.name in book.package:
            yield from tree_sources(document(_source(book.package, item.name)))


def _local(node: Node) -> str:
    return node.tag.rpartition(":")[2].rpartition("}")[2]


def _all(root: Node, name: str) -> Iterator[Node]:
    return (node for node in root.iter() if _local(node) == name)
