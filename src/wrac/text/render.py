"""Markdown of places, from text, marks and spans: a rendering made beside the stored text, never stored as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from wrac.core.types import Document, Kind, Mark, MarkKind, Span
from wrac.text.inline import BREAK, fence, image, inline
from wrac.text.nesting import by_cell, description_of, expanded, innermost, leading, parted
from wrac.text.setting import Setter

Cuts: TypeAlias = Mapping[int, tuple[int, int]]
"""The code points `[start, end)` to show of the units at some ordinals; the others are shown whole."""

_WHOLE: Final[Cuts] = {}
_DEEPEST: Final = 32  # items deeper than this are drawn as deep as this
_TIGHT: Final = {
    ("table_row", "table_row"), ("term", "term"), ("term", "definition"), ("definition", "definition"),
}  # fmt: skip

_MARKED: Final = frozenset[Kind](("list_item", "quote"))
_CLOSING: Final = re.compile(r"(?:^|(?<=[ \t]))#+$")  # would be taken for a heading's closing sequence
_FINE: Final = frozenset[MarkKind](("link", "em", "code", "sup", "sub"))
_RAW: Final = frozenset[Kind](("code", "math", "image"))


def markdown(document: Document, ordinals: Sequence[int], *, lean: bool = False) -> str:
    """Markdown of the places, in the order given; a part of a table carries its header row.

    `lean` leaves out links, emphasis and inline code: the same words for a fifth fewer tokens.
    """
    return Renderer(document, lean=lean).markdown(ordinals)


class Context(NamedTuple):
    """What a place stands in: the quotes and items around it from the outside in, as spans; its table (-1: none)."""

    around: tuple[int, ...] = ()
    quoted: bool = False
    table: int = -1


class Renderer:
    """Renders any places of one document; what spans say is worked out once, in time linear in places and spans."""

    def __init__(self, document: Document, *, lean: bool = False) -> None:
        self._document, self._lean = document, lean
        self._contexts = _contexts(document.spans)
        self._innermost = innermost(document)
        self._kinds = [document.units[place.unit].kind for place in document.places]
        self._tables: dict[int, _Table] = {}

    def markdown(self, ordinals: Sequence[int], cuts: Cuts = _WHOLE) -> str:
        """Markdown of the places; `cuts` gives the code points `[start, end)` to show of units that are split."""
        pieces: list[str] = []
        setter = Setter(self._document.spans, ordinals)
        before, beside, description = "", _OUTSIDE, ""
        position, count = 0, len(ordinals)
        while position < count:
            ordinal = ordinals[position]
            context, kind = self._context(ordinal), self._kinds[ordinal]
            position += 1
            if kind == "table_row" and context.table >= 0:
                end = self._run(ordinals, position, context.table)
                text = self._table(context.table, ordinals[position - 1 : end], cuts)
                position = end
            else:
                text = self._block(ordinal, kind, cuts.get(ordinal) if cuts else None)
                if kind == "definition":
                    last, description = description, description_of(self._document.places[ordinal])
                    if before == "term" or parted(last, description):
                        text = f": {text}"
                    else:
                        before = ""  # a paragraph of the definition before
            tight, gap = (before, kind) in _TIGHT and context == beside, "\n\n"
            if context.around or beside.around or kind in _MARKED:
                text, gap, joins = setter.set(ordinal, kind, text, context.around)
                tight = tight or (before == kind == "list_item" and joins)
            if pieces:
                pieces.append("\n" if tight else gap)
            pieces.append(text)
            before, beside = kind, context
        return "".join(pieces)

    def _run(self, ordinals: Sequence[int], position: int, table: int) -> int:
        """Where a run of rows of one table ends."""
        end = position
        while end < len(ordinals) and self._row_of(ordinals[end], table):
            end += 1
        return end

    def _row_of(self, ordinal: int, table: int) -> bool:
        return self._context(ordinal).table == table and self._kinds[ordinal] == "table_row"

    def _context(self, ordinal: int) -> Context:
        span = self._innermost[ordinal]
        return self._contexts[span] if span >= 0 else _OUTSIDE

    def _block(self, ordinal: int, kind: Kind, cut: tuple[int, int] | None) -> str:
        """A unit's Markdown, without the quotes and list markers around it."""
        place = self._document.places[ordinal]
        text = self._document.units[place.unit].text
        span = cut or (0, len(text))
        if kind in _RAW:
            return _raw(kind, text[span[0] : span[1]], place.marks)
        if kind == "question":
            return inline(text, _questioned(text, place.marks, lean=self._lean), span)
        shown = inline(text, place.marks, span, lean=self._lean, first=kind != "heading")
        if kind == "heading":
            shown = shown.replace("\n\n", " ").replace(BREAK, " ")
            if shown.endswith("#"):
                shown = _CLOSING.sub(r"\\\g<0>", shown)
            return f"{'#' * min(max(place.level, 1), 6)} {shown}"
        return shown

    def _table(self, index: int, ordinals: Sequence[int], cuts: Cuts) -> str:
        """A pipe table of the rows, under the table's header row wherever they stand."""
        if index not in self._tables:
            self._tables[index] = self._grid(index)
        table = self._tables[index]
        rows = [table.rows[o] if o not in cuts else self._cut_row(o, cuts[o]) for o in ordinals if o not in table.heads]
        width = max(1, len(table.header), *map(len, rows))
        lines = [_line(table.header, width), "|" + "---|" * width, *(_line(row, width) for row in rows)]
        return "\n".join(lines)

    def _cut_row(self, ordinal: int, cut: tuple[int, int]) -> list[str]:
        """A part of a row too long for one chunk: each cell's share, empty cells where nothing of it is in the part."""
        return [content for content, _ in self._cells(ordinal, cut)]

    def _cells(self, ordinal: int, cut: tuple[int, int] | None = None) -> list[tuple[str, Mark]]:
        """The source cells of a row: Markdown and mark."""
        place, text = self._document.places[ordinal], self._document.text(ordinal)
        low, high = cut or (0, len(text))
        result = []
        for cell, inner in by_cell(place.marks, len(text)):
            start, end = max(cell.start, low), min(cell.end, high)
            shown = inline(text, inner, (start, end), lean=self._lean, first=False) if start < end else ""
            if "|" in shown or "\n" in shown:
                shown = shown.replace(BREAK, "<br>").replace("\n", "<br>").replace("|", r"\|")
            result.append((shown, cell))
        return result

    def _grid(self, index: int) -> _Table:
        """A table's rows with row and column spans expanded, its leading header rows folded into one."""
        span = self._document.spans[index]
        own = [o for o in range(span.first, span.last + 1) if self._row_of(o, index)]
        rows = expanded(own, span.data.get("groups", ()), self._cells)
        heads = leading(span.data.get("header_rows", ()), own)
        return _Table(rows, frozenset(heads), _fold([rows[o] for o in heads]))


