"""A parsed page, its plan and its chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from wrac.contract.base import Json
from wrac.core.structure import names, numbers, table_cells, trails
from wrac.core.types import Address, DataAddress, Document, HtmlAddress, Loss, Mark, Occurrence, Page, Plan, Span
from wrac.flow.links import passage_link

if TYPE_CHECKING:
    from wrac.core.types import Chunk


def place_rows(document: Document) -> Iterator[Json]:
    """A row for each place, in order."""
    from wrac.text.detection import direction, languages  # a search is told without

    above, called, ordered, cells = trails(document), names(document), numbers(document), table_cells(document)
    spoken = languages(document)
    for place in document.places:
        unit, ordinal = document.units[place.unit], place.ordinal
        row = {
            "ordinal": ordinal,
            "id": unit.id,
            "kind": unit.kind,
            "text": unit.text,
            "level": place.level,
            "role": place.role,
            "score": place.score,
            "visible": place.visible,
            "language": spoken[ordinal],
            "direction": direction(unit.text),
            **where(place.address),
            "anchor": place.anchor,
            "name": called[ordinal],
            "marks": [mark(m) for m in place.marks],
            "trail": list(above[ordinal]),
        }
        if ordinal in cells:
            row["cells"] = list(cells[ordinal])
        if ordinal in ordered:
            row["number"] = ordered[ordinal]
        yield row


def structure_row(document: Document) -> Json:
    """The last row of a parse: spans and losses."""
    return {"spans": [span(s) for s in document.spans], **losses_row(document)}


def losses_row(document: Document) -> Json:
    """What is in no unit."""
    return {"losses": [loss(x) for x in document.losses]}


def where(address: Address) -> Json:
    """The `selector` and `ranges` of an address; a string in JSON adds its `pointer`, one in an attribute or in a part
    of a file `within`. A place in an office file has `part` and `shape` instead, one in a PDF `page` and `boxes`.
    """
    if not isinstance(address, HtmlAddress | DataAddress):
        return {"selector": "", "ranges": [], **asdict(address)}
    found: Json = {"selector": "", "ranges": [[address.start, address.end]]}
    found |= {"selector": address.selector} if isinstance(address, HtmlAddress) else {"pointer": address.pointer}
    return {**found, "within": where(address.within)} if address.within else found


def mark(value: Mark) -> Json:
    """A mark without what is empty; cells keep their spans."""
    row: Json = {"kind": value.kind, "start": value.start, "end": value.end}
    if value.value:
        row["value"] = value.value
    if value.kind == "cell":
        row |= {"rows": value.rows, "cols": value.cols, "header": value.header}
    return row


def span(value: Span) -> Json:
    """A span; `parent` is the index of another in the same list, -1 at the top."""
    data = {key: list(x) if isinstance(x, tuple) else x for key, x in value.data.items()}
    return {"kind": value.kind, "first": value.first, "last": value.last, "parent": value.parent, "data": data}


def loss(value: Loss) -> Json:
    """A loss."""
    return asdict(value)


def plan_row(plan: Plan) -> Json:
    """A plan."""
    return {
        "document": plan.document,
        "groups": [list(group) for group in plan.groups],
        "omitted": {str(ordinal): reason for ordinal, reason in sorted(plan.omitted.items())},
        "planner": plan.planner,
        "usage": asdict(plan.usage),
    }


def chunk_row(chunk: Chunk, trail: Iterable[str], markdown: str, occurrences: list[Json], language: str = "") -> Json:
    """A chunk with all its occurrences, and the distinct names, dates, amounts, versions and codes in its text."""
    from wrac.text.entities import entities

    named = dict.fromkeys((one.kind, one.text) for one in entities(chunk.text, language))
    return {
        "id": chunk.id,
        "text": chunk.text,
        "markdown": markdown,
        "trail": list(trail),
        "units": [piece.unit for piece in chunk.slices],
        "occurrences": occurrences,
        "tokens": chunk.tokens,
        "entities": [{"kind": kind, "text": text} for kind, text in named],
    }


def occurrence_row(document: Document, chunk: Chunk, value: Occurrence, page: Page) -> Json:
    """Where a chunk stands on a page: a selector and a range `[start, end]` for each ordinal, in their order.

    `meta` is what `wrac index` keeps for `--where`: the page's own and the `--meta` given.
    """
    places = [where(document.places[ordinal].address) for ordinal in value.ordinals]
    return {
        "url": page.url,
        "title": document.title,
        "meta": {**document.meta, **page.meta},
        "ordinals": list(value.ordinals),
        "anchor": value.anchor,
        "link": passage_link(document, chunk, value, page.url),
        "label": asdict(value.label) if value.label else None,
        "selectors": [place["selector"] for place in places],
        "ranges": [pair for place in places for pair in place["ranges"]],
    }
