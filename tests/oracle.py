"""What a page says, read by another parser (lexbor), without any of wrac's parsing code.

`sources` lists the text sources of the conservation law in tree order; `missing` and `invented` compare them with a
document as multisets of non-space code points; `out_of_order` compares them as a sequence.
"""

from __future__ import annotations

import codecs
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import turbohtml.detect  # noqa: F401  registers the "whatwg-" codecs of the Encoding Standard
from selectolax.lexbor import LexborHTMLParser, LexborNode

from wrac.core.types import Document

PROGRAM = frozenset({"script", "style"})
ALT = frozenset({"img", "area", "input"})
INTEGRATION = frozenset({"foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"})
BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))


class Source(NamedTuple):
    """A piece of text and what it is: text, alt, tex, data; title, program and either are never owed as units."""

    kind: str
    text: str


def decode(body: bytes, encoding: str) -> str:
    """The BOM-stripped, LF-normalised source that addresses count in."""
    for bom, name in BOMS:
        if body.startswith(bom):
            body, encoding = body[len(bom) :], name
            break
    text = codecs.decode(body, f"whatwg-{encoding.lower()}", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


FALLBACK = frozenset({"noframes", "noembed"})  # markup that the parser keeps as text


def squeeze(text: str) -> str:
    """The text without white space: what conservation counts."""
    return "".join(text.split())


def sources(source: str) -> list[Source]:
    """The text sources of a page in tree order, srcdoc and template content in place, listed JSON last."""
    parser = LexborHTMLParser(source)
    root = parser.root
    if root is None:
        return []
    found = list(_walk(root))
    return [s for s in found if s.kind != "data"] + [s for s in found if s.kind == "data"]


def _walk(root: LexborNode) -> Iterator[Source]:
    """Depth first without recursion, except into templates and srcdoc documents."""
    stack: list[LexborNode] = [root]
    while stack:
        node = stack.pop()
        if node.is_text_node:
            yield Source("text", node.text_content or "")
            continue
        own = list(_own(node))
        yield from own
        if node.tag not in PROGRAM | FALLBACK and not any(s.kind == "title" for s in own):
            children = list(node.iter(include_text=True))
            stack.extend(reversed(children))


def _own(node: LexborNode) -> Iterator[Source]:
    """What an element says besides its text nodes."""
    tag, attributes = node.tag, node.attributes if node.is_element_node else {}
    if tag == "title" and (node.parent is None or node.parent.tag in {"head", "body", "html"}):
        yield from (Source("title", child.text_content or "") for child in node.iter(include_text=True))
    elif tag in PROGRAM:
        kind = (attributes.get("type") or "").strip().lower()
        text = node.text(deep=True) or ""
        yield from (Source("data", string) for string in json_strings(text))
        program = "either" if foreign(node) else "program"
        yield Source("tex" if kind.startswith("math/tex") else program, text)
    elif tag == "template":
        for fragment in node.template_fragments():
            for child in fragment.iter(include_text=True):
                yield from _walk(child)
    elif tag in {"iframe", *ALT} and foreign(node):
        return
    elif tag in FALLBACK:
        yield from (s for s in sources(node.text(deep=True) or "") if s.kind != "data")
    elif tag == "iframe" and attributes.get("srcdoc"):
        yield from sources((attributes["srcdoc"] or "").replace("\r\n", "\n"))
    elif tag in ALT and attributes.get("alt") and (tag != "input" or attributes.get("type") == "image"):
        yield Source("alt", attributes["alt"] or "")


def foreign(node: LexborNode) -> bool:
    """Whether an element belongs to a drawing or a formula, where HTML's names mean nothing."""
    above = node.parent
    while above is not None:
        if (above.tag or "").lower() in INTEGRATION:
            return False
        if above.tag in {"svg", "math"}:
            return True
        above = above.parent
    return False


def json_strings(text: str) -> Iterator[str]:
    """Every string in a script that is JSON or assigns it to a variable, with its text where it is markup."""
    begin = min((at for at in map(text.find, "{[") if at >= 0), default=-1)
    try:
        stack = [json.JSONDecoder().raw_decode(text, begin)[0]] if begin >= 0 else []
    except ValueError:
        return
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            value = re.sub("[\ud800-\udfff]", "\ufffd", value)  # halves of pairs
            yield value
            if "<" in value or "&" in value:
                yield LexborHTMLParser(value).text() or ""
        elif isinstance(value, list | dict):
            stack.extend(value.values() if isinstance(value, dict) else value)


def said(document: Document) -> str:
    """Every unit's text in reading order, roles of data last, without white space."""
    places = sorted(document.places, key=lambda place: place.role == "data")
    return squeeze("".join(document.units[place.unit].text for place in places))


def lost(document: Document) -> str:
    """The text of all losses, without white space."""
    return squeeze("".join(loss.text for loss in document.losses))


def missing(document: Document, body: bytes) -> Counter[str]:
    """Non-space code points owed that are in no unit and in no loss."""
    found = sources(decode(body, document.encoding))
    owed = Counter(squeeze("".join(s.text for s in found if s.kind in {"text", "alt"})))
    return owed - Counter(said(document)) - Counter(lost(document))


def invented(document: Document, body: bytes) -> Counter[str]:
    """Non-space code points in units that no text source accounts for: text added, or said twice."""
    found = sources(decode(body, document.encoding))
    return Counter(said(document)) - Counter(squeeze("".join(s.text for s in found if s.kind != "program")))


def out_of_order(document: Document, body: bytes) -> str:
    """The first visible unit's text that does not follow in tree order; empty when all does.

    May leave it: a reading after its bases (ruby), the rows of a table in a cell after the row around it, a document
    in a frame after the heading or row around it, and what a slot shows.
    """
    source = decode(body, document.encoding).lower()
    signs = ("<rt", "srcdoc", "<noembed", "<noframes", "shadowroot")
    if any(sign in source for sign in signs) or nested_tables(document):
        return ""
    found = sources(decode(body, document.encoding))
    stream = squeeze("".join(s.text for s in found if s.kind != "program"))
    position = 0
    for place in sorted(document.places, key=lambda place: place.role == "data"):
        if place.role == "data" or place.visible != "visible":
            continue
        for char in squeeze(document.units[place.unit].text):
            position = stream.find(char, position) + 1
            if not position:
                return document.units[place.unit].text
    return ""


def nested_tables(document: Document) -> bool:
    """Whether a data table stands in a cell of another."""
    tables = [span for span in document.spans if span.kind == "table"]
    return any(inner.first <= outer.last for outer, inner in pairwise(tables))


def shown_by(slice_: str) -> str:
    """The text of a source slice by the crudest reading: tags cut, references decoded, no white space."""
    cut = re.sub(r"<!--.*?-->|<[a-zA-Z/!?](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", "", slice_, flags=re.DOTALL)
    return squeeze(html.unescape(cut))
