"""Whether the bytes of a page are a page: by their size, and by what they are whatever they are called."""

from __future__ import annotations

from dataclasses import replace

from wrac.core.types import Page
from wrac.fetching import media
from wrac.fetching.skip import Skip


def judged(page: Page, max_size: int) -> Page | Skip:
    """The page, under the type that its bytes are of, or why they are none."""
    if len(page.body) > max_size:
        return Skip(page.url, f"larger than {max_size / 2**20:g} MB (raise it with --max-size)")
    if not page.body.strip():
        return Skip(page.url, "empty")
    found, problem = media.by_bytes(page.body)
    if found:
        return page if found == page.media_type else replace(page, media_type=found, charset="")
    problem = problem or _no_text(page)
    return Skip(page.url, problem) if problem else _of_text(page)


def _no_text(page: Page) -> str:
    """Why bytes that are no document are no text either, "" when they are."""
    kind = "" if page.charset.startswith(("utf-16", "utf-32")) else media.binary(page.body)
    return f"not text: {kind}" if kind else ""


def _of_text(page: Page) -> Page | Skip:
    """A page of text: under a document's name only when it is the HTML that some programs save as an office file."""
    if page.media_type not in media.PACKED:
        return page
    if media.by_look(page.body):
        return replace(page, media_type=media.HTML)
    return Skip(page.url, "not the document that its name says: damaged, or text under a wrong name")