@dataclass(frozen=True, slots=True)
class _Table:
    """A table ready to print: cells by ordinal, the ordinals of its leading header rows, and these as one row."""

    rows: dict[int, list[str]]
    heads: frozenset[int]
    header: list[str]


_OUTSIDE: Final = Context()


def _contexts(spans: Sequence[Span]) -> list[Context]:
    """The context inside each span; a parent stands before its children."""
    result: list[Context] = []
    for index, span in enumerate(spans):
        around = result[span.parent] if 0 <= span.parent < index else _OUTSIDE
        result.append(_entered(around, index, span, spans))
    return result


def _entered(around: Context, index: int, span: Span, spans: Sequence[Span]) -> Context:
    if span.kind == "quote":
        return Context((*around.around, index)[-_DEEPEST:], True, around.table)
    if span.kind == "item" and not (span.parent >= 0 and spans[span.parent].kind == "definitions"):
        return Context((*around.around, index)[-_DEEPEST:], around.quoted, around.table)
    if span.kind == "definitions":
        return around._replace(table=-1)
    return around._replace(table=index) if span.kind == "table" else around


def _questioned(text: str, marks: Sequence[Mark], *, lean: bool) -> list[Mark]:
    """The marks of a question, whose every line is strong, whatever was so on the page."""
    lines, at = [], 0
    for line in text.split("\n"):
        start = at + len(line) - len(line.lstrip())
        lines.append(Mark("strong", start, start + len(line.strip())))
        at += len(line) + 1
    return [*lines, *(mark for mark in marks if mark.kind != "strong" and not (lean and mark.kind in _FINE))]


def _raw(kind: Kind, text: str, marks: Sequence[Mark]) -> str:
    """A unit whose text stands in Markdown as it is."""
    if kind == "code":
        return fence(text, next((mark.value for mark in marks if mark.kind == "code" and mark.value), ""))
    if kind == "math":
        return f"$$\n{text}\n$$"
    return image(text, next((mark.value for mark in marks if mark.kind == "image"), ""))


def _fold(rows: Sequence[Sequence[str]]) -> list[str]:
    """Header rows as one: the different texts of each column, from the top."""
    width = max(map(len, rows), default=0)
    columns = [dict.fromkeys(row[c] for row in rows if c < len(row) and row[c]) for c in range(width)]
    return [" / ".join(column) for column in columns]


def _line(row: Sequence[str], width: int) -> str:
    return "| " + " | ".join([*row, *[""] * (width - len(row))]) + " |"
