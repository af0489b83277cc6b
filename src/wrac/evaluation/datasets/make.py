"""A data set drafted from a site's own questions: query, gold and mask in one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import Document, Page
from wrac.evaluation.datasets.questions import is_question
from wrac.evaluation.datasets.reading import unread
from wrac.evaluation.metrics.words import content_terms
from wrac.text.detection import detect
from wrac.text.tokens import counter

WORDS = 4
"""Words a block of an answer has at least, an ideograph being one: `Yes.` stands on every page."""

_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?|[A-Za-z][.)]|[QＱ]\d*[:：.])\s+(?=\S)")
_UNASKED = frozenset(
    ("nav", "header", "footer", "breadcrumb", "toc", "cookie", "control", "form", "dialog", "comment", "data")
)
"""Roles that neither ask nor answer; what a script's data alone says, ways that cut the page's text never see."""
_UNANSWERED = frozenset(("heading", "question", "label", "image"))


class _Found(NamedTuple):
    question: str
    page: str
    blocks: tuple[str, ...]
    type: str


def make(pages: Sequence[Page], tell: Callable[[str], None] = lambda _: None) -> list[dict[str, Any]]:
    """Lines of a data set, as `own` reads them, from the questions of the pages, in their order.

    Questions are those of question and answer pairs (accordions, details, definition lists) and headings that ask. A
    question that several pages answer is one line where they answer alike, and none where they do not: no search could
    tell which page is meant. `tell` is told which pages cannot be read, and why. Raises InputError where there is no
    question.
    """
    asked: dict[str, list[_Found]] = {}
    for page in pages:
        try:
            for found in _on(page):
                asked.setdefault(" ".join(found.question.casefold().split()), []).append(found)
        except (InputError, MissingExtraError) as error:
            left = unread(page, error)
            tell(f"{left.query}: {left.reason}")
    told = [alike for alike in asked.values() if len({one.blocks for one in alike}) == 1]
    if not told:
        raise InputError(
            pages[0].url if len(pages) == 1 else f"{len(pages)} pages",
            "no question with an answer of its own was found",
            'write lines of {"query": "…", "page": "…", "text": "…"} by hand',
        )
    return [_row(number, alike) for number, alike in enumerate(told, 1)]


def _row(number: int, alike: Sequence[_Found]) -> dict[str, Any]:
    first, urls = alike[0], list(dict.fromkeys(one.page for one in alike))
    return {
        "id": f"q{number:04d}",
        "query": first.question,
        **({"page": urls[0]} if len(urls) == 1 else {"pages": urls}),
        "text": first.blocks[0] if len(first.blocks) == 1 else list(first.blocks),
        "mask": first.question,
        "type": first.type,
    }


def _on(page: Page) -> Iterator[_Found]:
    """The questions that a page shows, in order, each once."""
    from wrac.parsing import parse

    document = parse(page)
    seen: set[str] = set()
    for opener, last, kind in sorted(_openers(document)):
        question, blocks = _asked(document, opener), tuple(_answer(document, opener, last))
        if blocks and question.casefold() not in seen:
            seen.add(question.casefold())
            yield _Found(question, page.url, blocks, kind)


def _openers(document: Document) -> Iterator[tuple[int, int, str]]:
    """The ordinals of each question and of the last unit that may answer it, with what it opens.

    A pair that the page marks as question and answer asks whatever it says; what opens on a click, or heads a section,
    asks when it reads so.
    """
    language = document.language or detect("\n".join(unit.text for unit in document.units.values()))
    paired: set[int] = set()
    for span in document.spans:
        kind, first = document.unit(span.first).kind, span.first
        if document.places[first].role in _UNASKED or first in paired:
            continue
        if kind == "question" and span.kind in ("qa", "details"):
            paired.add(first)
            if span.kind == "qa" or is_question(_asked(document, first), language):
                yield first, span.last, span.kind
        elif kind == "heading" and span.kind == "section" and is_question(_asked(document, first), language):
            yield first, _own(document, first, span.last), "heading"


def _own(document: Document, first: int, last: int) -> int:
    """The last ordinal of a section before its next heading or question."""
    rest = range(first + 1, last + 1)
    return next((i - 1 for i in rest if document.unit(i).kind in ("heading", "question")), last)


def _asked(document: Document, ordinal: int) -> str:
    """The question without its number and permalink."""
    text = document.text(ordinal)
    for mark in reversed(document.places[ordinal].marks):
        if mark.kind == "permalink":
            text = text[: mark.start] + text[mark.end :]
    return _NUMBER.sub("", " ".join(text.split()))


def _answer(document: Document, opener: int, last: int) -> Iterator[str]:
    for ordinal in range(opener + 1, last + 1):
        unit, place = document.unit(ordinal), document.places[ordinal]
        if unit.kind in _UNANSWERED or place.role in _UNASKED:
            continue
        if counter("words").count(unit.text) >= WORDS and content_terms(unit.text):
            yield unit.text
