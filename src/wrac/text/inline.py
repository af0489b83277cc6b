"""Inline Markdown: a unit's text with its marks, escaped only where Markdown would change what it says."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Final
from unicodedata import category

from wrac.core.types import Mark
from wrac.text.nesting import Pen, drawn

_SUSPECT: Final = re.compile(r"[\\`*_<&~]|\]\(")
_OPENS_BLOCK: Final = re.compile(r"[ \t]*(?:[#>+*=~|:-]|\d{1,9}[.)])")
_BACKSLASH: Final = re.compile(r"\\(?=[!-/:-@\[-`{-~\n]|$)")
_STAR: Final = re.compile(r"\*(?:(?=\S)|(?<=\S\*))")
_UNDERSCORE: Final = re.compile(r"_(?:(?=\S)(?<![^\W_]_)|(?<=[^\s_]_)(?![^\W_]))")
_OTHER: Final = re.compile(r"`|~(?=~)|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=[^\[\]]*\]\()|\](?=\()")
_LINE: Final = re.compile(
    r"^([ \t]*)(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|(?:[-_*][ \t]*){3,}$|=+[ \t]*$|~~~"
    r"|[|:-][-:| \t]*$)"  # the last is what may underline a table's header
)
_NUMBERED: Final = re.compile(r"^([ \t]*\d{1,9})(?=[.)](?:\s|$))")
_TICKS: Final = re.compile("`+")
_BRACKET: Final = re.compile(r"([\[\]])")
_DEFINES: Final = re.compile(r"^\[(?=(?:[^\[\]\\]|\\.)*\]:)", re.MULTILINE)
_GAP: Final = re.compile(r"(?:\n[ \t]*){2,}")
_PAIRS: Final = {"strong": ("**", "**"), "em": ("*", "*"), "sup": ("<sup>", "</sup>"), "sub": ("<sub>", "</sub>")}
_DRAWN: Final = frozenset((*_PAIRS, "code", "math", "image", "permalink", "link"))
_LEAN: Final = frozenset(("image", "math", "permalink"))
_STARS: Final = frozenset(("*", "**"))
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

    Any marks give well-formed Markdown. `first` as in `escape`; `lean` draws only what the text would be wrong
    without: images and formulas, no links, emphasis or code.
    """
    start, end = cut
    kinds = _LEAN if lean else _DRAWN
    wanted = [m for m in marks if m.kind in kinds and m.start < end and m.end > start] if marks else None
    if wanted and len(wanted) == 1 and wanted[0].kind == "permalink" and wanted[0].end == end:
        end, wanted = wanted[0].start, None  # as most headings of documentation end
    shown = drawn(text, wanted, cut, _PENS[first]) if wanted else _plain(text[start:end], first)
    shown = shown.strip(" \t\n")
    if first and "]:" in shown:  # else a reader would take it for a link's definition, and show nothing
        shown = _DEFINES.sub(r"\[", shown)
    return _GAP.sub("\n\n", shown) if "\n" in shown else shown  # an indented line after an empty one would be code


def _plain(piece: str, first: bool) -> str:
    """Text without marks."""
    piece = escape(piece, first=first)
    return piece.replace("\n", BREAK) if "\n" in piece else piece


def _between(piece: str) -> str:
    """Text between marks, where a star next to a space may stand next to a mark's own."""
    piece = escape(piece, first=False)
    if "*" in piece:
        piece = _BARE_STAR.sub(r"\*", piece)
    return piece.replace("\n", BREAK) if "\n" in piece else piece


def _opening(piece: str) -> str:
    """Text before the first mark of a block."""
    line, *rest = _between(piece).split("\n", 1)
    return "\n".join([escape_line(line), *rest])


def _pair(text: str, mark: Mark, start: int, end: int) -> tuple[str, str] | None:
    """What opens and closes a mark, None when it shows nothing or Markdown would not take it for one."""
    content = text[start:end]
    if mark.kind == "link":
        return _link(text, mark.value, start, content)
    return None if "\n" in content or content.isspace() else _PAIRS.get(mark.kind)


def _holds(pieces: list[str], at: int, following: str) -> bool:
    """Whether the stars of emphasis will be read as such, seen from what stands next to them on both sides.

    See "left-flanking delimiter run" in the CommonMark specification; stars next to stars are one run.
    """
    if pieces[at] not in _STARS:
        return True
    inner = [piece for piece in pieces[at + 1 :] if piece not in _STARS]
    before = at - 1
    while before >= 0 and pieces[before] in _STARS:
        before -= 1
    outside = pieces[before][-1] if before >= 0 else ""
    return bool(inner) and _flanks(inner[0][0], outside) and _flanks(inner[-1][-1], following)


def _flanks(edge: str, outside: str) -> bool:
    """Whether stars between an inner and an outer character hold to the inner one."""
    if not outside or outside.isspace() or category(outside)[0] == "P":
        return not edge.isspace()
    return not edge.isspace() and category(edge)[0] not in "PS"


def _link(text: str, address: str, start: int, content: str) -> tuple[str, str] | None:
    """What opens and closes a link; as HTML where a bracket inside or a "!" before it would be taken for its own."""
    if not address or not content.strip() or _GAP.search(content):
        return None
    if text[start - 1 : start] == "!" or not _balanced(content):
        return f'<a href="{html.escape(address)}">', "</a>"
    return "[", f"]({target(address)})"


def _balanced(content: str) -> bool:
    """Whether each bracket has its partner and is written as it is."""
    if "](" in content:
        return False
    depth = 0
    for bracket in _BRACKET.findall(content):
        depth += 1 if bracket == "[" else -1
        if depth < 0:
            return False
    return depth == 0


def _atom(text: str, mark: Mark, start: int, end: int) -> str | None:
    """A mark whose content is taken as it is."""
    content = text[start:end]
    if mark.kind == "code":
        ticks = "`" * (max((len(run) for run in _TICKS.findall(content)), default=0) + 1)
        pad = " " if "`" in (content[0], content[-1]) or content[0] == content[-1] == " " else ""
        return f"{ticks}{pad}{content}{pad}{ticks}".replace("\n", " ")
    if mark.kind == "image":
        return image(content, mark.value)
    if mark.kind == "math":
        return f"${content}$"
    return "" if mark.kind == "permalink" else None


_PENS: Final = {
    True: Pen(_opening, _between, _atom, _pair, _holds),
    False: Pen(_between, _between, _atom, _pair, _holds),
}  # by whether the text opens a block


def image(alt: str, source: str) -> str:
    """An image by its alternative text and address."""
    parts = _BRACKET.split(" ".join(alt.split()))  # brackets stand at odd positions
    shown = "".join(f"\\{part}" if at % 2 else escape(part, first=False) for at, part in enumerate(parts))
    return f"![{shown}]({target(source)})"


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
