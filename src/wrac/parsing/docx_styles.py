"""What the styles and the numbering of a Word file say of a paragraph or a run."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple

from wrac.parsing.fonts import is_monospaced
from wrac.parsing.package import Node, below

# Built-in styles have these names in every language; what a user sees is translated, and so are the ids.
_HEADING: Final = re.compile(r"heading ([1-9])")
_TOC: Final = re.compile(r"toc (?:[1-9]|heading)")
_CODE: Final = re.compile(
    r"(?:source|program|inline)? ?code\b.*|.* code|html (?:code|preformatted|sample|keyboard|typewriter)|macro text"
    r"|preformatted(?: text)?|verbatim.*|(?:(?:source|program) ?)?listing|console|terminal"
)
_LIST: Final = re.compile(r"list (?:bullet|number) ([2-5])")
_QUOTE: Final = re.compile(r"(?:intense |block )?quot(?:e|ation)s?|block ?text")
DEEPEST: Final = 9


class Look(NamedTuple):
    """What a paragraph style makes of a paragraph: `kind` is title, heading, code, quote, caption, toc or "" for text.

    `level` is a heading's; `inset` is how deep a list of a style such as List Bullet 2 stands, though its own lists
    call it their outermost level.
    """

    kind: str = ""
    level: int = 0
    numbering: tuple[str, int] | None = None
    inset: int = 0


class Styles:
    """The styles of a file."""

    def __init__(self, root: Node | None) -> None:
        self._nodes: dict[str, Node] = {}
        self._looks: dict[str, Look] = {}
        self._code: dict[str, bool] = {}
        self.default = ""
        self.language = ""
        if root is None:
            return
        for node in root.iter("w:style"):
            name = node.get("styleId", "")
            self._nodes.setdefault(name, node)
            if node.get("type") == "paragraph" and on(node.get("default", "0")):
                self.default = name
        language = below(root, "w:docDefaults/w:rPrDefault/w:rPr/w:lang")
        self.language = language.get("val", "") if language is not None else ""

    def look(self, style: str) -> Look:
        """What a paragraph style means, by its own name or that of a style it is based on."""
        found = self._looks.get(style)
        if found is None:
            self._looks[style] = found = self._derive(style)
        return found

    def _derive(self, style: str) -> Look:
        kind, level, numbering, inset = "", 0, None, 0
        for node in self._chain(style):
            name = _name(node)
            kind, level = (kind, level) if kind else _named(name)
            if listed := _LIST.fullmatch(name):
                inset = inset or int(listed[1]) - 1
            properties = node.find("w:pPr")
            if properties is None:
                continue
            if not kind and (outline := outline_of(properties)):
                kind, level = "heading", outline
            numbering = numbering or numbering_of(properties)
            if not kind and node.get("styleId") != self.default and monospaced(node.find("w:rPr")):
                kind = "code"
        return Look(kind, level, numbering, inset)

    def is_code(self, style: str) -> bool:
        """Whether a character style marks code."""
        if style not in self._code:
            chain = self._chain(style)
            self._code[style] = any(_CODE.fullmatch(_name(n)) or monospaced(n.find("w:rPr")) for n in chain)
        return self._code[style]

    def is_on(self, style: str, switch: str) -> bool:
        """Whether a character style switches something on, such as `w:b`."""
        for node in self._chain(style):
            found = below(node, f"w:rPr/{switch}")
            if found is not None:
                return on(found.get("val", "1"))
        return False

    def heads_first_row(self, style: str) -> bool:
        """Whether a table style sets the first row apart."""
        return any(part.get("type") == "firstRow" for node in self._chain(style) for part in node.iter("w:tblStylePr"))

    def _chain(self, style: str) -> list[Node]:
        """The style and those it is based on, nearest first; a circle ends where it closes."""
        chain: dict[str, Node] = {}
        while style and style not in chain and style in self._nodes:
            chain[style] = node = self._nodes[style]
            based = node.find("w:basedOn")
            style = based.get("val", "") if based is not None else ""
        return list(chain.values())


def _name(node: Node) -> str:
    name = node.find("w:name")
    return " ".join((name.get("val", "") if name is not None else "").lower().split())


def _named(name: str) -> tuple[str, int]:
    heading = _HEADING.fullmatch(name)
    if heading:
        return "heading", int(heading[1])
    if name == "title":
        return "title", 1
    if _TOC.fullmatch(name):
        return "toc", 0
    if name == "caption":
        return "caption", 0
    if _QUOTE.fullmatch(name):
        return "quote", 0
    return ("code", 0) if _CODE.fullmatch(name) else ("", 0)


def on(value: str) -> bool:
    """Whether a switch's value means yes."""
    return value.lower() not in ("0", "false", "off", "none")


