"""The one door to the HTML parser: turbohtml's tree, and what wrac asks of it.

Nodes are typed `Any`: the walk asks for an attribute only of a node whose class it has just seen.
"""

from __future__ import annotations

import re
from typing import Any, Final, TypeAlias

import turbohtml
import turbohtml.detect  # registers the whatwg-* codecs
from turbohtml import Namespace

# Constants, so that compiled code compares a node's class with a pointer.
CData: Final = turbohtml.CData
DocumentFragment: Final = turbohtml.DocumentFragment
Element: Final = turbohtml.Element
Text: Final = turbohtml.Text
_HIGH: Final = re.compile(r"[^\x00-\x7f]+")

Node: TypeAlias = Any
Attributes: TypeAlias = Any

__all__ = [
    "Attributes", "CData", "DocumentFragment", "Element", "Namespace", "Node", "Text", "document", "fragment",
    "tree_of",
]  # fmt: skip


def tree_of(body: bytes, charset: str = "") -> Node:
    """The HTML5 tree of a page; its encoding is the BOM's, the header's, the page's own or the detected one.

    A charset outside the WHATWG standard counts as none, as in a browser. A browser reads a page that declares nothing
    and has one bad byte as windows-1252; here it stays UTF-8 when that explains more of its bytes.
    """
    if charset:
        try:
            return turbohtml.parse(body, encoding=charset, source_locations=True, detect_encoding=True)
        except LookupError:
            pass
    tree = turbohtml.parse(body, source_locations=True, detect_encoding=True)
    if tree.encoding != "UTF-8" and tree.encoding_confidence == "tentative" and _is_damaged_utf8(body):
        return turbohtml.parse(body, encoding="utf-8", source_locations=True)
    return tree


def _is_damaged_utf8(body: bytes) -> bool:
    """Whether more characters beyond ASCII are whole UTF-8 sequences than are not."""
    if body.isascii():
        return False
    high = "".join(_HIGH.findall(body.decode("utf-8", "replace")))
    bad = high.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    return len(high) - bad >= max(bad, 1)


def document(source: str) -> Node:
    """The HTML5 tree of a source text; a closed shadow root, which its host would not show, is an open one."""
    return turbohtml.parse(_opened(source), source_locations=True)


def _opened(source: str) -> str:
    """The source with its closed shadow roots declared open; every offset stays."""
    if "shadowrootmode" not in source.lower():
        return source
    tree: Node = turbohtml.parse(source, source_locations=True, allow_declarative_shadow_roots=False)
    closed = tree.select("template[shadowrootmode=closed i]")
    ranges = [template.source_location.attrs["shadowrootmode"] for template in closed]
    pieces, at = [], 0
    for start, end in sorted((where.start_offset, where.end_offset) for where in ranges):
        pieces += [source[at:start], "shadowrootmode=open".ljust(end - start)]
        at = end
    return "".join([*pieces, source[at:]])


def fragment(source: str, context: str) -> Node:
    """The element of tag `context` with the source parsed inside it."""
    return turbohtml.parse_fragment(source, context=context, source_locations=True)
