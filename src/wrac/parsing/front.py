"""Front matter: the block above a text that tells its title, date and other metadata, in YAML or TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_BLOCK: Final = re.compile(
    r"(?:---[ \t]*\n(?P<yaml>.*?\n)?(?:---|\.\.\.)|\+\+\+[ \t]*\n(?P<toml>.*?\n)?\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_FIELD: Final = re.compile(r"([A-Za-z_][\w.-]*)\s*[:=]\s*(.*)")
_ITEM: Final = re.compile(r"\s*- +(.*)")
_COMMENT: Final = re.compile(r"\s+#[^\"']*\Z")


def front_matter(source: str) -> tuple[int, dict[str, str]]:
    """Where a source's front matter ends, 0 when it has none, and its fields by lower-case name.

    A field is a text, or a list whose items are joined by a comma; a field of fields is left out.
    """
    found = _BLOCK.match(source)
    if found is None:
        return 0, {}
    text = found["yaml"] or found["toml"] or ""
    return found.end(), {name.lower(): value for name, value in _fields(text.split("\n")) if value}


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(lines):
        field = _FIELD.fullmatch(lines[at].rstrip())
        at += 1
        more = []
        while at < len(lines) and (lines[at][:1] in (" ", "\t") or not lines[at].strip() or _ITEM.fullmatch(lines[at])):
            more.append(lines[at])
            at += 1
        if field is not None:
            yield field[1], _value(field[2], more)


def _value(first: str, more: list[str]) -> str:
    """A value that begins behind its name and may go on below it."""
    first = _COMMENT.sub("", first)
    if first[:1] in ("|", ">"):
        return ("\n" if first[0] == "|" else " ").join(line.strip() for line in more).strip()
    items = [found[1] for line in more if (found := _ITEM.fullmatch(line))]
    if first.startswith("[") and first.endswith("]"):
        items = first[1:-1].split(",")
    if items:
        return "" if any(_FIELD.fullmatch(item) for item in items) else ", ".join(map(_plain, items))
    if first and not first.startswith("{"):
        return _plain(" ".join([first, *(line.strip() for line in more if line.strip())]))
    return ""


def _plain(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
