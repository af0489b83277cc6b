"""Presentations to a Document: the slides as HTML in reading order, segmented like a page.

The address of a unit is `slide N` and the id of its shape there, with the number of the paragraph or row in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from wrac.core.errors import InputError
from wrac.core.types import Document, Page
from wrac.parsing.drawing import alternative, chosen, drawn_texts, graphic
from wrac.parsing.formats import FORMATS, PPTX
from wrac.parsing.markup import Markup, attribute, document_of
from wrac.parsing.package import Node, Package, Relation, below
from wrac.parsing.pptx_layout import FOOTERS, Deck, Shape, paragraphs, shapes_of
from wrac.parsing.pptx_text import Text

_TITLES: Final = frozenset(("title", "ctrTitle"))
_MEDIA: Final = {"a:videoFile": "video", "a:audioFile": "sound", "a:wavAudioFile": "sound", "a:quickTimeFile": "video"}


def parse(page: Page) -> Document:
    """The Document of a presentation: a section for each slide under its title, then its notes and comments.

    The title of a title slide at the start stands above all others, that of a section header above the slides that
    follow it. Raises InputError for bytes that are no such file, LimitError for one beyond a cap.
    """
    out = Markup()
    deck = Deck(Package(page, "presentation"))
    writer = _Writer(out, deck)
    language = deck.package.about().get("language", "") or deck.language()
    out.put(f"<html{attribute('lang', language)}><body>")
    try:
        for number, name in enumerate(deck.slides, 1):
            writer.slide(number, name)
    except RecursionError as error:
        raise InputError(page.url, "its shapes are nested too deeply", "save it with a simpler layout") from error
    return document_of(page, FORMATS[PPTX].parser, out, {**deck.package.about(), "language": language})


class _Writer:
    """Writes slide after slide."""

    def __init__(self, out: Markup, deck: Deck) -> None:
        self.out, self.deck = out, deck
        self._headed = False  # whether a section header came: the slides stand one level below it
        self._part = ""
        self._relations: dict[str, Relation] = {}

    def slide(self, number: int, name: str) -> None:
        """Writes one slide with its notes and comments."""
        root, self._relations = self.deck.package.xml(name), self.deck.package.relations(name)
        self._part = f"slide {number}"
        layout = self.deck.layout_of(self._relations)
        tree = below(root, "p:cSld/p:spTree")
        shapes = shapes_of(tree, layout) if tree is not None else []
        title = next((shape for shape in shapes if shape.kind in _TITLES and shape.says()), None)
        footers = [shape for shape in shapes if shape.kind in FOOTERS]
        hidden = root.get("show", "1") in ("0", "false")
        level = self._level(title, layout.kind, first=number == 1) if title is not None and not hidden else 0
        if title is not None and level:
            self._heading(title, level)
        self.out.put(f"<section{' hidden' if hidden else ''}>")
        if title is not None and not level:
            self._heading(title, 2 + self._headed)
        for shape in shapes:
            if shape is not title and shape not in footers:
                self._shape(shape)
        self._aside("<footer>", footers)
        self._notes()
        self._comments()
        self.out.put("</section>")
        if not any(shape.holds() for shape in shapes):
            self.out.lose(f"slide without text: {number}")

    def _level(self, title: Shape, layout: str, *, first: bool) -> int:
        """The level of a title that heads more than its slide; 0 for that of a slide like others."""
        if first and (layout == "title" or title.kind == "ctrTitle"):
            return 1
        if layout == "secHead":
            self._headed = True
            return 2
        return 0

    def _heading(self, title: Shape, level: int) -> None:
        self.out.at(self._part, title.id)
        text = self._text(title)
        self.out.put(f"<h{level}>{text.inline(paragraphs(title.node))}</h{level}>")

    def _text(self, shape: Shape) -> Text:
        return Text(self.out, self._part, shape, self._relations)

    def _aside(self, tag: str, shapes: Sequence[Shape]) -> None:
        shapes = [shape for shape in shapes if shape.says()]
        if shapes:
            self.out.put(tag)
            for shape in shapes:
                self._text(shape).write()
            self.out.put(f"</{tag[1:].partition(' ')[0].rstrip('>')}>")

    # -- shapes

    def _shape(self, shape: Shape) -> None:
        tag = shape.node.tag
        if tag == "p:grpSp":
            for inner in shape.inner:
                self._shape(inner)
            self._picture(shape, "")
        elif tag == "p:graphicFrame":
            self._frame(shape)
        elif tag == "p:pic":
            self._picture(shape, self._target(shape.node) or "drawn in the file")
        else:
            self._text(shape).write()
            if not shape.says():
                self._picture(shape, "")

    def _picture(self, shape: Shape, target: str) -> None:
        """Adds a shape by its alternative text; a picture without one is a loss."""
        alt = alternative(shape.properties)
        self.out.at(self._part, shape.id)
        if alt:
            self.out.put(f"<p><img{attribute('alt', alt)}{attribute('src', target)}></p>")
        elif target:
            media = next((_MEDIA[node.tag] for node in shape.node.iter() if node.tag in _MEDIA), "picture")
            self.out.lose(f"{media} without text: {self._part}, {target}")

    def _target(self, node: Node) -> str:
        for blip in node.iter("a:blip"):
            relation = self._relations.get(blip.get("r:embed") or blip.get("r:link") or "")
            if relation is not None:
                return relation.target
        return ""

    def _frame(self, shape: Shape) -> None:
        """A table, a chart, a diagram, or an object of another program."""
        self._picture(shape, "")
        table = next(shape.node.iter("a:tbl"), None)
        if table is not None:
            self._table(shape, table)
            return
        self.out.at(self._part, shape.id)
        graphic(self.out, self.deck.package, self._relations, shape.node)
        for _ in shape.node.iter("p:oleObj"):
            self.out.lose(f"object of another program: {self._part}, {shape.id}")

    def _table(self, shape: Shape, table: Node) -> None:
        properties = table.find("a:tblPr")
        rows = table.findall("a:tr")
        heads = int(properties is not None and properties.get("firstRow", "0") in ("1", "true") and len(rows) > 1)
        text = self._text(shape)
        self.out.put("<table>")
        for number, row in enumerate(rows):
            if number in (0, heads):
                self.out.put("<thead>" if number < heads else "</thead><tbody>" if heads else "<tbody>")
            self.out.at(self._part, f"{shape.id}/tr[{number + 1}]")
            self.out.put("<tr>")
            for cell in row.findall("a:tc"):
                self._cell(cell, text, "th" if number < heads else "td")
            self.out.put("</tr>")
        self.out.put("</tbody></table>" if rows else "</table>")

    def _cell(self, cell: Node, text: Text, tag: str) -> None:
        """A cell; what a merge has covered is left out when it is empty."""
        covered = any(cell.get(name, "0") in ("1", "true") for name in ("hMerge", "vMerge"))
        content = text.inline(paragraphs(cell))
        if not covered or content:
            spans = ((name, cell.get(key, "1")) for name, key in (("colspan", "gridSpan"), ("rowspan", "rowSpan")))
            sizes = "".join(attribute(name, value) for name, value in spans if value != "1")
            self.out.put(f"<{tag}{sizes}>{content}</{tag}>")

    # -- beside the slide

    def _beside(self, kind: str) -> Iterator[str]:
        for relation in self._relations.values():
            if relation.kind == kind and relation.target in self.deck.package:
                yield relation.target

    def _notes(self) -> None:
        """The speaker's notes; the page number and date of their printed page are losses."""
        for name in self._beside("notesSlide"):
            tree = below(self.deck.package.xml(name), "p:cSld/p:spTree")
            shapes = shapes_of(tree, None) if tree is not None else []
            slide, self._relations = self._relations, self.deck.package.relations(name)
            spoken = [shape for shape in shapes if shape.kind not in FOOTERS and shape.kind != "sldImg"]
            self._aside("<aside>", [shape._replace(id=f"notes/{shape.id}") for shape in spoken])
            self._relations = slide
            for shape in shapes:
                if shape.kind in FOOTERS and shape.says():
                    self.out.lose("number, date or footer of a notes page", " ".join(texts(shape.node)))

    def _comments(self) -> None:
        for name in self._beside("comments"):
            for number, comment in enumerate(self.deck.package.xml(name), 1):
                text = "".join(texts(comment))
                if text.strip():
                    self.out.at(self._part, f"comments/{number}")
                    self.out.put('<div class="comments"><p>')
                    self.out.text(text)
                    self.out.put("</p></div>")


