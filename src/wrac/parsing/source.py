"""Bytes to the source text in which addresses count: without BOM, CR and CRLF as LF."""

from __future__ import annotations

import codecs

from wrac.parsing.dom import tree_of


def source_of(body: bytes, encoding: str) -> str:
    """The source of a body of a known encoding (a name of the WHATWG standard)."""
    text = codecs.decode(body, f"whatwg-{encoding.lower()}", "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def decode(body: bytes, charset: str) -> tuple[str, str]:
    """The source and the encoding's name of a text that is not HTML: by BOM, the given charset, else detected."""
    encoding: str = tree_of(_unmarked(body), charset).encoding
    return source_of(body, encoding).replace("\0", "\ufffd"), encoding


def _unmarked(body: bytes) -> bytes:
    """The body without `<`, so that no markup in it can declare an encoding."""
    return body.replace(b"<", b" ") if not body.startswith((b"\xff\xfe", b"\xfe\xff")) else body
