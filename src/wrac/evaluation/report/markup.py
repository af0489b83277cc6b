"""HTML built from values: whatever is not markup already is escaped, so no text of a page can become any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from wrac.evaluation.report.reading import seen

_VOID = frozenset({"meta", "br", "col"})
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page may do nothing but show itself, even where escaping should fail."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def el(name: str, /, *children: str, **attributes: str | float) -> Markup:
    """An element; children that are not Markup are escaped, in attributes `class_` means class and `_` a hyphen."""
    told = "".join(f' {_attribute(key)}="{clean(str(value))}"' for key, value in attributes.items() if value != "")
    inside = "".join(child if isinstance(child, Markup) else clean(child) for child in children)
    return Markup(f"<{name}{told}>" if name in _VOID else f"<{name}{told}>{inside}</{name}>")


def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def joined(parts: Iterable[Markup]) -> Markup:
    """Pieces of markup, one after the other."""
    return Markup("".join(parts))


def clean(text: str) -> str:
    """The text escaped for element and attribute; control characters and those that turn the direction are U+FFFD."""
    return escape(seen(text))


def table(head: Sequence[str], body: Iterable[Sequence[str]], caption: str = "", kind: str = "") -> Markup:
    """A table in a frame that scrolls by itself and by keyboard; the first cell of a row is its header."""
    columns = joined(el("th", cell, scope="col") for cell in head)
    rows = joined(
        el("tr", el("th", row[0], scope="row"), *(el("td", cell) for cell in row[1:])) for row in map(list, body)
    )
    told = el("caption", caption) if caption else Markup()
    whole = el("table", told, el("thead", el("tr", columns)), el("tbody", rows), class_=kind)
    return el("div", whole, class_="scroll", tabindex=0, role="region", aria_label=caption or "table")


def folded(summary: str, *inside: str) -> Markup:
    """What opens on demand."""
    return el("details", el("summary", summary), *inside)


def section(anchor: str, title: str, *inside: str) -> Markup:
    """A part of the page under its heading."""
    return el("section", el("h2", title, id=anchor), *inside, aria_labelledby=anchor)


def listed(pairs: Iterable[tuple[str, str]], kind: str = "facts") -> Markup:
    """Names and what is said of them."""
    return el("dl", *(el("div", el("dt", name), el("dd", value)) for name, value in pairs), class_=kind)


def foreign(text: str) -> Markup:
    """A text of a page: its own direction, kept apart from what stands around it."""
    return el("bdi", text, class_="foreign")


def whole(title: str, *inside: str) -> str:
    """One HTML document that loads nothing and runs nothing."""
    style = Path(__file__).with_name("style.css").read_text("utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("style", Markup(style)),
    )
    return f"<!doctype html>\n{el('html', head, el('body', *inside), lang='en')}\n"
