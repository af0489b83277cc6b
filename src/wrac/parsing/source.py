"""Bytes to the source text in which addresses count: without BOM, CR and CRLF as LF."""

from __future__ import annotations

import codecs

from wrac.parsing.dom import Node, document, tree_of


def source_of(body: bytes, encoding: str) -> str:
    """The source of a body of a known encoding (a name of the WHATWG standard)."""
    text = codecs.decode(body, f"whatwg-{encoding.lower()}", "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def lowered(body: bytes) -> bytes:
    """The body to look for names of HTML in: in lower case, and without the NULs that stand between in UTF-16."""
    return body.lower().replace(b"\0", b"")


def composed(tree: Node, body: bytes) -> tuple[Node, bool]:
    """The tree of a page with its closed shadow roots open, and whether it may have any shadow root."""
    if b"shadowroot" not in lowered(body):
        return tree, False
    return document(source_of(body, tree.encoding)), True


def decode(body: bytes, charset: str) -> tuple[str, str]:
    """The source and the encoding's name of a text that is not HTML: by BOM, the given charset, else detected."""
    encoding: str = tree_of(_unmarked(body), charset).encoding
    return source_of(body, encoding).replace("\0", "\ufffd"), encoding


def _unmarked(body: bytes) -> bytes:
    """The body without `<`, so that no markup in it can declare an encoding."""
    return body.replace(b"<", b" ") if not body.startswith((b"\xff\xfe", b"\xfe\xff")) else body
