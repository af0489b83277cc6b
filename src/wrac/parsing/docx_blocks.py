"""The paragraphs, lists and tables of a Word file as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wrac.parsing.docx_runs import Line, Reader, visible_name
from wrac.parsing.docx_styles import DEEPEST, Item, Look, Numbering, Styles, numbering_of, on, outline_of
from wrac.parsing.drawing import chosen, graphic
from wrac.parsing.grids import header_rows
from wrac.parsing.markup import Markup, attribute
from wrac.parsing.package import Node, Package, Relation, below

_LOOKED_AT: Final = 50  # rows that tell whether the first is a header
_CONTAINERS: Final = frozenset("w:sdt w:sdtContent w:customXml w:ins w:moveTo w:smartTag".split())
_WRAPPERS: Final = {"quote": "blockquote", "toc": 'nav role="doc-toc"', "code": "pre"}
_NOTES: Final = {
    "footnotes": ("<aside>", "</aside>"), "endnotes": ("<aside>", "</aside>"),
    "comments": ('<div class="comments">', "</div>"),
}  # fmt: skip
Note = tuple[str, Node, str, dict[str, Relation]]  # path, element, part, the part's relations


class _Flow:
    """What is open in one container of blocks: a wrapper or lists, and the notes and boxes that wait for its end."""

    def __init__(self) -> None:
        self.wrapper = ""
        self.lists: list[Item] = []
        self.anchor = ""
        self.blank = 0  # empty paragraphs since the last other one: lines of code that goes on


class Blocks:
    """Writes the blocks of all parts into one HTML; `notes` holds those that are not yet cited."""

    def __init__(self, out: Markup, package: Package, styles: Styles, numbering: Numbering) -> None:
        self.out, self.package, self.styles, self.numbering = out, package, styles, numbering
        self.notes: dict[tuple[str, str], Note] = {}
        self.titled = False  # a title takes the first level, so that headings stand below it
        self._reader = Reader(out, styles, {})
        self._part = ""
        self._waiting: list[tuple[str, str]] = []
        self._in_table = 0

    # -- parts

    def part(self, name: str, node: Node, path: str, relations: dict[str, Relation]) -> None:
        """Writes the blocks of a node of a part; what was being read goes on afterwards."""
        before = self._part, self._reader
        self._part, self._reader = name, Reader(self.out, self.styles, relations)
        self._container(node, path)
        self._part, self._reader = before

    def margin(self, tag: str, name: str, root: Node, relations: dict[str, Relation]) -> None:
        """Writes a header or footer of the pages."""
        self.out.put(f"<{tag}>")
        self.part(name, root, ".", relations)
        self.out.put(f"</{tag}>")

    def uncited(self) -> None:
        """Writes the notes that no paragraph cites."""
        self._notes(list(self.notes))

    def _notes(self, keys: Iterable[tuple[str, str]]) -> None:
        for key in keys:
            note = self.notes.pop(key, None)
            if note is not None:
                path, node, part, relations = note
                before, after = _NOTES[key[0]]
                self.out.put(before)
                self.part(part, node, path, relations)
                self.out.put(after)

    # -- containers

    def _container(self, node: Node, path: str) -> None:
        flow = _Flow()
        self._blocks(node, path, flow)
        self._close(flow)

    def _blocks(self, node: Node, path: str, flow: _Flow) -> None:
        counts: dict[str, int] = {}
        for child in node:
            tag = child.tag
            counts[tag] = counts.get(tag, 0) + 1
            here = f"{path}/{tag}[{counts[tag]}]"
            if tag == "w:p":
                self._paragraph(child, here, flow)
            elif tag == "w:tbl":
                self._close(flow)
                self._table(child, here)
            elif tag in _CONTAINERS:
                self._blocks(child, here, flow)
            elif tag == "w:bookmarkStart":
                flow.anchor = visible_name(child) or flow.anchor
            elif tag == "mc:AlternateContent":
                self._blocks(chosen(child), here, flow)
            elif tag in ("w:del", "w:moveFrom"):
                self._reader.lose_deleted(child)
            elif tag == "w:altChunk":
                self.out.lose("document inside the document, in another format")

    def _close(self, flow: _Flow) -> None:
        if flow.wrapper:
            self.out.put(f"</{_WRAPPERS[flow.wrapper].partition(' ')[0]}>")
            flow.wrapper = ""
        while flow.lists:
            self.out.put(f"</li></{_tag(flow.lists.pop())}>")

    # -- paragraphs

    def _paragraph(self, node: Node, path: str, flow: _Flow) -> None:
        properties = node.find("w:pPr")
        look, numbering = self._look(properties)
        plain = look.kind in ("heading", "title", "code")
        line = self._reader.line(node, plain=plain)
        line.anchor = line.anchor or flow.anchor
        flow.anchor = line.anchor if line.bare() else ""  # an empty paragraph's names the next one
        if line.bare():
            flow.blank += 1
        else:
            item = self.numbering.item(numbering) if numbering is not None and not look.kind else None
            if item is not None:
                item = item._replace(level=min(item.level + look.inset, DEEPEST))
            elif not look.kind and line.is_code():
                look = Look("code")
            self._open(path, look, item, line, flow)
            flow.blank = 0
        self._hanging(line, path, flow)

    def _look(self, properties: Node | None) -> tuple[Look, tuple[str, int] | None]:
        style = properties.find("w:pStyle") if properties is not None else None
        look = self.styles.look(style.get("val", "") if style is not None else self.styles.default)
        numbering = look.numbering
        if properties is not None:
            own = numbering_of(properties)
            if own is not None:
                numbering = (own[0] or (numbering[0] if numbering else "0"), own[1])
            if not look.kind and (level := outline_of(properties)):
                look = Look("heading", level)
        return look, numbering if numbering and numbering[0] not in ("", "0") else None

    def _open(self, path: str, look: Look, item: Item | None, line: Line, flow: _Flow) -> None:
        """Writes a paragraph in the element that its look asks for."""
        name = attribute("id", line.anchor)
        if look.kind in ("heading", "title"):
            self._close(flow)
            self._heading(path, look, line, name)
        elif look.kind == "caption":
            self._close(flow)
            self._element(path, "figcaption", line, name)
        elif look.kind in _WRAPPERS:
            self._wrap(path, look.kind, line, name, flow)
        elif item is not None:
            self._item(path, item, line, name, flow)
        else:
            self._close(flow)
            self._element(path, "p", line, name)

    def _element(self, path: str, tag: str, line: Line, attributes: str) -> None:
        self.out.at(self._part, path)
        self.out.put(f"<{tag}{attributes}>{line.html()}</{tag.partition(' ')[0]}>")

    def _heading(self, path: str, look: Look, line: Line, name: str) -> None:
        level = look.level + (self.titled and look.kind == "heading")
        self.titled = self.titled or look.kind == "title"
        tag = f"h{level}" if level < 7 else f'div role="heading" aria-level="{min(level, DEEPEST)}"'
        self._element(path, tag, line, name)

    def _wrap(self, path: str, kind: str, line: Line, name: str, flow: _Flow) -> None:
        """Paragraphs of code make one block; of quotes and tables of contents, several in one element."""
        fresh = flow.wrapper != kind
        if fresh:
            self._close(flow)
            self.out.at(self._part, path)
            self.out.put(f"<{_WRAPPERS[kind]}{name if kind == 'code' else ''}>")
            flow.wrapper = kind
        if kind == "code":
            # The first line end in a pre is not part of it.
            self.out.put("\n" * (1 if fresh else 1 + flow.blank) + line.html())
        else:
            self._element(path, "p", line, name)

    def _item(self, path: str, item: Item, line: Line, name: str, flow: _Flow) -> None:
        if flow.wrapper:
            self._close(flow)
        lists = flow.lists
        while lists and (lists[-1].level > item.level or (lists[-1].level == item.level and _apart(lists[-1], item))):
            self.out.put(f"</li></{_tag(lists.pop())}>")
        if lists and lists[-1].level == item.level:
            self.out.put("</li>")
            lists[-1] = item
        else:
            self.out.put(f"<{_tag(item)}>")
            lists.append(item)
        self.out.at(self._part, path)
        self.out.put(f'<li value="{item.number}"{name}>' if item.ordered else f"<li{name}>")
        self.out.put(line.html())

    def _hanging(self, line: Line, path: str, flow: _Flow) -> None:
        """Writes what hangs on a paragraph after it: text boxes, charts, diagrams, notes; a table's after the table."""
        if flow.wrapper and (line.boxes or line.drawings or line.notes):
            self._close(flow)
        for number, box in enumerate(line.boxes, 1):
            self.out.put("<div>")
            self._container(box, f"{path}//w:txbxContent[{number}]")
            self.out.put("</div>")
        for drawing in line.drawings:
            self.out.at(self._part, path)
            graphic(self.out, self.package, self._reader.relations, drawing)
        if self._in_table:
            self._waiting += line.notes
        else:
            self._notes(line.notes)

    # -- tables

    def _table(self, node: Node, path: str) -> None:
        rows = _rows(node, path)
        heads = self._header_rows(node, [row for row, _ in rows])
        covers = _covers([row for row, _ in rows])
        self._in_table += 1
        self.out.put("<table>")
        for number, (row, here) in enumerate(rows):
            if number in (0, heads):
                self.out.put("<thead>" if number < heads else "</thead><tbody>" if heads else "<tbody>")
            self.out.at(self._part, here)
            self.out.put("<tr>")
            for cell, where in _cells(row, here):
                if (rowspan := covers.get(id(cell), 1)) and rowspan > 0:
                    self._cell(cell, where, "th" if number < heads else "td", rowspan)
            self.out.put("</tr>")
        self.out.put(("</tbody>" if heads < len(rows) else "</thead>") + "</table>" if rows else "</table>")
        self._in_table -= 1
        if not self._in_table:
            waiting, self._waiting = self._waiting, []
            self._notes(waiting)

    def _cell(self, cell: Node, path: str, tag: str, rowspan: int) -> None:
        columns = _columns(cell)
        rows = attribute("rowspan", str(rowspan)) if rowspan > 1 else ""
        self.out.put(f"<{tag}{rows}{attribute('colspan', str(columns)) if columns > 1 else ''}>")
        self._container(cell, path)
        self.out.put(f"</{tag}>")

    def _header_rows(self, table: Node, rows: list[Node]) -> int:
        """How many rows head the table: those marked so, else the first where style, bold text or content says so."""
        marked = 0
        while marked < len(rows) and _is_on(below(rows[marked], "w:trPr/w:tblHeader")):
            marked += 1
        if marked or len(rows) < 2:
            return marked if marked < len(rows) else 0
        style, parts = below(table, "w:tblPr/w:tblStyle"), below(table, "w:tblPr/w:tblLook")
        first = parts is not None and _first_row(parts)
        if first and style is not None and self.styles.heads_first_row(style.get("val", "")):
            return 1
        if _bold(rows[0]):
            return int(not any(_bold(row) for row in rows[1:4]))
        return int(_names_columns(rows))


