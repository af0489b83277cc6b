"""A stored page shown again, its units marked: built anew from an allow-list, so nothing of its own runs or loads.

Elements are written that only structure text, with attributes that only place it; every character of the page is
escaped text. Whatever the page's markup was, the markup here holds no script, style, address, form or frame of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple, TypeAlias

from wrac.board.writing import Sign, label, opened, written
from wrac.core.types import Document, HtmlAddress, Page
from wrac.parsing import dom
from wrac.parsing.source import source_of

_HTML: Final = frozenset(("text/html", "application/xhtml+xml"))
_BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "caption", "dd", "details", "div", "dl", "dt", "figcaption", "figure",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "li", "main", "nav", "ol", "p", "pre", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
_INLINE: Final = frozenset((
    "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "i", "ins", "kbd", "mark", "q", "rp", "rt", "ruby",
    "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var",
))  # fmt: skip
_VOID: Final = frozenset(("br", "hr", "wbr"))
_AS: Final[Mapping[str, str]] = {
    **{tag: tag for tag in _BLOCKS | _INLINE},
    "a": "span", "acronym": "abbr", "big": "span", "body": "div", "button": "span", "center": "div", "dialog": "div",
    "dir": "ul", "fieldset": "div", "font": "span", "form": "div", "label": "span", "legend": "div", "listing": "pre",
    "menu": "ul", "noscript": "div", "option": "div", "plaintext": "pre", "search": "div", "strike": "s",
    "template": "div", "textarea": "pre", "tt": "code", "xmp": "pre",
}  # fmt: skip
"""What an element is written as. Of one that is not named here only what is in it is written."""
_SILENT: Final = frozenset((
    "applet", "area", "base", "basefont", "col", "colgroup", "embed", "frame", "frameset", "head", "iframe", "link",
    "meta", "noembed", "noframes", "param", "script", "source", "style", "title", "track",
))  # fmt: skip
_ATOMS: Final = frozenset(("img", "input", "math", "svg"))
_NUMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "td": ("colspan", "rowspan"), "th": ("colspan", "rowspan"), "ol": ("start",), "li": ("value",),
}  # fmt: skip
_NUMBER: Final = re.compile(r"-?[0-9]{1,4}")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,4}")
_DIRECTIONS: Final = frozenset(("ltr", "rtl", "auto"))

_Left: TypeAlias = tuple[dom.Node, str, bool]
"""An element to be left: its end tag, and whether it stands for a unit. One to be entered has no end tag."""


def snapshot(page: Page, document: Document, signs: Sequence[Sign]) -> str:
    """The page as markup, the unit at each ordinal marked by its sign exactly once, where it stands or else at the end.

    A page that is no HTML is written from its units. Takes time linear in page and units.
    """
    if page.media_type not in _HTML:
        return written(document, range(len(document.places)), signs)
    walk = _Walk(document, signs)
    walk.write(dom.document(source_of(page.body, document.encoding)))
    shown = "".join(walk.out)
    if rest := [place.ordinal for place in document.places if place.ordinal not in walk.seen]:
        shown += f'<section class="wrest"><h2>Also read from this page</h2>{written(document, rest, signs)}</section>'
    return shown


class _Range(NamedTuple):
    """The code points `[start, end)` of the source that a unit stands in."""

    start: int
    end: int
    ordinal: int


class _Ranges:
    """Which unit stands at an offset of the source: the innermost whose range holds it."""

    def __init__(self, document: Document) -> None:
        self._found = sorted(_ranges(document), key=lambda one: (one.start, -one.end))
        self._starts = [one.start for one in self._found]
        self._outer: list[int] = []
        open_: list[int] = []
        for position, one in enumerate(self._found):
            while open_ and self._found[open_[-1]].end <= one.start:
                open_.pop()
            self._outer.append(open_[-1] if open_ else -1)
            open_.append(position)

    def at(self, offset: int) -> int:
        """The ordinal of the unit at an offset, -1 where there is none."""
        position = bisect_right(self._starts, offset) - 1
        while position >= 0 and self._found[position].end <= offset:
            position = self._outer[position]
        return self._found[position].ordinal if position >= 0 else -1

    def whole(self, start: int, end: int | None) -> int:
        """The ordinal of the unit that has just that range, or that start where no end is known; -1 without one."""
        position = bisect_right(self._starts, start) - 1
        if position < 0 or self._found[position].start != start or end not in (None, self._found[position].end):
            return -1
        return self._found[position].ordinal


def _ranges(document: Document) -> Iterator[_Range]:
    """The units that have a range of the page's own source to themselves."""
    for place in document.places:
        where = place.address
        if isinstance(where, HtmlAddress) and where.within is None and where.context != "document":
            yield _Range(where.start, where.end, place.ordinal)


