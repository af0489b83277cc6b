"""Page -> Document: places and spans of every unit, nothing lost, nothing rewritten."""

from __future__ import annotations

from wrac.core.errors import InputError
from wrac.core.types import Document, Page
from wrac.parsing.address import MARKDOWN_TYPE, TEXT_TYPE, Resolver, resolve
from wrac.parsing.conservation import Account, account
from wrac.parsing.html import parse_html
from wrac.parsing.markdown import parse_markdown
from wrac.parsing.plain import parse_text

__all__ = ["Account", "Resolver", "account", "parse", "resolve"]

_PARSERS = {
    **dict.fromkeys(("text/html", "application/xhtml+xml", "application/xml", "text/xml"), parse_html),
    MARKDOWN_TYPE: parse_markdown,
    TEXT_TYPE: parse_text,
}


def parse(page: Page) -> Document:
    """The Document of a page, by its media type.

    Raises InputError for a media type without a parser.
    """
    parser = _PARSERS.get(page.media_type)
    if parser is None:
        raise InputError(page.url, f"no parser for {page.media_type}", "HTML, Markdown and plain text are read")
    return parser(page)