def outline_of(properties: Node) -> int:
    """The heading level that paragraph properties give, 1-based; 0 for text."""
    found = properties.find("w:outlineLvl")
    value = found.get("val", "") if found is not None else ""
    return int(value) + 1 if value.isdigit() and int(value) < DEEPEST else 0


def numbering_of(properties: Node) -> tuple[str, int] | None:
    """The numbering and its level (0-based) that paragraph properties give; the number "0" is none."""
    found = properties.find("w:numPr")
    if found is None:
        return None
    number, level = found.find("w:numId"), found.find("w:ilvl")
    depth = level.get("val", "0") if level is not None else "0"
    return (number.get("val", "0") if number is not None else "", int(depth) if depth.isdigit() else 0)


def monospaced(properties: Node | None) -> bool:
    """Whether run properties name a font whose letters are equally wide."""
    fonts = properties.find("w:rFonts") if properties is not None else None
    return fonts is not None and is_monospaced(fonts.get("ascii") or fonts.get("hAnsi") or "")


class Item(NamedTuple):
    """A list item: its list, its depth, whether it is ordered, and its number."""

    numbering: str
    level: int
    ordered: bool
    number: int


class Numbering:
    """The lists of a file; items must be asked for in reading order."""

    def __init__(self, root: Node | None, styles: Styles) -> None:
        self._abstract: dict[str, str] = {}
        self._levels: dict[tuple[str, int], tuple[bool, int]] = {}  # (list, level) -> (ordered, first number)
        self._starts: dict[tuple[str, int], int] = {}
        self._counts: Counter[tuple[str, int]] = Counter()
        self._begun: set[str] = set()
        self._links: dict[str, str] = {}  # list -> the numbering style that defines it
        for node in root if root is not None else ():
            if node.tag == "w:abstractNum":
                self._read_abstract(node)
            elif node.tag == "w:num":
                self._read_number(node)
        for name, style in self._links.items():
            linked = styles.look(style).numbering
            alias = self._abstract.get(linked[0], "") if linked is not None else ""
            self._abstract.update({number: alias for number, own in self._abstract.items() if alias and own == name})

    def _read_abstract(self, node: Node) -> None:
        name = node.get("abstractNumId", "")
        link = node.find("w:numStyleLink")
        if link is not None:
            self._links[name] = link.get("val", "")
        for level in node.iter("w:lvl"):
            depth = level.get("ilvl", "0")
            form, start = level.find("w:numFmt"), level.find("w:start")
            ordered = form is None or form.get("val") not in ("bullet", "none")
            first = start.get("val", "1") if start is not None else "1"
            if depth.isdigit():
                self._levels[name, int(depth)] = ordered, int(first) if first.isdigit() else 1

    def _read_number(self, node: Node) -> None:
        abstract = node.find("w:abstractNumId")
        name = node.get("numId", "")
        self._abstract[name] = abstract.get("val", "") if abstract is not None else ""
        for override in node.iter("w:lvlOverride"):
            start, depth = override.find("w:startOverride"), override.get("ilvl", "0")
            value = start.get("val", "") if start is not None else ""
            if value.isdigit() and depth.isdigit():
                self._starts[name, int(depth)] = int(value)

    def item(self, numbering: tuple[str, int]) -> Item | None:
        """The next item of a list and level; None for a list that the file does not define."""
        name, level = numbering
        abstract = self._abstract.get(name)
        if abstract is None:
            return None
        if name not in self._begun:
            self._begun.add(name)
            for (number, depth), start in self._starts.items():
                if number == name:
                    self._counts[abstract, depth] = start - self._first(abstract, depth)
        ordered = self._levels.get((abstract, level), (False, 1))[0]
        count = self._first(abstract, level) + self._counts[abstract, level]
        self._counts[abstract, level] += 1
        for depth in range(level + 1, DEEPEST + 1):
            self._counts[abstract, depth] = 0
        return Item(name, level, ordered, count)

    def _first(self, abstract: str, level: int) -> int:
        return self._levels.get((abstract, level), (False, 1))[1]
