"""Intervals that no single element bounds: sections by heading, tabs with panels, terms with definitions."""

from __future__ import annotations

from typing import Any, NamedTuple

from wrac.parsing.frames import Frame, SpanDraft
from wrac.parsing.tags import CLOSED, HALF_CLOSED


class _Section(NamedTuple):
    """An open section; `fence` is the element that ends it for sure, `soft` the one that ends it once it held text."""

    span: SpanDraft
    level: int
    fence: Frame | None
    soft: Frame | None


class Outline:
    """Collects such spans while the walk goes on; ordinals are those of the drafts."""

    def __init__(self, spans: list[SpanDraft]) -> None:
        self.spans = spans
        self.sections: list[_Section] = []
        self._tabs: SpanDraft | None = None
        self._tab_ordinals: list[int] = []
        self._groups: list[list[Any]] = []  # per open dl: [SpanDraft | None, whether a description came]

    # -- sections

    def heading(self, frame: Frame, ordinal: int, level: int) -> None:
        """A heading ends the sections of its level and deeper inside the same fence, and opens its own."""
        soft = fence = None
        around = frame.parent
        while around is not None:
            if around.tag in CLOSED or around.closed:
                fence = around
                break
            if soft is None and around.tag in HALF_CLOSED:
                soft = around
            around = around.parent
        sections = self.sections
        while sections and sections[-1].fence is fence and sections[-1].level >= level:
            self._end(sections.pop().span, ordinal)
        sections.append(_Section(SpanDraft("section", ordinal, {"level": level}), level, fence, soft))

    def leave(self, frame: Frame, now: int) -> None:
        """An element ended: so do the sections it fences, softly when no text followed their heading in it."""
        sections = self.sections
        for index in range(len(sections) - 1, -1, -1):
            section = sections[index]
            if section.fence is frame or (section.soft is frame and section.level > 1 and now - 1 > section.span.first):
                while len(sections) > index:
                    self._end(sections.pop().span, now)
            elif section.fence is not None and section.fence is not frame:
                return

    def _end(self, span: SpanDraft, now: int) -> None:
        if now > span.first:
            span.last = now - 1
            self.spans.append(span)

    def close(self, now: int) -> None:
        """The end of the page."""
        while self.sections:
            self._end(self.sections.pop().span, now)
        self._end_tabs()

    # -- tabs and other panels

    def tablist(self) -> None:
        """A row of tabs begins."""
        self._end_tabs()

    def tab(self, ordinal: int) -> None:
        """The next unit is a tab's label."""
        if self._tabs is None:
            self._tabs = SpanDraft("tabs", ordinal, {"panels": []})
            self._tab_ordinals = []
        self._tab_ordinals.append(ordinal)

    def panel(self, opener: int, first: int, last: int, *, tab: bool) -> None:
        """A panel ended: beside its opener it makes a qa span, else it belongs to the open tabs."""
        if last < first:
            return
        if opener == first - 1 and opener >= 0 and not (tab and len(self._tab_ordinals) > 1):
            span = SpanDraft("qa", opener)
            span.last = last
            self.spans.append(span)
        elif tab and self._tabs is not None:
            self._tabs.last = last
            self._tabs.data["panels"].append((opener, first, last))

    def _end_tabs(self) -> None:
        tabs, self._tabs = self._tabs, None
        if tabs is None or tabs.last < 0:
            return
        ordinals = self._tab_ordinals
        tabs.data["panels"] = tuple(
            (ordinals[n] if opener < 0 and n < len(ordinals) else opener, first, last)
            for n, (opener, first, last) in enumerate(tabs.data["panels"])
        )
        self.spans.append(tabs)

    # -- definition lists

    def definitions(self) -> None:
        """A definition list begins."""
        self._groups.append([None, False])

    def term(self, ordinal: int, *, question: bool) -> None:
        """A term begins a group unless it shares the description that comes."""
        if not self._groups:
            return
        group = self._groups[-1]
        if group[0] is None or group[1]:
            self._end_group(group, ordinal)
            group[0], group[1] = SpanDraft("qa" if question else "item", ordinal), False

    def description(self) -> None:
        """A description belongs to the open group."""
        if self._groups:
            self._groups[-1][1] = True

    def leave_definitions(self, now: int) -> None:
        """The definition list ended."""
        self._end_group(self._groups.pop(), now)

    def _end_group(self, group: list[Any], now: int) -> None:
        if group[0] is not None:
            self._end(group[0], now)
