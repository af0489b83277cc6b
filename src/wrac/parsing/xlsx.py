"""Workbooks to a Document: a section for each sheet, a table for each block of cells, a unit for each row.

The address of a unit is its sheet and its cells there, such as `Prices` and `A5:F5`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wrac.core.types import Document, Kind, Loss, Mark, Page, PartAddress
from wrac.parsing.dom import document
from wrac.parsing.drawing import alternative, drawn_texts, graphic
from wrac.parsing.emit import Emitter
from wrac.parsing.formats import FORMATS, XLSX
from wrac.parsing.frames import Frame, SpanDraft
from wrac.parsing.grids import header_rows
from wrac.parsing.html import segment_tree
from wrac.parsing.markup import Markup, assembled, attribute
from wrac.parsing.package import Node
from wrac.parsing.run import Line
from wrac.parsing.xlsx_read import Area, Row, Sheet, Workbook, area_of, column_name

_LOOKED_AT: Final = 200  # rows that tell the header
_TOLD: Final = 50  # cells named in a loss


def parse(page: Page) -> Document:
    """The Document of a workbook. Raises InputError for bytes that are none, LimitError for one beyond a cap."""
    book = Workbook(page)
    out = _Writer(book)
    for sheet in book.sheets:
        out.sheet(sheet)
    out.outline.close(len(out.drafts))
    return assembled(page, FORMATS[XLSX].parser, out, book.package.about())


class _Writer(Emitter):
    """Collects the units of sheet after sheet."""

    def __init__(self, book: Workbook) -> None:
        super().__init__(str)
        self._book = book
        self._sheet = ""
        self._named: set[int] = set()  # rows that the file calls the header of a table
        self._frame = Frame(None, "", iter(()), None, 0)

    def sheet(self, sheet: Sheet) -> None:
        """A sheet: its name as a heading, its blocks of rows, then comments and what is drawn on it."""
        rows = list(sheet.rows())
        self._sheet, self._frame = sheet.name, Frame(None, "", iter(()), None, 0)
        self._frame.visible = "hidden" if sheet.hidden else "visible"
        self._named = {area.top for area in _named_tables(self._book, sheet)}
        self._put("heading", Line(sheet.name, (), ()), "", 1)
        for block in _blocks(rows):
            self._block(block, sheet.merged)
        if sheet.bare:
            cells = ", ".join(sheet.bare[:_TOLD]) + (" …" if len(sheet.bare) > _TOLD else "")
            reason = f"formulas whose values the file does not hold: {len(sheet.bare)} on {sheet.name}"
            self.losses.append(Loss(reason, 0, text=cells))
        self._beside(sheet)

    def _put(self, kind: Kind, line: Line, shape: str, level: int = 0) -> None:
        if line.text.strip():
            self.add(kind, line, self._frame, level).native = PartAddress(self._sheet, shape)

    def _block(self, rows: list[Row], merged: Sequence[Area]) -> None:
        """Rows without an empty one between them: texts of one cell above the table, and the table."""
        columns = sorted({cell.column for row in rows for cell in row.cells})
        heads = [n for n, row in enumerate(rows) if row.number in self._named][:1]
        heads = heads or list(header_rows([_texts(row, columns) for row in rows[:_LOOKED_AT]]))
        first = heads[0] if heads else 0
        if all(len(row.cells) == 1 for row in rows) and len(rows) < 3:
            first = len(rows)
        while not heads and first < len(rows) - 1 and len(rows[first].cells) == 1 < len(columns):
            first += 1
        for row in rows[:first]:
            for cell in row.cells:
                self._put("paragraph", Line(cell.text.strip(), (), ()), f"{column_name(cell.column)}{row.number}")
        if rows[first:]:
            self._table(rows[first:], columns, merged, headed=bool(heads))

    def _table(self, rows: list[Row], columns: list[int], merged: Sequence[Area], *, headed: bool) -> None:
        begin = len(self.drafts)
        spans = _Merged(merged, [row.number for row in rows], columns)
        for place, row in enumerate(rows):
            shape = f"{column_name(row.cells[0].column)}{row.number}:{column_name(row.cells[-1].column)}{row.number}"
            self._put("table_row", _line(row, columns, spans, header=headed and not place), shape)
            if row.hidden:
                self.drafts[-1].visible = "hidden"
        table = SpanDraft("table", begin, {"header_rows": [begin] if headed else [], "groups": [begin]})
        table.last = len(self.drafts) - 1
        self.spans.append(table)

    def _beside(self, sheet: Sheet) -> None:
        for kind, root, name in _related(self._book, sheet):
            if kind == "comments":
                for reference, text in _comments(root):
                    self._put("paragraph", Line(text.strip(), (), ()), f"{reference}/comment")
                    self.drafts[-1].role = "comment"
            else:
                self._drawing(root, name)

    def _drawing(self, root: Node, name: str) -> None:
        """Text boxes, pictures and charts of a sheet, as HTML for the segmenter."""
        markup = Markup()
        package, relations = self._book.package, self._book.package.relations(name)
        for number, anchor in enumerate(root, 1):
            markup.at(self._sheet, f"drawing/{number}")
            for text in _paragraphs(anchor):
                markup.put("<p>")
                markup.text(text)
                markup.put("</p>")
            alt = next(filter(None, _alternatives(anchor)), "")
            if alt:
                markup.put(f"<p><img{attribute('alt', alt)}></p>")
            elif next(anchor.iter("xdr:pic"), None) is not None:
                markup.lose(f"picture without text: {self._sheet}, drawing {number}")
            graphic(markup, package, relations, anchor)
        walk = segment_tree(document(markup.source()), markup.source)
        markup.address(walk.drafts)
        self.adopt(walk, PartAddress(self._sheet, ""))
        self.losses += markup.losses


def _blocks(rows: list[Row]) -> Iterator[list[Row]]:
    """The rows cut at empty ones, but for blocks that go on under the same columns without a header of their own."""
    block: list[Row] = []
    wide: set[int] = set()
    for part in _runs(rows):
        columns = {cell.column for row in part for cell in row.cells}
        several = len(columns) > 1 and len(wide) > 1
        if block and several and columns <= wide and not _headed(part):
            block += part
            continue
        if block:
            yield block
        block, wide = part, columns
    if block:
        yield block


def _runs(rows: list[Row]) -> Iterator[list[Row]]:
    run: list[Row] = []
    for row in rows:
        if run and row.number > run[-1].number + 1:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _headed(rows: list[Row]) -> bool:
    columns = sorted({cell.column for row in rows for cell in row.cells})
    return bool(header_rows([_texts(row, columns) for row in rows[:_LOOKED_AT]]))


def _texts(row: Row, columns: list[int]) -> list[str]:
    texts = {cell.column: cell.text for cell in row.cells}
    return [texts.get(column, "") for column in columns]


class _Merged:
    """How far the merged cells of a table reach, counted in the rows and columns that it has."""

    def __init__(self, areas: Sequence[Area], rows: list[int], columns: list[int]) -> None:
        self._sizes: dict[tuple[int, int], tuple[int, int]] = {}
        self._covered: set[tuple[int, int]] = set()
        known = set(rows)
        for area in areas:
            if area.top not in known:
                continue
            across = [column for column in columns if area.left <= column <= area.right]
            down = [row for row in range(area.top, min(area.bottom, rows[-1]) + 1) if row in known]
            self._sizes[area.top, area.left] = len(down), len(across)
            self._covered.update((row, column) for row in down for column in across)
            self._covered.discard((area.top, area.left))

    def size(self, row: int, column: int) -> tuple[int, int]:
        """Rows and columns of a cell."""
        return self._sizes.get((row, column), (1, 1))

    def covers(self, row: int, column: int) -> bool:
        """Whether a cell is part of another one."""
        return (row, column) in self._covered


def _line(row: Row, columns: list[int], merged: _Merged, *, header: bool) -> Line:
    """A row's cells joined by a tab, with a mark for each; empty ones at its end are left out."""
    texts = {cell.column: " ".join(cell.text.split("\t")).strip() for cell in row.cells}
    last = row.cells[-1].column
    pieces, marks, at = [], [], 0
    for column in columns:
        if column > last:
            break
        text = texts.get(column, "")
        if merged.covers(row.number, column) and not text:
            continue
        rows, across = merged.size(row.number, column)
        marks.append(Mark("cell", at, at + len(text), "", max(rows, 1), max(across, 1), header))
        pieces.append(text)
        at += len(text) + 1
    return Line("\t".join(pieces), tuple(marks), ())


