"""CSV and TSV to a Document: one table, each record a unit, its cells joined by a tab."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from wrac.core.errors import InputError
from wrac.core.types import Document, Mark, Page
from wrac.parsing.emit import Emitter
from wrac.parsing.finish import nest, places_of
from wrac.parsing.frames import Frame, SpanDraft
from wrac.parsing.grids import header_rows
from wrac.parsing.run import Line
from wrac.parsing.source import decode

PARSER: Final = "csv@1"
CONTEXT: Final = "csv"
CSV: Final = "text/csv"
TSV: Final = "text/tab-separated-values"
TYPES: Final = (CSV, TSV)
_DELIMITERS: Final = "\t;,|"  # of two that cut equally well the first: a comma is in decimals and prose too
_LOOKED_AT: Final = 200  # records that tell the delimiter
_SAMPLE: Final = 65_536  # code points of them


class Record(NamedTuple):
    """The fields of a record and its range in the source."""

    fields: list[str]
    start: int
    end: int


def parse_delimited(page: Page) -> Document:
    """The Document of a CSV or TSV page; an address is the record's range in the source."""
    source, encoding = decode(page.body, page.charset)
    delimiter = delimiter_of(source)
    try:
        records = list(records_of(source, delimiter))
    except csv.Error as error:
        raise InputError(page.url, f"no delimited text: {error}", "save it as CSV in UTF-8") from error
    walk = _walk(source, [record for record in records if any(map(str.strip, record.fields))])
    places, units = places_of(walk.drafts)
    spans = nest(walk.spans, len(places))
    return Document(page.body_id, page.media_type, encoding, PARSER, "", "", units, places, spans)


def _walk(source: str, records: list[Record]) -> Emitter:
    walk = Emitter(lambda: source)
    frame = Frame(None, "", iter(()), None, 0)
    heads = header_rows([record.fields for record in records[:_LOOKED_AT]])
    for number, record in enumerate(records):
        draft = walk.add("table_row", row_line(record.fields, header=number in heads), frame)
        draft.start, draft.end, draft.context = record.start, record.end, CONTEXT
    if records:
        table = SpanDraft("table", 0, {"header_rows": list(heads), "groups": [0]})
        table.last = len(records) - 1
        walk.spans.append(table)
    return walk


def row_line(cells: list[str], *, header: bool) -> Line:
    """A row's cells joined by a tab, with a mark for each; trailing empty cells are left out."""
    texts = [" ".join(cell.split("\t")).strip() for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    marks, at = [], 0
    for text in texts:
        marks.append(Mark("cell", at, at + len(text), header=header))
        at += len(text) + 1
    return Line("\t".join(texts), tuple(marks), ())


def text_of(piece: str, delimiter: str) -> str:
    """The text of the record that a piece of source is."""
    record = next(records_of(piece, delimiter), None)
    return row_line(record.fields, header=False).text if record else ""


def records_of(source: str, delimiter: str) -> Iterator[Record]:
    """The records of a source, in order; a quoted field may hold delimiters, quotes and line ends."""
    read = 0

    def lines() -> Iterator[str]:
        nonlocal read
        for found in re.finditer(r"[^\n]*\n|[^\n]+", source):
            read = found.end()
            yield found[0]

    start = 0
    for fields in csv.reader(lines(), delimiter=delimiter, strict=False):
        yield Record(fields, start, read)
        start = read


def delimiter_of(source: str) -> str:
    """The delimiter that cuts the first records into the most equal rows of several fields."""
    head = "".join(re.findall(r"[^\n]*\n|[^\n]+", source[:_SAMPLE])[:_LOOKED_AT])
    return max(_DELIMITERS, key=lambda one: _evenness(head, one))


def _evenness(head: str, delimiter: str) -> float:
    """How many of the records have the commonest number of fields, where that is more than one."""
    widths = [len(record.fields) for record in records_of(head, delimiter) if record.fields]
    widths = widths[:-1] or widths  # the sample may have cut the last one
    if not widths:
        return 0.0
    commonest = max(set(widths), key=lambda width: (widths.count(width), width))
    return widths.count(commonest) / len(widths) if commonest > 1 else 0.0
