"""What of a page is not for reading: places omitted from a plan, each with a reason; nothing is deleted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from wrac.core.types import KEEP_MORE, Document, Kind, Place, Role

CHROME: Final[frozenset[Role]] = frozenset(
    ("nav", "header", "footer", "breadcrumb", "cookie", "dialog", "form", "control")
)
"""Roles that are left out; the reason is the role's name. A table of contents is left out where it stands in one of
`BESIDE`, beside the text; within the text it is what an index page has to say."""
BESIDE: Final = frozenset(("nav", "aside", "header", "footer"))
_ANSWERING: Final = frozenset(("qa",))  # a FAQ in a script was put there to be found
LOW_SCORE: Final = KEEP_MORE / 2
"""Hidden text scored below this is chrome (menus, templates); above, it is content a script shows (accordions).
Of other text, so low a score counts only for `RUN` places in a row: a single doubtful line among content costs
nothing, and leaving out a line of content does. Their reason is `low score`."""
RUN: Final = 3
_DOUBTED: Final[frozenset[Role]] = frozenset(("main", "aside"))
_TRUSTED: Final[frozenset[Kind]] = frozenset(("table_row", "code", "term", "definition", "question", "math", "quote"))


def omissions(document: Document) -> dict[int, str]:
    """The reason of each place left out of chunks, by ordinal, ascending.

    A page on which everything would go keeps its main text, or, when it has none, all of it: a chunkless page is
    never an answer.
    """
    beside, answers = _inside(document, BESIDE), _inside(document, _ANSWERING)
    reasons = ((place, _reason(place, place.ordinal in beside, place.ordinal in answers)) for place in document.places)
    found = {place.ordinal: why for place, why in reasons if why}
    low = {ordinal: "low score" for ordinal in _low_runs(document) if ordinal not in found}
    if len(found) + len(low) < len(document.places):
        return _keep_headings(document, dict(sorted({**found, **low}.items())))
    main = {place.ordinal for place in document.places if place.role == "main"}
    return {ordinal: why for ordinal, why in found.items() if ordinal not in main} if main else {}


def _inside(document: Document, kinds: frozenset[str]) -> set[int]:
    return {o for span in document.spans if span.kind in kinds for o in range(span.first, span.last + 1)}


def _reason(place: Place, beside: bool, answers: bool) -> str:
    """Why a place is left out whatever stands around it; empty when it is not."""
    if place.role in CHROME or (place.role == "toc" and beside):
        return place.role
    if place.visible == "hidden" and place.score < LOW_SCORE and not (place.role == "data" and answers):
        return "hidden"
    return ""


def _low_runs(document: Document) -> Iterator[int]:
    """The ordinals of runs of places that score low and have nothing else to say for themselves."""
    targets = _targets(document)
    for low, run in groupby(document.places, lambda place: _is_low(document, place, targets)):
        places = list(run)
        if low and len(places) >= RUN:
            yield from (place.ordinal for place in places)


def _is_low(document: Document, place: Place, targets: frozenset[str]) -> bool:
    doubted = place.score < LOW_SCORE and place.role in _DOUBTED and place.visible != "collapsed"
    return doubted and place.anchor not in targets and document.units[place.unit].kind not in _TRUSTED


def _targets(document: Document) -> frozenset[str]:
    """The anchors that the page's own text links to: footnotes look like little, and are meant."""
    links = (mark.value for place in document.places if place.role == "main" for mark in place.marks)
    return frozenset(value[1:] for value in links if len(value) > 1 and value[0] == "#")


def _keep_headings(document: Document, found: dict[int, str]) -> dict[int, str]:
    """The omissions without the headings, of the page header or of low score, that open a section with kept text."""
    titles = {
        span.first
        for span in document.spans
        if span.kind == "section" and found.get(span.first) in ("header", "low score")
        if any(o not in found for o in range(span.first + 1, span.last + 1))
    }
    return {ordinal: why for ordinal, why in found.items() if ordinal not in titles} if titles else found
