"""HTML bytes to a Document."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import Final

from wrac.core.types import NOTHING, Document, Page
from wrac.parsing.data import add_data
from wrac.parsing.dom import Node, tree_of
from wrac.parsing.finish import nest, places_of
from wrac.parsing.frames import Frame
from wrac.parsing.segment import Segmenter, panels_of
from wrac.parsing.source import composed, lowered, source_of

PARSER: Final = "html@2"
_FORM: Final = re.compile(rb"<form[\s/>]")
_META_SKIPPED: Final = frozenset(("viewport", "theme-color", "generator", "robots", "charset", "color-scheme"))


def parse_html(page: Page) -> Document:
    """The Document of an HTML page."""
    with _collector_paused():
        return _parsed(page)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keeps the cycle collector from visiting, again and again, a growing page that has no cycles.

    Threads may overlap: one that finds it paused leaves it to the one that paused it.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _parsed(page: Page) -> Document:
    tree = tree_of(page.body, page.charset)
    encoding, title, language, meta = tree.encoding, _title(tree), _language(tree), _meta(tree)
    tree, shadow = composed(tree, page.body)
    small = lowered(page.body)
    doubtful = b"<form" in small and len(_FORM.findall(small)) > len(tree.select("form"))
    del small
    walk = segment_tree(tree, cache(lambda: source_of(page.body, encoding)), shadow=shadow, doubtful=doubtful)
    add_data(walk)
    drafts, spans, losses = walk.drafts, walk.spans, walk.losses
    del tree, walk  # ten times the page, and its places are as much again
    places, units = places_of(drafts, title)
    return Document(
        body=page.body_id,
        media_type=page.media_type,
        encoding=encoding,
        parser=PARSER,
        title=title,
        language=language,
        units=units,
        places=places,
        spans=nest(spans, len(places)),
        losses=tuple(losses),
        meta=meta,
    )


def segment_tree(tree: Node, source: Callable[[], str], *, shadow: bool = False, doubtful: bool = False) -> Segmenter:
    """The walked segmenter of a whole tree; `shadow` says that it may hold declarative shadow roots.

    `doubtful` has each address read back, as when the source has a form inside a form, which the tree ignores.
    """
    walk = Segmenter(source, panels_of(tree), shadow=shadow)
    walk.doubtful = doubtful
    walk.walk(Frame(tree, "", iter(tree.children), None, 0))
    return walk


def _title(tree: Node) -> str:
    title = tree.select_one("head > title,body > title")
    return " ".join(title.text.split()) if title is not None else ""


def _language(tree: Node) -> str:
    root = tree.root
    return (root.attrs.get("lang") or root.attrs.get("xml:lang") or "") if root is not None else ""


def _meta(tree: Node) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for node in tree.select("meta[content]"):
        name = node.attrs.get("name") or node.attrs.get("property") or ""
        content = " ".join((node.attrs.get("content") or "").split())
        if name and content and name.lower() not in _META_SKIPPED:
            found.setdefault(name.lower(), content)
    return MappingProxyType(found) if found else NOTHING
