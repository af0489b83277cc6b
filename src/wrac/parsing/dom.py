"""The one door to the HTML parser: turbohtml's tree, and what wrac asks of it.

Nodes are typed `Any`: the walk asks for an attribute only of a node whose class it has just seen.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import turbohtml
import turbohtml.detect  # registers the whatwg-* codecs
from turbohtml import CData, DocumentFragment, Element, Text

Node: TypeAlias = Any
Attributes: TypeAlias = Any

__all__ = ["Attributes", "CData", "DocumentFragment", "Element", "Node", "Text", "document", "fragment", "tree_of"]


def tree_of(body: bytes, charset: str = "") -> Node:
    """The HTML5 tree of a page; its encoding is the BOM's, the header's, the page's own or the detected one.

    A charset outside the WHATWG standard counts as none, as in a browser.
    """
    if charset:
        try:
            return turbohtml.parse(body, encoding=charset, source_locations=True, detect_encoding=True)
        except LookupError:
            pass
    return turbohtml.parse(body, source_locations=True, detect_encoding=True)


def document(source: str) -> Node:
    """The HTML5 tree of a source text."""
    return turbohtml.parse(source, source_locations=True)


def fragment(source: str, context: str) -> Node:
    """The element of tag `context` with the source parsed inside it."""
    return turbohtml.parse_fragment(source, context=context, source_locations=True)
