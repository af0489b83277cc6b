"""Blocks and tables of a PDF to drafts of places, with their spans, marks, addresses and losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from wrac.core.types import Kind, Loss, Mark, MarkKind, PdfAddress
from wrac.parsing.frames import Draft, Frame, SpanDraft
from wrac.parsing.pdf_blocks import Block, Flow, is_caption
from wrac.parsing.pdf_drawn import Box
from wrac.parsing.pdf_read import Link, Sheet
from wrac.parsing.pdf_rows import Cell
from wrac.parsing.pdf_running import Running
from wrac.parsing.pdf_tables import Table
from wrac.parsing.pdf_text import DROP, Line, Part, Reader, Spot, Word, compose, solid


class Walk:
    """Makes drafts, spans and losses of blocks."""

    def __init__(self, read: Sequence[Sheet]) -> None:
        self.drafts: list[Draft] = []
        self.spans: list[SpanDraft] = []
        self.losses: list[Loss] = []
        self.readers: dict[int, Reader] = {}
        self._links = {sheet.number: sheet.links for sheet in read}
        self._frame = Frame(None, "", iter(()), None, 0)
        self._sections: list[SpanDraft] = []
        self._lists: list[_List] = []
        self._dropped: Counter[str] = Counter()

    def pictures(self, sheet: Sheet, chars: int) -> None:
        """Tells of pictures that may show text, on a page that has none of its own."""
        area = sum(max(0.0, x1 - x0) * max(0.0, y1 - y0) for x0, y0, x1, y1 in sheet.drawn.pictures)
        if area and (not chars or (chars < 80 and area > 0.5 * sheet.width * sheet.height)):
            self.losses.append(Loss(f"picture without text, page {sheet.number}", 0))
        elif not chars and sheet.drawn.shapes > 3:
            self.losses.append(Loss(f"drawing without text, page {sheet.number}", 0))

    # -- the flow of text

    def flow(self, flow: Sequence[Flow]) -> None:
        """The blocks and tables in reading order."""
        for number, piece in enumerate(flow):
            if isinstance(piece, Table):
                caption = flow[number - 1] if number else None
                above = isinstance(caption, Block) and caption.kind == "caption"
                self._leave_lists(piece.box[0])
                self._table(piece, above)
            else:
                self._block(piece)
        self._leave_lists(-1e9)
        self._close(1)
        for reason, chars in sorted(self._dropped.items()):
            self.losses.append(Loss(reason, chars))

    def _block(self, block: Block) -> None:
        if block.kind == "paragraph" and is_caption(block):
            block.kind = "caption"
        if block.kind == "heading":
            self._heading(block)
            return
        if block.kind == "list_item":
            self._enter_item(block)
            self._drop("marker of a list item", "".join(word.text for word in block.marker))
        else:
            self._leave_lists(block.left)
        if block.kind == "code":
            self._put("code", _code_parts(block.parts))
            return
        kind: Kind = "paragraph" if block.kind == "toc" else block.kind
        draft = self._put(kind, block.parts, len(self._lists) if kind == "list_item" else 0)
        if block.kind == "toc":
            draft.role = "toc"

    def _heading(self, block: Block) -> None:
        self._leave_lists(-1e9)
        self._close(block.level)
        span = SpanDraft("section", len(self.drafts), {"level": block.level})
        self._sections.append(span)
        if block.marker:
            first = block.parts[0]
            line = Line.of(first.line.page, [*block.marker, *first.line.words])
            block.parts[0] = first._replace(line=line)
        self._put("heading", block.parts, block.level)

    def _close(self, level: int) -> None:
        """Ends the sections of a level and deeper."""
        while self._sections and self._sections[-1].data["level"] >= level:
            self._end(self._sections.pop())

    def _end(self, span: SpanDraft) -> None:
        if len(self.drafts) > span.first:
            span.last = len(self.drafts) - 1
            self.spans.append(span)

    def _enter_item(self, block: Block) -> None:
        ordered = block.number > 0
        while self._lists and self._lists[-1].edge > block.edge + 4:
            self._leave_list()
        top = self._lists[-1] if self._lists else None
        if top is not None and abs(top.edge - block.edge) <= 4:
            if top.ordered == ordered and (not ordered or block.number != 1 or top.number == 0):
                self._end(top.item)
            else:
                self._leave_list()
                top = None
        else:
            top = None
        if top is None:
            top = _List(block.edge, ordered, SpanDraft("list", len(self.drafts), {"ordered": ordered}))
            self._lists.append(top)
        top.number, top.left = max(block.number, 0), block.left
        top.item = SpanDraft("item", len(self.drafts), {"number": block.number} if ordered else {})

    def _leave_list(self) -> None:
        top = self._lists.pop()
        self._end(top.item)
        self._end(top.span)

    def _leave_lists(self, left: float) -> None:
        """Ends the lists that a block whose text starts at `left` is not in."""
        while self._lists and left < self._lists[-1].left - 4:
            self._leave_list()

    # -- tables

    def _table(self, table: Table, captioned: bool) -> None:
        first = len(self.drafts)
        headers: list[int] = []
        head = [_said(row) for row in table.rows[: table.headers]]
        for number, row in enumerate(table.rows):
            if number < table.headers or _said(row) in head:
                headers.append(len(self.drafts))
            self._row(table, row, number < table.headers or _said(row) in head)
        span = SpanDraft("table", first, {"header_rows": headers, "groups": [first]})
        if captioned:
            span.first -= 1
        self._end(span)

    def _row(self, table: Table, row: list[Cell], heads: bool) -> None:
        parts: list[Part] = []
        said: list[tuple[int, int, Cell]] = []
        join = ""
        at = 0
        for cell in _padded(row, len(table.bounds) - 1):
            inner = [Part(how, line) for how, line in zip(cell.joins, cell.lines, strict=True)]
            text = compose(inner)[0] if inner else ""
            said.append((at, at + len(text), cell))
            at += len(text) + 1
            if inner:
                parts += [inner[0]._replace(join=join), *inner[1:]]
                join = ""
            join += "\t"
        draft = self._put("table_row", parts, 0, join[:-1])
        cells = [Mark("cell", start, end, rows=cell.rows, cols=cell.cols, header=heads) for start, end, cell in said]
        marks = [*cells, *draft.marks]
        draft.marks = tuple(sorted(marks, key=lambda mark: (mark.start, mark.kind != "cell", -mark.end)))

    # -- one unit

    def _put(self, kind: Kind, parts: Sequence[Part], level: int = 0, tail: str = "") -> Draft:
        text, spots = compose(parts)
        draft = Draft(kind, text + tail, _marks(text, spots, kind, self._links), self._frame)
        draft.level = level
        draft.native = self._address(parts, tail)
        draft.anchor = f"page={parts[0].line.page}"
        self.drafts.append(draft)
        for part in parts:
            if part.join == DROP:
                self._dropped["hyphen at a line's end, where the word goes on"] += 1
        return draft

    def _address(self, parts: Sequence[Part], tail: str) -> PdfAddress:
        """Page by page the boxes of the lines and what joins them."""
        pages: list[tuple[int, list[Box], list[str]]] = []
        for join, line in parts:
            for number, (space, box) in enumerate(self.readers[line.page].boxes(line)):
                if not pages or pages[-1][0] != line.page:
                    pages.append((line.page, [], []))
                pages[-1][1].append(box)
                pages[-1][2].append(space if number else join)
        page, boxes, joins = pages.pop()
        address = PdfAddress(page, tuple(boxes), (*joins, tail))
        for page, boxes, joins in reversed(pages):
            address = PdfAddress(page, tuple(boxes), (*joins, ""), address)
        return address

    def _drop(self, reason: str, text: str) -> None:
        if text:
            self._dropped[reason] += solid(text)

    def running(self, running: Sequence[Running]) -> None:
        """Headers, footers and page numbers, after the text they interrupt."""
        for run in running:
            draft = self._put("paragraph", [Part("", run.line)])
            draft.role = run.edge


class _List:
    """An open list: where its markers and its text stand, its last number, its open item."""

    __slots__ = ("edge", "item", "left", "number", "ordered", "span")

    def __init__(self, edge: float, ordered: bool, span: SpanDraft) -> None:
        self.edge, self.ordered, self.span = edge, ordered, span
        self.left = edge
        self.number = 0
        self.item = span


def _said(row: Sequence[Cell]) -> str:
    return "\t".join(" ".join(line.text for line in cell.lines) for cell in row)


def _padded(row: Sequence[Cell], columns: int) -> Iterator[Cell]:
    """The cells of a row with empty ones for the columns in which it has none, but those that a cell above covers."""
    at = 0
    for cell in sorted(row, key=lambda cell: cell.column):
        while at < cell.column:
            yield Cell(at, [])
            at += 1
        yield cell
        at += cell.cols
    while at < columns:
        yield Cell(at, [])
        at += 1


def _code_parts(parts: Sequence[Part]) -> list[Part]:
    """The lines of code with the spaces that their places show, before them and inside."""
    left = min(part.line.x0 for part in parts)
    widths = sorted((word.x1 - word.x0) / len(word.text) for part in parts for word in part.line.words)
    width = widths[len(widths) // 2] or 1.0
    result = []
    for join, line in parts:
        at, lead = left, join
        for words in _stretches(line, width):
            spaces = round((words[0].x0 - at) / width)
            result.append(Part(lead + " " * max(spaces, 0), Line.of(line.page, words)))
            at, lead = words[-1].x1, ""
    return result


def _stretches(line: Line, width: float) -> list[list[Word]]:
    """The words of a line of code, cut where other than one space parts them."""
    result: list[list[Word]] = []
    for word in line.words:
        gap = (word.x0 - result[-1][-1].x1) / width if result else 0
        if result and gap < 1.6:
            result[-1].append(word)
        else:
            result.append([word])
    return result


_STYLES: Final[tuple[tuple[MarkKind, str], ...]] = (("strong", "bold"), ("em", "italic"), ("code", "mono"))


def _marks(text: str, spots: Sequence[Spot], kind: Kind, links: dict[int, list[Link]]) -> tuple[Mark, ...]:
    """What is bold, italic, of one width or a link in a unit's text, where not all of it is."""
    marks: list[Mark] = []
    for name, style in _STYLES:
        if kind == "code" or (kind == "heading" and name == "strong"):
            continue
        marks += _ranges(name, text, [(spot, "" if getattr(spot.word.font, style) else None) for spot in spots])
    if any(links.get(page) for page in {spot.page for spot in spots}):
        marks += _ranges("link", text, [(spot, _href(spot, links[spot.page])) for spot in spots])
    return tuple(sorted(marks, key=lambda mark: (mark.start, -mark.end)))


def _href(spot: Spot, links: Sequence[Link]) -> str | None:
    x, y = spot.word.x, spot.word.y
    for link in links:
        if link.x0 <= x <= link.x1 and link.y0 <= y <= link.y1:
            return link.href
    return None


def _ranges(kind: MarkKind, text: str, spots: Iterable[tuple[Spot, str | None]]) -> Iterator[Mark]:
    """A mark for each stretch of neighbours with one value; none goes on into another cell."""
    start = end = -1
    value: str | None = None
    for spot, said in spots:
        if said is not None and said == value and "\t" not in text[end : spot.start]:
            end = spot.end
            continue
        if value is not None:
            yield Mark(kind, start, end, value)
        value, start, end = said, spot.start, spot.end
    if value is not None:
        yield Mark(kind, start, end, value)
