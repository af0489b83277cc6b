"""Inline Markdown: a unit's text with its marks, escaped only where Markdown would change what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from wrac.core.types import Mark

_SUSPECT: Final = re.compile(r"[\\`*_<&~]|\]\(")
_OPENS_BLOCK: Final = re.compile(r"[ \t]*(?:[#>+=~-]|\d{1,9}[.)])")
_BACKSLASH: Final = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)")
_STAR: Final = re.compile(r"\*(?:(?=\S)|(?<=\S\*))")
_UNDERSCORE: Final = re.compile(r"_(?:(?=\S)(?<![^\W_]_)|(?<=[^\s_]_)(?![^\W_]))")
_OTHER: Final = re.compile(r"`|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=[^\[\]]*\]\()")
_LINE: Final = re.compile(
    r"^([ \t]*)(?:(?=#{1,6}(?:\s|$))|(?=>)|(?=[-+](?:\s|$))|(?=(?:[-_*][ \t]*){3,}$)|(?==+[ \t]*$)|(?=~~~))"
)
_NUMBERED: Final = re.compile(r"^([ \t]*\d{1,9})(?=[.)](?:\s|$))")
_TICKS: Final = re.compile("`+")
_PAIRS: Final = {"strong": ("**", "**"), "em": ("*", "*"), "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>")}
_LITERAL: Final = frozenset(("code", "math", "image", "permalink"))
_DRAWN: Final = frozenset((*_PAIRS, *_LITERAL, "link"))
_LEAN: Final = frozenset(("image", "math", "permalink"))
_TOUCHING: Final = frozenset(("strong", "em"))
_BARE_STAR: Final = re.compile(r"(?<!\\)\*")
BREAK: Final = "  \n"
"""A hard line break."""


def escape(text: str, *, first: bool = True) -> str:
    """The text so written that Markdown shows it as it is; most text needs no change.

    `first` says whether the text opens a block: what would be a list item, a heading or a rule there is escaped too.

    >>> escape("snake_case * 2 < 3, but *not* <b>")
    'snake_case * 2 < 3, but \\\\*not\\\\* \\\\<b>'
    """
    if _SUSPECT.search(text):
        if "\\" in text:
            text = _BACKSLASH.sub(r"\\\\", text)
        if "*" in text:
            text = _STAR.sub(r"\\*", text)
        if "_" in text:
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


def inline(text: str, marks: Sequence[Mark], cut: tuple[int, int], *, lean: bool = False, first: bool = True) -> str:
    """The range `cut` of a text as Markdown, hard line breaks kept; permalinks (a heading's pilcrow) left out.

    Marks that cross another are clipped to it, so that any marks give well-formed Markdown. `first` as in `escape`;
    `lean` draws only what the text would be wrong without: images and formulas, no links, emphasis or code.
    """
    start, end = cut
    drawn = _LEAN if lean else _DRAWN
    wanted = [m for m in marks if m.kind in drawn and m.start < end and m.end > start] if marks else None
    if not wanted:
        return _plain(text[start:end], first)
    if len(wanted) > 1:
        wanted.sort(key=_outer_first)
    return _nested(text, wanted, cut, first).strip(" ")


def _outer_first(mark: Mark) -> tuple[int, int]:
    return mark.start, -mark.end


def _nested(text: str, marks: Iterable[Mark], cut: tuple[int, int], first: bool) -> str:
    """Marks drawn from the outside in, in one pass with a stack of what is open."""
    at, end = cut
    pieces: list[str] = []
    open_: list[tuple[int, str]] = []
    for mark in marks:
        begin, last = mark.start, mark.end
        while open_ and open_[-1][0] <= begin:
            at = _close(pieces, open_, text, at, first and not pieces)
        begin = max(begin, at)
        outer = open_[-1][0] if open_ else end
        last = min(last, outer)
        if last <= begin:
            continue
        if begin > at:
            pieces.append(_plain(text[at:begin], first and not pieces, close=True))
            at = begin
        if mark.kind in _LITERAL:
            pieces.append(_literal(text[begin:last], mark))
            at = last
        elif (pair := _pair(text[begin:last], mark)) is not None:
            pieces.append(pair[0])
            open_.append((last, pair[1]))
    while open_:
        at = _close(pieces, open_, text, at, first and not pieces)
    if at < end:
        pieces.append(_plain(text[at:end], first and not pieces, close=True))
    return "".join(pieces)


def _close(pieces: list[str], open_: list[tuple[int, str]], text: str, at: int, first: bool) -> int:
    """Writes the rest of the innermost open mark and what closes it; the offset reached."""
    last, closing = open_.pop()
    if at < last:
        pieces.append(_plain(text[at:last], first, close=True))
        at = last
    pieces.append(closing)
    return at


def _plain(piece: str, first: bool, *, close: bool = False) -> str:
    """Text without marks, or between marks (`close`), where a star next to a space may stand next to a mark's own."""
    piece = escape(piece, first=first)
    if close and "*" in piece:
        piece = _BARE_STAR.sub(r"\\*", piece)
    return piece.replace("\n", BREAK) if "\n" in piece else piece


def _pair(content: str, mark: Mark) -> tuple[str, str] | None:
    """What opens and closes a mark, None when it shows nothing."""
    if not content or content.isspace():
        return None
    if mark.kind == "link":
        return ("[", f"]({target(mark.value)})") if mark.value else None
    if mark.kind in _TOUCHING and (content[0].isspace() or content[-1].isspace() or "\n" in content):
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
