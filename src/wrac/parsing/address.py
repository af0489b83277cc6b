"""Addresses back to text, by the segmenter itself."""

from __future__ import annotations

import json
from typing import Any, Final

from wrac.core.errors import WracError
from wrac.core.types import Address, DataAddress, HtmlAddress
from wrac.parsing import markdown, plain
from wrac.parsing.dom import document, fragment, tree_of
from wrac.parsing.frames import Draft
from wrac.parsing.html import segment_tree
from wrac.parsing.segment import first_text
from wrac.parsing.source import decode, source_of

MARKDOWN_TYPE: Final = "text/markdown"
TEXT_TYPE: Final = "text/plain"
_WHOLE: Final = "document"


def resolve(address: Address, body: bytes, media_type: str = "text/html", charset: str = "") -> str:
    """The text at an address of a page.

    Raises WracError when the address leads nowhere in this body.
    """
    return Resolver(body, media_type, charset).text(address)


class Resolver:
    """Resolves the addresses of one page, decoding it once."""

    def __init__(self, body: bytes, media_type: str = "text/html", charset: str = "") -> None:
        if media_type in (MARKDOWN_TYPE, TEXT_TYPE):
            self._source, _ = decode(body, charset)
        else:
            self._source = source_of(body, tree_of(body, charset).encoding)
        self._drafts: list[Draft] | None = None

    def text(self, address: Address) -> str:
        """The text at the address."""
        if not isinstance(address, HtmlAddress | DataAddress):
            raise WracError(f"{type(address).__name__} is no address in such a page")
        if isinstance(address, HtmlAddress) and address.within is None:
            if address.context == markdown.CONTEXT:
                return self._markdown()[address.nth].text
            if address.context == plain.CONTEXT:
                return self._source[address.start : address.end]
        return _resolve(address, self._source)

    def _markdown(self) -> list[Draft]:
        if self._drafts is None:
            self._drafts = markdown.walk_markdown(self._source).drafts
        return self._drafts


def _resolve(address: HtmlAddress | DataAddress, page: str) -> str:
    source = page if address.within is None else _inner(address.within, page)
    if isinstance(address, DataAddress):
        return _string(address, source)
    if address.context == "data":
        return source.strip()
    if address.context == _WHOLE:
        tree = document(source)
        return segment_tree(tree, lambda: source, shadow="shadowroot" in source.lower()).drafts[address.nth].text
    return first_text(source[address.start : address.end], address.context)


def _inner(address: HtmlAddress | DataAddress, page: str) -> str:
    """The string that a nested address counts in: a srcdoc, or a JSON string."""
    source = page if address.within is None else _inner(address.within, page)
    if isinstance(address, DataAddress):
        return _string(address, source)
    frame = fragment(source[address.start : address.end], "body").select_one("iframe")
    if frame is None:
        raise WracError(f"{address.selector}: no iframe at {address.start}-{address.end}")
    return frame.attr("srcdoc") or ""


def _string(address: DataAddress, source: str) -> str:
    script = fragment(source[address.start : address.end], "body").select_one("script")
    if script is None:
        raise WracError(f"{address.pointer}: no script at {address.start}-{address.end}")
    value: Any = json.loads(script.text)
    for part in address.pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return str(value)
