"""The segmenter: one pass over an HTML tree to drafts of places and spans.

A block edge ends a unit and an inline edge does not. The walk keeps its own stack, so depth costs no recursion, and
reads a source location only for elements that bound a unit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from wrac.core.types import HtmlAddress
from wrac.parsing import blocks, inline, tables
from wrac.parsing.dom import Attributes, CData, DocumentFragment, Element, Node, Text, fragment
from wrac.parsing.emit import AFTER, BEFORE, INSIDE, INSIDE_END, WHOLE, Emitter, position
from wrac.parsing.frames import HOLDER, Frame, SpanDraft, Table
from wrac.parsing.roles import Panel, role_of, visible_of
from wrac.parsing.special import SPECIAL
from wrac.parsing.tags import BLOCKS, CLOSED, HALF_CLOSED, HEADINGS, PREFORMATTED, SPACE, SPANS
from wrac.parsing.texts import tree_sources

_SIMPLE_ID: Final = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)  # stands in a selector as it is
_END_MATTER: Final = frozenset(("footer", "cookie"))
# Elements that, without attributes, only give a kind, an item or a cell.
_ORDINARY: Final = frozenset("p div span li ul td th tr tbody dd center".split())
_LANDMARK_TAGS: Final = frozenset(("main", "article", "search", "menu"))
_LINE_ENDS: Final = frozenset(("\n", " ", "\n\n", "\n ", "\n  ", "\n    ", "\n      ", "\n        "))
NO_PANELS: Final[Mapping[str, Panel]] = {}


class Segmenter(Emitter):
    """Walks a tree; afterwards `drafts`, `spans` and `losses` hold what it found, `scripts` its JSON-LD.

    `panels` says of the ids of panels whether their control is open; `shadow` says that there may be shadow trees;
    `nesting` counts the documents around this one.
    """

    def __init__(
        self,
        source: Callable[[], str],
        panels: Mapping[str, Panel] = NO_PANELS,
        *,
        shadow: bool = False,
        nesting: int = 0,
    ) -> None:
        super().__init__(source, first_text)
        self.panels = panels
        self.shadow = shadow
        self.doubtful = False  # whether the source has tags that the tree ignored and a slice of it would not
        self.nesting = nesting
        self.scripts: list[Any] = []
        self.openers: dict[str, int] = {}  # id of a panel -> ordinal of the unit that opens it
        self.stack: list[Frame] = []
        self._ids: set[str] = set()
        self._deferred: list[Frame] = []

    # -- the walk

    def walk(self, root: Frame) -> None:
        """Segments everything below `root`."""
        stack, run = self.stack, self.run
        self.bound = (root.node, INSIDE)
        stack.append(root)
        while stack:
            frame = stack[-1]
            for node in frame.children:
                kind = type(node)
                if kind is Text or kind is CData:
                    text = node.data
                    if run.pieces or text not in _LINE_ENDS:  # most text nodes are the line ends between blocks
                        self.text(frame, text)
                elif kind is Element:
                    frame.count += 1
                    if self._enter(frame, node, frame.count):
                        break
                elif kind is DocumentFragment:
                    stack.append(Frame(node, frame.tag, iter(node.children), frame, 0))
                    break
            else:
                stack.pop()
                self._leave(frame)
        self.settle(len(self.source()) if self.pending else None)
        self.outline.close(len(self.drafts))
        for ordinal, draft in enumerate(self.drafts) if self.shadow or self.doubtful else self.doubts:
            outside = draft.within is None and draft.context != "document"
            if outside and not self.reads_back(draft, draft.start, draft.end):
                self.locate_by_page(draft, ordinal)

    def text(self, frame: Frame, text: str) -> None:
        """Adds a text node to the line."""
        run = self.run
        if not run.pieces:
            if text.isspace() and not text.strip(SPACE) and not (frame.pre and frame.flat):
                return
            run.frame = frame
            run.start = self.bound
            if self.pending:  # another unit begins, and no tag of the source stands between
                self.doubts += self.pending
        if frame.pre:
            run.add_raw(text)
        else:
            run.add(text)

    def children(self, node: Node) -> Sequence[Node]:
        """The children as a browser composes them: a shadow tree in place, slots filled."""
        found: Sequence[Node] = node.flattened_children if self.shadow else node.children
        return found

    # -- entering

    def _enter(self, frame: Frame, node: Node, index: int) -> bool:
        """Handles an element; True when a frame was pushed and its children come next."""
        tag = node.tag
        if self.pending:
            if tag == "table":  # what stands before it may have stood in it
                self.doubts += self.pending
            self.settle(position((node, BEFORE)))
        if tag in BLOCKS:
            return self.enter_block(frame, node, tag, index)
        special = SPECIAL.get(tag)
        if special is not None:
            return special(self, frame, node, index)
        return inline.enter(self, frame, node, tag, index)

    def aside(self, frame: Frame, node: Node, tag: str, index: int) -> bool:
        """Hidden content in a line: units of its own, after the line that a reader sees whole."""
        if not self.run.pieces and not frame.flat:
            return self.enter_block(frame, node, tag, index)
        return self.defer(frame, node, index)

    def defer(self, frame: Frame, node: Node, index: int) -> bool:
        """Enters an element later, as a block after the current line."""
        self.odd = self.odd or not blocks.is_closed(node)  # in the source, what follows may stand in it
        self._deferred.append(self._holder(frame, node, index))
        return False

    def _holder(self, frame: Frame, node: Node, index: int) -> Frame:
        """A frame that enters one child of `frame`, and knows its position there."""
        holder = Frame(node, frame.tag, iter((node,)), frame, HOLDER)
        holder.path_ = frame.path()
        holder.count = index - 1
        holder.flat = holder.inline = False
        holder.owner = holder.row = None
        return holder

    def enter_block(self, frame: Frame, node: Node, tag: str, index: int) -> bool:
        """Handles an element whose edges end a line."""
        if frame.flat:
            self.run.edge()
            return self._enter_flat(frame, node, tag, index)
        if self.run.pieces:
            self.flush((node, BEFORE))
        if self._deferred and frame.row is None:
            again = self._holder(frame, node, index)
            again.owner = frame.owner
            self.stack.append(again)
            self._push_deferred()
            return True
        if self.pending:  # of the line that this edge has just ended
            self.settle(position((node, BEFORE)))
        if tag == "pre" and not self.shadow and inline.only_text(node):
            blocks.plain_code(self, frame, node, index)
            return False
        new = Frame(node, tag, iter(node.flattened_children if self.shadow else node.children), frame, index)
        self.bound = (node, INSIDE)
        attrs = node.attrs
        if attrs or tag not in _ORDINARY:
            self.describe(new, frame, attrs)
        else:
            blocks.ordinary(self, new, frame, tag)
        self.stack.append(new)
        if self.shadow and node.shadow_root is not None:
            self.lost_light(new, node)
        return True

    def _enter_flat(self, frame: Frame, node: Node, tag: str, index: int) -> bool:
        if tag == "table" and frame.row is not None:
            return self.defer(frame, node, index)
        # What misnesting made, and a heading in a heading: alone, its start tag would end the one around it.
        nested = tag in HEADINGS and _in_heading(frame)
        self.odd = self.odd or nested or tag == "table" or node.source_location is None
        new = Frame(node, tag, iter(self.children(node)), frame, index)
        new.pre = frame.pre or tag in PREFORMATTED
        self.anchor = node.attr("id") or self.anchor
        self.stack.append(new)
        if self.shadow and node.shadow_root is not None:
            self.lost_light(new, node)
        return True

    def _push_deferred(self) -> None:
        for ordinal, draft in self.pending:  # what is set aside stands inside their range
            self.locate_by_page(draft, ordinal)
        self.pending = []
        self.stack.extend(reversed(self._deferred))
        self._deferred = []

    def lost_light(self, frame: Frame, node: Node) -> None:
        """What a shadow host does not show: children that no slot takes, kept as hidden units, and fallbacks."""
        unshown: set[Node] = {None}  # slots in such fallbacks: what fills them does not show either
        for slot in node.shadow_root.select("slot"):
            if slot not in unshown and slot.assigned_nodes():
                self.lose("fallback of a filled slot", " ".join(tree_sources(slot, self.nesting)), slot)
                unshown.update(slot.select("slot"))
        for child in node.children:
            if type(child) is Text and child.assigned_slot in unshown:
                self.lose("text of a shadow host that no slot takes", child.data, node)
        for index, child in enumerate((c for c in node.children if type(c) is Element), 1):
            if child.assigned_slot in unshown:
                holder = self._holder(frame, child, index)
                holder.visible = "hidden"
                self._deferred.append(holder)

    def describe(self, new: Frame, frame: Frame, attrs: Attributes) -> None:
        """What tag and attributes mean for the frame: role, visibility, kind, spans, barriers for headings."""
        node, tag = new.node, new.tag
        aria: str | None = None
        classes = ""
        if attrs:
            aria = node.attr("role") if "role" in attrs else None
            classes = (node.attr("class") or "") if "class" in attrs else ""
            self._attributes(new, frame, attrs, classes)
        quoted = tag == "footer" and frame.owner is not None and frame.owner.kind == "quote"
        if not quoted and (attrs or tag in SPANS or tag in _LANDMARK_TAGS):
            new.role = role_of(new, attrs, aria or "", classes)
        new.is_main = tag == "main" or aria == "main"
        if new.is_main or tag == "article":
            new.inside = True
        elif new.role != frame.role and new.role in _END_MATTER and not frame.inside and self.outline.sections:
            self.outline.cut(frame, len(self.drafts))
        new.closed = tag in CLOSED or new.visible != frame.visible  # what is unseen heads nothing that is seen
        new.half_closed = new.is_main or tag in HALF_CLOSED
        new.first = len(self.drafts)
        blocks.own(self, new, frame, attrs, aria)
        if tag == "table":
            self.doubt_fostered(node)
            tables.open_table(self, new, node, attrs)
        else:
            blocks.landmark(self, new, attrs, aria)
        prepare = blocks.PREPARE.get(tag)
        if prepare is not None:
            prepare(self, new, node, attrs)
        if attrs:
            blocks.panel(self, new, node, attrs, aria)
        if new.owner is not None and new.owner.kind == "question" and new.owner is not frame.owner:
            blocks.opener(self, new, node)

    def _attributes(self, new: Frame, frame: Frame, attrs: Attributes, classes: str) -> None:
        node = new.node
        name = node.attr("id") if "id" in attrs else None
        if name:
            self.anchor = name
            if name not in self._ids and _SIMPLE_ID.fullmatch(name):
                new.path_ = f"{new.tag}#{name}"
            self._ids.add(name)
        if "lang" in attrs:
            new.language = node.attr("lang") or frame.language
        if "style" in attrs and inline.keeps_space(attrs["style"] or ""):
            new.pre = True
        if frame.visible != "hidden":
            new.visible = visible_of(attrs, classes, frame.visible, self.panels.get(name or "", ""))

    # -- leaving

    def _leave(self, frame: Frame) -> None:
        if frame.inline:
            inline.leave(self, frame)
            return
        if frame.index == HOLDER:
            self.doubts += self.pending  # what follows them in the source was walked before
            return
        parent = frame.parent
        if frame.flat:
            if parent is not None and parent.flat:
                self.run.edge()
                return
            if frame.row is not None and frame.tag in ("td", "th"):
                tables.leave_cell(self, frame)
                return
        node = frame.node
        if self.run.pieces:
            self.flush((node, INSIDE_END))
        if frame.row is not None and frame.tag == "tr":
            tables.leave_row(self, frame)
        if self._deferred:
            frame.children = iter(())
            self.stack.append(frame)
            self._push_deferred()
            return
        if self.pending and frame.tag not in WHOLE:  # what follows the end of the body still belongs to its last unit
            if frame.tag == "form":  # and so may what follows the end of a form
                self.doubts += self.pending
            self.settle(position((node, INSIDE_END)))
        self.bound = (node, AFTER)
        if self.outline.sections and (frame.closed or frame.half_closed):
            self.outline.leave(frame, len(self.drafts))
        if frame.on_leave is not None:
            self._close(frame.on_leave)
            frame.on_leave = None  # some hold the walk, which holds the frame's drafts

    def _close(self, actions: list[Any]) -> None:
        now = len(self.drafts)
        for action in actions[::-1]:
            if not isinstance(action, SpanDraft):
                action(now)
            elif now > action.first:
                action.last = now - 1
                self.spans.append(action)

    # -- documents inside the document

    def embed(self, frame: Frame, node: Node, index: int, tree: Node, source: str) -> None:
        """Segments a document inside this one, such as a srcdoc, in its place; its ranges count in its own source."""
        shadow = "shadowroot" in source.lower()
        inner = Segmenter(lambda: source, panels_of(tree), shadow=shadow, nesting=self.nesting + 1)
        inner.first_text = self.first_text
        root = Frame(tree, "", iter(tree.children), None, 0)
        root.role, root.visible, root.language = frame.role, frame.visible, frame.language
        inner.walk(root)
        where = node.source_location
        end = where.end_tag.end_offset if where.end_tag is not None else len(self.source())  # raw text has no other end
        selector = frame.child_path(node.tag, index)
        self.adopt(inner, HtmlAddress(selector, where.start_tag.start_offset, end))
        self.bound = (node, AFTER)


def first_text(piece: str, context: str) -> str:
    """The text of the first unit of a slice of source that begins in an element of tag `context`."""
    root = fragment(piece, context)
    walk = Segmenter(lambda: piece)
    walk.first_text = None  # only the text is wanted, not where it stands
    frame = Frame(root, context, iter(root.children), None, 0)
    frame.pre = context == "pre"
    frame.table = Table() if context == "tbody" else None
    walk.walk(frame)
    return walk.drafts[0].text if walk.drafts else ""


def _in_heading(frame: Frame | None) -> bool:
    """Whether the flat element around a frame, or the frame itself, is a heading."""
    while frame is not None and frame.flat and frame.tag not in HEADINGS:
        frame = frame.parent
    return frame is not None and frame.tag in HEADINGS


def panels_of(tree: Node) -> dict[str, Panel]:
    """The ids of the elements that some control of the page opens, and whether it says that they are open."""
    found: dict[str, Panel] = {}
    for control in tree.select(blocks.CONTROLLING):
        closed = control.attr("aria-expanded") == "false" or control.attr("aria-selected") == "false"
        for target in blocks.targets(control):
            found[target] = "closed" if closed else found.get(target, "open")
    return found
