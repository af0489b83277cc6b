"""Intervals that no single element bounds: sections by heading, tabs with panels, terms with definitions."""

from __future__ import annotations

from typing import Any, NamedTuple

from wrac.parsing.frames import Frame, SpanDraft


class _Section(NamedTuple):
    """An open section; `fence` is the element that ends it for sure, `soft` the one that ends it once it held text."""

    span: SpanDraft
    level: int
    fence: Frame | None
    soft: Frame | None


class _Tabs:
    """A row of tabs: the ordinals of the labels, and of the panels with their openers."""

    __slots__ = ("labels", "panels")

    def __init__(self) -> None:
        self.labels: list[int] = []
        self.panels: list[tuple[int, int, int]] = []


class Outline:
    """Collects such spans while the walk goes on; ordinals are those of the drafts."""

    def __init__(self, spans: list[SpanDraft]) -> None:
        self.spans = spans
        self.sections: list[_Section] = []
        self._tabs = [_Tabs()]  # the rows of tabs that are open, one for each panel around
        self._groups: list[list[Any]] = []  # per open dl: [SpanDraft | None, whether a description came]

    # -- sections

    def heading(self, frame: Frame, ordinal: int, level: int) -> None:
        """A heading ends the sections of its level and deeper inside the same fence, and opens its own."""
        fence, soft = frame.fence, frame.soft
        if frame.closed or frame.half_closed:  # such as an accordion's panel that is a heading itself
            fence, soft = (frame if frame.closed else fence), (frame if frame.half_closed else soft)
        sections = self.sections
        while sections and sections[-1].fence is fence and sections[-1].level >= level:
            self._end(sections.pop().span, ordinal)
        sections.append(_Section(SpanDraft("section", ordinal, {"level": level}), level, fence, soft))

    def leave(self, frame: Frame, now: int) -> None:
        """An element ended: so do the sections it fences, softly when no text followed their heading in it."""
        sections = self.sections
        for index in range(len(sections) - 1, -1, -1):
            section = sections[index]
            if section.span.first < frame.first:
                return
            softly = frame.is_main or (section.soft is frame and section.level > 1)
            if section.fence is frame or (softly and now - 1 > section.span.first):
                while len(sections) > index:
                    self._end(sections.pop().span, now)

    def cut(self, frame: Frame, now: int) -> None:
        """The page's end matter begins in `frame`: no section outside a fence goes on into it."""
        if frame.fence is None:
            while self.sections and self.sections[-1].fence is None:
                self._end(self.sections.pop().span, now)

    def _end(self, span: SpanDraft, now: int) -> None:
        if now > span.first:
            span.last = now - 1
            self.spans.append(span)

    def close(self, now: int) -> None:
        """The end of the page."""
        while self.sections:
            self._end(self.sections.pop().span, now)
        self._end_tabs(self._tabs.pop())
        self._tabs.append(_Tabs())

    # -- tabs and other panels

    def tablist(self) -> None:
        """A row of tabs begins."""
        self._end_tabs(self._tabs[-1])
        self._tabs[-1] = _Tabs()

    def tab(self, ordinal: int) -> None:
        """The next unit is a tab's label."""
        self._tabs[-1].labels.append(ordinal)

    def enter_panel(self) -> None:
        """A panel begins: tabs inside it are a row of their own."""
        self._tabs.append(_Tabs())

    def leave_panel(self, opener: int, first: int, last: int, *, tab: bool) -> None:
        """A panel ended: beside its opener it makes a qa span, else it belongs to the open row of tabs."""
        self._end_tabs(self._tabs.pop())
        if last < first:
            return
        if opener >= 0 and opener == first - 1:
            span = SpanDraft("qa", opener)
            span.last = last
            self.spans.append(span)
        elif tab:
            self._tabs[-1].panels.append((opener, first, last))

    def _end_tabs(self, tabs: _Tabs) -> None:
        if not tabs.panels or not tabs.labels:
            return
        labels = tabs.labels
        panels = [
            (labels[n] if opener < 0 and n < len(labels) else opener, first, last)
            for n, (opener, first, last) in enumerate(tabs.panels)
        ]
        span = SpanDraft("tabs", labels[0], {"panels": panels})
        span.last = max(last for _, _, last in panels)
        if span.last > span.first:
            self.spans.append(span)

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
