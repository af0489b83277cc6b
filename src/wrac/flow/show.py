"""One chunk with its units, their names and addresses, and where it stands."""

from __future__ import annotations

import re

from sqlalchemy import Connection

from wrac import catalog
from wrac.catalog import Record, contents
from wrac.core.errors import NotFoundError
from wrac.core.structure import names
from wrac.flow.links import passage_link
from wrac.flow.report import Shown, ShownUnit
from wrac.flow.rows import trail_texts


def show(connection: Connection, place: str, wanted: str) -> Shown:
    """The chunk whose id is `wanted` or begins so; the tag `c1:` may be left out.

    Raises NotFoundError when there is none, or more than one.
    """
    chunk = _find(connection, place, wanted.strip().lower().removeprefix("c1:"), wanted)
    places = catalog.pages_of_chunk(connection, chunk)
    url, position = places[0]
    record = catalog.get(connection, url)
    if record is None:
        raise NotFoundError(place, f"page {url} is missing", "run `wrac verify`")
    return _shown(record, position, tuple(dict.fromkeys(page for page, _ in places)))


def _find(connection: Connection, place: str, digits: str, wanted: str) -> str:
    hexadecimal = re.fullmatch("[0-9a-f]{1,32}", digits)
    found = contents.find_chunks(connection, digits, 4) if hexadecimal else []
    if not found:
        raise NotFoundError(place, f"no chunk is called {wanted}", "take an id from `wrac search`")
    if len(found) > 1:
        some = ", ".join(one[: len(digits) + 7] for one in found[:3])
        raise NotFoundError(place, f"several chunks begin with {wanted} ({some}…)", "give more digits")
    return found[0]


def _shown(record: Record, position: int, pages: tuple[str, ...]) -> Shown:
    document, chunk, occurrence = record.document, record.chunks[position], record.occurrences[position]
    called = names(document)
    ordinals = {document.places[ordinal].unit: ordinal for ordinal in reversed(occurrence.ordinals)}
    units = []
    for piece in chunk.slices:
        unit, ordinal = document.units[piece.unit], ordinals[piece.unit]
        text = unit.text[piece.start : piece.end]
        address = document.places[ordinal].address
        units.append(ShownUnit(unit.id, unit.kind, called[ordinal], text, piece.start, piece.end, address))
    return Shown(
        chunk=chunk.id,
        text=chunk.text,
        markdown=occurrence.markdown,
        trail=trail_texts(document, chunk),
        tokens=chunk.tokens,
        url=record.page.url,
        anchor=occurrence.anchor,
        link=passage_link(document, chunk, occurrence, record.page.url),
        planner=record.plan.planner,
        units=tuple(units),
        pages=pages,
    )
