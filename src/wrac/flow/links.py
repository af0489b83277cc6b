"""Links that open a page at a passage: its nearest anchor, and a text fragment that a browser scrolls to and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from wrac.core.types import Chunk, Document, Occurrence, PdfAddress, Place

_FILES = ("application/pdf", "application/epub+zip", "application/vnd.openxmlformats", "text/csv", "text/tab")
_WORDS = 6
_LONGEST = 60
# A fragment's end must lie inside one block and end at a word: a cell, a line, or a sentence of an unspaced script.
_BREAKS = re.compile(r"[\t\n]+|(?<=[。！？；])")


def link(url: str, anchor: str, texts: Sequence[str]) -> str:
    """The page's URL with `#anchor` and a text fragment over the texts of a passage's units, in order.

    The syntax is `#anchor:~:text=start,end` (URL Fragment Text Directives), each part percent-encoded.

    >>> link("https://example.com/fees", "late", ["Late fees", "They are 5 USD."])
    'https://example.com/fees#late:~:text=Late%20fees,They%20are%205%20USD.'
    """
    parts = [part.strip() for text in texts for part in _BREAKS.split(text) if part.strip()]
    # A file's name is not a URL yet: it may hold a space, a question mark or a number sign.
    page = url.partition("#")[0] if "://" in url else quote(url, safe="/")
    base = f"{page}#{quote(anchor, safe='')}"
    if not parts:
        return base if anchor else base[:-1]
    first, last = parts[0], parts[-1]
    if len(parts) == 1 and len(first.split()) <= 2 * _WORDS:  # its two ends would overlap
        return f"{base}:~:text={_encoded(first if len(first) <= 2 * _LONGEST else _start(first))}"
    return f"{base}:~:text={_encoded(_start(first))},{_encoded(_end(last))}"


def passage_link(document: Document, chunk: Chunk, occurrence: Occurrence, url: str) -> str:
    """The link that opens a page at one of its chunks, or a file that shows no marks at its page or start."""
    if document.media_type.startswith(_FILES):
        return _file_link(document, occurrence, url)
    cut = {piece.unit: piece for piece in chunk.slices}
    texts = []
    for ordinal in _markable(document, occurrence.ordinals):
        place, text = document.places[ordinal], document.text(ordinal)
        piece = cut.get(place.unit)
        whole = piece is None or piece.end - piece.start == len(text)
        texts.append(plain(document, place) if whole or piece is None else text[piece.start : piece.end])
    return link(url, occurrence.anchor, texts)


def _file_link(document: Document, occurrence: Occurrence, url: str) -> str:
    """A PDF opens at a page (`#page=3`, as browsers and Acrobat read it); other files open at their start."""
    address = document.places[occurrence.ordinals[0]].address if occurrence.ordinals else None
    page = f"#page={address.page}" if isinstance(address, PdfAddress) else ""
    return link(url, "", ()) + page


def _markable(document: Document, ordinals: Sequence[int]) -> Sequence[int]:
    """The places that a browser can mark: what is shown, or in a `details` that it opens; all when none is."""
    opened = {o for s in document.spans if s.kind == "details" for o in range(s.first, s.last + 1)}
    return [o for o in ordinals if document.places[o].visible == "visible" or o in opened] or ordinals


def plain(document: Document, place: Place) -> str:
    """A place's text without its permalink, the sign that a page shows only under the pointer."""
    text = document.units[place.unit].text
    for mark in reversed(place.marks):
        if mark.kind == "permalink":
            text = text[: mark.start] + text[mark.end :]
    return text


def _start(text: str) -> str:
    words = text.split()
    return " ".join(words[:_WORDS]) if len(words) > 1 else text[:_LONGEST]


def _end(text: str) -> str:
    words = text.split()
    return " ".join(words[-_WORDS:]) if len(words) > 1 else text[-_LONGEST:]


def _encoded(text: str) -> str:
    """Percent-encoded, the dash and comma too: they are the directive's own."""
    return quote(" ".join(text.split()), safe="").replace("-", "%2D")
