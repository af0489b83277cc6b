"""The state of the walk: a frame per open element, drafts of places, spans being collected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from wrac.core.types import Address, HtmlAddress, Kind, Mark, Outer, Role, SpanKind, Visible
from wrac.parsing.dom import Attributes, Element, Node

HOLDER = -1
"""The index of a frame that stands for no element of its own: it enters one element later than the tree has it."""

DEEP = 200
"""Elements deeper than this are addressed by the selector of their ancestor at this depth."""


class Draft:
    """A place in the making; its end may become known only at a later tag."""

    __slots__ = (
        "anchor", "context", "end", "frame", "kind", "language", "level", "marks", "native", "nth", "role", "selector",
        "start", "text", "visible", "within",
    )  # fmt: skip

    def __init__(self, kind: Kind, text: str, marks: tuple[Mark, ...], frame: Frame) -> None:
        self.kind = kind
        self.text = text
        self.marks = marks
        self.frame = frame  # the block it stands in: what surrounds it tells its score
        self.level = 0
        self.role: Role = frame.role
        self.visible: Visible = frame.visible
        self.language = frame.language
        self.anchor = ""
        self.start = -1
        self.end = -1
        self.selector = ""
        self.context = "body"
        self.nth = 0
        self.within: Outer | None = None
        self.native: Address | None = None  # in a file that is no HTML

    def address(self) -> Address:
        """The finished address."""
        if self.native is not None:
            return self.native
        parts = (self.selector, self.start, self.end, self.context, self.nth, self.within)
        return tuple.__new__(HtmlAddress, parts)


class Owner:
    """The element whose first text takes a kind: a list item, a definition, a quote."""

    __slots__ = ("kind", "level", "used")

    def __init__(self, kind: Kind, level: int = 0) -> None:
        self.kind = kind
        self.level = level
        self.used = False


class Table:
    """A data table: its rows' groups and header rows as ordinals, and the row spans that hang into the next row."""

    __slots__ = ("_hanging", "_rows", "groups", "headers")

    def __init__(self) -> None:
        self.groups: list[int] = []
        self.headers: list[int] = []
        self._rows = 0
        self._hanging: list[tuple[Draft, int, int]] = []  # (draft, index of the cell's mark, last row it covers)

    def begin_group(self, ordinal: int) -> None:
        """A row group begins, and no row span goes on into it."""
        self.groups.append(ordinal)
        self._hanging = []

    def end_row(self, draft: Draft) -> None:
        """A row that became a unit ended."""
        for index, mark in enumerate(draft.marks):
            if mark.kind == "cell" and mark.rows > 1:
                self._hanging.append((draft, index, self._rows + mark.rows - 1))
        self._rows += 1

    def skip_row(self) -> None:
        """A row without text ended: it is no unit, so the spans that cover it are one row shorter."""
        self._hanging = [hanging for hanging in self._hanging if hanging[2] >= self._rows]
        for draft, index, _ in self._hanging:
            marks = list(draft.marks)
            marks[index] = marks[index]._replace(rows=marks[index].rows - 1)
            draft.marks = tuple(marks)
        self._rows += 1


class Row:
    """A table row: the finished cells, and the elements of the first and the last."""

    __slots__ = ("cells", "first", "headed", "last")

    def __init__(self, headed: bool) -> None:
        self.cells: list[tuple[str, tuple[Mark, ...], Mark]] = []
        self.headed = headed
        self.first: Any = None
        self.last: Any = None


class Counter:
    """The numbers of an ordered list's items: start, value and reversed as HTML says."""

    __slots__ = ("next", "step")

    def __init__(self, first: int, step: int) -> None:
        self.next = first
        self.step = step

    @classmethod
    def of(cls, node: Node, attrs: Attributes) -> Counter:
        """The counter of an `ol` element."""
        backwards = "reversed" in attrs
        start = integer(attrs.get("start"))
        if start is None:
            start = sum(child.tag == "li" for child in node.children if type(child) is Element) if backwards else 1
        return cls(start, -1 if backwards else 1)

    def take(self, attrs: Attributes) -> int:
        """The number of the next item."""
        value = integer(attrs.get("value"))
        number = self.next if value is None else value
        self.next = number + self.step
        return number


