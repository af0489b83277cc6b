"""What particular block elements mean: the kind of their text, lists, definitions, landmarks, panels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wrac.core.types import NOTHING
from wrac.parsing import inline
from wrac.parsing.dom import Attributes, Node
from wrac.parsing.emit import AFTER
from wrac.parsing.frames import Counter, Frame, Owner, Row, SpanDraft
from wrac.parsing.tags import BLOCKS, CLOSED, FLAT, HEADING_LEVEL, LANDMARKS, OWNERS, PREFORMATTED, SPANS

if TYPE_CHECKING:
    from wrac.parsing.segment import Segmenter

# Containers between an owner and its text: the first text below a list item may stand in a paragraph or a div.
_THROUGH: Final = frozenset("p div section article center header span main hgroup address".split())
_CLOSED_ROLES: Final = frozenset(("tabpanel", "dialog", "alertdialog", "complementary", "navigation"))
CONTROLLING: Final = "[aria-controls],[data-bs-target],[data-target]"
_CHROME: Final = frozenset(("nav", "header", "footer"))


def own(walk: Segmenter, new: Frame, frame: Frame, attrs: Attributes, aria: str | None) -> None:
    """Gives a frame the owner of its text: the kind that its first line takes."""
    node, tag = new.node, new.tag
    kind = OWNERS.get(tag)
    level = HEADING_LEVEL.get(tag, 0)
    if aria is not None:
        if aria == "heading":
            level = _aria_level(node)
        elif aria == "tab":
            walk.outline.tab(len(walk.drafts))
            kind = "label" if new.role in _CHROME else "question"
    if level:
        kind = "question" if aria == "tab" or inline.opens(node, attrs) else "heading"
    elif kind is None and attrs and "aria-controls" in attrs and (tag not in BLOCKS or aria == "button"):
        kind = "label" if new.role in _CHROME else "question"
    if kind is not None:
        new.owner = Owner(kind, level)
        if level or tag in FLAT or kind in ("question", "label"):
            new.flat = not inline.holds_block(node) or is_closed(node)
            new.pre = new.pre or tag in PREFORMATTED
    elif tag not in _THROUGH:
        new.owner = frame.owner if frame.owner is not None and frame.owner.kind == "quote" else None


def ordinary(walk: Segmenter, new: Frame, frame: Frame, tag: str) -> None:
    """`Segmenter.describe` for a block of a common tag without attributes."""
    new.closed = tag in CLOSED
    new.first = len(walk.drafts)
    kind = OWNERS.get(tag)
    if kind is not None:
        new.owner = Owner(kind, 0)
    elif tag not in _THROUGH:
        new.owner = frame.owner if frame.owner is not None and frame.owner.kind == "quote" else None
    prepare = PREPARE.get(tag)
    if prepare is not None:
        prepare(walk, new, new.node, NOTHING)


def _aria_level(node: Node) -> int:
    stated = node.attr("aria-level") or ""
    return int(stated) if stated.isdigit() and 0 < int(stated) < 10 else 2


def is_closed(node: Node) -> bool:
    """Whether the source has an end tag for the element."""
    where = node.source_location
    return where is not None and where.end_tag is not None


def plain_code(walk: Segmenter, frame: Frame, node: Node, index: int) -> None:
    """A `pre` of nothing but text, the bulk of a reference page: its line is taken at once."""
    new = Frame(node, "pre", iter(()), frame, index)
    walk.bound = (node, 1)
    walk.describe(new, frame, node.attrs)
    run = walk.run
    run.frame, run.start = new, walk.bound
    run.add_raw(node.text)
    walk.flush((node, 2))
    walk.bound = (node, AFTER)


def landmark(walk: Segmenter, new: Frame, attrs: Attributes, aria: str | None) -> None:
    """Opens the span of a landmark, figure, details or microdata question."""
    kind = SPANS.get(new.tag) or (LANDMARKS.get(aria) if aria is not None else None)
    if kind == "nav" and new.role == "toc" and new.inside:
        return  # a table of contents within the text stands beside nothing
    if kind is not None and (kind != "header" or new.role == "header"):
        new.on_leave = [SpanDraft(kind, len(walk.drafts))]
    elif attrs and "itemtype" in attrs and (attrs["itemtype"] or "").endswith("schema.org/Question"):
        new.on_leave = [SpanDraft("qa", len(walk.drafts))]
        new.closed = True
    if aria in _CLOSED_ROLES:
        new.closed = True


def panel(walk: Segmenter, new: Frame, node: Node, attrs: Attributes, aria: str | None) -> None:
    """Ties a panel to the control that opens it."""
    name = node.attr("id") if "id" in attrs else None
    if aria == "tabpanel" or (name is not None and name in walk.panels):
        new.closed = True
        walk.outline.enter_panel()
        opener = walk.openers.get(name or "", -1)
        first = len(walk.drafts)
        leave = partial(_leave_panel, walk, opener, first, aria == "tabpanel")
        new.on_leave = [*(new.on_leave or ()), leave]
    if aria == "tablist":
        walk.outline.tablist()


def opener(walk: Segmenter, new: Frame, node: Node) -> None:
    """Remembers which panels a question opens, so that they find it."""
    control = node if "aria-controls" in node.attrs else node.select_one(CONTROLLING)
    if control is not None:
        for target in targets(control):
            walk.openers[target] = len(walk.drafts)


def targets(control: Node) -> list[str]:
    """The ids of the panels that a control opens."""
    found = []
    for name in ("aria-controls", "data-bs-target", "data-target"):
        found += [part.removeprefix("#") for part in (control.attr(name) or "").split()]
    return found


def _leave_panel(walk: Segmenter, opener: int, first: int, tab: bool, now: int) -> None:
    walk.outline.leave_panel(opener, first, now - 1, tab=tab)


# -- by tag


def _list(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    frame.lists += 1
    ordered = frame.tag == "ol"
    frame.on_leave = [*(frame.on_leave or ()), SpanDraft("list", len(walk.drafts), {"ordered": ordered})]
    frame.counter = Counter.of(node, attrs) if ordered else None


def _item(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    number = frame.counter.take(attrs) if frame.counter is not None else None
    data = {} if number is None else {"number": number}
    frame.on_leave = [SpanDraft("item", len(walk.drafts), data)]
    frame.counter = None


def _definitions(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    frame.on_leave = [SpanDraft("definitions", len(walk.drafts)), walk.outline.leave_definitions]
    walk.outline.definitions()


def _term(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    question = inline.opens(node, attrs) or node.text.rstrip(" \t\r\n\f¶#").endswith(("?", "？", "؟"))
    if question:
        frame.owner = Owner("question")
    walk.outline.term(len(walk.drafts), question=question)


def _description(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    walk.outline.description()


def _quote(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    frame.on_leave = [SpanDraft("quote", len(walk.drafts))]


def _summary(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    around = frame.parent.parent if frame.parent is not None else None
    frame.visible = around.visible if around is not None else "visible"


def _dialog(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    if "open" not in attrs:
        frame.visible = "hidden"


def _details(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    if "open" not in attrs and frame.visible == "visible":
        frame.visible = "collapsed"


def _row(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    if frame.table is not None:
        frame.row = Row(headed=frame.parent is not None and frame.parent.tag == "thead")


def _group(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    if frame.table is not None:
        frame.table.begin_group(len(walk.drafts))


def _cell(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    if frame.row is not None:
        frame.flat = True
        frame.owner = None


def _unseen(walk: Segmenter, frame: Frame, node: Node, attrs: Attributes) -> None:
    frame.visible = "hidden"


PREPARE: Final[dict[str, Callable[[Segmenter, Frame, Any, Any], None]]] = {
    "ul": _list, "ol": _list, "menu": _list, "dir": _list, "li": _item, "dl": _definitions, "dt": _term,
    "dd": _description, "blockquote": _quote, "summary": _summary, "details": _details,
    "dialog": _dialog, "tr": _row, "thead": _group,
    "tbody": _group, "tfoot": _group, "td": _cell, "th": _cell, "noscript": _unseen, "template": _unseen,
}  # fmt: skip
