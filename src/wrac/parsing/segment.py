"""The segmenter: one pass over an HTML tree to drafts of places and spans.

A block edge ends a unit and an inline edge does not. The walk keeps its own stack, so depth costs no recursion, and reads
a source location only for elements that bound a unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from turbohtml import CData, DocumentFragment, Element, Text

from wrac.core.types import HtmlAddress, Kind, Loss, Role
from wrac.parsing import inline, tables
from wrac.parsing.frames import Counter, Draft, Frame, Owner, Row, SpanDraft
from wrac.parsing.outline import Outline
from wrac.parsing.roles import role_of, visible_of
from wrac.parsing.run import Line, Run
from wrac.parsing.tags import (
    BLOCKS,
    CLOSED,
    CONTEXT,
    FLAT,
    HALF_CLOSED,
    HEADING_LEVEL,
    LANDMARKS,
    OWNERS,
    PREFORMATTED,
    SPACE,
    SPANS,
)

BEFORE: Final = 0
INSIDE: Final = 1
INSIDE_END: Final = 2
AFTER: Final = 3
Edge = tuple[Any, int]

_SIMPLE_ID: Final = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)  # stands in a selector as it is
_ORDINALS: Final = frozenset(("header_rows", "groups", "panels"))  # span data that hold ordinals
# Containers between an owner and its text: the first text below a list item may stand in a paragraph or a div.
_THROUGH: Final = frozenset("p div section article center header span main hgroup address".split())


class Segmenter:
    """Walks a tree; afterwards `drafts`, `spans` and `losses` hold what it found."""

    def __init__(self, source: Callable[[], str], controlled: Iterable[str] = (), *, shadow: bool = False) -> None:
        self.drafts: list[Draft] = []
        self.spans: list[SpanDraft] = []
        self.losses: list[Loss] = []
        self.scripts: list[Any] = []  # JSON-LD
        self.nesting = 0  # how many srcdocs this tree stands in
        self.source = source
        self.controlled = frozenset(controlled)
        self.shadow = shadow
        self.ids: set[str] = set()
        self.run = Run()
        self.outline = Outline(self.spans)
        self.openers: dict[str, int] = {}  # id of a panel -> ordinal of the unit that opens it
        self.stack: list[Frame] = []
        self.bound: Edge = (None, INSIDE)
        self._pending: list[Draft] = []
        self.deferred: list[Frame] = []
        self.anchor = ""

    # -- the walk ----------------------------------------------------------------------------------------------

    def walk(self, root: Frame) -> None:
        """Segments everything below `root`."""
        stack = self.stack
        self.bound = (root.node, INSIDE)
        stack.append(root)
        while stack:
            frame = stack[-1]
            for node in frame.children:
                kind = type(node)
                if kind is Text or kind is CData:
                    self.text(frame, node.data)
                elif kind is Element:
                    frame.count += 1
                    if self._enter(frame, node, frame.count):
                        break
                elif kind is DocumentFragment:
                    self._push_plain(frame, node, frame.tag, 0)
                    break
            else:
                stack.pop()
                self._leave(frame)
        for draft in self._pending:
            draft.end = len(self.source())
        self.outline.close(len(self.drafts))

    def text(self, frame: Frame, text: str) -> None:
        """Adds a text node to the line."""
        run = self.run
        if not run.pieces:
            if not text.strip(SPACE) and not (frame.pre and frame.flat):
                return
            run.frame = frame
            run.start = self.bound
        if frame.pre:
            run.add_raw(text)
        else:
            run.add(text)

    def children(self, node: Any) -> Iterable[Any]:
        """The children as a browser composes them: a shadow tree in place, slots filled."""
        return node.flattened_children if self.shadow else node.children  # type: ignore[no-any-return]

    # -- entering ----------------------------------------------------------------------------------------------

    def _enter(self, frame: Frame, node: Any, index: int) -> bool:
        """Handles an element; True when a frame was pushed and its children come next."""
        tag = node.tag
        special = inline.SPECIAL.get(tag)
        if special is not None:
            return special(self, frame, node, index)
        if tag in BLOCKS:
            return self.enter_block(frame, node, tag, index)
        attrs = node.attrs
        if attrs:
            role = attrs.get("role")
            if role in ("tab", "heading") or (role is not None and "aria-controls" in attrs):
                return self.enter_block(frame, node, tag, index)
            if (
                "hidden" in attrs or "style" in attrs or "class" in attrs
            ) and visible_of(attrs, frame.visible, False) != frame.visible:
                return self.aside(frame, node, tag, index)
        return inline.enter(self, frame, node, tag, index)

    def defer(self, frame: Frame, node: Any, index: int) -> bool:
        """Enters an element later, as a block after the current line."""
        self.deferred.append(self._holder(frame, node, index))
        return False

    def aside(self, frame: Frame, node: Any, tag: str, index: int) -> bool:
        """Hidden content in a line: units of its own, after the line that a reader sees whole."""
        if not self.run.pieces and not frame.flat:
            return self.enter_block(frame, node, tag, index)
        return self.defer(frame, node, index)

    def _holder(self, frame: Frame, node: Any, index: int) -> Frame:
        """A frame that enters one child of `frame` later, as a block."""
        holder = Frame(node, frame.tag, iter((node,)), frame, 0)
        holder.path_ = frame.path()
        holder.count = index - 1
        holder.flat = False
        holder.inline = False
        holder.owner = None
        holder.row = None
        return holder

    def enter_block(self, frame: Frame, node: Any, tag: str, index: int) -> bool:
        if frame.flat:
            self.run.edge()
            return self._push_flat(frame, node, tag, index)
        self.flush((node, BEFORE))
        if self.deferred:
            again = self._holder(frame, node, index)
            again.owner, again.row = frame.owner, frame.row
            self.stack.append(again)
            self._push_deferred()
            return True
        if self._pending:
            self._settle(_position((node, BEFORE)))
        new = Frame(node, tag, iter(self.children(node)), frame, index)
        self.bound = (node, INSIDE)
        attrs = node.attrs
        if attrs:
            self._describe(new, attrs)
        elif tag in SPANS or tag in ("main", "article", "search", "menu"):
            new.role = role_of(node, tag, attrs, frame.role, frame.inside)
        self._prepare(new, frame, node, tag, attrs)
        self.stack.append(new)
        if self.shadow and node.shadow_root is not None:
            self._lost_light(new, node)
        return True

    def _push_flat(self, frame: Frame, node: Any, tag: str, index: int) -> bool:
        if tag == "table" and frame.row is not None:
            return self.defer(frame, node, index)
        new = Frame(node, tag, iter(self.children(node)), frame, index)
        new.pre = frame.pre or tag in PREFORMATTED
        attrs = node.attrs
        if attrs and "id" in attrs:
            self.anchor = attrs["id"] or self.anchor
        self.stack.append(new)
        return True

    def _push_plain(self, frame: Frame, node: Any, tag: str, index: int) -> None:
        self.stack.append(Frame(node, tag, iter(node.children), frame, index))

    def _push_deferred(self) -> None:
        self.stack.extend(reversed(self.deferred))
        self.deferred = []

    def _lost_light(self, frame: Frame, node: Any) -> None:
        """Children of a shadow host that no slot takes: not shown, kept as hidden units."""
        for index, child in enumerate((c for c in node.children if type(c) is Element), 1):
            if child.assigned_slot is None:
                holder = self._holder(frame, child, index)
                holder.visible = "hidden"
                self.deferred.append(holder)

    def _describe(self, new: Frame, attrs: Any) -> None:
        name = attrs.get("id")
        if name:
            self.anchor = name
            if name not in self.ids and _SIMPLE_ID.fullmatch(name):
                new.path_ = f"{new.tag}#{name}"
            self.ids.add(name)
        if "lang" in attrs and attrs["lang"]:
            new.language = attrs["lang"]
        if "style" in attrs and "white-space" in attrs["style"] and inline.keeps_space(attrs["style"]):
            new.pre = True
        parent = new.parent
        assert parent is not None  # noqa: S101  # a described frame is never the root
        new.role = role_of(new.node, new.tag, attrs, parent.role, parent.inside)
        new.visible = visible_of(attrs, parent.visible, name in self.controlled)

    def _prepare(self, new: Frame, frame: Frame, node: Any, tag: str, attrs: Any) -> None:
        """What the tag means for the frame: its kind, its spans, its barriers for headings."""
        aria = attrs.get("role") if attrs else None
        if tag in ("main", "article") or aria == "main":
            new.inside = True
        self._own(new, frame, node, tag, attrs, aria)
        landmark = SPANS.get(tag) or LANDMARKS.get(aria or "")
        if tag == "table":
            tables.open_table(self, new, node, attrs)
        elif landmark is not None and (landmark != "header" or new.role == "header"):
            new.on_leave = [SpanDraft(landmark, len(self.drafts))]
        if tag in _PREPARE:
            _PREPARE[tag](self, new, node, attrs)
        if new.flat:
            pass  # no heading inside is a unit, and a flat frame is left without its actions
        elif tag in CLOSED or aria in ("tabpanel", "dialog", "complementary", "navigation"):
            self.outline.fence(new, hard=True)
        elif tag in HALF_CLOSED:
            self.outline.fence(new, hard=False)
        if attrs:
            self._panel(new, attrs, aria)

    def _own(self, new: Frame, frame: Frame, node: Any, tag: str, attrs: Any, aria: str | None) -> None:
        level = HEADING_LEVEL.get(tag, 0)
        if aria == "tab":
            self.outline.tab(len(self.drafts))
        if aria == "heading":
            stated = attrs.get("aria-level") or ""
            level = int(stated) if stated.isdigit() and 0 < int(stated) < 10 else 2
        kind = OWNERS.get(tag)
        if level:
            kind = "heading"
            if aria == "tab" or inline.opens(node):
                kind = "question"
        elif aria == "tab" or (tag not in BLOCKS and tag != "noscript" and "aria-controls" in attrs):
            kind = "label" if new.role in ("nav", "header", "footer") else "question"
        if kind is not None:
            new.owner = Owner(kind, level)
            if tag in FLAT or level or kind == "question":
                new.flat = _closed(node) or not inline.holds_block(node)
                new.pre = new.pre or tag in PREFORMATTED
        elif tag not in _THROUGH:
            new.owner = frame.owner if frame.owner is not None and frame.owner.kind == "quote" else None

    def _panel(self, new: Frame, attrs: Any, aria: str | None) -> None:
        name = attrs.get("id")
        if name in self.controlled or aria == "tabpanel":
            self.outline.fence(new, hard=True)
            first = len(self.drafts)

            def leave(now: int) -> None:
                self.outline.panel(self.openers.get(name, -1), first, now - 1, tab=aria == "tabpanel")

            new.on_leave = [*(new.on_leave or []), leave]
        controls = attrs.get("aria-controls")
        if aria == "tablist":
            self.outline.tablist()
        for panel in (controls or "").split():
            self.openers[panel] = len(self.drafts)

    # -- leaving -----------------------------------------------------------------------------------------------

    def _leave(self, frame: Frame) -> None:
        if frame.inline:
            inline.leave(self, frame)
            return
        parent = frame.parent
        if frame.flat and parent is not None and parent.flat:
            self.run.edge()
            return
        if frame.row is not None and frame.tag in ("td", "th") and frame.flat:
            tables.leave_cell(self, frame)
            return
        node = frame.node
        self.flush((node, INSIDE_END))
        if frame.tag == "tr" and frame.row is not None:
            tables.leave_row(self, frame)
        if self.deferred:
            frame.children = iter(())
            self.stack.append(frame)
            self._push_deferred()
            return
        if self._pending:
            self._settle(_position((node, INSIDE_END)))
        self.bound = (node, AFTER)
        if frame.on_leave is not None:
            for action in reversed(frame.on_leave):
                self._close(frame, action)

    def _close(self, frame: Frame, action: Any) -> None:
        now = len(self.drafts)
        if isinstance(action, SpanDraft):
            if now > action.first:
                action.last = now - 1
                self.spans.append(action)
        else:
            action(now)

    def _settle(self, position: int | None) -> None:
        """Gives the drafts without an end tag their end, at the first later tag."""
        if position is None:
            return
        for draft in self._pending:
            draft.end = position if position > draft.start else draft.start
        self._pending = []

    # -- units -------------------------------------------------------------------------------------------------

    def flush(self, end: Edge) -> None:
        """Ends the line and makes its unit or units."""
        run = self.run
        if not run.pieces:
            return
        frame, start = run.frame, run.start
        while frame.inline:
            frame = frame.parent
        line = run.take()
        if not line.text.strip(SPACE):
            return
        if line.atoms and line.atoms_alone() and not frame.flat:
            for atom in line.atoms:
                inline.emit_atom(self, frame, line, atom)
        else:
            self._emit_line(frame, line, start, end)

    def _emit_line(self, frame: Frame, line: Line, start: Edge, end: Edge) -> None:
        owner = frame.owner
        kind: Kind = "paragraph"
        level = 0
        if owner is not None and not owner.used:
            kind, level = owner.kind, owner.level
            owner.used = kind not in ("quote", "definition")
            if kind == "list_item":
                level = frame.lists
        node = frame.node
        if kind == "code":
            line = inline.with_language(line, node)
        draft = self.add(kind, line, frame, level)
        if start == (node, INSIDE) and end == (node, INSIDE_END) and node.source_location is not None:
            self.locate_element(draft, frame.path(), node, frame.tag)
        else:
            self._locate_range(draft, frame, start, end)

    def add(self, kind: Kind, line: Line, frame: Frame, level: int = 0) -> Draft:
        """A new draft with its role, anchor and place in the outline."""
        draft = Draft(kind, line.text, line.marks, frame)
        draft.level = level
        draft.anchor = self.anchor
        self.anchor = ""
        draft.role = self._role(draft, frame)
        if level and kind in ("heading", "question"):
            self.outline.heading(len(self.drafts), level)
        self.drafts.append(draft)
        return draft

    def _role(self, draft: Draft, frame: Frame) -> Role:
        role = frame.role
        if draft.kind == "heading" and draft.level == 1 and role == "header" and not inline.all_link(draft):
            return "main"
        if role == "main" and draft.kind != "heading" and inline.is_skip_link(draft):
            return "nav"
        return role

    def locate_element(self, draft: Draft, selector: str, node: Any, tag: str) -> None:
        """Addresses a draft by an element of its own."""
        where = node.source_location
        draft.start = where.start_tag.start_offset
        if where.end_tag is not None:
            draft.end = where.end_tag.end_offset
        elif inline.is_void(tag):
            draft.end = where.start_tag.end_offset
        else:
            self._pending.append(draft)
        draft.selector, draft.context = selector, CONTEXT.get(tag, "body")

    def locate_between(self, draft: Draft, selector: str, first: Any, last: Any, context: str) -> None:
        """Addresses a draft by the first and the last of its elements."""
        draft.start = first.source_location.start_tag.start_offset
        closing = last.source_location.end_tag
        if closing is not None:
            draft.end = closing.end_offset
        else:
            self._pending.append(draft)
        draft.selector, draft.context = selector, context

    def _locate_range(self, draft: Draft, frame: Frame, start: Edge, end: Edge) -> None:
        first, last = _position(start), _position(end)
        context = "pre" if frame.pre else "body"
        if start[0] is frame.node and start[1] == INSIDE and first is None:
            first = 0 if frame.parent is None or frame.tag in ("html", "body") else None
        if frame.tag in ("html", "body") and end[1] == INSIDE_END:
            last = len(self.source())
        irregular = first is None or (last is not None and last <= first)
        foster = end[1] == BEFORE and end[0].tag == "table"
        if irregular or (foster and not inline.reads_back(self.source(), first or 0, last, context, draft.text)):
            draft.start, draft.end = 0, len(self.source())
            draft.selector, draft.context, draft.nth = frame.path(), "document", len(self.drafts) - 1
            return
        draft.start = first or 0
        draft.selector, draft.context = frame.path(), context
        if last is None:
            self._pending.append(draft)
        else:
            draft.end = last

    def embed(self, frame: Frame, node: Any, index: int, tree: Any, source: str) -> None:
        """Segments a document inside this one, such as a srcdoc, in its place; its ranges count in its own source."""
        inner = Segmenter(lambda: source, panels(tree))
        inner.nesting = self.nesting + 1
        root = Frame(tree, "", iter(tree.children), None, 0)
        root.role, root.visible, root.language = frame.role, frame.visible, frame.language
        inner.walk(root)
        where = node.source_location
        end = where.end_tag.end_offset if where.end_tag is not None else where.start_tag.end_offset
        outer = HtmlAddress(frame.child_path(node.tag, index), where.start_tag.start_offset, end)
        self.adopt(inner, outer)
        self.bound = (node, AFTER)

    def adopt(self, inner: Segmenter, outer: HtmlAddress | DataAddress) -> None:
        """Takes over another segmenter's finds; their addresses count within `outer`."""
        base = len(self.drafts)
        for draft in inner.drafts:
            draft.within = outer if draft.within is None else _nest(draft.within, outer)
            self.drafts.append(draft)
        for span in inner.spans:
            span.first += base
            span.last += base
            span.data = {key: _shifted(value, base) if key in _ORDINALS else value for key, value in span.data.items()}
            self.spans.append(span)
        self.losses.extend(inner.losses)

    def lose(self, reason: str, text: str, node: Any, *, keep: bool = True) -> None:
        """Records text that becomes no unit."""
        chars = sum(map(len, text.split()))
        if chars:
            where = node.source_location
            start = where.start_tag.start_offset if where is not None else -1
            end = where.end_tag.end_offset if where is not None and where.end_tag is not None else -1
            self.losses.append(Loss(reason, chars, start, end, text.strip() if keep else ""))


