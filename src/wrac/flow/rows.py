"""Index rows of a stored page: what the catalog knows, said so that a row can stand alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from email.utils import parsedate_to_datetime

from wrac.catalog import Record, vectors
from wrac.core.types import Chunk, Document, Entry, Label, Occurrence, Place
from wrac.flow.links import passage_link, plain
from wrac.indexing import Row
from wrac.text.analysis import analyse
from wrac.text.detection import detect


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
    return record.document.language or detect("\n".join(chunk.text for chunk in record.chunks))


def _row(record: Record, position: int, entry: Entry, language: str, terms: Sequence[Sequence[str]] | None) -> Row:
    chunk, occurrence, document = record.chunks[position], record.occurrences[position], record.document
    whole = terms is not None and len(record.entries[position]) == 1 and entry.whole
    units = tuple(piece.unit for piece in chunk.slices)
    return Row(
        entry=entry.id,
        chunk=chunk.id,
        page=record.page.url,
        position=position,
        text=_without_nul(chunk.text),
        prefix=_without_nul(entry.prefix),
        start=entry.start,
        end=entry.end,
        units=units,
        trail=trail_texts(document, chunk),
        anchor=occurrence.anchor,
        link=passage_link(document, chunk, occurrence, record.page.url),
        tokens=chunk.tokens,
        planner=record.plan.planner,
        language=language,
        kinds=tuple(sorted({document.units[unit].kind for unit in units})),
        roles=_roles(document, occurrence),
        label=label_of(occurrence.label),
        date=date_of(record),
        meta={name: _without_nul(value) for name, value in {**document.meta, **record.page.meta}.items()},
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
    return tuple(" ".join(plain(document, places[unit]).split()) for unit in chunk.trail)


def _without_nul(text: str) -> str:
    """The text with U+FFFD for U+0000, which not every store can hold; the catalog has it as it is."""
    return text.replace("\0", "\ufffd") if "\0" in text else text


def label_of(label: Label | None) -> str:
    """A signature in one line: `Loans: gold loan, interest; 225B`."""
    if label is None:
        return ""
    named = ", ".join(label.nouns)
    about = f"{label.category}: {named}" if label.category and named else label.category or named
    return "; ".join(part for part in (about, label.model) if part)


_DATES = ("article:modified_time", "dcterms.modified", "last-modified", "updated", "modified", "article:published_time",
          "dcterms.date", "dc.date", "date", "published")  # fmt: skip


def date_of(record: Record) -> str:
    """The ISO date that a page says of itself, or its server of it: the last change before the first day."""
    said = {name.lower(): value for name, value in {**record.document.meta, **record.page.meta}.items()}
    for value in (*(said[name] for name in _DATES if name in said), record.page.last_modified):
        if found := _iso(value.strip()):
            return found
    return ""


def _iso(value: str) -> str:
    """The day of an ISO or an HTTP date; empty for anything else."""
    with suppress(ValueError):
        return date.fromisoformat(value[:10]).isoformat()
    with suppress(ValueError):
        return parsedate_to_datetime(value).date().isoformat()
    return ""


def _roles(document: Document, occurrence: Occurrence) -> tuple[str, ...]:
    return tuple(sorted({document.places[ordinal].role for ordinal in occurrence.ordinals}))
