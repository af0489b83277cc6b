"""A site's pages as one long page without titles, as a manual is: what is found there, and is it of the right part?

CHOP's product manuals are not published. Near-identical pages one after the other, their names and first headings
gone, ask the same of labels: which product is this passage about?
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple

from wrac.core.types import Document, HtmlAddress, Page
from wrac.evaluation.values import DataSet, Query
from wrac.parsing import parse

_TITLE: Final = re.compile(r"<h1\b.*?</h1\s*>|<title\b.*?</title\s*>", re.DOTALL | re.IGNORECASE)
_BODY: Final = re.compile(r"<body\b[^>]*>(.*?)(?:</body\s*>|$)", re.DOTALL | re.IGNORECASE)
GROUP: Final = "company"


class Concatenated(NamedTuple):
    """One site's page; `owners` names for each place the URL of the page it came from."""

    name: str
    page: Page
    document: Document
    owners: tuple[str, ...]
    queries: tuple[Query, ...]


def concatenated(data: DataSet, group: str = GROUP) -> list[Concatenated]:
    """For each value of a group the pages in the folder of its name, in the order of their URLs, as one page.

    The pages must be HTML.
    """
    found = []
    for name in sorted({query.groups[group] for query in data.queries}):
        queries = tuple(query for query in data.queries if query.groups[group] == name)
        found.append(_joined(name, [page for page in data.pages if page.url.startswith(f"{name}/")], queries))
    return found


def _joined(name: str, pages: list[Page], queries: tuple[Query, ...]) -> Concatenated:
    parts, starts, size = ['<!doctype html><html lang="en"><body>\n'], [], 0
    size = len(parts[0])
    for page in sorted(pages, key=lambda page: page.url):
        part = f"<div>\n{_untitled(page)}\n</div>\n"
        starts.append(size)
        parts.append(part)
        size += len(part)
    made = Page(f"{name}.html", "".join(parts).encode(), "text/html", "utf-8")
    document = parse(made)
    urls = sorted(page.url for page in pages)
    owners = tuple(urls[bisect_right(starts, _start(place.address)) - 1] for place in document.places)
    return Concatenated(name, made, document, owners, queries)


def _untitled(page: Page) -> str:
    source = page.body.decode(page.charset or "utf-8", "replace").replace("\r\n", "\n")
    body = _BODY.search(source)
    return _TITLE.sub("", body[1] if body else source)


def _start(address: object) -> int:
    if not isinstance(address, HtmlAddress):
        raise TypeError(f"a place of a concatenated page is not HTML: {address!r:.80}")
    return address.start