def panels(tree: Any) -> frozenset[str]:
    """The ids of the elements that some control of the page opens."""
    found: set[str] = set()
    for node in tree.select("[aria-controls],[data-bs-target],[data-target]"):
        for name in ("aria-controls", "data-bs-target", "data-target"):
            found.update(part.removeprefix("#") for part in (node.attrs.get(name) or "").split())
    return frozenset(found)


def _nest(inner: HtmlAddress | DataAddress, outer: HtmlAddress | DataAddress) -> HtmlAddress | DataAddress:
    within = outer if inner.within is None else _nest(inner.within, outer)
    return replace(inner, within=within)


def _shifted(value: Any, base: int) -> Any:
    if isinstance(value, int):
        return value + base if value >= 0 else value
    return tuple(_shifted(part, base) for part in value)


def _closed(node: Any) -> bool:
    where = node.source_location
    return where is not None and where.end_tag is not None


def _position(edge: Edge) -> int | None:
    """The source offset of an edge; None where the source has no tag there."""
    node, side = edge
    where = node.source_location
    if where is None:
        return None
    if side == BEFORE:
        return int(where.start_tag.start_offset)
    if side == INSIDE:
        return int(where.start_tag.end_offset)
    if where.end_tag is None:
        return int(where.start_tag.end_offset) if side == AFTER and inline.is_void(node.tag) else None
    return int(where.end_tag.start_offset if side == INSIDE_END else where.end_tag.end_offset)


