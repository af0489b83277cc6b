"""The slides of a presentation: their order, their shapes in reading order, and what layouts say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from wrac.parsing.drawing import chosen
from wrac.parsing.package import Node, Package, Relation, below

FOOTERS: Final = frozenset(("dt", "ftr", "sldNum", "hdr"))
_SHAPES: Final = frozenset(("p:sp", "p:grpSp", "p:graphicFrame", "p:pic", "p:cxnSp"))
_LIKE: Final = {"ctrTitle": "title", "subTitle": "body", "obj": "body", "": "body", "tbl": "body", "chart": "body"}
_MOST_ORDERED: Final = 500  # shapes; beyond, their order in the file is trusted
Box = tuple[int, int, int, int]  # left, top, right, bottom in EMU
T = TypeVar("T")


class Layout(NamedTuple):
    """A layout's type and the placeholders that slides inherit from: its own, then those of its master."""

    kind: str
    placeholders: Sequence[Sequence[Node]]
    styles: Node | None  # the master's text styles


class Shape(NamedTuple):
    """A shape: its id, its placeholder type ("" for none), what it inherits from, and the shapes of a group."""

    id: str
    kind: str
    node: Node
    properties: Node | None
    inherited: tuple[Node, ...]
    styles: Node | None
    inner: Sequence[Shape]

    def says(self) -> bool:
        """Whether there is text in it."""
        return any((text.text or "").strip() for text in self.node.iter() if text.tag in ("a:t", "m:t"))

    def holds(self) -> bool:
        """Whether it has text, or something that is reported when it has none."""
        return self.says() or self.node.tag in ("p:pic", "p:graphicFrame") or any(s.holds() for s in self.inner)


class Deck:
    """A presentation's parts."""

    def __init__(self, package: Package) -> None:
        self.package = package
        main = package.main_part()
        self._root, relations = package.xml(main), package.relations(main)
        listed = self._root.find("p:sldIdLst")
        ids = [node.get("r:id", "") for node in (listed if listed is not None else ())]
        targets = [relations[name].target for name in ids if name in relations]
        self.slides = [target for target in targets if target in package]
        self._layouts: dict[str, Layout] = {}

    def language(self) -> str:
        """The language of the default text style, "" when none is set."""
        style = self._root.find("p:defaultTextStyle")
        properties = style.iter("a:defRPr") if style is not None else iter(())
        return next((node.get("lang", "") for node in properties if node.get("lang")), "")

    def layout_of(self, relations: dict[str, Relation]) -> Layout:
        """The layout of the slide with these relations."""
        name = next((r.target for r in relations.values() if r.kind == "slideLayout" and r.target in self.package), "")
        if name not in self._layouts:
            self._layouts[name] = self._read(name) if name else Layout("", (), None)
        return self._layouts[name]

    def _read(self, name: str) -> Layout:
        root = self.package.xml(name)
        relations = self.package.relations(name).values()
        master = next((r.target for r in relations if r.kind == "slideMaster" and r.target in self.package), "")
        above = self.package.xml(master) if master else None
        styles = above.find("p:txStyles") if above is not None else None
        known = [list(_placeholders(part)) for part in (root, above) if part is not None]
        return Layout(root.get("type", ""), known, styles)


def shapes_of(tree: Node, layout: Layout | None) -> list[Shape]:
    """The shapes of a slide or group in reading order."""
    found = []
    for node in _nodes(tree):
        kind, inherited = "", tuple[Node, ...]()
        placeholder = next(node.iter("p:ph"), None) if node.tag != "p:grpSp" else None
        if placeholder is not None:
            kind = placeholder.get("type", "") or "obj"
            inherited = tuple(_like(placeholder, layout)) if layout is not None else ()
        properties = next(node.iter("p:cNvPr"), None)
        name = properties.get("id", "") if properties is not None else ""
        inner = shapes_of(node, layout) if node.tag == "p:grpSp" else ()
        styles = layout.styles if layout is not None else None
        found.append(Shape(name, kind, node, properties, inherited, styles, inner))
    return reading_order(found, [_box(shape) for shape in found])


def _nodes(tree: Node) -> Iterator[Node]:
    for node in tree:
        if node.tag == "mc:AlternateContent":
            yield from _nodes(chosen(node))
        elif node.tag in _SHAPES:
            yield node


