"""What a page's structure says about where a chunk may start: named costs a boundary, of kinds, spans, wording."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Final

from wrac.core.types import Document, Kind, SpanKind
from wrac.planning.page_types import asks
from wrac.planning.wording import Wording, facts, wording
from wrac.text.partition import LARGE, SMALL, SMALL_BELOW, lot
from wrac.text.topics import breaks, unheaded


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
    refers: float = 0.5
    announced: float = 3.0
    compared: float = 1.0
    facts: float = 0.25
    explained: float = 0.5
    topic: float = 15.0
    small: float = SMALL
    small_below: float = SMALL_BELOW
    large: float = LARGE
    large_above: float = 2.0
    table: float = 2.0
    list: float = 1.0
    question: float = 0.0
    answer: float = 12.0
    asked: float = 1.0
    chance: float = 1.0


INSIDE: Final[dict[SpanKind, float]] = {
    "item": 0.5, "definitions": 0.25, "qa": 3.0, "details": 2.0, "tabs": 1.0,
    "figure": 6.0, "quote": 1.0, "aside": 1.0,
}  # fmt: skip
"""What it costs to cut through an interval of a kind, once for each interval the cut goes through."""

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
    asked = {span.first for span in document.spans if span.kind == "section" and asks(document, span)}
    terms = _through(document, stream, costs, asked)
    kinds = [document.units[document.places[ordinal].unit].kind for ordinal in stream]
    heads, depths = _header_rows(document), _depths(document)
    starts = {span.first for span in document.spans if span.kind == "list"}
    words = wording(document.language)
    for position in range(1, len(stream)):
        ordinal, kind, before = stream[position], kinds[position], kinds[position - 1]
        found = terms[position]
        if kind == "heading":
            if before != "heading":
                found["heading"] = -costs.joined - costs.joined_depth / max(1, depths[ordinal])
            if ordinal in asked:
                found["asked"] = -costs.asked
            continue
        found["cut"] = costs.cut
        found["chance"] = -costs.chance * lot(document.places[ordinal].unit)
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
        elif kind == "paragraph":
            found.update(_tied(earlier, document.text(ordinal), before, words, costs))
        elif words.announces(earlier):
            found["announced"] = costs.announced
    for position, depth in _turns(document, stream):
        terms[position]["topic"] = -costs.topic * depth
    return terms


def _tied(earlier: str, text: str, before: Kind, words: Wording, costs: Costs) -> Iterator[tuple[str, float]]:
    """What ties a paragraph to the unit before it, by their words."""
    if before == "code":
        yield "explained", costs.explained
    if words.continues(text):
        yield "anaphor", costs.anaphor
    elif words.refers(text):
        yield "refers", costs.refers
    if words.compares(text):
        yield "compared", costs.compared
    if before in _PROSE and facts(text) & facts(earlier):
        yield "facts", costs.facts


def _turns(document: Document, stream: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Positions in text far from headings at which the topic changes, and how clearly."""
    prose = unheaded(document)
    for far, run in groupby(range(len(stream)), lambda position: stream[position] in prose):
        if far:
            positions = list(run)
            texts = [document.text(stream[position]) for position in positions]
            depths = breaks(texts, document.language)
            yield from ((position, depth) for position, depth in zip(positions, depths, strict=True) if depth)


def _through(document: Document, stream: Sequence[int], costs: Costs, asked: Container[int]) -> list[Terms]:
    """What it costs to cut through the intervals around each position, by the kinds of intervals.

    Under a heading that asks, what stands before the next heading is its answer.
    """
    headings = [p.ordinal for p in document.places if document.units[p.unit].kind == "heading"]
    headings.append(len(document.places))
    before = [0] * (len(document.places) + 1)
    for ordinal in stream:
        before[ordinal + 1] = 1
    before = list(accumulate(before))
    changes: dict[int, dict[str, float]] = {}
    for span in document.spans:
        price = {"table": costs.table, "list": costs.list}.get(span.kind) or INSIDE.get(span.kind, 0.0)
        last = span.last
        if span.kind == "section" and span.first in asked:
            price, last = costs.answer, min(last, headings[bisect_right(headings, span.first)] - 1)
        first, end = before[span.first], before[last + 1]
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
