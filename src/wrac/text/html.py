"""HTML of places, from text, marks and spans: semantic, well-formed, and nothing in it runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from wrac.core.types import Document, Kind, Mark, Place, Span, SpanKind
from wrac.text.detection import direction
from wrac.text.markup import SPACED, attribute, formula, image, inline, verbatim
from wrac.text.nesting import by_cell, description_of, expanded, innermost, leading, parted

_ELEMENTS: Final[dict[SpanKind, str]] = {
    "quote": "blockquote", "figure": "figure", "nav": "nav", "header": "header", "footer": "footer", "aside": "aside",
    "definitions": "dl", "list": "ul", "item": "li", "qa": "details", "details": "details", "tabs": "div",
    "form": "div", "dialog": "div",
}  # fmt: skip
_ROLES: Final[dict[SpanKind, str]] = {"form": "form", "dialog": "dialog"}
_OF_TABLES: Final = frozenset(("table", "thead", "tbody"))
_LEVELS: Final = 7  # HTML has headings of six levels
_NEAR: Final = 64  # elements that are looked through for the one a text belongs to
_KEEP: Final = ' style="white-space: pre-wrap"'
_STYLE: Final = (
    "body{max-width:50em;margin:2em auto;padding:0 1em;font-family:sans-serif;line-height:1.5}"
    "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .5em;text-align:start}"
    "pre{overflow:auto;background:#f4f4f4;padding:.5em}img{max-width:100%}"
)
_POLICY: Final = "default-src 'none'; img-src http: https: file:; style-src 'unsafe-inline'"


def html(document: Document, ordinals: Sequence[int]) -> str:
    """An HTML fragment of the places, in the order given; a part of a table carries its header rows.

    What is a link, a language or a direction of its own is marked as such; an address of another scheme than HTTP
    and mail is left out. Takes time linear in places and text.
    """
    return _Writer(document, ordinals).fragment()


def page(document: Document, ordinals: Sequence[int]) -> str:
    """The same fragment in a page of its own, with the document's title and language."""
    language = f' lang="{attribute(document.language)}"' if document.language else ""
    return (
        f'<!doctype html>\n<html{language}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{verbatim(document.title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{html(document, ordinals)}\n</body>\n</html>"
    )


class _Open(NamedTuple):
    """An open element: its tag, the ordinals it may hold, the span it stands for (-1: none)."""

    tag: str
    first: int
    last: int
    span: int = -1


class _Table(NamedTuple):
    """A table ready to be written: the ordinals that head it, those that begin a row group, its rows' cells."""

    heads: dict[int, None]
    groups: frozenset[int]
    rows: dict[int, list[str]]


