"""Inline HTML: a unit's text with its marks, all of it escaped; no address that could run anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final

from wrac.core.types import Mark
from wrac.text.characters import IDEOGRAPHS
from wrac.text.nesting import Pen, drawn

SPACED: Final = re.compile(r"[ \t\f\r]{2}|[\t\f\r]|^[ \n]|[ \n]$|\n | \n")
"""White space that HTML would fold."""
_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_IGNORED: Final = re.compile(r"^[\x00-\x20]+|[\t\n\r]+")  # what a browser takes out of an address before it reads it
_SAFE: Final = frozenset(("http", "https", "mailto"))
_TAGS: Final = {"strong": "strong", "em": "em", "sup": "sup", "sub": "sub", "code": "code"}
_IDEOGRAPH: Final = re.compile(f"[{IDEOGRAPHS}]")


def inline(text: str, marks: Sequence[Mark], cut: tuple[int, int]) -> str:
    """The range `cut` of a text as HTML, a newline as `br`.

    White space that HTML folds (`SPACED`) is written as it is: the element around must keep it.
    """
    start, end = cut
    pen = _KEEPING if SPACED.search(text[start:end]) else _PEN
    wanted = [_plain_link(mark) for mark in marks if mark.kind != "cell" and mark.start < end and mark.end > start]
    if not wanted:
        return pen.plain(text[start:end])
    if any(mark.kind == "ruby" for mark in wanted):
        wanted = _with_bases(text, wanted, start)
    return drawn(text, wanted, cut, pen)


def safe(address: str, *, image: bool = False) -> bool:
    """Whether an address is relative, or of a scheme that runs nothing; an image's is of HTTP then.

    >>> safe("/fees#now"), safe("java\\tscript:alert(1)")
    (True, False)
    """
    scheme = _SCHEME.match(_IGNORED.sub("", address))
    return scheme is None or scheme[1].lower() in _SAFE - ({"mailto"} if image else set())


def image(alt: str, source: str) -> str:
    """An image by its alternative text, and by its address if that is safe."""
    address = f' src="{attribute(source)}"' if source and safe(source, image=True) else ""
    return f'<img{address} alt="{attribute(alt)}">'


def formula(text: str) -> str:
    """A formula as it was written, such as in TeX."""
    return f'<code class="math">{_broken(text)}</code>'


def attribute(value: str) -> str:
    """A value between double quotes, its line ends kept."""
    return escape(value).replace("\n", "&#10;").replace("\r", "&#13;")


def verbatim(text: str) -> str:
    """Text between tags as it is, line ends included."""
    return escape(text, quote=False).replace("\r", "&#13;")


def _broken(text: str) -> str:
    """Text between tags, a line break for each newline."""
    return escape(text, quote=False).replace("\n", "<br>")


def _plain_link(mark: Mark) -> Mark:
    return mark._replace(kind="link") if mark.kind == "permalink" else mark  # links stand in no links


def _with_bases(text: str, marks: Sequence[Mark], start: int) -> list[Mark]:
    """The marks, those of ruby with the base before the reading; their value is where the reading begins."""
    result, free = [], start
    for mark in sorted(marks, key=lambda mark: mark.start):
        if mark.kind == "ruby":
            base = _base(text, mark.start, free)
            free = mark.end
            result.append(mark._replace(start=base, value=str(mark.start)))
        else:
            result.append(mark)
    return result


def _base(text: str, end: int, free: int) -> int:
    """Where the word before a reading begins: a run of ideographs or of other letters, after `free`."""
    start = end
    ideographs = end > free and _IDEOGRAPH.match(text[end - 1]) is not None
    while start > free and text[start - 1].isalnum() and (_IDEOGRAPH.match(text[start - 1]) is not None) == ideographs:
        start -= 1
    return start


def _atom(text: str, mark: Mark, start: int, end: int) -> str | None:
    """An image, a formula, or a ruby base with its reading."""
    if mark.kind == "image":
        return image(text[start:end], mark.value)
    if mark.kind == "math":
        return formula(text[start:end])
    if mark.kind == "ruby":
        reading = min(max(int(mark.value), start), end)
        return f"<ruby>{_broken(text[start:reading])}<rt>{_broken(text[reading:end])}</rt></ruby>"
    return None


def _pair(_text: str, mark: Mark, _start: int, _end: int) -> tuple[str, str] | None:
    """What opens and closes a mark, None for a link that leads nowhere safe."""
    if mark.kind == "link":
        return (f'<a href="{attribute(mark.value)}">', "</a>") if mark.value and safe(mark.value) else None
    tag = _TAGS.get(mark.kind)
    return (f"<{tag}>", f"</{tag}>") if tag else None


_PEN: Final = Pen(_broken, _broken, _atom, _pair)
_KEEPING: Final = Pen(verbatim, verbatim, _atom, _pair)
