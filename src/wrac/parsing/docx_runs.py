"""The runs of a Word paragraph as inline HTML; what hangs on it, such as notes and text boxes, is handed on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from wrac.parsing.docx_styles import Styles, monospaced, on
from wrac.parsing.drawing import alternatives, chosen, shallow
from wrac.parsing.markup import Markup, Piece, attribute, rendered
from wrac.parsing.package import Node, Relation

_THROUGH: Final = frozenset(
    "w:ins w:smartTag w:customXml w:sdt w:sdtContent w:moveTo w:dir w:bdo w:fldSimple m:oMathPara".split()
)
TEXTS: Final = {"w:tab": "\t", "w:ptab": "\t", "w:noBreakHyphen": "\u2011", "w:softHyphen": "\u00ad"}
NOTES: Final = {
    "w:footnoteReference": "footnotes", "w:endnoteReference": "endnotes", "w:commentReference": "comments",
}  # fmt: skip
_HYPERLINK: Final = re.compile(r'\s*HYPERLINK\s+(\\l\s+)?(?:"([^"]*)"|(\S+))(?:.*\\l\s+"([^"]*)")?', re.DOTALL)


class Line:
    """A paragraph's runs: pieces of HTML, the name of its first bookmark, and the nodes that follow it as blocks."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.anchor = ""
        self.notes: list[tuple[str, str]] = []  # (collection, id)
        self.boxes: list[Node] = []
        self.drawings: list[Node] = []

    def html(self) -> str:
        """The line's inline HTML."""
        return rendered(self.pieces)

    def is_code(self) -> bool:
        """Whether all of its text is code."""
        texts = [piece for piece in self.pieces if piece.html.strip() and not piece.html.startswith("<")]
        return bool(texts) and all(piece.code for piece in texts)

    def bare(self) -> bool:
        """Whether there is nothing to see in it."""
        return not any(piece.html.strip() for piece in self.pieces)


class Reader:
    """Reads the paragraphs of one part; a field may begin in one paragraph and end in a later one."""

    def __init__(self, out: Markup, styles: Styles, relations: dict[str, Relation]) -> None:
        self.out, self.styles, self.relations = out, styles, relations
        self._fields: list[list[str]] = []  # [instruction, href] of the fields that are open

    def line(self, paragraph: Node, *, plain: bool) -> Line:
        """The runs of a paragraph; `plain` leaves out what its style says anyway: strong in a heading, code in code."""
        line = Line()
        self._walk(paragraph, line, "", plain)
        return line

    def _walk(self, node: Node, line: Line, href: str, plain: bool) -> None:
        for child in node:
            tag = child.tag
            if tag == "w:r":
                self._run(child, line, href, plain)
            elif tag == "w:hyperlink":
                self._walk(child, line, self._target(child) or href, plain)
            elif tag in _THROUGH:
                inner = _linked(child.get("instr", "")) if tag == "w:fldSimple" else ""
                self._walk(child, line, inner or href, plain)
            elif tag == "w:bookmarkStart":
                line.anchor = line.anchor or visible_name(child)
            elif tag in ("w:del", "w:moveFrom"):
                self.lose_deleted(child)
            elif tag == "m:oMath":
                text = "".join(part.text or "" for part in child.iter("m:t"))
                line.pieces.append(Piece(f"<math><mtext>{escape(text, quote=False)}</mtext></math>" if text else ""))
            elif tag == "mc:AlternateContent":
                self._walk(chosen(child), line, href, plain)

    def lose_deleted(self, node: Node) -> None:
        """Records what a tracked change took out."""
        text = "".join(part.text or "" for part in node.iter() if part.tag in ("w:delText", "w:t"))
        if text.strip():
            self.out.lose("deleted in a tracked change" if node.tag == "w:del" else "moved in a tracked change", text)

    def _target(self, link: Node) -> str:
        relation = self.relations.get(link.get("r:id", ""))
        anchor = link.get("anchor", "")
        return (relation.target if relation else "") + (f"#{anchor}" if anchor else "")

    # -- runs

    def _run(self, run: Node, line: Line, href: str, plain: bool) -> None:
        form = self._form(run.find("w:rPr"), plain)
        if any(field[1] for field in self._fields):
            href = href or next(field[1] for field in reversed(self._fields) if field[1])
        form = form._replace(href=href)
        for child in run:
            self._content(child, line, form)

    def _content(self, child: Node, line: Line, form: Piece) -> None:
        tag = child.tag
        if tag == "w:t":
            line.pieces.append(form._replace(html=escape(child.text or "", quote=False)))
        elif tag in TEXTS:
            line.pieces.append(form._replace(html=TEXTS[tag]))
        elif tag in ("w:br", "w:cr"):
            line.pieces.append(form._replace(html="<br>" if child.get("type", "") in ("", "textWrapping") else ""))
        elif tag == "w:sym":
            self._symbol(child, line, form)
        elif tag in ("w:drawing", "w:pict", "w:object"):
            self._drawing(child, line)
        elif tag in NOTES:
            line.notes.append((NOTES[tag], child.get("id", "")))
        elif tag == "w:ruby":
            self._ruby(child, line, form)
        elif tag == "mc:AlternateContent":
            for inner in chosen(child):
                self._content(inner, line, form)
        elif tag in ("w:fldChar", "w:instrText"):
            self._field(child)

    def _form(self, properties: Node | None, plain: bool) -> Piece:
        if properties is None:
            return Piece("")
        style = properties.find("w:rStyle")
        name = style.get("val", "") if style is not None else ""
        shift = properties.find("w:vertAlign")
        raised = {"superscript": "sup", "subscript": "sub"}.get(shift.get("val", "") if shift is not None else "", "")
        return Piece(
            "",
            hidden=self._is_on(properties, name, "w:vanish"),
            code=not plain and (monospaced(properties) or self.styles.is_code(name)),
            strong=not plain and self._is_on(properties, name, "w:b"),
            em=not plain and self._is_on(properties, name, "w:i"),
            shift=raised,
        )

    def _is_on(self, properties: Node, style: str, switch: str) -> bool:
        found = properties.find(switch)
        return on(found.get("val", "1")) if found is not None else self.styles.is_on(style, switch)

    def _symbol(self, node: Node, line: Line, form: Piece) -> None:
        text = symbol(node)
        line.pieces.append(form._replace(html=escape(text, quote=False)))
        if not text:
            self.out.lose(f"symbol of the font {node.get('font', '')}")

    def _ruby(self, node: Node, line: Line, form: Piece) -> None:
        base, reading = (
            escape("".join(t.text or "" for part in node.iter(tag) for t in part.iter("w:t")), quote=False)
            for tag in ("w:rubyBase", "w:rt")
        )
        line.pieces.append(form._replace(html=f"<ruby>{base}<rt>{reading}</rt></ruby>"))

    # -- fields

    def _field(self, node: Node) -> None:
        """Keeps track of fields; their results are runs like others, under the link that the field may be."""
        kind = node.get("fldCharType", "")
        if node.tag == "w:instrText":
            if self._fields:
                self._fields[-1][0] += node.text or ""
        elif kind == "begin":
            self._fields.append(["", ""])
        elif kind == "separate" and self._fields:
            self._fields[-1][1] = _linked(self._fields[-1][0])
        elif kind == "end" and self._fields:
            self._fields.pop()

    # -- drawings

    def _drawing(self, node: Node, line: Line) -> None:
        boxes = list(outermost(node, "w:txbxContent"))
        line.boxes.extend(boxes)
        line.drawings.append(node)
        for alt, target in _pictures(node, self.relations):
            if alt:
                line.pieces.append(Piece(f"<img{attribute('alt', alt)}{attribute('src', target)}>"))
            elif target:
                self.out.lose(f"picture without text: {target}")
        for art in shallow(node):
            if art.tag == "v:textpath" and art.get("string"):
                self.out.lose("text drawn as a picture", art.get("string", ""))