class _Writer:
    """Writes places one after another, with the elements that their spans open and close."""

    def __init__(self, document: Document, ordinals: Sequence[int]) -> None:
        self._document, self._ordinals, self._shown = document, ordinals, frozenset(ordinals)
        self._kinds = [document.units[place.unit].kind for place in document.places]
        self._innermost = innermost(document)
        self._holders, self._table_of = _holders(document.spans), _table_of(document.spans)
        self._rows_of: dict[int, list[int]] = {}
        for ordinal, kind in enumerate(self._kinds):
            if kind == "table_row":
                self._rows_of.setdefault(self._table(ordinal), []).append(ordinal)
        self._tables: dict[int, _Table] = {}
        self._out: list[str] = []
        self._stack: list[_Open] = []
        self._open: set[int] = set()
        self._fresh = -1  # how long `_out` was when the innermost element had been opened
        self._anchors: set[str] = set()
        self._following: dict[int, int] = {}  # the number that an item would have by itself, by its list
        self._described = ""
        self._direction = _direction(document)

    def fragment(self) -> str:
        """All of it."""
        for position, ordinal in enumerate(self._ordinals, 1):
            kind, table = self._kinds[ordinal], self._table(ordinal)
            if kind == "table_row":
                self._row(ordinal, table)
                continue
            self._enter(ordinal)
            if kind == "caption" and self._row_at(position, table):
                self._open_table(ordinal, table)
            else:
                self._block(ordinal, kind)
        while self._stack:
            self._close()
        text = "\n".join(self._out)
        return f'<div dir="rtl">\n{text}\n</div>' if self._direction == "rtl" else text

    def _table(self, ordinal: int) -> int:
        span = self._innermost[ordinal]
        return self._table_of[span] if span >= 0 else -1

    def _row_at(self, position: int, table: int) -> bool:
        """Whether a row of the table comes at a position of what is shown."""
        ordinals = self._ordinals[position : position + 1]
        return table >= 0 and any(self._kinds[o] == "table_row" and self._table(o) == table for o in ordinals)

    # -- elements around places

    def _push(self, tag: str, first: int, last: int, span: int = -1, attributes: str = "") -> None:
        self._stack.append(_Open(tag, first, last, span))
        self._open.add(span)
        self._out.append(f"<{tag}{attributes}>")
        self._fresh = len(self._out)

    def _close(self) -> None:
        element = self._stack.pop()
        self._open.discard(element.span)
        if len(self._out) == self._fresh:
            self._out[-1] += f"</{element.tag}>"
        else:
            self._out.append(f"</{element.tag}>")

    def _enter(self, ordinal: int) -> None:
        """Closes the elements that a place is not in, and opens those that it is; it is in no table."""
        while self._stack and (self._stack[-1].tag in _OF_TABLES or not _holds(self._stack[-1], ordinal)):
            self._close()
        chain = []
        span = self._innermost[ordinal]
        span = self._holders[span] if span >= 0 else -1
        while span >= 0 and span not in self._open:
            chain.append(span)
            parent = self._document.spans[span].parent
            span = self._holders[parent] if parent >= 0 else -1
        for index, inner in pairwise((*reversed(chain), -1)):
            self._open_span(index, inner, ordinal)

    def _open_span(self, index: int, inner: int, ordinal: int) -> None:
        """Opens a span's element; `inner` is the span to be opened in it, -1 for none."""
        span = self._document.spans[index]
        tag, attributes = _ELEMENTS[span.kind], f' role="{_ROLES[span.kind]}"' if span.kind in _ROLES else ""
        if span.kind == "list" and span.data.get("ordered"):
            tag, attributes = "ol", self._start(index, inner)
        elif span.kind == "item":
            attributes = self._number(span)
        elif tag == "details":
            tag = tag if self._kinds[ordinal] == "question" and ordinal == span.first else "div"
            closed = self._document.places[span.last].visible == "collapsed"
            attributes = "" if closed or tag == "div" else " open"
        self._make_room(tag, span.first, span.last)
        self._push(tag, span.first, span.last, index, attributes)

    def _make_room(self, tag: str, first: int, last: int) -> None:
        """Opens what must stand between a list and a block that is no item of it, or around an item in no list."""
        within = self._stack[-1] if self._stack else None
        parent = within.tag if within is not None else ""
        if tag == "li" and parent not in ("ul", "ol"):
            self._push("ul", first, last)
        elif parent in ("ul", "ol") and tag != "li":
            self._push("li", first, last)
        elif within is not None and parent == "dl" and tag not in ("dt", "dd"):
            self._push("dd", first, within.last)

    def _start(self, index: int, item: int) -> str:
        """The number that the items shown of a list begin with, where it is not 1."""
        number = self._document.spans[item].data.get("number", 1) if item >= 0 else 1
        self._following[index] = number
        return f' start="{number}"' if number != 1 else ""

    def _number(self, item: Span) -> str:
        """The number of an item where it is another than it would have by itself."""
        number = item.data.get("number")
        if number is None:
            return ""
        usual = self._following.get(item.parent, 1)
        self._following[item.parent] = number + 1
        return f' value="{number}"' if number != usual else ""

    # -- places

    def _block(self, ordinal: int, kind: Kind) -> None:
        top = self._stack[-1] if self._stack else _Open("", 0, 0)
        fresh = len(self._out) == self._fresh
        if top.tag == "dl" or (top.tag == "dd" and top.span < 0):
            self._defined(ordinal, kind, top)
        elif kind == "list_item" and top.tag == "li" and fresh:
            self._text(ordinal)
        elif kind == "question" and top.tag == "details" and fresh:
            self._element("summary", ordinal)
        elif kind in ("list_item", "quote") and not self._inside("li" if kind == "list_item" else "blockquote"):
            self._push("ul" if kind == "list_item" else "blockquote", ordinal, ordinal)
            self._element("li" if kind == "list_item" else "p", ordinal)
        else:
            self._make_room("p", ordinal, ordinal)
            self._plain(ordinal, kind)

    def _inside(self, tag: str) -> bool:
        return any(element.tag == tag for element in reversed(self._stack[-_NEAR:]))

    def _defined(self, ordinal: int, kind: Kind, top: _Open) -> None:
        """Writes a place of a definition list: terms and definitions as such, all else into the definition."""
        another = kind in ("term", "question")
        if kind == "definition":
            last, self._described = self._described, description_of(self._document.places[ordinal])
            another = top.tag == "dl" or parted(last, self._described)
        if another:
            if top.tag == "dd":
                self._close()
            if kind == "definition":
                self._push("dd", ordinal, self._stack[-1].last)
                self._text(ordinal)
            else:
                self._element("dt", ordinal)
        else:
            self._make_room("p", ordinal, ordinal)
            self._plain(ordinal, kind)

    def _text(self, ordinal: int) -> None:
        """Writes a text right into the element that was just opened, unless it has something of its own to say."""
        place, text = self._document.places[ordinal], self._document.text(ordinal)
        if self._look(place, text):
            self._element("p", ordinal)
        else:
            self._out[-1] = f"{self._out[-1][:-1]}{self._id(place)}>{inline(text, place.marks, (0, len(text)))}"

    def _plain(self, ordinal: int, kind: Kind) -> None:
        """Writes a block that stands alone."""
        place, text = self._document.places[ordinal], self._document.text(ordinal)
        in_figure = bool(self._stack) and self._stack[-1].tag == "figure"
        if kind == "heading":
            self._element(f"h{max(place.level, 1)}" if place.level < _LEVELS else "div", ordinal)
        elif kind == "code":
            named = next((mark.value for mark in place.marks if mark.kind == "code" and mark.value), "")
            language = f' class="language-{attribute(named)}"' if named else ""
            end = "\n" if text.endswith("\n") else ""  # a last line end is taken for that of the markup
            self._out.append(f"<pre{self._id(place)}><code{language}>{verbatim(text)}{end}</code></pre>")
        elif kind == "image" and in_figure:
            self._out.append(image(text, _source(place)))
        elif kind in ("math", "image", "question"):
            self._out.append(f"<p{self._id(place)}{self._look(place, text)}>{_special(kind, text, place)}</p>")
        else:
            self._element("figcaption" if kind == "caption" and in_figure else "p", ordinal)

    def _element(self, tag: str, ordinal: int) -> None:
        place, text = self._document.places[ordinal], self._document.text(ordinal)
        attributes = self._id(place) + self._look(place, text)
        if tag == "div":  # a heading deeper than HTML has
            attributes += f' role="heading" aria-level="{place.level}"'
        self._out.append(f"<{tag}{attributes}>{inline(text, place.marks, (0, len(text)))}</{tag}>")

    def _id(self, place: Place) -> str:
        if not place.anchor or place.anchor in self._anchors:
            return ""
        self._anchors.add(place.anchor)
        return f' id="{attribute(place.anchor)}"'

    def _look(self, place: Place, text: str) -> str:
        """Language and direction where they are not the page's, and that white space counts where it does."""
        found = ""
        if place.language and place.language != self._document.language:
            found += f' lang="{attribute(place.language)}"'
        if (own := _direction_of(text)) and own != self._direction:
            found += f' dir="{own}"'
        return found + (_KEEP if SPACED.search(text) and self._kinds[place.ordinal] != "table_row" else "")

    # -- tables

    def _row(self, ordinal: int, index: int) -> None:
        if index < 0 or index not in self._open:
            self._enter(ordinal)
            self._open_table(ordinal, index)
        table = self._tables[index]
        self._group("thead" if ordinal in table.heads else "tbody", ordinal, anew=ordinal in table.groups)
        self._write_row(ordinal, table)

    def _open_table(self, ordinal: int, index: int) -> None:
        """Opens a table, with its caption and, the first time, its header where what is shown has none of it."""
        self._make_room("table", ordinal, ordinal)
        span = self._document.spans[index] if index >= 0 else Span("table", ordinal, ordinal)
        self._push("table", span.first, span.last, index)
        if self._kinds[ordinal] == "caption":
            self._element("caption", ordinal)
        if index in self._tables:
            return
        table = self._tables[index] = self._make_table(index)
        if self._shown.isdisjoint(table.heads):
            for head in table.heads:
                self._group("thead", head, anew=False)
                self._write_row(head, table)

    def _group(self, tag: str, ordinal: int, *, anew: bool) -> None:
        if self._stack[-1].tag in ("thead", "tbody") and (anew or self._stack[-1].tag != tag):
            self._close()
        if self._stack[-1].tag == "table":
            self._push(tag, ordinal, ordinal)

    def _write_row(self, ordinal: int, table: _Table) -> None:
        place = self._document.places[ordinal]
        attributes = self._id(place) + self._look(place, self._document.text(ordinal))
        self._out.append(f"<tr{attributes}>{''.join(table.rows[ordinal])}</tr>")

    def _make_table(self, index: int) -> _Table:
        """A table whose cells span rows and columns as in the source, or are repeated where it is shown in part."""
        data = self._document.spans[index].data if index >= 0 else {}
        own = self._rows_of[index]
        heads = dict.fromkeys(leading(data.get("header_rows", ()), own))
        groups = frozenset(data.get("groups", ()))
        if index < 0 or self._shown.issuperset(own):
            rows = {o: [cell for cell, _ in self._cells(o, o in heads, spanning=True)] for o in own}
        else:
            rows = expanded(own, groups, lambda o: self._cells(o, o in heads, spanning=False))
        return _Table(heads, groups, rows)

    def _cells(self, ordinal: int, head: bool, *, spanning: bool) -> list[tuple[str, Mark]]:
        """The cells of a row, and the marks that say how far they reach."""
        text, result = self._document.text(ordinal), []
        for cell, inner in by_cell(self._document.places[ordinal].marks, len(text)):
            tag = "th" if cell.header else "td"
            attributes = f' scope="{"col" if head else "row"}"' if cell.header else ""
            if spanning and cell.cols != 1:
                attributes += f' colspan="{cell.cols}"'
            if spanning and cell.rows != 1:
                attributes += f' rowspan="{cell.rows}"'
            if SPACED.search(text, cell.start, cell.end):
                attributes += _KEEP
            result.append((f"<{tag}{attributes}>{inline(text, inner, (cell.start, cell.end))}</{tag}>", cell))
        return result


