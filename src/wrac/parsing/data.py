"""Strings of JSON scripts as units of role data, where the page says them nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from wrac.core.types import DataAddress, SpanKind
from wrac.parsing.dom import Node, fragment
from wrac.parsing.frames import Draft, Frame, SpanDraft
from wrac.parsing.segment import Segmenter
from wrac.parsing.strings import Group, String, linked, stated, tree_of, unfolded

CONTEXT = "data"  # the whole of a string inside a script
HEADING_LEVEL = 2
"""Level of a title in a script: the page's own h1 stays above it."""
SHORT = 20
"""Letters below which a text must stand on the page as it is: `Fine?` is not answered by `Fine.`."""
LONG, PIECE, SAID = 240, 24, 0.5
"""Letters from which a text is looked for in pieces, the letters of a piece, the share of them that must be found."""
INSIDE = "in JSON"
"""How the reason begins for what is lost of markup in a string."""
_WORDS = re.compile(r"[^\W_]+")
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")


def add_data(walk: Segmenter) -> None:
    """Appends the content strings of the walked page's scripts."""
    if not walk.scripts:
        return
    adder = _Adder(walk)
    for node in walk.scripts:
        is_linked = "ld+json" in (node.attrs.get("type") or "").lower()
        try:
            tree = tree_of(node.text)
        except (ValueError, RecursionError):
            if is_linked:
                walk.lose("JSON-LD that does not parse", node.text, node)
            continue
        adder.add(node, linked(tree) if is_linked else stated(tree), is_linked)


class _Adder:
    """Adds strings that neither the page nor an earlier string says; a title comes with the first string under it."""

    def __init__(self, walk: Segmenter) -> None:
        self._walk = walk
        page = " ".join(draft.text for draft in walk.drafts)
        self._page, self._letters = _solid(page), _letters(page)
        self._said: set[str] = set()
        self._titles: list[tuple[str, String]] = []  # not added yet, outer before inner, with their objects' pointers
        self._sections: list[tuple[str, SpanDraft]] = []  # open, outer before inner

    def add(self, node: Node, groups: Iterable[Group], is_linked: bool) -> None:
        """Adds the groups of one script; what is said elsewhere in a JSON-LD script is a loss with that reason."""
        for group in groups:
            self._leave(group.pointer)
            title = group.title if group.title and self._is_new(node, group.title, is_linked) else None
            first = len(self._walk.drafts)
            if title:
                self._titles.append((group.pointer, title))
            if group.qa:
                self._begin(node)
            for string in group.strings:
                if self._is_new(node, string, is_linked):
                    self._begin(node)
                    _add(self._walk, node, string)
            last = len(self._walk.drafts) - 1
            if group.qa and last > first:
                self._walk.spans.append(_span("qa", first, last))
        self._leave(None)

    def _begin(self, node: Node) -> None:
        """Adds the titles over what comes next."""
        for pointer, title in self._titles:
            if title.kind == "heading":
                level = HEADING_LEVEL + len(self._sections)
                self._sections.append((pointer, SpanDraft("section", len(self._walk.drafts), {"level": level})))
                _add(self._walk, node, title, level)
            else:
                _add(self._walk, node, title)
        self._titles = []

    def _leave(self, pointer: str | None) -> None:
        """Ends the sections, and drops the titles, of objects that do not hold the one at `pointer`."""
        self._titles = [one for one in self._titles if _holds(one[0], pointer)]
        while self._sections and not _holds(self._sections[-1][0], pointer):
            _, span = self._sections.pop()
            span.last = len(self._walk.drafts) - 1
            self._walk.spans.append(span)

    def _is_new(self, node: Node, string: String, is_linked: bool) -> bool:
        text = _plain(string.text)
        key = _letters(text)
        key = key if len(key) >= SHORT else _solid(text)
        if not key:
            return False
        if key in self._said or self._on_page(key):
            if is_linked:
                self._walk.lose("JSON-LD that the page says too", string.text, node)
            return False
        self._said.add(key)
        return True

    def _on_page(self, key: str) -> bool:
        """Whether the page says a text: all of it, or of a long one most pieces, as an article with other captions."""
        if len(key) < SHORT:
            return key in self._page
        if len(key) < LONG or key in self._letters:
            return key in self._letters
        pieces = [key[start : start + PIECE] for start in range(0, len(key) - PIECE, PIECE)]
        return sum(piece in self._letters for piece in pieces) >= SAID * len(pieces)


def _holds(outer: str, pointer: str | None) -> bool:
    return pointer is not None and (pointer == outer or pointer.startswith(f"{outer}/"))


def _span(kind: SpanKind, first: int, last: int) -> SpanDraft:
    span = SpanDraft(kind, first)
    span.last = last
    return span


def _plain(text: str) -> str:
    """The text without markup, if it is marked up."""
    return str(fragment(text, "div").text) if _TAG.search(text) else text


def _add(walk: Segmenter, node: Node, string: String, level: int = 0) -> None:
    text = unfolded(string.text)
    where = node.source_location
    end = where.end_tag.end_offset if where.end_tag is not None else len(walk.source())
    address = DataAddress(where.start_tag.start_offset, end, string.pointer)
    if _TAG.search(text):
        _embed_markup(walk, address, text)
        return
    root = Frame(node, "script", iter(()), None, 0)
    root.role, root.visible = "data", "hidden"
    draft = Draft(string.kind, text.strip(), (), root)
    draft.level = level
    draft.start, draft.end, draft.within, draft.context = address.start, end, address, CONTEXT
    walk.drafts.append(draft)


def _embed_markup(walk: Segmenter, address: DataAddress, text: str) -> None:
    inner = Segmenter(lambda: text)
    tree = fragment(text, "body")
    root = Frame(tree, "body", iter(tree.children), None, 0)
    root.role, root.visible = "data", "hidden"
    inner.walk(root)
    inner.losses = [replace(loss, reason=f"{INSIDE}: {loss.reason}") for loss in inner.losses]
    walk.adopt(inner, address)


def _solid(text: str) -> str:
    return "".join(text.split()).casefold()


def _letters(text: str) -> str:
    """The letters and digits alone: a string may be marked up, and a page sets quotes and dashes of its own."""
    return "".join(_WORDS.findall(text.casefold()))
