"""Tables: data or layout, and rows as units of tab-joined cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wrac.core.types import Mark
from wrac.parsing.dom import Attributes, Element, Node
from wrac.parsing.frames import Frame, SpanDraft, Table, integer
from wrac.parsing.run import Line, moved

if TYPE_CHECKING:
    from wrac.parsing.segment import Segmenter

_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_STRUCTURE = "table,h1,h2,h3,h4,h5,h6"
_LONG_CELL = 1500  # characters; a headerless table with a cell of several blocks beyond this lays out a page
_MOST_COLS = 1000
_MOST_ROWS = 65534


def is_data(table: Node, attrs: Attributes) -> bool:
    """Whether a table holds data. A layout table says so by role, or has no header and structure in its cells."""
    if attrs and attrs.get("role") in ("presentation", "none"):
        return False
    cells = []
    for child in table.children:
        if type(child) is not Element:
            continue
        if child.tag in ("thead", "caption"):
            return True
        for row in child.children if child.tag in _GROUPS else ():
            if type(row) is Element and row.tag == "tr":
                for cell in row.children:
                    if type(cell) is Element:
                        if cell.tag == "th":
                            return True
                        cells.append(cell)
    if table.select_one(_STRUCTURE) is not None:
        return False
    return not any(_lays_out(cell) for cell in cells)


def _lays_out(cell: Node) -> bool:
    blocks = sum(type(child) is Element and child.tag in ("p", "div", "ul", "ol", "pre") for child in cell.children)
    return blocks > 2 and len(cell.text) > _LONG_CELL


def open_table(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    """Begins a table: a data table gets a span and turns rows into units."""
    frame.row = None
    frame.flat = False
    frame.table = Table() if is_data(node, attrs) else None
    if frame.table is not None:
        data = {"header_rows": frame.table.headers, "groups": frame.table.groups}
        frame.on_leave = [SpanDraft("table", len(walk.drafts), data)]


def leave_cell(walk: Segmenter, frame: Frame) -> None:
    """Ends a cell: its text waits for the row."""
    row = frame.row
    if row is None:
        return
    line = walk.run.take()
    row.first = frame.node if row.first is None else row.first
    row.last = frame.node
    attrs = frame.node.attrs
    cols, rows = 1, 1
    if "colspan" in attrs:
        cols = min(max(integer(attrs["colspan"]) or 1, 1), _MOST_COLS)
    if "rowspan" in attrs:
        span = integer(attrs["rowspan"])
        rows = 1 if span is None or span < 0 else min(span, _MOST_ROWS)
    head = frame.tag == "th"
    row.cells.append((line.text, line.marks, Mark("cell", 0, len(line.text), "", rows, cols, head)))


def leave_row(walk: Segmenter, frame: Frame) -> None:
    """Ends a row: one unit of its own cells, joined by a tab."""
    row, frame.row = frame.row, None
    table = frame.table
    if row is None or table is None:
        return
    if not any(text.strip() for text, _, _ in row.cells):
        table.skip_row()
        return
    at, texts, marks = 0, [], []
    for text, inner, cell in row.cells:
        texts.append(text)
        marks.append(moved(cell, at, at + len(text)))
        marks.extend([moved(mark, mark.start + at, mark.end + at) for mark in inner])
        at += len(text) + 1
    ordinal = len(walk.drafts)
    heads = row.headed or all(cell.header for text, _, cell in row.cells)
    if heads:
        table.headers.append(ordinal)
    draft = walk.add("table_row", Line("\t".join(texts), tuple(marks), ()), frame)
    table.end_row(draft)
    if frame.node.source_location is not None:
        walk.locate_element(draft, frame.path(), frame.node, "tr")
    else:  # an implied tr: its cells bound it
        walk.locate_between(draft, frame.path(), row.first, row.last, "tbody")
