"""Stored pages to evidence for an answer: the units of passages, of a document, of the corpus; and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from wrac.answering.evidence import Passage, Said
from wrac.core.answers import Citation
from wrac.core.structure import names, numbers, table_at, table_cells, trail
from wrac.core.types import Chunk, Document, Occurrence, Slice
from wrac.flow.gather import Pages, held
from wrac.flow.links import passage_link, plain
from wrac.retrieval import Block

if TYPE_CHECKING:
    from wrac.answering.check import Cited

_DEEPEST = 6  # items deeper than this are set in as far as this


def of_blocks(pages: Pages, blocks: Iterable[Block]) -> list[Passage]:
    """The blocks of a context as passages."""
    found = []
    for block in blocks:
        record = pages.record(block.page)
        ranges = held(record, [part.position for part in block.parts])
        found.append(Passage(block.page, record.document.title, block.heading, tuple(_said(record.document, ranges))))
    return found


def of_pages(pages: Pages, urls: Iterable[str]) -> list[Passage]:
    """Pages whole, as far as their plans keep them, each one passage; a chunk that stands on several is said once."""
    found, known = [], set[str]()
    for url in urls:
        record = pages.record(url)
        fresh = [position for position, chunk in enumerate(record.chunks) if chunk.id not in known]
        known.update(chunk.id for chunk in record.chunks)
        said = tuple(_said(record.document, held(record, fresh)))
        if said:
            found.append(Passage(url, record.document.title, "", said))
    return found


def citations(pages: Pages, cited: Iterable[Cited]) -> tuple[Citation, ...]:
    """What was cited, with names and links."""
    called: dict[str, Sequence[str]] = {}
    found = []
    for source, quote in cited:
        document, (unit, ordinal, *_) = pages.record(source.url).document, source.said
        if source.url not in called:
            called[source.url] = names(document)
        link = _link(document, ordinal, source.url)
        heading = " › ".join(" ".join(plain(document, document.places[o]).split()) for o in trail(document, ordinal))
        found.append(Citation(source.mark, unit, source.url, called[source.url][ordinal], link, quote, heading))
    return tuple(found)


def _link(document: Document, ordinal: int, url: str) -> str:
    """The link that opens a page at one of its units."""
    place, text = document.places[ordinal], document.text(ordinal)
    near = (ordinal, *reversed(trail(document, ordinal)))
    anchor = next((found for o in near if (found := document.places[o].anchor)), "")
    chunk = Chunk((Slice(place.unit, 0, len(text)),), (), text, 0)
    return passage_link(document, chunk, Occurrence(chunk.id, url, (ordinal,), anchor), url)


def _said(document: Document, ranges: dict[int, tuple[int, int]]) -> Iterator[Said]:
    """The units of a passage in reading order; a part of a table has the table's header rows before it."""
    rows = {ordinal for ordinal in ranges if document.unit(ordinal).kind == "table_row"}
    cells = table_cells(document) if rows else {}
    counted = numbers(document)
    for ordinal in sorted({*ranges, *_heads(document, rows)}):
        unit, place = document.unit(ordinal), document.places[ordinal]
        start, end = ranges.get(ordinal, (0, len(unit.text)))
        text, shown = unit.text[start:end], ""
        if unit.kind == "list_item":
            lead = f"{counted[ordinal]}." if ordinal in counted else "-"
            shown = f"{'  ' * min(max(place.level - 1, 0), _DEEPEST)}{lead} {text}"
        elif (row := "\t".join(cells.get(ordinal, ()))) and text == unit.text:
            shown = row
        elif unit.kind == "heading":
            text = plain(document, place)
        yield Said(unit.id, ordinal, text, shown if shown != text else "", place.level if unit.kind == "heading" else 0)


def _heads(document: Document, rows: Iterable[int]) -> Iterator[int]:
    """The header rows of the tables that rows are of."""
    for ordinal in rows:
        table = table_at(document, ordinal)
        if table is not None:
            yield from (head for head in table.data.get("header_rows", ()) if head < ordinal)