def _rows(table: Node, path: str) -> list[tuple[Node, str]]:
    """The rows of a table with their paths, those in content controls too."""
    return _within(table, path, "w:tr")


def _within(node: Node, path: str, tag: str) -> list[tuple[Node, str]]:
    found: list[tuple[Node, str]] = []
    counts: dict[str, int] = {}
    for child in node:
        counts[child.tag] = counts.get(child.tag, 0) + 1
        here = f"{path}/{child.tag}[{counts[child.tag]}]"
        if child.tag == tag:
            found.append((child, here))
        elif child.tag in _CONTAINERS:
            found += _within(child, here, tag)
    return found


def _cells(row: Node, path: str = "") -> list[tuple[Node, str]]:
    """The cells of a row with their paths, those in content controls too."""
    return _within(row, path, "w:tc")


def _columns(cell: Node) -> int:
    span = below(cell, "w:tcPr/w:gridSpan")
    value = span.get("val", "1") if span is not None else "1"
    return max(int(value), 1) if value.isdigit() and len(value) < 4 else 1


def _covers(rows: list[Node]) -> dict[int, int]:
    """How many rows a cell covers, by the cell's identity; 0 for one that is covered, and empty, itself."""
    covers: dict[int, int] = {}
    above: dict[int, Node] = {}  # column -> the cell that began there
    for row in rows:
        before = below(row, "w:trPr/w:gridBefore")
        column = int(before.get("val", "0")) if before is not None and before.get("val", "").isdigit() else 0
        current = {}
        for cell, _ in _cells(row):
            merge = below(cell, "w:tcPr/w:vMerge")
            begun = above.get(column)
            if merge is not None and merge.get("val", "continue") != "restart" and begun is not None and _empty(cell):
                covers[id(cell)] = 0
                covers[id(begun)] = covers.get(id(begun), 1) + 1
                current[column] = begun
            elif merge is not None:
                current[column] = cell
            column += _columns(cell)
        above = current
    return covers


