"""Markdown blocks inside their quotes and list items: markers, indentation, and what stands between two blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from wrac.core.types import Kind, Span

_LARGEST: Final = 999_999_999  # the largest number of an item that Markdown knows; it knows none below 0
_LONE: Final = frozenset[Kind](("list_item", "quote"))
_OTHERS: Final = {"-": "*", ".": ")"}  # a list right after another has other markers, else both would be one


class _Level(NamedTuple):
    """A quote or an item that is open: its span, its list, its marker's sign, what stands before later lines in it."""

    span: int
    list: int
    sign: str
    body: str


class Setting(NamedTuple):
    """A block with what stands before each line, what parts it from the one before, and whether it need not."""

    text: str
    gap: str
    tight: bool


class Setter:
    """Sets the blocks of one rendering, in their order; `shown` are the ordinals of all of them.

    An item that begins outside of what is shown does not indent its blocks.
    """

    def __init__(self, spans: Sequence[Span], shown: Iterable[int]) -> None:
        self._spans, self._shown = spans, frozenset(shown)
        self._open: list[_Level] = []

    def set(self, ordinal: int, kind: Kind, text: str, around: Sequence[int]) -> Setting:
        """The block in the quotes and items around it, given as spans from the outside in."""
        same = self._same(around)
        left, levels = self._open[same:], self._open[:same]
        head = body = levels[-1].body if levels else ""
        gap = f"\n{body.rstrip(' ')}\n"
        before, tight = left[0] if left else None, False
        for index in around[same:]:
            level, marker = self._enter(index, ordinal, before, body)
            if len(levels) == same:
                tight = _joins(level, marker, before)
            head, body, before = head + marker, level.body, None
            levels.append(level)
        self._open = levels
        lone = _lone(kind, levels) if kind in _LONE else ""
        if lone == "- ":
            tight = not left and same == len(levels)
        if tight and any(level.sign == ">" for level in [*left, *levels[same:]]):
            tight = False
        if lone:
            head, body = head + lone, body + ("  " if lone == "- " else lone)
        return Setting(_lines(text, head, body), gap, tight)

    def _same(self, around: Sequence[int]) -> int:
        """How many of the open levels go on."""
        same = 0
        for level, index in zip(self._open, around, strict=False):
            if level.span != index:
                break
            same += 1
        return same

    def _enter(self, index: int, ordinal: int, before: _Level | None, body: str) -> tuple[_Level, str]:
        """The level that a block opens after `body`, and its marker; `before` is the level beside it that has ended."""
        span = self._spans[index]
        if span.kind == "quote":
            return _Level(index, -1, ">", f"{body}> "), "> "
        if span.first not in self._shown:
            return _Level(index, span.parent, "", body), ""
        number = span.data.get("number")
        sign = "-" if number is None or not 0 <= number <= _LARGEST else "."
        if before is not None and before.list == span.parent and before.sign in (sign, _OTHERS[sign]):
            sign = before.sign
        elif before is not None and before.sign == sign:
            sign = _OTHERS[sign]
        marker = f"{sign} " if sign in "-*" else f"{number}{sign} "
        indent = " " * len(marker)
        if span.first != ordinal:
            marker = indent
        elif number is not None and sign in "-*":
            marker = f"{marker}{number}. "
        return _Level(index, span.parent, sign, body + indent), marker


def _joins(level: _Level, marker: str, before: _Level | None) -> bool:
    """Whether an item may follow a line of text: of a list that goes on, or of one that may interrupt a paragraph."""
    if not marker.strip():
        return False
    return before.list == level.list if before is not None else marker[0] in "-*" or marker in ("1. ", "1) ")


def _lone(kind: Kind, levels: Sequence[_Level]) -> str:
    """The marker of an item or a quote that no span holds."""
    quotes = sum(level.sign == ">" for level in levels)
    if kind == "list_item":
        return "" if quotes < len(levels) else "- "
    return "" if quotes else "> "


def _lines(text: str, head: str, body: str) -> str:
    if "\n" not in text:
        return head + text
    first, *rest = text.split("\n")
    return "\n".join([head + first, *(body + line if line else body.rstrip(" ") for line in rest)])
