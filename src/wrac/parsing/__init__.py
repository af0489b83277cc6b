"""Page -> Document: places and spans of every unit, nothing lost, nothing rewritten."""

from __future__ import annotations

from typing import Final

from wrac.core.errors import InputError
from wrac.core.types import Document, Page
from wrac.parsing import delimited, html, markdown, plain
from wrac.parsing.address import MARKDOWN_TYPE, TEXT_TYPE, Resolver, resolve
from wrac.parsing.conservation import Account, account
from wrac.parsing.formats import FORMATS, reader

__all__ = ["PARSERS", "Account", "Resolver", "account", "parse", "resolve"]

_PARSERS: Final = {
    **dict.fromkeys(("text/html", "application/xhtml+xml", "application/xml", "text/xml"), html.parse_html),
    **dict.fromkeys(delimited.TYPES, delimited.parse_delimited),
    MARKDOWN_TYPE: markdown.parse_markdown,
    TEXT_TYPE: plain.parse_text,
}
PARSERS: Final = frozenset(
    (html.PARSER, markdown.PARSER, plain.PARSER, delimited.PARSER, *(form.parser for form in FORMATS.values()))
)
"""Names and versions of the parsers; what another one made is not used again."""


def parse(page: Page) -> Document:
    """The Document of a page, by its media type.

    Raises InputError for a media type without a parser, or bytes that are not of it, and MissingExtraError when what
    its parser needs is not installed.
    """
    if page.media_type in FORMATS:
        return reader(page.media_type).parse(page)
    parser = _PARSERS.get(page.media_type)
    if parser is None:
        raise InputError(page.url, f"no parser for {page.media_type}", "give a web page, a text or a document")
    return parser(page)
