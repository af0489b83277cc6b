"""What an HTML tree says, by the tree alone: its text nodes, alternative texts, and the documents inside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wrac.parsing.dom import CData, Element, Namespace, Node, Text, document

DEEPEST: Final = 3
"""Documents in documents that are read: a frame in a frame in a frame. What is deeper is a loss."""
RAW: Final = frozenset(("noframes", "noembed"))
"""Elements whose markup the parser keeps as text, for browsers without frames: a document in the document."""


def tree_sources(tree: Node, depth: int = 0) -> Iterator[str]:
    """The texts of an HTML tree, each once; `depth` counts the documents around it."""
    stack = [tree]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is Text or kind is CData:
            yield node.data
            continue
        if kind is Element:
            yield alternative(node)
            html = node.namespace is Namespace.HTML
            if html and node.tag == "iframe" and node.attr("srcdoc"):
                yield from _inner(node.attr("srcdoc"), depth)
            elif html and node.tag in RAW:
                yield from _inner(node.text, depth)
                continue
            elif is_linked_data(node):
                continue
            if node.shadow_root is not None:
                stack.append(node.shadow_root)
        stack.extend(getattr(node, "children", ()))


def alternative(node: Node) -> str:
    """The text that stands for an HTML picture; empty for every other element."""
    tag = node.tag
    pictured = tag in ("img", "area") or (tag == "input" and (node.attr("type") or "").lower() == "image")
    return (node.attr("alt") or "") if pictured and node.namespace is Namespace.HTML else ""


def is_linked_data(node: Node) -> bool:
    """Whether an element is a script of JSON-LD."""
    return node.tag == "script" and "ld+json" in (node.attr("type") or "").lower()


def _inner(source: str, depth: int) -> Iterator[str]:
    """The texts of a document in a document, or its source where it stands too deep to be read."""
    if depth < DEEPEST:
        yield from tree_sources(document(source), depth + 1)
    else:
        yield source
