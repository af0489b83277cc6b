"""The conservation law: every code point of a page's text sources is in a unit or in a loss with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from wrac.core.types import Address, DataAddress, Document, HtmlAddress, Page
from wrac.parsing import delimited
from wrac.parsing.address import MARKDOWN_TYPE, TEXT_TYPE
from wrac.parsing.data import INSIDE
from wrac.parsing.dom import document, tree_of
from wrac.parsing.formats import FORMATS, reader
from wrac.parsing.front import front_matter
from wrac.parsing.markdown import render
from wrac.parsing.source import composed, decode
from wrac.parsing.texts import tree_sources

_BALANCED = frozenset((TEXT_TYPE, *delimited.TYPES))


class Account(NamedTuple):
    """Non-space code points of a page: in its sources, in its units, in its losses."""

    sources: int
    units: int
    losses: int

    @property
    def balanced(self) -> bool:
        """Whether nothing was lost and nothing added."""
        return self.sources == self.units + self.losses


def account(page: Page, parsed: Document) -> Account:
    """The account of a page, taken from the tree and not from the walk.

    Of a file of parts or pages its format says what the sources are. Those of HTML are the DOM's text nodes, the alt
    texts of pictures and the documents in srcdoc; strings of JSON scripts count when they became units or losses.
    Those of Markdown are the same of the HTML it stands for, and its front matter. Plain and delimited text balance by
    construction.
    """
    units = sum(_solid(parsed.text(place.ordinal)) for place in parsed.places)
    losses = sum(loss.chars for loss in parsed.losses)
    if page.media_type in _BALANCED:
        return Account(units + losses, units, losses)
    if page.media_type == MARKDOWN_TYPE:
        return Account(sum(map(_solid, _markdown_sources(page))), units, losses)
    if page.media_type in FORMATS:
        return Account(sum(map(_solid, reader(page.media_type).sources(page))), units, losses)
    said = sum(_solid(parsed.text(place.ordinal)) for place in parsed.places if _in_json(place.address))
    said += sum(loss.chars for loss in parsed.losses if loss.reason.startswith(("JSON-LD", INSIDE)))
    tree, _ = composed(tree_of(page.body, page.charset), page.body)
    return Account(sum(map(_solid, tree_sources(tree))) + said, units, losses)


def _in_json(address: Address | None) -> bool:
    while isinstance(address, HtmlAddress):
        address = address.within
    return isinstance(address, DataAddress)


def _markdown_sources(page: Page) -> Iterator[str]:
    source, _ = decode(page.body, page.charset)
    end, _ = front_matter(source)
    yield source[:end]
    yield from tree_sources(document(render(source, end).html))


def _solid(text: str) -> int:
    return sum(map(len, text.split()))
