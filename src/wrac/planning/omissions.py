"""What of a page is not for reading: places omitted from a plan, each with a reason; nothing is deleted."""

from __future__ import annotations

from typing import Final

from wrac.core.types import Document, Place, Role

CHROME: Final[frozenset[Role]] = frozenset(
    ("nav", "header", "footer", "breadcrumb", "cookie", "dialog", "form", "control")
)
"""Roles that are left out; the reason is the role's name. A table of contents is left out where it stands in one of
`BESIDE`, beside the text; within the text it is what an index page has to say."""
BESIDE: Final = frozenset(("nav", "aside", "header", "footer"))
HIDDEN_SCORE: Final = 0.2
"""Hidden text scored below this is chrome (menus, templates); above, it is content a script shows (accordions)."""


def omissions(document: Document) -> dict[int, str]:
    """The reason of each place left out of chunks, by ordinal, ascending.

    A page on which everything would go keeps its main text, or, when it has none, all of it: a chunkless page is
    never an answer.
    """
    beside = {o for s in document.spans if s.kind in BESIDE for o in range(s.first, s.last + 1)}
    found = {place.ordinal: why for place in document.places if (why := _reason(place, place.ordinal in beside))}
    if len(found) < len(document.places):
        return _keep_headings(document, found)
    main = [place.ordinal for place in document.places if place.role == "main"]
    return {ordinal: why for ordinal, why in found.items() if ordinal not in set(main)} if main else {}


def _reason(place: Place, beside: bool) -> str:
    """Why a place is left out; empty when it is kept."""
    if place.role in CHROME or (place.role == "toc" and beside):
        return place.role
    if place.visible == "hidden" and place.score < HIDDEN_SCORE and place.role != "data":
        return "hidden"
    return ""


def _keep_headings(document: Document, found: dict[int, str]) -> dict[int, str]:
    """The omissions without headings in a page header that open a section with kept text: they are its title."""
    titles = {
        span.first
        for span in document.spans
        if span.kind == "section" and span.first in found and document.places[span.first].role == "header"
        if any(o not in found for o in range(span.first + 1, span.last + 1))
    }
    return {ordinal: why for ordinal, why in found.items() if ordinal not in titles} if titles else found
