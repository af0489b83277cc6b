"""What a case folder's `expect.json` may demand of a document. Each check returns complaints that name the unit.

Texts are exact unit texts unless a key says otherwise; `kinds`, `roles`, `visible` take one value or a list of allowed
ones. Keys: texts (in this order, others may stand between), only (all units), in_order (substrings), once, absent,
spans, rows (all table rows, spans expanded), numbers, trails, marks ([kind, covered text, value]), and so on below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from tests.oracle import lost, squeeze

from wrac.core.structure import cells, trail
from wrac.core.types import Document, Place, Span
from wrac.text.render import markdown

Check = Callable[[Document, Any], Iterator[str]]


def complaints(document: Document, expect: dict[str, Any]) -> list[str]:
    """Every demand of `expect` the document does not meet, a line each."""
    unknown = set(expect) - set(CHECKS) - {"why", "charset", "media_type", "url"}
    assert not unknown, f"expect.json has unknown keys {sorted(unknown)}"
    return [line for key, value in expect.items() if key in CHECKS for line in CHECKS[key](document, value)]


def all_texts(document: Document) -> list[str]:
    """Unit texts in reading order."""
    return [document.text(place.ordinal) for place in document.places]


def at(document: Document, text: str) -> list[Place]:
    """The places whose unit text is `text`."""
    return [place for place in document.places if document.text(place.ordinal) == text]


def allowed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def in_sequence(wanted: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    """Complains about the first wanted text that is not found after the one before it."""
    position = 0
    for text in wanted:
        if text not in found[position:]:
            where = "stands earlier than it should" if text in found else "is no unit"
            yield f"unit {text!r} {where}; units: {list(found)!r}"
            return
        position = found.index(text, position) + 1


def each(get: Callable[[Document, Place], Any], what: str) -> Check:
    """A check of one property by unit text, every place of that text."""

    def check(document: Document, wanted: dict[str, Any]) -> Iterator[str]:
        for text, value in wanted.items():
            places = at(document, text)
            if not places:
                yield f"no unit {text!r} ({what} {value!r} wanted); units: {all_texts(document)!r}"
            for place in places:
                found = get(document, place)
                if found not in allowed(value):
                    yield f"unit {text!r} has {what} {found!r}, wanted {value!r}"

    return check


def _texts(document: Document, wanted: list[str]) -> Iterator[str]:
    yield from in_sequence(wanted, all_texts(document))


def _only(document: Document, wanted: list[str]) -> Iterator[str]:
    if all_texts(document) != wanted:
        yield f"units are {all_texts(document)!r}, wanted {wanted!r}"


def _texts_rstrip(document: Document, wanted: list[str]) -> Iterator[str]:
    """As `only`, where one newline at the end of a unit is left open."""
    found = [text.removesuffix("\n") for text in all_texts(document)]
    if found != wanted:
        yield f"units are {found!r}, wanted {wanted!r}"


def _any_order(document: Document, wanted: list[str]) -> Iterator[str]:
    if sorted(all_texts(document)) != sorted(wanted):
        yield f"units are {all_texts(document)!r}, wanted in any order {wanted!r}"


def _only_squeezed(document: Document, wanted: list[str]) -> Iterator[str]:
    if [squeeze(text) for text in all_texts(document)] != wanted:
        yield f"units without white space are {[squeeze(t) for t in all_texts(document)]!r}, wanted {wanted!r}"


def _texts_squeezed(document: Document, wanted: list[str]) -> Iterator[str]:
    yield from in_sequence(wanted, [squeeze(text) for text in all_texts(document)])


def _squeezed(document: Document, wanted: list[str]) -> Iterator[str]:
    found = [squeeze(text) for text in all_texts(document)]
    yield from (f"no unit holds {text!r}; units: {found!r}" for text in wanted if not any(text in f for f in found))


def _conserved(document: Document, wanted: list[str]) -> Iterator[str]:
    everything = [squeeze(text) for text in all_texts(document)] + [lost(document)]
    gone = [text for text in wanted if not any(text in found for found in everything)]
    yield from (f"{text!r} is in no unit and no loss; units: {everything!r}" for text in gone)


def _only_count(document: Document, wanted: int) -> Iterator[str]:
    if len(document.places) != wanted:
        yield f"{len(document.places)} units, wanted {wanted}: {all_texts(document)!r}"


def _in_order(document: Document, wanted: list[str]) -> Iterator[str]:
    everything, position = "\n".join(all_texts(document)), 0
    for text in wanted:
        found = everything.find(text, position)
        if found < 0:
            yield f"{text!r} is {'too early' if text in everything else 'missing'} in {everything!r}"
            return
        position = found + len(text)


def _contains(document: Document, wanted: list[str]) -> Iterator[str]:
    found = all_texts(document)
    yield from (f"no unit holds {text!r}; units: {found!r}" for text in wanted if not any(text in f for f in found))


def _starts(document: Document, wanted: list[str]) -> Iterator[str]:
    found = all_texts(document)
    gone = [start for start in wanted if not any(text.startswith(start) for text in found)]
    yield from (f"no unit starts with {start!r}; units: {found!r}" for start in gone)


def _once(document: Document, wanted: list[str]) -> Iterator[str]:
    everything = "\n".join(all_texts(document))
    for text in wanted:
        if everything.count(text) != 1:
            yield f"{text!r} is said {everything.count(text)} times: {all_texts(document)!r}"


def _absent(document: Document, wanted: list[str]) -> Iterator[str]:
    found = all_texts(document)
    yield from (f"{text!r} must be in no unit: {found!r}" for text in wanted if any(text in f for f in found))


def _in_any(document: Document, wanted: list[list[str]]) -> Iterator[str]:
    found = all_texts(document)
    if not any(all(text in found for text in option) for option in wanted):
        yield f"none of {wanted!r} is among the units {found!r}"


def _not_main(document: Document, wanted: list[str]) -> Iterator[str]:
    for text in wanted:
        places = at(document, text)
        if not places:
            yield f"no unit {text!r} (role other than main wanted); units: {all_texts(document)!r}"
        yield from (f"unit {text!r} has role main" for place in places if place.role == "main")


def _not_main_contains(document: Document, wanted: list[str]) -> Iterator[str]:
    for place in document.places:
        text = document.text(place.ordinal)
        held = [part for part in wanted if part in text and place.role == "main"]
        yield from (f"unit {text!r} has role main and holds {part!r}" for part in held)


def _spans(document: Document, wanted: list[dict[str, Any]]) -> Iterator[str]:
    for want in wanted:
        if not any(_matches(document, span, want) for span in document.spans):
            yield f"no span {want!r}; spans: {describe(document)}"


def _matches(document: Document, span: Span, want: dict[str, Any]) -> bool:
    ends = document.text(span.first) == want["first"] and document.text(span.last) == want["last"]
    data = all(span.data.get(key) == value for key, value in want.get("data", {}).items())
    return span.kind in allowed(want["kind"]) and ends and data


def describe(document: Document) -> list[tuple[str, str, str]]:
    """Spans as kind, first text and last text, for messages."""
    return [(span.kind, document.text(span.first), document.text(span.last)) for span in document.spans]


def _no_spans(document: Document, wanted: list[str]) -> Iterator[str]:
    yield from (f"span {span!r} must not be" for span in document.spans if span.kind in wanted)


def _rows_of(document: Document) -> list[list[str]]:
    rows = [place.ordinal for place in document.places if document.unit(place.ordinal).kind == "table_row"]
    return [list(cells(document, ordinal)) for ordinal in rows]


def _rows(document: Document, wanted: list[list[str]]) -> Iterator[str]:
    if _rows_of(document) != wanted:
        yield f"rows are {_rows_of(document)!r}, wanted {wanted!r}"


def _rows_squeezed(document: Document, wanted: list[list[str]]) -> Iterator[str]:
    found = [[squeeze(cell) for cell in row] for row in _rows_of(document)]
    if found != wanted:
        yield f"rows without white space are {found!r}, wanted {wanted!r}"


def _rows_contain(document: Document, wanted: list[list[str]]) -> Iterator[str]:
    yield from (f"no row {row!r} in {_rows_of(document)!r}" for row in wanted if row not in _rows_of(document))


def _header_rows(document: Document, wanted: list[list[str]]) -> Iterator[str]:
    tables = [span for span in document.spans if span.kind == "table"]
    found = [[document.text(ordinal) for ordinal in span.data.get("header_rows", ())] for span in tables]
    if found != wanted:
        yield f"header rows by table are {found!r}, wanted {wanted!r}"


def number(document: Document, place: Place) -> int | None:
    """The number of the innermost list item that holds the place."""
    around = [span for span in document.spans if span.first <= place.ordinal <= span.last]
    items = [span for outer, span in pairwise(around) if outer.kind == "list" and span.kind == "item"]
    return items[-1].data.get("number") if items else None


def trail_texts(document: Document, place: Place) -> list[str]:
    return [document.text(ordinal) for ordinal in trail(document, place.ordinal)]


def _trails(document: Document, wanted: dict[str, list[str]]) -> Iterator[str]:
    yield from each(trail_texts, "trail")(document, {text: [value] for text, value in wanted.items()})


def _levels(document: Document, pairs: list[list[str]], step: int) -> Iterator[str]:
    for outer, inner in pairs:
        a, b = at(document, outer), at(document, inner)
        if not a or not b:
            yield f"no unit {outer!r} or {inner!r}; units: {all_texts(document)!r}"
        elif b[0].level - a[0].level != step:
            yield f"level of {inner!r} is {b[0].level}, of {outer!r} {a[0].level}; wanted a difference of {step}"


def _marks(document: Document, wanted: dict[str, list[list[str]]]) -> Iterator[str]:
    for text, marks in wanted.items():
        places = at(document, text)
        if not places:
            yield f"no unit {text!r} (marks {marks!r} wanted); units: {all_texts(document)!r}"
        for place in places:
            found = [(m.kind, text[m.start : m.end], m.value) for m in place.marks]
            for want in marks:
                if not any(list(have[: len(want)]) == want for have in found):
                    yield f"unit {text!r} has no mark {want!r}; marks: {found!r}"


def _no_marks(document: Document, wanted: dict[str, list[str]]) -> Iterator[str]:
    for text, kinds in wanted.items():
        for place in at(document, text):
            yield from (f"unit {text!r} must have no mark {mark!r}" for mark in place.marks if mark.kind in kinds)


def _mark_kinds(document: Document, wanted: dict[str, list[str]]) -> Iterator[str]:
    for text, kinds in wanted.items():
        have = {mark.kind for place in at(document, text) for mark in place.marks}
        yield from (f"unit {text!r} has no mark of kind {kind}" for kind in kinds if kind not in have)


def _cell_marks(document: Document, wanted: dict[str, list[list[Any]]]) -> Iterator[str]:
    for text, marks in wanted.items():
        found = [
            [text[m.start : m.end], m.rows, m.cols, m.header]
            for place in at(document, text) for m in place.marks if m.kind == "cell"
        ]  # fmt: skip
        if found != marks:
            yield f"cells of {text!r} are {found!r}, wanted {marks!r}"


def _by_start(get: Callable[[Document, Place], Any], what: str) -> Check:
    def check(document: Document, wanted: dict[str, Any]) -> Iterator[str]:
        for start, value in wanted.items():
            place = next((p for p in document.places if document.text(p.ordinal).startswith(start)), None)
            if place is None:
                yield f"no unit starts with {start!r}; units: {all_texts(document)!r}"
            elif get(document, place) not in allowed(value):
                yield f"unit starting {start!r} has {what} {get(document, place)!r}, wanted {value!r}"

    return check


def _rendered(document: Document) -> str:
    return markdown(document, range(len(document.places)))


def _markdown(document: Document, wanted: list[str]) -> Iterator[str]:
    text = _rendered(document)
    yield from (f"the Markdown lacks {part!r}: {text!r}" for part in wanted if part not in text)


def _markdown_regex(document: Document, wanted: list[str]) -> Iterator[str]:
    text = _rendered(document)
    yield from (f"the Markdown has no match of {part!r}: {text!r}" for part in wanted if not re.search(part, text))


def _equal(get: Callable[[Document], Any], what: str, *, wanted_in: bool = True) -> Check:
    def check(document: Document, wanted: Any) -> Iterator[str]:
        if (get(document) in allowed(wanted)) != wanted_in:
            yield f"the document's {what} is {get(document)!r}, {'wanted' if wanted_in else 'not wanted'} {wanted!r}"

    return check


CHECKS: dict[str, Check] = {
    "texts": _texts,
    "only": _only,
    "texts_rstrip": _texts_rstrip,
    "texts_any_order": _any_order,
    "only_squeezed": _only_squeezed,
    "texts_squeezed": _texts_squeezed,
    "squeezed": _squeezed,
    "squeezed_conserved": _conserved,
    "only_count": _only_count,
    "in_order": _in_order,
    "contains": _contains,
    "starts": _starts,
    "once": _once,
    "absent": _absent,
    "texts_in_any": _in_any,
    "kinds": each(lambda document, place: document.units[place.unit].kind, "kind"),
    "kinds_start": _by_start(lambda document, place: document.units[place.unit].kind, "kind"),
    "roles": each(lambda _, place: place.role, "role"),
    "not_main": _not_main,
    "not_main_contains": _not_main_contains,
    "visible": each(lambda _, place: place.visible, "visible"),
    "levels": each(lambda _, place: place.level, "level"),
    "deeper": lambda document, pairs: _levels(document, pairs, 1),
    "same_level": lambda document, pairs: _levels(document, pairs, 0),
    "languages": each(lambda _, place: place.language, "language"),
    "anchors_start": _by_start(lambda _, place: place.anchor, "anchor"),
    "spans": _spans,
    "no_spans": _no_spans,
    "rows": _rows,
    "rows_squeezed": _rows_squeezed,
    "rows_contain": _rows_contain,
    "header_rows": _header_rows,
    "numbers": each(number, "number"),
    "trails": _trails,
    "marks": _marks,
    "no_marks": _no_marks,
    "mark_kinds": _mark_kinds,
    "cell_marks": _cell_marks,
    "markdown": _markdown,
    "markdown_regex": _markdown_regex,
    "title": _equal(lambda document: document.title, "title"),
    "not_title": _equal(lambda document: document.title, "title", wanted_in=False),
    "language": _equal(lambda document: document.language, "language"),
    "encoding_in": _equal(lambda document: document.encoding.lower(), "encoding"),
}
