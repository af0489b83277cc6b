"""Addresses back to text, by the segmenter itself."""

from __future__ import annotations

import json
from typing import Any, Final

import turbohtml
from turbohtml import parse_fragment

from wrac.core.errors import WracError
from wrac.core.types import Address, DataAddress, HtmlAddress
from wrac.parsing.html import read_tree, segment_tree, source_of
from wrac.parsing.segment import first_text

_WHOLE: Final = "document"


def resolve(address: Address, body: bytes, charset: str = "") -> str:
    """The text at an address of an HTML page.

    Raises WracError when the address leads nowhere in this body.
    """
    tree = read_tree(body, charset)
    source = source_of(body, tree.encoding)
    if not isinstance(address, HtmlAddress | DataAddress):
        raise WracError(f"{type(address).__name__} is no address in an HTML page")
    return _resolve(address, source)


class Resolver:
    """Resolves many addresses of one page, decoding it once."""

    def __init__(self, body: bytes, charset: str = "") -> None:
        self._source = source_of(body, read_tree(body, charset).encoding)

    def text(self, address: HtmlAddress | DataAddress) -> str:
        """The text at the address."""
        return _resolve(address, self._source)


def _resolve(address: HtmlAddress | DataAddress, page: str) -> str:
    source = page if address.within is None else _inner(address.within, page)
    if isinstance(address, DataAddress):
        return _string(address, source)
    if address.context == "data":
        return source.strip()
    if address.context == _WHOLE:
        tree = turbohtml.parse(source, source_locations=True)
        return segment_tree(tree, lambda: source, shadow="shadowroot" in source.lower()).drafts[address.nth].text
    return first_text(source[address.start : address.end], address.context)


def _inner(address: HtmlAddress | DataAddress, page: str) -> str:
    """The string that a nested address counts in: a srcdoc, or a JSON string."""
    source = page if address.within is None else _inner(address.within, page)
    if isinstance(address, DataAddress):
        return _string(address, source)
    frame = parse_fragment(source[address.start : address.end], context="body").select_one("iframe")
    if frame is None:
        raise WracError(f"{address.selector}: no iframe at {address.start}-{address.end}")
    return frame.attrs.get("srcdoc") or ""


def _string(address: DataAddress, source: str) -> str:
    script = parse_fragment(source[address.start : address.end], context="body").select_one("script")
    if script is None:
        raise WracError(f"{address.pointer}: no script at {address.start}-{address.end}")
    value: Any = json.loads(script.text)
    for part in address.pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return str(value)
