"""PDF to a Document: glyphs to lines, lines to blocks, blocks to places; and addresses back to text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from wrac.core.errors import WracError
from wrac.core.types import Document, Page, PdfAddress
from wrac.parsing.finish import nest, places_of
from wrac.parsing.pdf_blocks import Block, Flow, read_blocks
from wrac.parsing.pdf_headings import mark_headings
from wrac.parsing.pdf_layout import arrange, edge_lines
from wrac.parsing.pdf_measure import Measure
from wrac.parsing.pdf_places import Walk
from wrac.parsing.pdf_read import Facts, Sheet, read_pdf
from wrac.parsing.pdf_running import Running, running_lines
from wrac.parsing.pdf_tables import Table, ruled_tables
from wrac.parsing.pdf_text import DROP, Line, Reader, Vocabulary, Word, compose, text_of, words_of

PARSER: Final = "pdf@1"
_NO_TITLE: Final = re.compile(
    r"untitled|title|(?:microsoft \w+ - )?\S*\.(?:docx?|tex|dvi|indd|pdf|html?|odt|rtf|pptx?)", re.IGNORECASE
)


def parse(page: Page) -> Document:
    """The Document of a PDF.

    Raises InputError for bytes that are none or cannot be opened, LimitError for what is beyond a cap.
    """
    said, read = read_pdf(page)
    walk = Walk(read)
    words = []
    for sheet in read:
        found, losses = words_of(sheet)
        words.append(found)
        walk.losses += losses
        walk.readers[sheet.number] = Reader(found)
        walk.pictures(sheet, sum(len(word.text) for word in found))
    flow, running = _understood(read, words, said)
    walk.flow(flow)
    walk.running(running)
    places, units = places_of(walk.drafts)
    return Document(
        body=page.body_id,
        media_type=page.media_type,
        encoding="",
        parser=PARSER,
        title=_title(said, flow),
        language=said.language,
        units=units,
        places=places,
        spans=nest(walk.spans, len(places)),
        losses=tuple(walk.losses),
    )


def _understood(read: Sequence[Sheet], words: Sequence[list[Word]], said: Facts) -> tuple[list[Flow], list[Running]]:
    """The blocks and tables in reading order, and the running lines."""
    ruled = [
        ruled_tables(sheet.number, sheet.drawn, [word for word in found if not word.font.turn])
        for sheet, found in zip(read, words, strict=True)
    ]
    edges = [edge_lines(*page) for page in zip(read, ruled, words, strict=True)]
    running = running_lines(read, edges, _size(words))
    pages = []
    for sheet, tables, found, runs in zip(read, ruled, words, running, strict=True):
        held = {word.at for run in runs for word in run.line.words}
        held |= {word.at for table in tables for word in table.words}
        pages.append(arrange(sheet, tables, [word for word in found if word.at not in held]))
    vocabulary = Vocabulary()
    for pieces in pages:
        for piece in pieces:
            vocabulary.learn([piece] if isinstance(piece, Line) else piece.lines())
    measure = Measure.of([piece for pieces in pages for piece in pieces if isinstance(piece, Line)])
    flow = read_blocks(read, pages, measure, vocabulary)
    mark_headings(flow, read, said, measure)
    for table in flow:
        if isinstance(table, Table):
            _wrap_cells(table, vocabulary)
    return flow, [run for runs in running for run in runs]


def _size(words: Iterable[Iterable[Word]]) -> float:
    """The size of most glyphs."""
    sizes: Counter[float] = Counter()
    for page in words:
        for word in page:
            sizes[word.font.size] += len(word.text)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0


def _wrap_cells(table: Table, vocabulary: Vocabulary) -> None:
    """Tells how the lines of each cell join."""
    for row in table.rows:
        for cell in row:
            joins = [vocabulary.join(line, after) for line, after in pairwise(cell.lines)]
            cell.joins = ["", *joins] if cell.lines else []


def _title(said: Facts, flow: Iterable[Flow]) -> str:
    if said.title and not _NO_TITLE.fullmatch(said.title):
        return said.title
    heads = [block for block in flow if isinstance(block, Block) and block.kind == "heading"][:8]
    if not heads:
        return said.title
    largest = max(heads, key=lambda block: block.size)
    return compose(largest.parts)[0]


def sources(page: Page) -> Iterator[str]:
    """The glyph text of each page."""
    for sheet in read_pdf(page)[1]:
        yield "".join(glyph.text for run in sheet.runs for glyph in run)


class BoxReader:
    """Reads back the text in the boxes of addresses."""

    def __init__(self, page: Page) -> None:
        self._pages = {sheet.number: Reader(words_of(sheet)[0]) for sheet in read_pdf(page)[1]}

    def text(self, address: PdfAddress) -> str:
        """The text at an address. Raises WracError when a box of it is empty."""
        pieces: list[str] = []
        part: PdfAddress | None = address
        while part is not None:
            for join, box in zip(part.joins, part.boxes, strict=False):
                words = self._pages[part.page].words_in(box) if part.page in self._pages else []
                if not words:
                    raise WracError(f"page {part.page}: no text in the box {box}")
                if join == DROP:
                    pieces[-1] = pieces[-1][:-1]
                elif join:
                    pieces.append(join)
                pieces.append(text_of(words))
            pieces.append(part.joins[-1])
            part = part.rest
        return "".join(pieces)
