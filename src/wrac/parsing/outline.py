"""Intervals that no single element bounds: sections by heading, tabs with their panels, terms with their definitions."""

from __future__ import annotations

from typing import Any

from wrac.parsing.frames import Frame, SpanDraft


class Outline:
    """Collects such spans while the walk goes on; ordinals are those of the drafts."""

    def __init__(self, spans: list[SpanDraft]) -> None:
        self.spans = spans
        self._sections: list[SpanDraft] = []
        self._barriers = [0]
        self._tabs: SpanDraft | None = None
        self._tab_ordinals: list[int] = []
        self._groups: list[list[Any]] = []  # per open dl: [SpanDraft | None, whether a description came]

    # -- sections

    def heading(self, ordinal: int, level: int) -> None:
        """A heading ends the sections of its level and deeper, down to the nearest barrier, and opens its own."""
        while len(self._sections) > self._barriers[-1] and self._sections[-1].data["level"] >= level:
            self._end(self._sections.pop(), ordinal)
        self._sections.append(SpanDraft("section", ordinal, {"level": level}))

    def fence(self, frame: Frame, *, hard: bool) -> None:
        """Headings inside `frame` head nothing after it: always when hard; else when text follows them inside."""
        depth = len(self._sections)
        if hard:
            self._barriers.append(depth)
            frame.on_leave = [*(frame.on_leave or []), lambda now: self._leave_hard(depth, now)]
        else:
            frame.on_leave = [*(frame.on_leave or []), lambda now: self._leave_soft(depth, now)]

    def _leave_hard(self, depth: int, now: int) -> None:
        self._barriers.pop()
        while len(self._sections) > depth:
            self._end(self._sections.pop(), now)

    def _leave_soft(self, depth: int, now: int) -> None:
        for index in range(depth, len(self._sections)):
            section = self._sections[index]
            if section.data["level"] > 1 and now - 1 > section.first:
                while len(self._sections) > index:
                    self._end(self._sections.pop(), now)
                return

    def _end(self, span: SpanDraft, now: int) -> None:
        if now > span.first:
            span.last = now - 1
            self.spans.append(span)

    def close(self, now: int) -> None:
        """The end of the page."""
        while self._sections:
            self._end(self._sections.pop(), now)
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
        if opener == first - 1:
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