def _source(place: Place) -> str:
    return next((mark.value for mark in place.marks if mark.kind == "image"), "")


def _special(kind: Kind, text: str, place: Place) -> str:
    """A formula, an image or, in bold, a question that opens nothing."""
    if kind == "math":
        return formula(text)
    if kind == "image":
        return image(text, _source(place))
    strong = [Mark("strong", 0, len(text)), *(mark for mark in place.marks if mark.kind != "strong")]
    return inline(text, strong, (0, len(text)))


def _holds(element: _Open, ordinal: int) -> bool:
    return element.first <= ordinal <= element.last


def _holders(spans: Sequence[Span]) -> list[int]:
    """For each span the innermost one that is an element of its own: itself, or one around it (-1: none).

    Sections and tables are none here; a group of a definition list stands for its terms and definitions.
    """
    result: list[int] = []
    for index, span in enumerate(spans):
        grouped = span.kind in ("item", "qa") and span.parent >= 0 and spans[span.parent].kind == "definitions"
        own = span.kind in _ELEMENTS and not grouped
        result.append(index if own else result[span.parent] if span.parent >= 0 else -1)
    return result


def _table_of(spans: Sequence[Span]) -> list[int]:
    """For each span the table whose row a place in it could be."""
    result: list[int] = []
    for index, span in enumerate(spans):
        around = result[span.parent] if span.parent >= 0 and span.kind != "definitions" else -1
        result.append(index if span.kind == "table" else around)
    return result


def _direction(document: Document) -> str:
    """The direction of most of a document's places."""
    found = [_direction_of(document.text(place.ordinal)) for place in document.places]
    return "rtl" if found.count("rtl") * 2 > len(found) - found.count("") else "ltr"


def _direction_of(text: str) -> str:
    """The direction of a text, "" where it has no letters."""
    if text.isascii():
        return "ltr" if any(map(str.isalpha, text)) else ""
    return direction(text) if any(map(str.isalpha, text)) else ""