def _pictures(node: Node, relations: dict[str, Relation]) -> Iterator[tuple[str, str]]:
    """The alternative text and the part of each picture in a drawing; one text may be for the drawing as a whole."""
    targets = []
    for part in shallow(node):
        name = part.get("r:embed") or part.get("r:link") if part.tag == "a:blip" else ""
        name = part.get("r:id", "") if part.tag == "v:imagedata" else name
        if name:
            targets.append(relations[name].target if name in relations else name)
    alts = list(alternatives(node))
    if len(alts) == 1 and len(targets) > 1:
        targets = [", ".join(targets)]
    for number in range(max(len(alts), len(targets))):
        yield alts[number] if number < len(alts) else "", targets[number] if number < len(targets) else ""


def outermost(node: Node, tag: str) -> Iterator[Node]:
    """The elements of a tag below a node that stand in no other such element, copies for old programs left out."""
    stack = list(reversed(node))
    while stack:
        child = stack.pop()
        if child.tag == tag:
            yield child
        elif child.tag == "mc:AlternateContent":
            stack.extend(reversed(chosen(child)))
        else:
            stack.extend(reversed(child))


def visible_name(bookmark: Node) -> str:
    """A bookmark's name, "" for those that programs set for themselves."""
    name = bookmark.get("name", "")
    return "" if name.startswith("_") else name


def symbol(node: Node) -> str:
    """The character of a symbol, "" for a glyph that only its font knows."""
    found = re.fullmatch("[0-9A-Fa-f]{1,6}", node.get("char", ""))
    code = int(found[0], 16) if found else 0
    return chr(code) if 0x20 < code < 0xD800 or 0xF100 <= code < 0x11_0000 else ""


def _linked(instruction: str) -> str:
    """The address in a field's instruction, "" when it is no link."""
    found = _HYPERLINK.match(instruction)
    if not found:
        return ""
    target = found[2] or found[3] or ""
    return f"#{target}" if found[1] else target + (f"#{found[4]}" if found[4] else "")