def _empty(cell: Node) -> bool:
    return (
        not any((text.text or "").strip() for text in cell.iter("w:t")) and next(cell.iter("w:drawing"), None) is None
    )


def _is_on(switch: Node | None) -> bool:
    return switch is not None and on(switch.get("val", "1"))


def _first_row(look: Node) -> bool:
    if "firstRow" in look.attrib:
        return on(look.get("firstRow", "0"))
    try:
        return bool(int(look.get("val", "0"), 16) & 0x20)
    except ValueError:
        return False


def _bold(row: Node) -> bool:
    """Whether all text of a row is bold."""
    runs = [run for run in row.iter("w:r") if any((text.text or "").strip() for text in run.findall("w:t"))]
    return bool(runs) and all(_is_on(below(run, "w:rPr/w:b")) for run in runs)


def _names_columns(rows: list[Node]) -> bool:
    """Whether the first row reads like the names of three columns or more; of two, it may be the first of pairs."""
    texts = [["".join(t.text or "" for t in cell.iter("w:t")) for cell, _ in _cells(row)] for row in rows[:_LOOKED_AT]]
    return len(texts[0]) > 2 and header_rows(texts) == (0,)


def _tag(item: Item) -> str:
    return "ol" if item.ordered else "ul"


def _apart(before: Item, after: Item) -> bool:
    """Whether two items of a level belong to two lists."""
    return before.ordered != after.ordered or (after.ordered and after.number <= before.number)
