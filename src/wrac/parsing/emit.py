"""From a finished line to a draft of a place: its kind, role, anchor and source range."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from wrac.core.types import DataAddress, HtmlAddress, Kind, Loss, Outer, PartAddress, Role
from wrac.parsing import inline
from wrac.parsing.dom import Node
from wrac.parsing.frames import Draft, Frame, SpanDraft
from wrac.parsing.outline import Outline
from wrac.parsing.run import Line, Run
from wrac.parsing.tags import CONTEXT, SPACE

BEFORE: Final = 0
INSIDE: Final = 1
INSIDE_END: Final = 2
AFTER: Final = 3
_DROPS_A_LINE_END: Final = frozenset(("pre", "listing", "textarea"))  # right behind their start tag
WHOLE: Final = frozenset(("body", "html"))
Edge = tuple[Any, int]
_NOTHING_MORE: Final = re.compile(r"(?:\s|</(?:body|html)\s*>|(?><!--.*?-->))*+\Z", re.IGNORECASE | re.DOTALL)
# Templates in templates have ranges in ranges: read back for each, they would be read as often as they are deep.
_READ_BACK: Final = 2
_READ_BACK_LEAST: Final = 10_000


class Emitter:
    """Collects drafts, spans and losses; a draft gets its range as soon as the tags that bound it are known."""

    def __init__(self, source: Callable[[], str], first_text: Callable[[str, str], str] | None = None) -> None:
        self.drafts: list[Draft] = []
        self.spans: list[SpanDraft] = []
        self.losses: list[Loss] = []
        self.source = source
        self.first_text = first_text  # reads the first unit of a slice of source in its context
        self.read = 0  # code points of the slices that it was given
        self.run = Run()
        self.outline = Outline(self.spans)
        self.bound: Edge = (None, INSIDE)
        self.anchor = ""
        self.pending: list[tuple[int, Draft]] = []  # drafts whose end the next tag tells
        self.odd = False  # whether the line has a table in it, which a slice of an old page may put elsewhere
        self.before_tables = 0  # drafts that stand before the last table's start
        self.doubts: list[tuple[int, Draft]] = []  # drafts whose range may hold more than they are

    def flush(self, end: Edge) -> None:
        """Ends the line at an edge and makes its unit or units."""
        run = self.run
        if not run.pieces:
            return
        frame, start = run.frame, run.start
        while frame.inline or (frame.flat and frame.parent is not None and frame.parent.flat):
            frame = frame.parent
        line = run.take()
        if not line.text or (line.text.isspace() and not line.text.strip(SPACE)):
            return
        if line.atoms and not frame.flat and line.atoms_alone():
            for atom, part in line.parts():
                if self.pending:
                    self.settle(position((atom.node, BEFORE)))
                inline.emit_atom(self, frame, part, atom, alone=len(line.atoms) == 1)
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
        whole = start[0] is node and start[1] == INSIDE and end[0] is node and end[1] == INSIDE_END
        if whole and frame.tag != "form" and not self._overrun(frame):
            where = node.source_location
            if where is not None:
                self._locate_at(draft, frame.path(), where, frame.tag)
                if frame.pre and frame.parent is not None and frame.parent.pre:
                    draft.context = "pre"
                return
        self._locate_range(draft, frame, start, end)

    def add(self, kind: Kind, line: Line, frame: Frame, level: int = 0) -> Draft:
        """A new draft with its role, anchor and place in the outline."""
        draft = Draft(kind, line.text, line.marks, frame)
        draft.level = level
        draft.anchor = self.anchor
        self.anchor = ""
        draft.role = _role(draft, frame)
        if level and kind in ("heading", "question"):
            self.outline.heading(frame, len(self.drafts), level)
        if self.odd:
            self.doubts.append((len(self.drafts), draft))
            self.odd = False
        self.drafts.append(draft)
        return draft

    # -- source ranges

    def locate_element(self, draft: Draft, selector: str, node: Node, tag: str) -> None:
        """Addresses a draft by an element of its own."""
        self._locate_at(draft, selector, node.source_location, tag)
        self._doubt_kept_space(draft)

    def _locate_at(self, draft: Draft, selector: str, where: Node, tag: str) -> None:
        draft.selector = selector
        draft.context = CONTEXT.get(tag, "body")
        draft.start = where.start_tag.start_offset
        closing = where.end_tag
        if closing is not None:
            draft.end = closing.end_offset
        elif inline.is_void(tag):
            draft.end = where.start_tag.end_offset
        else:
            self.pending.append((len(self.drafts) - 1, draft))

    def locate_between(self, draft: Draft, selector: str, first: Node, last: Node, context: str) -> None:
        """Addresses a draft by the first and the last of its elements."""
        draft.selector, draft.context = selector, context
        draft.start = first.source_location.start_tag.start_offset
        closing = last.source_location.end_tag
        if closing is not None:
            draft.end = closing.end_offset
        else:
            self.pending.append((len(self.drafts) - 1, draft))
        self._doubt_kept_space(draft)

    def _doubt_kept_space(self, draft: Draft) -> None:
        """Doubts the last draft if what is around it keeps white space: a slice of the source does not tell."""
        if draft.frame.pre:
            self.doubts.append((len(self.drafts) - 1, draft))

    def _locate_range(self, draft: Draft, frame: Frame, start: Edge, end: Edge) -> None:
        first, last = position(start), position(end)
        if first is not None and start[1] == INSIDE and frame.pre and start[0].tag in _DROPS_A_LINE_END:
            first += self.source().startswith("\n", first)
        draft.selector = frame.path()
        draft.context = "pre" if frame.pre else "template" if frame.tag == "template" else "body"
        # Text may have been moved out of a table or into a form that had ended, and a template's parser goes by what
        # stood before.
        unsure = (end[1] == BEFORE and end[0].tag == "table") or frame.tag in ("template", "form")
        unsure = unsure or (start[1] == AFTER and start[0].tag == "form")
        if frame.tag in ("", "html", "body"):
            unsure = unsure or first is None
            first = 0 if first is None and start[1] == INSIDE else first
            last = len(self.source()) if end[1] == INSIDE_END else last
        crossed = first is None or (last is not None and last <= first)
        if crossed or (unsure and not self.reads_back(draft, first or 0, last)):
            self.locate_by_page(draft, len(self.drafts) - 1)
            return
        draft.start = first or 0
        if last is None:
            self.pending.append((len(self.drafts) - 1, draft))
        else:
            draft.end = last

    def _overrun(self, frame: Frame) -> bool:
        """Whether more of the page follows the end tag of its body or root; the tree puts it before that tag."""
        where = frame.node.source_location if frame.tag in WHOLE else None
        if where is None or where.end_tag is None:
            return False
        return frame.pre or _NOTHING_MORE.match(self.source(), where.end_tag.start_offset) is None

    def doubt_fostered(self, table: Node) -> None:
        """Doubts the units before a table that stand inside it in the source."""
        where = table.source_location
        if where is not None:
            start, known = where.start_tag.start_offset, self.before_tables
            self.doubts += [
                (ordinal, draft) for ordinal, draft in enumerate(self.drafts[known:], known) if draft.start > start
            ]
            self.before_tables = len(self.drafts)

    def locate_by_page(self, draft: Draft, ordinal: int) -> None:
        """Addresses a draft by its ordinal in the whole source, where no slice of the source reads as it does."""
        draft.start, draft.end = 0, len(self.source())
        draft.context, draft.nth = "document", ordinal

    def reads_back(self, draft: Draft, start: int, end: int | None) -> bool:
        """Whether a slice of the source gives the text; not asked when slices in slices were read too often."""
        if self.first_text is None:
            return True
        piece = self.source()[start:end]
        self.read += len(piece)
        if self.read > _READ_BACK * len(self.source()) + _READ_BACK_LEAST:
            return False
        return self.first_text(piece, draft.context) == draft.text

    def settle(self, position: int | None) -> None:
        """Gives the drafts without an end tag their end, at the first later tag."""
        if position is not None:
            for ordinal, draft in self.pending:
                draft.end = position
                if position <= draft.start:
                    self.locate_by_page(draft, ordinal)
            self.pending = []

    def lose(self, reason: str, text: str, node: Node, *, keep: bool = True) -> None:
        """Records text that becomes no unit."""
        chars = sum(map(len, text.split()))
        if chars:
            where = node.source_location
            start = where.start_tag.start_offset if where is not None else -1
            end = where.end_tag.end_offset if where is not None and where.end_tag is not None else -1
            self.losses.append(Loss(reason, chars, start, end, text.strip() if keep else ""))

    # -- documents inside the document

    def adopt(self, inner: Emitter, outer: Outer) -> None:
        """Takes over what was found in a document inside this one; its addresses count within `outer`.

        A loss has no address: it is where `outer` is, and nowhere in particular in a part of a file.
        """
        base = len(self.drafts)
        for draft in inner.drafts:
            draft.within = outer if draft.within is None else _nest(draft.within, outer)
        self.drafts.extend(inner.drafts)
        for span in inner.spans:
            span.shift(base)
        self.spans.extend(inner.spans)
        start, end = (-1, -1) if isinstance(outer, PartAddress) else (outer.start, outer.end)
        self.losses.extend(replace(loss, start=start, end=end) for loss in inner.losses)


def _nest(inner: Outer, outer: Outer) -> Outer:
    if isinstance(inner, PartAddress):
        return inner
    within = outer if inner.within is None else _nest(inner.within, outer)
    if isinstance(inner, DataAddress):
        return DataAddress(inner.start, inner.end, inner.pointer, within)
    return HtmlAddress(inner.selector, inner.start, inner.end, inner.context, inner.nth, within)


def _role(draft: Draft, frame: Frame) -> Role:
    role = frame.role
    if role == "header" and draft.kind == "heading" and draft.level == 1 and not inline.all_link(draft):
        return "main"
    if role == "main" and draft.marks and draft.kind != "heading" and inline.is_skip_link(draft):
        return "nav"
    return role


def position(edge: Edge) -> int | None:
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
