"""The blocks of an HTML page by a reader of its own: gold must not be what wrac's parser makes of a page.

A block is the text between two block-level tags, white space folded; a table row is one block.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

from wrac.core.types import Page
from wrac.parsing.dom import tree_of
from wrac.parsing.source import source_of

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search "
    "section select summary table tbody tfoot thead tr ul".split()
)
_UNREAD = frozenset(("script", "style", "template", "title"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


class Block(NamedTuple):
    """A block's tag ("" after a closed one), the anchors that stand in it or just before it, and its text."""

    tag: str
    anchors: tuple[str, ...]
    text: str

    @property
    def heading(self) -> bool:
        return self.tag in _HEADINGS


def blocks(page: Page) -> list[Block]:
    """The blocks of an HTML page in source order, hidden ones too; headings carry no permalink sign."""
    reader = _Reader()
    reader.feed(source_of(page.body, tree_of(page.body, page.charset).encoding))
    reader.close()
    reader.flush()
    return reader.found


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Block] = []
        self._text: list[str] = []
        self._tag = ""
        self._anchors: list[str] = []
        self._unread = ""
        self._rows: list[bool] = []  # for each open table: is a row of it open?

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNREAD and not self._unread:
            self._unread = tag
        self._edge(tag, tag)
        if tag == "table":
            self._rows.append(False)
        elif tag == "tr" and self._rows:
            self._rows[-1] = True
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self._anchors.append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unread:
            self._unread = ""
        if tag in ("tr", "table") and self._rows:
            self._rows[-1] = False
        self._edge(tag, "")
        if tag == "table" and self._rows:
            self._rows.pop()

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._text.append(data)

    def _edge(self, tag: str, following: str) -> None:
        """A block ends and another begins, but inside a table row, where tags only part words."""
        if tag in ("td", "th", "br"):
            self._text.append(" ")
        if tag not in _BLOCKS:
            return
        if any(self._rows) and tag != "tr":
            self._text.append(" ")
        else:
            self.flush(following)

    def flush(self, following: str = "") -> None:
        """Ends the block that is being read."""
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text:
            text = text.rstrip("¶# ") if self._tag in _HEADINGS else text
            self.found.append(Block(self._tag, tuple(self._anchors), text))
            self._anchors.clear()
        self._tag = following
