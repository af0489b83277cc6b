"""The cells of a workbook as texts: shared strings, number formats, merged cells, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Final, NamedTuple
from xml.etree import ElementTree  # bytes that declare entities are refused before

from wrac.core.types import Page
from wrac.parsing.package import Node, Package, Relation
from wrac.parsing.xlsx_format import BUILT_IN, shown

_REFERENCE: Final = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_ERRORS: Final = ElementTree.ParseError


class Cell(NamedTuple):
    """A cell's column (1-based) and what it shows."""

    column: int
    text: str


class Row(NamedTuple):
    """A row's number (1-based), its cells that show something, and whether it is folded away."""

    number: int
    cells: list[Cell]
    hidden: bool


class Area(NamedTuple):
    """A rectangle of cells, both ends included, 1-based."""

    top: int
    left: int
    bottom: int
    right: int


class Sheet:
    """A sheet: its name, whether it is shown, and, once `rows` was read to its end, merged areas and bare formulas."""

    def __init__(self, book: Workbook, name: str, part: str, *, hidden: bool) -> None:
        self.name, self.part, self.hidden = name, part, hidden
        self.merged: list[Area] = []
        self.bare: list[str] = []
        self._book = book

    def rows(self) -> Iterator[Row]:
        """The rows that have a cell with a text, in order."""
        number = 0
        for node in self._book.elements(self.part, ("row", "mergeCell")):
            tag = _local(node.tag)
            if tag == "row":
                given = node.get("r", "")
                number = int(given) if given.isdigit() else number + 1
                cells = list(self._cells(node, number))
                if cells:
                    yield Row(number, cells, node.get("hidden", "0") in ("1", "true"))
            elif tag == "mergeCell" and (area := area_of(node.get("ref", ""))):
                self.merged.append(area)

    def _cells(self, row: Node, number: int) -> Iterator[Cell]:
        column = 0
        for node in row:
            if _local(node.tag) != "c":
                continue
            found = _REFERENCE.fullmatch(node.get("r", ""))
            column = column_number(found[1]) if found else column + 1
            text = self._book.text_of(node)
            if text is None:
                self.bare.append(f"{column_name(column)}{number}")
            elif text.strip():
                yield Cell(column, text)

    def relations(self) -> dict[str, Relation]:
        """What the sheet points at."""
        return self._book.package.relations(self.part)


class Workbook:
    """The sheets of a workbook, in order, and what their cells share."""

    def __init__(self, page: Page) -> None:
        self.package = Package(page, "workbook")
        main = self.package.main_part()
        root, self._relations = self.package.xml(main), self.package.relations(main)
        properties = root.find("x:workbookPr")
        self._since_1904 = properties is not None and properties.get("date1904", "0") in ("1", "true")
        self._formats = self._read_formats()
        self._strings = list(self._read_strings())
        self.sheets = []
        for node in root.iter("x:sheet"):
            relation = self._relations.get(node.get("r:id", ""))
            if relation is not None and relation.kind == "worksheet" and relation.target in self.package:
                hidden = node.get("state", "visible") != "visible"
                self.sheets.append(Sheet(self, node.get("name", ""), relation.target, hidden=hidden))

    def elements(self, part: str, tags: tuple[str, ...]) -> Iterator[Node]:
        """The elements of these local names in a part, each forgotten when the next is asked for."""
        with self.package.open(part) as file:
            try:
                yield from _elements(file, tags)
            except (_ERRORS, ValueError, LookupError, OSError, EOFError) as error:
                raise self.package.damaged(part) from error

    def text_of(self, cell: Node) -> str | None:
        """What a cell shows; None for a formula whose value the file does not hold."""
        kind, value, formula, inline = cell.get("t", "n"), "", False, ""
        for child in cell:
            tag = _local(child.tag)
            if tag == "v":
                value = child.text or ""
            elif tag == "f":
                formula = True
            elif tag == "is":
                inline = _rich(child)
        if kind == "inlineStr":
            return inline
        if not value:
            return None if formula and kind != "str" else ""
        if kind == "s":
            return self._strings[int(value)] if value.isdigit() and int(value) < len(self._strings) else ""
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind == "n":
            style = cell.get("s", "0")
            code = self._formats[int(style)] if style.isdigit() and int(style) < len(self._formats) else ""
            return shown(value, code or "General", self._since_1904)
        return value

    def _part_of(self, kind: str) -> str:
        targets = (r.target for r in self._relations.values() if r.kind == kind and r.target in self.package)
        return next(targets, "")

    def _read_strings(self) -> Iterator[str]:
        part = self._part_of("sharedStrings")
        if part:
            yield from map(_rich, self.elements(part, ("si",)))

    def _read_formats(self) -> list[str]:
        """The format code of each cell style, "" for none."""
        part = self._part_of("styles")
        if not part:
            return []
        root = self.package.xml(part)
        own = {node.get("numFmtId", ""): node.get("formatCode", "") for node in root.iter("x:numFmt")}
        styles = root.find("x:cellXfs")
        codes = []
        for node in styles if styles is not None else ():
            name = node.get("numFmtId", "0")
            codes.append(own.get(name) or BUILT_IN.get(int(name) if name.isdigit() else 0, ""))
        return codes


def _elements(file: IO[bytes], tags: tuple[str, ...]) -> Iterator[Node]:
    for _, node in ElementTree.iterparse(_Checked(file)):  # noqa: S314 - see _Checked
        if node.tag.rpartition("}")[2] in tags:
            yield node
            node.clear()


class _Checked:
    """A file whose XML declares no entities."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._tail = file, b""

    def read(self, size: int = -1) -> bytes:
        """The next bytes. Raises ValueError when they declare an entity."""
        piece = self._file.read(size)
        if b"<!ENTITY" in self._tail + piece:
            raise ValueError("entities")
        self._tail = piece[-16:]
        return piece


def _rich(node: Node) -> str:
    """The text of a string item; readings of Japanese are beside it and left out."""
    texts = []
    for child in node:
        tag = _local(child.tag)
        if tag == "t":
            texts.append(child.text or "")
        elif tag == "r":
            texts += [part.text or "" for part in child if _local(part.tag) == "t"]
    return "".join(texts)


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def area_of(reference: str) -> Area | None:
    """The area that a reference such as `B2:D5` names; None when it is no reference."""
    first, _, last = reference.partition(":")
    start, end = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last or first)
    if start is None or end is None:
        return None
    return Area(int(start[2]), column_number(start[1]), int(end[2]), column_number(end[1]))


def column_number(name: str) -> int:
    """The number of a column, 1-based.

    >>> column_number("AA")
    27
    """
    number = 0
    for letter in name:
        number = 26 * number + ord(letter) - 64
    return number


def column_name(number: int) -> str:
    """The letters of a column.

    >>> column_name(27)
    'AA'
    """
    name = ""
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(65 + rest) + name
    return name
