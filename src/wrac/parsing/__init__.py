"""Page -> Document: places and spans of every unit, nothing lost, nothing rewritten."""

from __future__ import annotations

from wrac.core.errors import InputError
from wrac.core.types import Document, Page
from wrac.parsing.address import Resolver, resolve
from wrac.parsing.html import parse_html

__all__ = ["Resolver", "parse", "resolve"]

HTML_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml"))


def parse(page: Page) -> Document:
    """The Document of a page, by its media type.

    Raises InputError for a media type without a parser.
    """
    if page.media_type in HTML_TYPES:
        return parse_html(page)
    raise InputError(page.url, f"no parser for {page.media_type}", "HTML is read")
