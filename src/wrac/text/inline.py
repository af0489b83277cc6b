"""Inline Markdown: a unit's text with its marks, escaped only where Markdown would change what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from wrac.core.types import Mark

_SUSPECT: Final = re.compile(r"[\\`*_<&~]|\]\(")
_OPENS_BLOCK: Final = re.compile(r"[ \t]*(?:[#>+=~-]|\d{1,9}[.)])")
_BACKSLASH: Final = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_STAR: Final = re.compile(r"(?<=\S)\*|\*(?=\S)")
_UNDERSCORE: Final = re.compile(r"(?<![^\W_])_(?=\S)|(?<=[^\s_])_(?![^\W_])")
_OTHER: Final = re.compile(r"`|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=[^\[\]]*\]\()")
_LINE: Final = re.compile(
    r"^([ \t]*)(?:(?=#{1,6}(?:\s|$))|(?=>)|(?=[-+](?:\s|$))|(?=(?:[-_*][ \t]*){3,}$)|(?==+[ \t]*$)|(?=~~~))"
)
_NUMBERED: Final = re.compile(r"^([ \t]*\d{1,9})(?=[.)](?:\s|$))")
_TICKS: Final = re.compile("`+")
_PAIRS: Final = {"strong": ("**", "**"), "em": ("*", "*"), "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>")}
_LITERAL: Final = frozenset(("code", "math", "image", "permalink"))
_DRAWN: Final = frozenset((*_PAIRS, *_LITERAL, "link"))
BREAK: Final = "  \n"
"""A hard line break."""


def escape(text: str, *, first: bool = True) -> str:
    """The text so written that Markdown shows it as it is; most text needs no change.

    `first` says whether the text opens a block: what would be a list item, a heading or a rule there is escaped too.

    >>> escape("snake_case * 2 < 3, but *not* <b>")
    'snake_case * 2 < 3, but \\\\*not\\\\* \\\\<b>'
    """
    if _SUSPECT.search(text):
        text = _BACKSLASH.sub(r"\\\\", text)
        text = _STAR.sub(r"\\*", text)
        text = _UNDERSCORE.sub(r"\\_", text)
        text = _OTHER.sub(r"\\\g<0>", text)
    if "\n" in text:
        head, *rest = text.split("\n")
        return "\n".join([escape_line(head) if first else head, *map(escape_line, rest)])
    return escape_line(text) if first else text


def escape_line(line: str) -> str:
    """The line, already escaped inside, so written that it opens no heading, list, quote, rule or fence."""
    if not _OPENS_BLOCK.match(line):
        return line
    return _NUMBERED.sub(r"\1\\", _LINE.sub(r"\1\\", line))


def inline(text: str, marks: Sequence[Mark], cut: tuple[int, int], *, links: bool = True, first: bool = True) -> str:
    """The range `cut` of a text as Markdown, hard line breaks kept; permalinks (a heading's pilcrow) left out.

    Marks that cross another are clipped to it, so that any marks give well-formed Markdown. `first` as in `escape`.
    """
    start, end = cut
    drawn = [m for m in marks if m.kind in _DRAWN and m.start < end and m.end > start] if marks else ()
    if not drawn:
        return _plain(text, start, end, first)
    ordered = sorted(drawn, key=lambda mark: (mark.start, -mark.end))
    return _nested(text, ordered, cut, links=links, first=first).strip(" ")


def _nested(text: str, marks: Iterable[Mark], cut: tuple[int, int], *, links: bool, first: bool) -> str:
    """Marks drawn from the outside in, in one pass with a stack of what is open."""
    start, end = cut
    pieces: list[str] = []
    open_: list[tuple[int, str]] = []
    at = start
    for mark in marks:
        begin, last = max(mark.start, at), min(mark.end, end)
        while open_ and open_[-1][0] <= begin:
            at = _close(pieces, open_, text, at, first and at == start)
        if open_:
            last = min(last, open_[-1][0])
        if last <= begin:
            continue
        pieces.append(_plain(text, at, begin, first and at == start))
        at = begin
        if mark.kind in _LITERAL:
            pieces.append(_literal(text[begin:last], mark))
            at = last
        elif (pair := _pair(text[begin:last], mark, links=links)) is not None:
            pieces.append(pair[0])
            open_.append((last, pair[1]))
    while open_:
        at = _close(pieces, open_, text, at, first and at == start)
    pieces.append(_plain(text, at, end, first and at == start))
    return "".join(pieces)


def _close(pieces: list[str], open_: list[tuple[int, str]], text: str, at: int, first: bool) -> int:
    """Writes the rest of the innermost open mark and what closes it; the offset reached."""
    last, closing = open_.pop()
    pieces.append(_plain(text, at, last, first))
    pieces.append(closing)
    return max(at, last)


def _plain(text: str, start: int, end: int, first: bool) -> str:
    """Text between marks, escaped."""
    if start >= end:
        return ""
    piece = escape(text[start:end], first=first)
    return piece.replace("\n", BREAK) if "\n" in piece else piece


def _pair(content: str, mark: Mark, *, links: bool) -> tuple[str, str] | None:
    """What opens and closes a mark, None when it shows nothing."""
    if not content.strip():
        return None
    if mark.kind == "link":
        return ("[", f"]({target(mark.value)})") if links and mark.value else None
    if mark.kind in ("strong", "em") and (content != content.strip() or "\n" in content):
        return None
    return _PAIRS[mark.kind]


def _literal(content: str, mark: Mark) -> str:
    """A mark whose content is taken as it is."""
    if mark.kind == "permalink" or not content:
        return ""
    if mark.kind == "image":
        return image(content, mark.value)
    if mark.kind == "math":
        return f"${content}$"
    ticks = "`" * (max((len(run) for run in _TICKS.findall(content)), default=0) + 1)
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{ticks}{pad}{content}{pad}{ticks}".replace("\n", " ")


def image(alt: str, source: str) -> str:
    """An image by its alternative text and address."""
    folded = " ".join(alt.split()).replace("[", r"\[").replace("]", r"\]")
    return f"![{folded}]({target(source)})"


def target(address: str) -> str:
    """A link's address as Markdown takes it: in angle brackets when it holds spaces or brackets.

    >>> target("a b.html")
    '<a b.html>'
    """
    address = "".join(address.splitlines())
    if re.search(r"[\s()<>]", address):
        return f"<{address.replace('<', '%3C').replace('>', '%3E')}>"
    return address


def fence(text: str, language: str = "") -> str:
    """A code block whose fence is longer than any run of backticks inside."""
    ticks = "`" * max(3, max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"
