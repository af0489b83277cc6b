"""What kind of page is this? Told by its structure alone: in what the characters of its text stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, Literal, TypeAlias, get_args

from wrac.core.types import Document, Span, SpanKind
from wrac.planning.omissions import omissions

PageType: TypeAlias = Literal["faq", "reference", "table", "listing", "article", "prose"]
"""Half of the text is questions with their answers; definitions and code; tables; lists: the first that holds.
`prose` is a page with no heading but its title, `article` any other."""
PAGE_TYPES: Final[tuple[PageType, ...]] = get_args(PageType)

HALF: Final = 0.5
"""The share of the text's characters that gives a page its type."""
FEWEST: Final = 3
"""Questions that make a page a FAQ: one or two end many an article."""

_SPANS: Final[dict[SpanKind, PageType]] = {
    "qa": "faq", "details": "faq", "definitions": "reference", "table": "table", "list": "listing",
}  # fmt: skip
_ASKING: Final = re.compile(r"[?？؟][\W_]*\Z")  # a permalink's sign may stand behind it


def page_type(document: Document) -> PageType:
    """The type of a page, by the text that a plan keeps. Time is linear in places and spans."""
    omitted = omissions(document)
    kept = [place.ordinal for place in document.places if place.ordinal not in omitted]
    sizes = [len(document.text(ordinal)) for ordinal in kept]
    for kind, inside in _inside(document).items():
        share = sum(size for ordinal, size in zip(kept, sizes, strict=True) if inside[ordinal])
        if share and share >= HALF * sum(sizes):
            return kind
    headings = sum(document.unit(ordinal).kind == "heading" for ordinal in kept)
    return "article" if headings > 1 else "prose"


def _inside(document: Document) -> dict[PageType, list[int]]:
    """For each type that content gives, how many of its spans are around each place."""
    count = len(document.places) + 1
    changes: dict[PageType, list[int]] = {kind: [0] * count for kind in dict.fromkeys(_SPANS.values())}
    for kind, span in _speaking(document):
        changes[kind][span.first] += 1
        changes[kind][span.last + 1] -= 1
    for place in document.places:
        if document.units[place.unit].kind == "code":
            changes["reference"][place.ordinal] += 1
            changes["reference"][place.ordinal + 1] -= 1
    return {kind: list(accumulate(change)) for kind, change in changes.items()}


def _speaking(document: Document) -> Iterator[tuple[PageType, Span]]:
    """The spans that speak for a type: those of its kinds, and sections under questions."""
    asked = [span for span in document.spans if asks(document, span)]
    if len(asked) >= FEWEST:
        yield from (("faq", span) for span in asked)
    for span in document.spans:
        kind = _SPANS.get(span.kind, "faq")
        if kind != "faq":
            yield kind, span


def asks(document: Document, span: Span) -> bool:
    """Whether a span is a question with its answer, or a panel or section under one; a title that asks is none."""
    if span.kind in ("qa", "details"):
        return True
    asking = span.kind == "section" and _ASKING.search(document.text(span.first)) is not None
    return asking and document.places[span.first].level > 1
