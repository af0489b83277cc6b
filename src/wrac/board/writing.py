"""Units as markup with their signs: for pages that are no HTML, and for what stands nowhere on the page itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from typing import Final, NamedTuple

from wrac.core.structure import table_cells
from wrac.core.types import Document, PartAddress, PdfAddress, Place

_DEEPEST: Final = 6
_ELEMENTS: Final = {"code": "pre", "quote": "blockquote", "list_item": "p", "image": "p", "math": "p"}


class Sign(NamedTuple):
    """How a unit is marked: an address that shows more of it, what its label says, the style's classes, and a line that
    tells all of it.
    """

    ordinal: int
    href: str
    chunk: str
    kinds: str
    says: str


def label(sign: Sign) -> str:
    """The link that stands before a unit: the chunk's number where one begins, and its own."""
    number = f"<b>{escape(sign.chunk)}</b>" if sign.chunk else ""
    told = escape(sign.says)
    return (
        f'<a class="wn {sign.kinds}" href="{escape(sign.href)}" target="_top" title="{told}" aria-label="{told}">'
        f"{number}{sign.ordinal}</a>"
    )


def opened(tag: str, sign: Sign, attributes: str = "", *, kind: str = "wu") -> str:
    """The start tag of an element that stands for a unit."""
    return f'<{tag} id="u{sign.ordinal}" class="{kind} {sign.kinds}"{attributes}>'


def written(document: Document, ordinals: Iterable[int], signs: Sequence[Sign]) -> str:
    """The units at some ordinals, in that order: rows that follow one another as a table, the pages and parts of a file
    under their names.
    """
    cells, heads = table_cells(document), _heads(document)
    several = len({_part(place) for place in document.places}) > 1
    out, before = list[str](), ""
    for (part, rows), run in groupby(ordinals, lambda ordinal: (_part(document.places[ordinal]), ordinal in cells)):
        if part != before and several:
            out.append(f'<p class="wpart">{escape(part)}</p>')
            before = part
        if rows:
            shown = (_row(cells[o], signs[o], "th" if o in heads else "td") for o in run)
            out.append(f"<table>{''.join(shown)}</table>")
        else:
            out += [_block(document, document.places[ordinal], signs[ordinal]) for ordinal in run]
    return "\n".join(out)


def _heads(document: Document) -> frozenset[int]:
    """The ordinals of header rows."""
    return frozenset(o for span in document.spans if span.kind == "table" for o in span.data.get("header_rows", ()))


def _part(place: Place) -> str:
    """The page or part of a file that a place is in."""
    where = place.address
    if isinstance(where, PdfAddress):
        return f"page {where.page}"
    return where.part if isinstance(where, PartAddress) else ""


def _row(cells: Sequence[str], sign: Sign, tag: str) -> str:
    first, *others = cells or ("",)
    shown = f"<{tag}>{label(sign)}{escape(first)}</{tag}>"
    return opened("tr", sign) + shown + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in others) + "</tr>"


def _block(document: Document, place: Place, sign: Sign) -> str:
    unit = document.units[place.unit]
    tag = f"h{min(max(place.level, 1), _DEEPEST)}" if unit.kind == "heading" else _ELEMENTS.get(unit.kind, "p")
    kind = f"wu w-{unit.kind}" + (f" w-{min(place.level, _DEEPEST)}" if unit.kind == "list_item" else "")
    return f"{opened(tag, sign, kind=kind)}{label(sign)}{escape(unit.text)}</{tag}>"
