"""What a page's structure says about where a chunk may start: named costs a boundary, of kinds, spans, wording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from wrac.core.types import Document, Kind, SpanKind


@dataclass(frozen=True, slots=True)
class Costs:
    """Prices in units of one cut between two paragraphs. Chosen by leave-one-company-out on a public benchmark.

    `chance` is a discount drawn from each unit's content: among equal places to cut it favours the same ones before and
    after an edit, so that boundaries far from the edit stay where they were (as content-defined chunking does).
    """

    cut: float = 1.0
    joined: float = 0.25
    joined_depth: float = 2.0
    glued: float = 12.0
    lead: float = 1.5
    colon: float = 6.0
    code: float = 2.0
    anaphor: float = 1.0
    small: float = 3.0
    small_below: float = 0.6
    large: float = 16.0
    large_above: float = 1.5
    table: float = 2.0
    question: float = 0.0
    chance: float = 1.0


INSIDE: Final[dict[SpanKind, float]] = {
    "list": 1.0, "item": 0.5, "definitions": 0.25, "qa": 3.0, "details": 2.0, "tabs": 1.0,
    "figure": 6.0, "quote": 1.0, "aside": 1.0,
}  # fmt: skip
"""What it costs to cut through an interval of a kind, once for each interval the cut goes through."""

ANAPHORS: Final = {
    "en": "this these those such it they he she however therefore thus hence otherwise instead also moreover "
    "furthermore additionally consequently finally then similarly likewise but and or",
    "de": "dies diese dieser dieses diesen jene jener solche es sie er jedoch deshalb daher somit andernfalls "
    "stattdessen auch außerdem zudem folglich schließlich dann ebenso aber und oder dabei damit dadurch",
    "fr": "ce cet cette ces cela ceci il elle ils elles cependant toutefois donc ainsi sinon aussi enfin puis mais et",
    "es": "este esta estos estas esto ese esa esos esas eso aquello él ella ellos ellas embargo entonces así también "
    "además finalmente luego pero y o",
}
_OPENING: Final = {code: frozenset(words.split()) for code, words in ANAPHORS.items()}
_FIRST_WORD: Final = re.compile(r"\w+")
_PROSE: Final = frozenset[Kind](("paragraph", "label", "quote", "definition"))
_TITLE: Final = 32
_LEADS: Final = (":", "：", "︰", "—", "–")


Terms = dict[str, float]
"""What speaks against a boundary (positive) and for it (negative), by name."""


def boundaries(document: Document, stream: Sequence[int], costs: Costs) -> list[Terms]:
    """For each position of a stream of ordinals the named costs of starting a group there; none for the first.

    What a boundary saves is negative: a group pays its start's sum, so only the sum decides. Linear in places and
    spans.
    """
    terms = _through(document, stream, costs)
    kinds = [document.units[document.places[ordinal].unit].kind for ordinal in stream]
    heads, depths = _header_rows(document), _depths(document)
    starts = {span.first for span in document.spans if span.kind == "list"}
    opening = _OPENING.get(document.language[:2].lower(), frozenset())
    for position in range(1, len(stream)):
        ordinal, kind, before = stream[position], kinds[position], kinds[position - 1]
        found = terms[position]
        if kind == "heading":
            if before != "heading":
                found["heading"] = -costs.joined - costs.joined_depth / max(1, depths[ordinal])
            continue
        found["cut"] = costs.cut
        found["chance"] = -costs.chance * _lot(document.places[ordinal].unit)
        if costs.question and kind == "question" and before != "question":
            found["question"] = -costs.question
        if _glued(before, kind, stream[position - 1] in heads):
            found["glued"] = costs.glued
            continue
        earlier = document.text(stream[position - 1])
        if earlier.endswith(_LEADS):
            found["colon"] = costs.colon
        elif (ordinal in starts and before in _PROSE) or (before in _PROSE and _titles(earlier)):
            found["lead"] = costs.lead
        if kind == "code":
            found["code"] = costs.code
        elif kind == "paragraph" and _continues(document.text(ordinal), opening):
            found["anaphor"] = costs.anaphor
    return terms


def _through(document: Document, stream: Sequence[int], costs: Costs) -> list[Terms]:
    """What it costs to cut through the intervals around each position, by the kinds of intervals."""
    before = [0] * (len(document.places) + 1)
    for ordinal in stream:
        before[ordinal + 1] = 1
    before = list(accumulate(before))
    changes: dict[int, dict[str, float]] = {}
    for span in document.spans:
        price = costs.table if span.kind == "table" else INSIDE.get(span.kind, 0.0)
        first, end = before[span.first], before[span.last + 1]
        if price and end - first > 1:
            for position, change in ((first + 1, price), (end, -price)):
                at = changes.setdefault(position, {})
                at[span.kind] = at.get(span.kind, 0.0) + change
    terms: list[Terms] = []
    current: Terms = {}
    for position in range(len(stream)):
        for kind, change in changes.get(position, {}).items():
            current[kind] = current.get(kind, 0.0) + change
            if not current[kind]:
                del current[kind]
        terms.append(dict(current))
    return terms


def _glued(before: str, kind: str, after_header: bool) -> bool:
    """Whether a unit is meaningless without the one before it."""
    if before == "question":
        return kind != "question"
    if before == "term":
        return True
    if before == "caption":
        return kind in ("table_row", "image", "code")
    return before == "label" or after_header or (kind == "caption" and before in ("table_row", "image", "code"))


def _titles(text: str) -> bool:
    """Whether a text looks like the title of what follows: "Note", "Example 3"; no sentence, and only some words."""
    return len(text) <= _TITLE and text[-1:].isalnum()


def _continues(text: str, opening: frozenset[str]) -> bool:
    """Whether a paragraph refers back: it opens with such a word, or in the middle of a sentence."""
    if text[:1].islower():
        return True
    found = _FIRST_WORD.match(text)
    return found is not None and found[0].lower() in opening


def _lot(unit: str) -> float:
    """A number drawn from a unit's content: 1 for one unit in eight, else below 0.3.

    Few strong favourites, not many weak ones: with even odds a shifted partition costs nearly the same.
    """
    number = int(unit[-8:], 16)
    return 1.0 if number & 7 == 0 else 0.3 * (number >> 3) / (1 << 29)


def _header_rows(document: Document) -> set[int]:
    """The ordinals of header rows."""
    return {ordinal for span in document.spans if span.kind == "table" for ordinal in span.data.get("header_rows", ())}


def _depths(document: Document) -> dict[int, int]:
    """How many sections hold the section a heading opens, by the heading's ordinal."""
    depths: dict[int, int] = {}
    open_: list[int] = []
    for span in document.spans:
        if span.kind != "section":
            continue
        while open_ and open_[-1] < span.first:
            open_.pop()
        depths[span.first] = len(open_)
        open_.append(span.last)
    return _level_fallback(document, depths)


def _level_fallback(document: Document, depths: dict[int, int]) -> dict[int, int]:
    """The depths with headings that open no section (a heading in a cell, say) at their level."""
    for place in document.places:
        if place.ordinal not in depths and document.units[place.unit].kind == "heading":
            depths[place.ordinal] = max(0, place.level - 1)
    return depths