def paragraphs(node: Node) -> list[Node]:
    """The paragraphs of a shape's or cell's text."""
    body = next((child for child in node if child.tag in ("p:txBody", "a:txBody")), None)
    return body.findall("a:p") if body is not None else []


def _placeholders(root: Node) -> Iterator[Node]:
    tree = below(root, "p:cSld/p:spTree")
    for node in tree if tree is not None else ():
        if next(node.iter("p:ph"), None) is not None:
            yield node


def _like(placeholder: Node, layout: Layout) -> Iterator[Node]:
    """What a placeholder inherits from: the layout's of its index, else of its type; the master's of its type."""
    kind, index = placeholder.get("type", ""), placeholder.get("idx", "")
    for known in layout.placeholders:
        marks = [(next(node.iter("p:ph")), node) for node in known]
        same = [node for mark, node in marks if index and mark.get("idx", "") == index]
        alike = [node for mark, node in marks if _type(mark.get("type", "")) == _type(kind)]
        found = (same or alike)[:1]
        if found:
            kind = next(found[0].iter("p:ph")).get("type", "") or kind
        yield from found


def _type(kind: str) -> str:
    return _LIKE.get(kind, kind)


# -- order


def _box(shape: Shape) -> Box | None:
    """Where a shape stands: its own place, else that of the placeholder it inherits from."""
    for node in (shape.node, *shape.inherited):
        for path in ("p:spPr/a:xfrm", "p:xfrm", "p:grpSpPr/a:xfrm"):
            frame = below(node, path)
            offset = frame.find("a:off") if frame is not None else None
            extent = frame.find("a:ext") if frame is not None else None
            if offset is not None and extent is not None:
                left, top = _number(offset.get("x")), _number(offset.get("y"))
                return left, top, left + _number(extent.get("cx")), top + _number(extent.get("cy"))
    return None


def _number(text: str | None) -> int:
    return int(text) if text and text.lstrip("-").isdigit() and len(text) < 16 else 0


def reading_order(items: Sequence[T], boxes: Sequence[Box | None]) -> list[T]:
    """The items in the order of the file, when it goes down and right; else by where they stand.

    Then the page is cut at its widest gap, between columns or between rows, and each part is read in the same way.
    """
    placed = [number for number, box in enumerate(boxes) if box is not None]
    if len(placed) > _MOST_ORDERED or not _goes_back([box for box in boxes if box is not None]):
        return list(items)
    known = {number: box for number, box in enumerate(boxes) if box is not None}
    order = _cut(placed, known)
    for number in range(len(items)):
        if number not in known:  # what stands nowhere stays behind what it followed
            order.insert(order.index(number - 1) + 1 if number else 0, number)
    return [items[number] for number in order]


def _goes_back(boxes: Sequence[Box]) -> bool:
    """Whether some box stands wholly above an earlier one of its column, or wholly left of one of its row."""
    for number, (left, top, right, bottom) in enumerate(boxes):
        for after in boxes[number + 1 :]:
            beside = min(right, after[2]) > max(left, after[0])
            level = 2 * (min(bottom, after[3]) - max(top, after[1])) > min(bottom - top, after[3] - after[1])
            if (beside and after[3] <= top and after[1] < top) or (level and after[2] <= left and after[0] < left):
                return True
    return False


def _cut(numbers: list[int], boxes: dict[int, Box]) -> list[int]:
    if len(numbers) < 2:
        return numbers
    rows, columns = _parts(numbers, boxes, 1), _parts(numbers, boxes, 0)
    best = max(rows, columns, key=lambda parts: parts[0])  # rows, where both gaps are equal
    if len(best[1]) < 2:
        return sorted(numbers, key=lambda number: (boxes[number][1], boxes[number][0], number))
    return [number for part in best[1] for number in _cut(part, boxes)]


def _parts(numbers: list[int], boxes: dict[int, Box], axis: int) -> tuple[int, list[list[int]]]:
    """The widest gap along an axis, and the items before and after it; -1 when they overlap all along."""
    ordered = sorted(numbers, key=lambda number: (boxes[number][axis], number))
    widest, cut, end = -1, 0, boxes[ordered[0]][axis + 2]
    for place, number in enumerate(ordered[1:], 1):
        gap = boxes[number][axis] - end
        if gap >= 0 and gap > widest:
            widest, cut = gap, place
        end = max(end, boxes[number][axis + 2])
    return widest, [ordered[:cut], ordered[cut:]] if widest >= 0 else [ordered]