def texts(node: Node) -> Iterator[str]:
    """The texts written below a node; of alternatives, those that are shown."""
    stack = [node]
    while stack:
        child = stack.pop()
        if child.tag in ("a:t", "m:t", "p:text"):
            yield child.text or ""
        stack.extend(reversed(chosen(child) if child.tag == "mc:AlternateContent" else child))


def sources(page: Page) -> Iterator[str]:
    """The texts of a presentation: on slides, notes and in comments, and the alternative texts of what is drawn."""
    deck = Deck(Package(page, "presentation"))
    for name in deck.slides:
        root, relations = deck.package.xml(name), deck.package.relations(name)
        yield from texts(root)
        yield from drawn_texts(deck.package, relations, root)
        yield from _alternatives(root)
        for relation in relations.values():
            if relation.kind in ("notesSlide", "comments") and relation.target in deck.package:
                yield from texts(deck.package.xml(relation.target))


def _alternatives(root: Node) -> Iterator[str]:
    """The alternative texts of shapes that have no text of their own, and of pictures, charts and groups."""
    tree = below(root, "p:cSld/p:spTree")
    stack = list(tree) if tree is not None else []
    while stack:
        node = stack.pop()
        if node.tag == "mc:AlternateContent":
            stack.extend(chosen(node))
        elif node.tag in ("p:sp", "p:cxnSp", "p:pic", "p:grpSp", "p:graphicFrame"):
            stack.extend(node if node.tag == "p:grpSp" else ())
            if node.tag not in ("p:sp", "p:cxnSp") or not any(text.strip() for text in texts(node)):
                yield alternative(next(node.iter("p:cNvPr"), None))
