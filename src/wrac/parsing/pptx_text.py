"""The paragraphs of a shape as HTML: lists by bullet and level, code by font."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from wrac.parsing.drawing import chosen
from wrac.parsing.fonts import is_monospaced
from wrac.parsing.markup import Markup, Piece, rendered
from wrac.parsing.package import Node, Relation
from wrac.parsing.pptx_layout import Shape, paragraphs

_ON: Final = ("1", "true")
_BULLETS: Final = {"a:buNone": "", "a:buChar": "ul", "a:buBlip": "ul", "a:buAutoNum": "ol"}
_STYLES: Final = {"title": "p:titleStyle", "ctrTitle": "p:titleStyle"}


class _Item(NamedTuple):
    tag: str
    level: int


class Text:
    """Writes the text of one shape."""

    def __init__(self, out: Markup, part: str, shape: Shape, relations: dict[str, Relation]) -> None:
        self.out, self._part, self._shape, self._relations = out, part, shape, relations
        self._styles = list(_list_styles(shape))
        self._open: list[_Item] = []
        self._numbers: dict[int, int] = {}

    def write(self) -> None:
        """Writes the paragraphs as blocks."""
        code, blank = False, 0
        for number, paragraph in enumerate(paragraphs(self._shape.node), 1):
            pieces = self._pieces(paragraph)
            if not any(piece.html.strip() for piece in pieces):
                blank += 1
                continue
            is_code = all(piece.code for piece in pieces if piece.html.strip())
            if code and not is_code:
                self.out.put("</pre>")
            if is_code:
                self._code(number, pieces, blank if code else -1)
            else:
                self._block(number, paragraph, rendered(pieces))
            code, blank = is_code, 0
        if code:
            self.out.put("</pre>")
        self._close(-1)

    def inline(self, parts: Sequence[Node]) -> str:
        """Paragraphs as lines of one block."""
        lines = [rendered(self._pieces(paragraph)) for paragraph in parts]
        return "<br>".join(line for line in lines if line.strip())

    def _code(self, number: int, pieces: list[Piece], blank: int) -> None:
        """A line of code after `blank` empty ones; -1 begins a block."""
        if blank < 0:
            self._close(-1)
            self._at(number)
            self.out.put("<pre>")
        self.out.put("\n" * max(blank + 1, 1) + rendered([piece._replace(code=False) for piece in pieces]))

    def _at(self, number: int) -> None:
        self.out.at(self._part, f"{self._shape.id}/p[{number}]")

    def _block(self, number: int, paragraph: Node, line: str) -> None:
        """A paragraph: an item of its level where it has a bullet or a number."""
        properties = paragraph.find("a:pPr")
        level = _level(properties)
        mark = self._mark(properties, level)
        if mark is None or not _BULLETS[mark.tag]:
            self._close(-1)
            self._numbers = {}
            self._at(number)
            self.out.put(f"<p>{line}</p>")
            return
        tag = _BULLETS[mark.tag]
        self._close(level)
        if self._open and self._open[-1] == (tag, level):
            self.out.put("</li>")
        else:
            if self._open and self._open[-1].level == level:
                self._close(level - 1)
            self.out.put(f"<{tag}>")
            self._open.append(_Item(tag, level))
        self._numbers = {depth: last for depth, last in self._numbers.items() if depth <= level}
        start = mark.get("startAt", "1")
        self._numbers[level] = self._numbers.get(level, (int(start) if start.isdigit() else 1) - 1) + 1
        self._at(number)
        self.out.put(f'<li value="{self._numbers[level]}">{line}' if tag == "ol" else f"<li>{line}")

    def _close(self, level: int) -> None:
        """Closes the lists that are deeper than a level."""
        while self._open and self._open[-1].level > level:
            self.out.put(f"</li></{self._open.pop().tag}>")

    def _mark(self, properties: Node | None, level: int) -> Node | None:
        """The bullet of a paragraph: its own, else the nearest that list styles give its level."""
        for style in (properties, *(style.find(f"a:lvl{level + 1}pPr") for style in self._styles)):
            for child in style if style is not None else ():
                if child.tag in _BULLETS:
                    return child
        return None

    # -- runs

    def _pieces(self, paragraph: Node) -> list[Piece]:
        pieces: list[Piece] = []
        self._runs(paragraph, pieces)
        return pieces

    def _runs(self, node: Node, pieces: list[Piece]) -> None:
        for child in node:
            if child.tag in ("a:r", "a:fld"):
                text = child.find("a:t")
                form = self._form(child.find("a:rPr"))
                pieces.append(form._replace(html=escape((text.text or "") if text is not None else "", quote=False)))
            elif child.tag == "a:br":
                pieces.append(self._form(child.find("a:rPr"))._replace(html="<br>"))
            elif child.tag == "mc:AlternateContent":
                self._runs(chosen(child), pieces)
            elif child.tag not in ("a:pPr", "a:endParaRPr"):
                math = "".join(text.text or "" for text in child.iter("m:t"))
                if math:
                    pieces.append(Piece(f"<math><mtext>{escape(math, quote=False)}</mtext></math>"))

    def _form(self, properties: Node | None) -> Piece:
        if properties is None:
            return Piece("")
        font, link = properties.find("a:latin"), properties.find("a:hlinkClick")
        relation = self._relations.get(link.get("r:id", "")) if link is not None else None
        raised = properties.get("baseline", "0")
        title = self._shape.kind in _STYLES
        return Piece(
            "",
            href=relation.target if relation is not None and relation.kind == "hyperlink" else "",
            code=font is not None and is_monospaced(font.get("typeface", "")),
            strong=not title and properties.get("b", "0") in _ON,
            em=not title and properties.get("i", "0") in _ON,
            shift="" if raised.rstrip("0%") in ("", "-") else "sub" if raised.startswith("-") else "sup",
        )


def _level(properties: Node | None) -> int:
    level = properties.get("lvl", "0") if properties is not None else "0"
    return min(int(level), 8) if level.isdigit() else 0


def _list_styles(shape: Shape) -> list[Node]:
    """The list styles that hold for a shape, nearest first: its own, its placeholders', the master's text style."""
    styles = []
    for node in (shape.node, *shape.inherited):
        body = next((child for child in node if child.tag == "p:txBody"), None)
        style = body.find("a:lstStyle") if body is not None else None
        if style is not None:
            styles.append(style)
    if shape.kind and shape.styles is not None:
        style = shape.styles.find(_STYLES.get(shape.kind, "p:bodyStyle"))
        if style is not None:
            styles.append(style)
    return styles