# -- beside the cells


def _named_tables(book: Workbook, sheet: Sheet) -> Iterator[Area]:
    """The areas that a person made a table of, with names of columns in the first row."""
    for relation in sheet.relations().values():
        if relation.kind == "table" and relation.target in book.package:
            root = book.package.xml(relation.target)
            area = area_of(root.get("ref", ""))
            if area is not None and root.get("headerRowCount", "1") != "0":
                yield area


def _related(book: Workbook, sheet: Sheet) -> Iterator[tuple[str, Node, str]]:
    for relation in sheet.relations().values():
        if relation.kind in ("comments", "drawing") and relation.target in book.package:
            yield relation.kind, book.package.xml(relation.target), relation.target


def _comments(root: Node) -> Iterator[tuple[str, str]]:
    for node in root.iter("x:comment"):
        text = "".join(part.text or "" for part in node.iter("x:t"))
        if text.strip():
            yield node.get("ref", ""), text


def _paragraphs(anchor: Node) -> Iterator[str]:
    for paragraph in anchor.iter("a:p"):
        text = "".join(part.text or "" for part in paragraph.iter("a:t"))
        if text.strip():
            yield text


def _alternatives(anchor: Node) -> Iterator[str]:
    return (alternative(node) for node in anchor.iter("xdr:cNvPr"))


def sources(page: Page) -> Iterator[str]:
    """The texts of a workbook: names of sheets, cells as they are shown, comments, and what is drawn."""
    book = Workbook(page)
    for sheet in book.sheets:
        yield sheet.name
        for row in sheet.rows():
            yield from (cell.text for cell in row.cells)
        for kind, root, name in _related(book, sheet):
            if kind == "comments":
                yield from (text for _, text in _comments(root))
                continue
            for anchor in root:
                yield from _paragraphs(anchor)
                yield next(filter(None, _alternatives(anchor)), "")
                yield from drawn_texts(book.package, book.package.relations(name), anchor)
