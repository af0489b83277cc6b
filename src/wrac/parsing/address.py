"""Addresses back to text, by the segmenter itself."""

from __future__ import annotations

import json
from typing import Any, Final

from wrac.core.errors import WracError
from wrac.core.types import Address, DataAddress, HtmlAddress
from wrac.parsing import data, markdown, plain
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
    """Resolves the addresses of one page, decoding it once and reading it whole at most once."""

    def __init__(self, body: bytes, media_type: str = "text/html", charset: str = "") -> None:
        if media_type in (MARKDOWN_TYPE, TEXT_TYPE):
            self._source, _ = decode(body, charset)
        else:
            self._source = source_of(body, tree_of(body, charset).encoding)
        self._read: dict[tuple[str, str], list[Draft]] = {}

    def text(self, address: Address) -> str:
        """The text at the address."""
        if not isinstance(address, HtmlAddress | DataAddress):
            raise WracError(f"{type(address).__name__} is no address in such a page")
        source = self._around(address)
        if isinstance(address, DataAddress):
            return _string(address, source)
        if address.context in (_WHOLE, markdown.CONTEXT):
            return self._whole(source, address.context)[address.nth].text
        if address.context == data.CONTEXT:
            return source.strip()
        if address.context == plain.CONTEXT:
            return source[address.start : address.end]
        return first_text(source[address.start : address.end], address.context)

    def _around(self, address: HtmlAddress | DataAddress) -> str:
        """The source that an address counts in: the page, a srcdoc, or a string of a JSON script."""
        outer = address.within
        if outer is None:
            return self._source
        source = self._around(outer)
        if isinstance(outer, DataAddress):
            return _string(outer, source)
        frame = fragment(source[outer.start : outer.end], "body").select_one("iframe,noframes,noembed")
        if frame is None:
            raise WracError(f"{outer.selector}: no frame at {outer.start}-{outer.end}")
        return frame.text if frame.tag != "iframe" else frame.attr("srcdoc") or ""

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


def _string(address: DataAddress, source: str) -> str:
    """The string at a pointer into a JSON script."""
    script = fragment(source[address.start : address.end], "body").select_one("script")
    if script is None:
        raise WracError(f"{address.pointer}: no script at {address.start}-{address.end}")
    value: Any = json.loads(script.text)
    for part in address.pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return str(value)
