"""Index rows of a stored page: what the catalog knows, said so that a row can stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from wrac.catalog import Record, vectors
from wrac.core.types import Chunk, Document, Entry, Occurrence, Place
from wrac.flow.links import link
from wrac.indexing import Row
from wrac.text.analysis import analyse, guess


def rows_of(record: Record, language: str, terms: Sequence[Sequence[str]] | None = None) -> list[Row]:
    """A row for each entry of the page, in order.

    `terms`, aligned with the chunks, are those of each first entry where it is the whole chunk under its first prefix;
    without them all are analysed here.
    """
    return [
        _row(record, position, entry, language, terms) for position, made in enumerate(record.entries) for entry in made
    ]


def language_of(record: Record) -> str:
    """The language the page's terms were analysed in."""
    return record.document.language or guess("\n".join(chunk.text for chunk in record.chunks))


def _row(record: Record, position: int, entry: Entry, language: str, terms: Sequence[Sequence[str]] | None) -> Row:
    chunk, occurrence, document = record.chunks[position], record.occurrences[position], record.document
    whole = terms is not None and len(record.entries[position]) == 1 and entry.whole
    units = tuple(piece.unit for piece in chunk.slices)
    return Row(
        entry=entry.id,
        chunk=chunk.id,
        page=record.page.url,
        position=position,
        text=chunk.text,
        prefix=entry.prefix,
        start=entry.start,
        end=entry.end,
        units=units,
        trail=trail_texts(document, chunk),
        anchor=occurrence.anchor,
        link=passage_link(record, position),
        tokens=chunk.tokens,
        planner=record.plan.planner,
        language=language,
        kinds=tuple(sorted({document.units[unit].kind for unit in units})),
        roles=_roles(document, occurrence),
        meta={**document.meta, **record.page.meta},
        terms=tuple(terms[position]) if whole and terms is not None else tuple(analyse(entry.text, language)),
        key=vectors.key(entry.text),
    )


def trail_texts(document: Document, chunk: Chunk) -> tuple[str, ...]:
    """The headings above a chunk, each on one line."""
    wanted = frozenset(chunk.trail)
    places: dict[str, Place] = {}
    for place in document.places if wanted else ():
        if place.unit in wanted:
            places.setdefault(place.unit, place)
    return tuple(" ".join(_plain(document, places[unit]).split()) for unit in chunk.trail)


def passage_link(record: Record, position: int) -> str:
    """The link that opens the page at one of its chunks."""
    occurrence, slices = record.occurrences[position], record.chunks[position].slices
    cut = {piece.unit: piece for piece in slices}
    texts = []
    for ordinal in _markable(record.document, occurrence.ordinals):
        place = record.document.places[ordinal]
        piece = cut.get(place.unit)
        whole = piece is None or piece.end - piece.start == len(record.document.text(ordinal))
        texts.append(_plain(record.document, place) if whole or piece is None
                     else record.document.text(ordinal)[piece.start : piece.end])  # fmt: skip
    return link(record.page.url, occurrence.anchor, texts)


def _markable(document: Document, ordinals: Sequence[int]) -> Sequence[int]:
    """The places that a browser can mark: what is shown, or in a `details` that it opens; all when none is."""
    opened = {o for s in document.spans if s.kind == "details" for o in range(s.first, s.last + 1)}
    return [o for o in ordinals if document.places[o].visible == "visible" or o in opened] or ordinals


def _roles(document: Document, occurrence: Occurrence) -> tuple[str, ...]:
    return tuple(sorted({document.places[ordinal].role for ordinal in occurrence.ordinals}))


def _plain(document: Document, place: Place) -> str:
    """A place's text without its permalink, the sign that a page shows only under the pointer."""
    text = document.units[place.unit].text
    for mark in reversed(place.marks):
        if mark.kind == "permalink":
            text = text[: mark.start] + text[mark.end :]
    return text
