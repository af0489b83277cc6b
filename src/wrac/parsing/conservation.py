"""The conservation law: every code point of a page's text sources is in a unit or in a loss with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wrac.core.types import Document, Page
from wrac.parsing.address import MARKDOWN_TYPE, TEXT_TYPE
from wrac.parsing.dom import CData, Element, Namespace, Node, Text, document, tree_of


class Account(NamedTuple):
    """Non-space code points of a page: in its sources, in its units, in its losses."""

    sources: int
    units: int
    losses: int

    @property
    def balanced(self) -> bool:
        """Whether nothing was lost and nothing added."""
        return self.sources == self.units + self.losses


def account(page: Page, parsed: Document) -> Account:
    """The account of an HTML page, taken from the tree and not from the walk.

    Sources are the DOM's text nodes, the alt texts of pictures and the documents in srcdoc. Strings of JSON-LD scripts
    count as sources when they became units or losses. Markdown and plain text are no trees and balance by construction.
    """
    units = sum(_solid(parsed.text(place.ordinal)) for place in parsed.places)
    losses = sum(loss.chars for loss in parsed.losses)
    if page.media_type in (MARKDOWN_TYPE, TEXT_TYPE):
        return Account(units + losses, units, losses)
    said = sum(_solid(parsed.text(place.ordinal)) for place in parsed.places if place.role == "data")
    said += sum(loss.chars for loss in parsed.losses if loss.reason.startswith("JSON-LD"))
    return Account(sum(map(_solid, _sources(tree_of(page.body, page.charset)))) + said, units, losses)


def _sources(tree: Node, depth: int = 0) -> Iterator[str]:
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Text or kind is CData:
            yield node.data
            continue
        if kind is Element:
            yield from _attributes(node, depth)
            if node.tag in ("noframes", "noembed"):
                yield from _sources(document(node.text), depth + 1)
                continue
            if node.tag == "script" and "ld+json" in (node.attr("type") or "").lower():
                continue
            if node.shadow_root is not None:
                stack.append(node.shadow_root)
            elif node.tag != "slot" and not node.children:
                stack.extend(node.flattened_children)  # of a closed shadow root
                continue
        stack.extend(getattr(node, "children", ()))


def _attributes(node: Node, depth: int) -> Iterator[str]:
    tag = node.tag
    if tag in ("img", "area") or (tag == "input" and (node.attr("type") or "").lower() == "image"):
        yield node.attr("alt") or ""
    elif tag == "iframe" and node.namespace is Namespace.HTML and node.attr("srcdoc"):
        if depth < 3:
            yield from _sources(document(node.attr("srcdoc")), depth + 1)
        else:
            yield node.attr("srcdoc")


def _solid(text: str) -> int:
    return sum(map(len, text.split()))
