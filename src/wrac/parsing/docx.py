"""Word files to a Document: the parts as HTML in reading order, segmented like a page.

The address of a unit is its part and the path of its paragraph or row there, an XPath from the part's root element.
"""

from __future__ import annotations

from collections.abc import Iterator

from wrac.core.errors import InputError
from wrac.core.types import Document, Page
from wrac.parsing.docx_blocks import Blocks
from wrac.parsing.docx_runs import TEXTS, symbol
from wrac.parsing.docx_styles import Numbering, Styles
from wrac.parsing.drawing import alternatives, chosen, drawn_texts
from wrac.parsing.formats import DOCX, FORMATS
from wrac.parsing.markup import Markup, document_of
from wrac.parsing.package import Node, Package, Relation

_MARGINS = ("w:headerReference", "w:footerReference")
_NOTES = {"footnotes": "w:footnote", "endnotes": "w:endnote", "comments": "w:comment"}


class _File:
    """The parts of a Word file that hold text."""

    def __init__(self, page: Page) -> None:
        self.package = Package(page, "Word file")
        self.main = self.package.main_part()
        self.root = self.package.xml(self.main)
        self.relations = self.package.relations(self.main)

    def optional(self, kind: str) -> tuple[str, Node | None]:
        """The part that the main part points at with a relation of this kind, and its root; None when there is none."""
        name = next((r.target for r in self.relations.values() if r.kind == kind and r.target in self.package), "")
        return name, self.package.xml(name) if name else None

    def margins(self, tag: str) -> Iterator[tuple[str, Node, dict[str, Relation]]]:
        """The headers or footers that the sections use, each once."""
        names = []
        for reference in self.root.iter(tag):
            relation = self.relations.get(reference.get("r:id", ""))
            if relation is not None and relation.target in self.package:
                names.append(relation.target)
        for name in dict.fromkeys(names):
            yield name, self.package.xml(name), self.package.relations(name)

    def notes(self) -> Iterator[tuple[str, str, Node, dict[str, Relation]]]:
        """The collections of notes: kind, part, root."""
        for kind in _NOTES:
            name, root = self.optional(kind)
            if root is not None:
                yield kind, name, root, self.package.relations(name)


def parse(page: Page) -> Document:
    """The Document of a Word file.

    Headers come first and footers last. A note or comment follows the paragraph, or the table, that cites it.
    Raises InputError for bytes that are no such file, LimitError for one beyond a cap.
    """
    file = _File(page)
    out = Markup()
    styles = Styles(file.optional("styles")[1])
    numbering = Numbering(file.optional("numbering")[1], styles)
    blocks = Blocks(out, file.package, styles, numbering)
    for kind, name, root, relations in file.notes():
        for number, note in enumerate(root.findall(_NOTES[kind]), 1):
            if note.get("type", "normal") == "normal":
                blocks.notes[kind, note.get("id", "")] = (f"{_NOTES[kind]}[{number}]", note, name, relations)
    out.put(f'<html lang="{"".join(c for c in _language(file, styles) if c.isalnum() or c == "-")}"><body>')
    try:
        _write(file, blocks)
    except RecursionError as error:
        raise InputError(page.url, "its content is nested too deeply", "save it with a simpler layout") from error
    return document_of(page, FORMATS[DOCX].parser, out, {**file.package.about(), "language": _language(file, styles)})


def _language(file: _File, styles: Styles) -> str:
    return file.package.about().get("language", "") or styles.language


def _write(file: _File, blocks: Blocks) -> None:
    for name, root, relations in file.margins("w:headerReference"):
        blocks.margin("header", name, root, relations)
    body = file.root.find("w:body")
    if body is not None:
        blocks.part(file.main, body, "w:body", file.relations)
    blocks.uncited()
    for name, root, relations in file.margins("w:footerReference"):
        blocks.margin("footer", name, root, relations)


def sources(page: Page) -> Iterator[str]:
    """The texts of a Word file: what is written in its parts, deleted or not, and the alternative texts of pictures."""
    file = _File(page)
    roots = [(file.root, file.relations)]
    roots += [(root, relations) for tag in _MARGINS for _, root, relations in file.margins(tag)]
    roots += [(root, relations) for _, _, root, relations in file.notes()]
    for root, relations in roots:
        yield from _texts(file.package, root, relations)


def _texts(package: Package, root: Node, relations: dict[str, Relation]) -> Iterator[str]:
    stack = [root]
    while stack:
        node = stack.pop()
        tag = node.tag
        if tag in ("w:t", "w:delText", "m:t"):
            yield node.text or ""
        elif tag in TEXTS:
            yield TEXTS[tag]
        elif tag == "w:sym":
            yield symbol(node)
        elif tag in ("w:drawing", "w:pict", "w:object"):
            yield from alternatives(node)
            yield from drawn_texts(package, relations, node)
        stack.extend(chosen(node) if tag == "mc:AlternateContent" else node)