class _Walk:
    """Writes a tree; which unit a text belongs to it knows by where the tags around it stand in the source."""

    def __init__(self, document: Document, signs: Sequence[Sign]) -> None:
        self._document, self._signs, self._ranges = document, signs, _Ranges(document)
        self._moved = {
            place.ordinal: _folded(document.text(place.ordinal))
            for place in document.places
            if isinstance(place.address, HtmlAddress) and place.address.context == "document"
        }
        self._at = 0  # where the last tag or text ended
        self._units: list[int] = []  # those that open elements stand for
        self._labelled: set[int] = set()
        self.out: list[str] = []
        self.seen: set[int] = set()

    def write(self, tree: dom.Node) -> None:
        """Append the tree's markup."""
        stack: list[_Left] = [(tree, "", False)]
        while stack:
            node, closing, unit = stack.pop()
            kind = type(node)
            if closing:
                self._leave(node, closing, unit)
            elif kind is dom.Text or kind is dom.CData:
                self._say(node.data)
                self._at += len(node.data)  # or more: an entity is longer than what it says
            elif kind is dom.Element:
                stack += self._enter(node)
            else:
                stack += _inside(node)

    def _enter(self, node: dom.Node) -> list[_Left]:
        """Write an element's start; what comes after it, the last first."""
        tag = node.tag if node.namespace == dom.Namespace.HTML else "svg"
        if tag in _SILENT or tag in _ATOMS:
            if tag in _ATOMS:
                self._atom(node)
            self._pass(node)
            return []
        where = node.source_location
        name = _AS.get(tag, "")
        ordinal = self._unit_of(node) if name in _BLOCKS else -1
        if where is not None:
            self._at = where.start_tag.end_offset
        if tag in _VOID:
            self.out.append(f"<{tag}>")
            return []
        if not name:
            return _inside(node)
        attributes = _attributes(node, name)
        if ordinal < 0:
            self.out.append(f"<{name}{attributes}>")
        else:
            self._units.append(ordinal)
            self.seen.add(ordinal)
            self.out.append(opened(name, self._signs[ordinal], attributes))
        return [(node, f"</{name}>", ordinal >= 0), *_inside(node)]

    def _leave(self, node: dom.Node, closing: str, unit: bool) -> None:
        self.out.append(closing)
        if unit:
            self._units.pop()
        where = node.source_location
        if where is not None and where.end_tag is not None:
            self._at = where.end_tag.end_offset

    def _pass(self, node: dom.Node) -> None:
        """Go on behind an element."""
        where = node.source_location
        if where is not None:
            self._at = (where.end_tag or where.start_tag).end_offset

    def _unit_of(self, node: dom.Node) -> int:
        """The unit that an element is the whole of, -1 where it is none's."""
        where = node.source_location
        if where is None or (where.end_tag is None and node.tag != "tr" and any(map(_is_block, node.children))):
            return -1
        ordinal = self._ranges.whole(where.start_tag.start_offset, where.end_tag and where.end_tag.end_offset)
        return -1 if ordinal in self.seen else ordinal

    def _say(self, text: str) -> None:
        """Write a text, marked as its unit's."""
        if not text.strip():
            self.out.append(escape(text))
            return
        ordinal = self._ranges.at(self._at) if self._units else self._unit_at(text)
        if self._units and ordinal in (-1, self._units[-1]):
            self.out.append(self._label(self._units[-1]) + escape(text))
        else:  # a unit inside another: what is hidden in a line, say
            self._span(ordinal, escape(text))

    def _unit_at(self, text: str) -> int:
        """The unit that a text belongs to: by its offset, else the first of those without a range that hold it."""
        found = self._ranges.at(self._at)
        if self._moved and (found < 0 or _folded(text) not in _folded(self._document.text(found))):
            folded = _folded(text)
            found = next((ordinal for ordinal, said in self._moved.items() if folded in said), found)
        return found

    def _span(self, ordinal: int, shown: str, kind: str = "wu") -> None:
        if ordinal < 0:
            self.out.append(f'<span class="wx">{shown}</span>')
            return
        sign, first = self._signs[ordinal], ordinal not in self.seen
        self.seen.add(ordinal)
        start = opened("span", sign, kind=kind) if first else f'<span class="{kind} {sign.kinds}">'
        self.out.append(f"{start}{self._label(ordinal)}{shown}</span>")

    def _label(self, ordinal: int) -> str:
        """The unit's label, before its first text."""
        if ordinal in self._labelled:
            return ""
        self._labelled.add(ordinal)
        return label(self._signs[ordinal])

    def _atom(self, node: dom.Node) -> None:
        """Write what an image, a drawing, a formula or a control says."""
        where = node.source_location
        start = self._at if where is None else where.start_tag.start_offset
        whole = self._ranges.whole(start, None) if where is not None else -1
        text = self._document.text(whole) if whole >= 0 else _said(node)
        if not text.strip():
            return
        if self._units:
            self.out.append(f'{self._label(self._units[-1])}<span class="wi">{escape(text)}</span>')
        else:
            self._span(whole if whole >= 0 else self._ranges.at(start), escape(text), "wu wi")


def _inside(node: dom.Node) -> list[_Left]:
    """What is in a node, the last first; what a shadow root shows before what it may hide."""
    root = getattr(node, "shadow_root", None)
    children = [*node.children] if root is None else [*root.children, *node.children]
    return [(child, "", False) for child in reversed(children)]


def _is_block(node: dom.Node) -> bool:
    return getattr(node, "tag", "") in _BLOCKS


def _said(node: dom.Node) -> str:
    """The text of an element that is shown as one thing."""
    if node.tag == "img":
        return node.attr("alt") or ""
    if node.tag == "input":
        shown = (node.attr("type") or "").lower() not in ("hidden", "checkbox", "radio")
        return (node.attr("value") or node.attr("placeholder") or "") if shown else ""
    return " ".join(node.text.split())


def _attributes(node: dom.Node, name: str) -> str:
    """The attributes that may stay: numbers of a grid or a list, language and direction."""
    found = [(key, node.attr(key) or "") for key in _NUMBERS.get(name, ())]
    kept = [(key, value.strip()) for key, value in found if _NUMBER.fullmatch(value.strip())]
    kept += [("lang", value) for value in (node.attr("lang") or "",) if _LANGUAGE.fullmatch(value)]
    kept += [("dir", value) for value in ((node.attr("dir") or "").lower(),) if value in _DIRECTIONS]
    return "".join(f' {key}="{value}"' for key, value in kept) + (" open" if name == "details" else "")


def _folded(text: str) -> str:
    return " ".join(text.split())