def integer(text: str | None) -> int | None:
    """An integer attribute's value, as HTML reads one; None when it is none."""
    found = re.match(r"[ \t\n\f\r]*([+-]?[0-9]{1,9})", text) if text else None
    return int(found[1]) if found else None


class Frame:
    """An open element, and what its content inherits.

    Headings head nothing beyond the nearest `closed` element around them (their `fence`), nor beyond a `half_closed`
    one (`soft`) once text followed them in it; `first` is the ordinal of the first unit in such an element.
    """

    __slots__ = (
        "atom", "children", "closed", "count", "counter", "depth", "fence", "first", "flat", "half_closed", "index",
        "inline", "inside", "is_main", "language", "lists", "node", "on_leave", "owner", "parent", "path_", "pre",
        "role", "row", "soft", "table", "tag", "visible",
    )  # fmt: skip

    def __init__(self, node: Node, tag: str, children: Iterator[Any], parent: Frame | None, index: int) -> None:
        self.node = node
        self.tag = tag
        self.children = children
        self.parent = parent
        self.index = index
        self.count = 0
        self.path_: str | None = None
        self.on_leave: list[Any] | None = None
        self.inline = False
        self.closed = self.half_closed = self.is_main = False
        self.first = 0
        self.atom: tuple[Kind, int] | None = None
        if parent is None:
            self._root()
        else:
            self._inherit(parent)

    def _root(self) -> None:
        self.depth = 0
        self.fence: Frame | None = None
        self.soft: Frame | None = None
        self.role: Role = "main"
        self.visible: Visible = "visible"
        self.language = ""
        self.pre = self.flat = self.inside = False
        self.owner: Owner | None = None
        self.lists = 0
        self.table: Table | None = None
        self.row: Row | None = None
        self.counter: Counter | None = None

    def _inherit(self, parent: Frame) -> None:
        self.depth = parent.depth + 1
        self.fence = parent if parent.closed else parent.fence
        self.soft = parent if parent.half_closed else parent.soft
        self.role = parent.role
        self.visible = parent.visible
        self.language = parent.language
        self.pre = parent.pre
        self.flat = parent.flat
        self.inside = parent.inside
        self.owner = parent.owner
        self.lists = parent.lists
        self.table = parent.table
        self.row = parent.row
        self.counter = parent.counter

    def path(self) -> str:
        """The element's selector: from the nearest ancestor with an id of its own, by position from there on."""
        if self.path_ is None:
            chain = []
            frame: Frame | None = self
            while frame is not None and frame.path_ is None:
                chain.append(frame)
                frame = frame.parent
            base = frame.path_ if frame is not None and frame.path_ is not None else ""
            for link in reversed(chain):
                if link.tag in ("html", "body"):
                    base = link.tag
                elif link.depth <= DEEP and link.index:
                    base = f"{base} > {link.tag}:nth-child({link.index})" if base else link.tag
                link.path_ = base
        return self.path_ or ""

    def child_path(self, tag: str, index: int) -> str:
        """The selector of a child element."""
        return f"{self.path()} > {tag}:nth-child({index})" if self.depth < DEEP else self.path()


NOWHERE: Final = Frame(None, "", iter(()), None, 0)
"""The frame of a draft that no longer needs one."""


class SpanDraft:
    """An interval in the making: the ordinal it starts at, and the data of its kind."""

    __slots__ = ("data", "first", "kind", "last")

    def __init__(self, kind: SpanKind, first: int, data: dict[str, Any] | None = None) -> None:
        self.kind = kind
        self.first = first
        self.last = -1
        self.data = data or {}

    def shift(self, base: int) -> None:
        """Moves the span along with the drafts it counts."""
        self.first += base
        self.last += base
        for key in _ORDINALS:
            if key in self.data:
                self.data[key] = [ordinal + base for ordinal in self.data[key]]
        if "panels" in self.data:
            panels = self.data["panels"]
            self.data["panels"] = [(tab + base if tab >= 0 else -1, a + base, b + base) for tab, a, b in panels]


_ORDINALS: Final = ("header_rows", "groups")