def _list(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    frame.lists += 1
    ordered = frame.tag == "ol"
    frame.on_leave = [SpanDraft("list", len(walk.drafts), {"ordered": ordered})]
    frame.counter = Counter.of(node, attrs) if ordered else None


def _item(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    number = frame.counter.take(attrs) if frame.counter is not None else None
    data = {} if number is None else {"number": number}
    frame.on_leave = [SpanDraft("item", len(walk.drafts), data)]
    frame.counter = None


def _definitions(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    frame.on_leave = [SpanDraft("definitions", len(walk.drafts)), walk.outline.leave_definitions]
    walk.outline.definitions()


def _term(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    if inline.opens(node) or node.text.rstrip(" \t\r\n\f¶#").endswith(("?", "？", "؟")):
        frame.owner = Owner("question")
    walk.outline.term(len(walk.drafts), question=frame.owner is not None and frame.owner.kind == "question")


def _description(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    walk.outline.description()


def _quote(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    frame.on_leave = [SpanDraft("quote", len(walk.drafts))]


def _summary(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    frame.visible = frame.parent.parent.visible if frame.parent is not None and frame.parent.parent else "visible"


def _row(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    if frame.table is not None:
        frame.row = Row(headed=frame.parent is not None and frame.parent.tag == "thead")


def _group(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    if frame.table is not None:
        frame.table.groups.append(len(walk.drafts))


def _unseen(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    frame.visible = "hidden"


def _cell(walk: Segmenter, frame: Frame, node: Any, attrs: Any) -> None:
    if frame.row is not None:
        frame.flat = True
        frame.owner = None


_PREPARE: Final[dict[str, Callable[[Segmenter, Frame, Any, Any], None]]] = {
    "ul": _list, "ol": _list, "menu": _list, "dir": _list, "li": _item, "dl": _definitions, "dt": _term,
    "dd": _description, "blockquote": _quote, "summary": _summary, "tr": _row, "thead": _group, "tbody": _group,
    "tfoot": _group, "td": _cell, "th": _cell, "noscript": _unseen, "template": _unseen,
}  # fmt: skip
