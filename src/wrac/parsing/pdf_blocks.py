"""Lines of a PDF to blocks: headings, paragraphs, items of lists, code, captions; over columns and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from wrac.parsing.pdf_layout import Piece
from wrac.parsing.pdf_measure import BULLET, Measure, runs_of
from wrac.parsing.pdf_read import Sheet
from wrac.parsing.pdf_tables import Table
from wrac.parsing.pdf_text import HYPHENS, Line, Part, Vocabulary, Word

BlockKind: TypeAlias = Literal["paragraph", "heading", "list_item", "code", "caption", "toc"]

_DASH: Final = re.compile(r"[-–—*·o+]")
_ORDERED: Final = re.compile(r"\(?(\d{1,3}|[a-zA-Z]|[ivxlIVXL]{2,5})[.)]")
_LEADER: Final = re.compile(r"(?:[.·…] ?){4,}\s*(?:\d+|[ivxlc]+)?$")
_CAPTION: Final = re.compile(
    r"(?:table|figure|fig\.|listing|example|tabelle|abbildung|abb\.|tableau|figura|tabla|tabella|таблица|рисунок|表|图|圖|図)"
    r"\s*[\dIVX]+(?:[.-]\d+)*\s*(?:[.:–—|]|$)",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"[.!?:;…。！？：；]['\"»”’)\]]*$")


@dataclass(slots=True)
class Block:
    """Lines that make one unit, with the joins before them. `marker` is what tells an item and is no text of it.

    `left` is where the text starts, `edge` where the marker does; `number` is an ordered item's, -1 in no such item.
    `above` is the white above the block in points, -1 where a column begins with it.
    """

    kind: BlockKind
    parts: list[Part]
    size: float
    left: float
    edge: float
    above: float = -1.0
    below: float = -1.0
    marker: tuple[Word, ...] = ()
    number: int = -1
    level: int = 0

    @property
    def first(self) -> Line:
        """Its first line."""
        return self.parts[0].line

    @property
    def last(self) -> Line:
        """Its last line."""
        return self.parts[-1].line

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(part.line.bold for part in self.parts)

    @property
    def italic(self) -> bool:
        """Whether all of it is italic."""
        return all(part.line.italic for part in self.parts)

    @property
    def mono(self) -> bool:
        """Whether all of it is set in glyphs of one width."""
        return all(part.line.mono for part in self.parts)

    @property
    def style(self) -> tuple[float, bool, bool]:
        """What headings of one level share."""
        return self.size, self.bold, self.italic

    def text(self) -> str:
        """Its lines, for looking at: spaces between them."""
        return " ".join(part.line.text for part in self.parts)


Flow: TypeAlias = Block | Table


class Builder:
    """Puts the lines of a document together, page by page, in reading order."""

    def __init__(self, measure: Measure, vocabulary: Vocabulary) -> None:
        self.measure = measure
        self.vocabulary = vocabulary
        self.flow: list[Flow] = []
        self._fresh = True  # no block of this column goes on without a look at how it ended
        self._before: Line | None = None
        self._dots: list[tuple[float, float, float, float]] = []
        self._right = 0.0
        self._lines: dict[int, list[Line]] = {}  # of the last two pages

    def page(self, sheet: Sheet, pieces: Sequence[Piece]) -> None:
        """Takes in the pieces of a page."""
        self._fresh, self._before, self._dots = True, None, sheet.drawn.dots
        lines = [piece for piece in pieces if isinstance(piece, Line)]
        self._lines = {number: held for number, held in self._lines.items() if number == sheet.number - 1}
        self._lines[sheet.number] = lines
        start = len(self.flow)
        for run in runs_of(pieces, self.measure):
            if isinstance(run, Table):
                self.flow.append(run)
                self._fresh, self._before = True, None
                continue
            self._right = max(line.x1 for line in run)
            for line in run:
                self._line(line)
        self._join_pages(start)

    # -- a line

    def _line(self, line: Line) -> None:
        before, self._before = self._before, line
        gap = self._gap(before, line)
        block = self.flow[-1] if self.flow and not self._fresh else None
        item = self._marked(line, block if isinstance(block, Block) else None, gap)
        if isinstance(block, Block):
            block.below = gap
            if item is None and self._goes_on(block, line, gap):
                block.parts.append(Part(self._join(block, line, gap), line))
                return
        made = item or self._plain(line)
        if isinstance(block, Block) and gap < 0 and self._continues(block, made):
            block.parts.append(Part(self.vocabulary.join(block.last, line), line))
            return
        made.above = gap
        self.flow.append(made)
        self._fresh = False

    def _gap(self, before: Line | None, line: Line) -> float:
        """The white between two lines beyond what is usual, in points; -1 where a column begins."""
        if before is None or line.middle < before.middle - 0.5 * line.size:
            return -1.0
        larger = line if line.size >= before.size else before
        return max(0.0, line.middle - before.middle - self.measure.pitch(larger))

    def _plain(self, line: Line) -> Block:
        kind: BlockKind = "code" if line.mono else "toc" if _LEADER.search(line.text) else "paragraph"
        return Block(kind, [Part("", line)], line.size, line.x0, line.x0)

    def _goes_on(self, block: Block, line: Line, gap: float) -> bool:
        """Whether a line belongs to the block before it."""
        last = block.last
        if block.kind == "code":
            return line.mono and 0 <= gap < 2.2 * self.measure.pitch(line) and abs(line.size - last.size) < 1
        if block.kind == "toc" or gap < 0 or gap > 0.22 * self.measure.pitch(line) + 0.5:
            return False
        if abs(line.size - last.size) > 0.06 * last.size + 0.2 and not _scripts(line, last):
            return False
        wrapped = self._wrapped(block, line)
        hangs = block.kind == "list_item" and abs(line.x0 - block.left) < 0.4 * line.size
        labels = last.text[-1] == ":" and line.mono == last.mono and abs(line.x0 - last.x0) < 0.4 * line.size
        if (line.bold, line.mono) != (last.bold, last.mono) and not hangs and not labels:
            return wrapped and not (line.mono and _ENDS.search(last.text))
        if wrapped or hangs:
            return not self._indents(block, line)
        broken = labels or (self.measure.breaks and abs(line.x0 - last.x0) < 0.4 * line.size and not line.bold)
        return broken or self._centred(block, line)

    def _wrapped(self, block: Block, line: Line) -> bool:
        """Whether the first word of a line would not have fitted at the end of the block's last one."""
        last = block.last
        if last.text[-1] in HYPHENS and len(last.words[-1].text) > 1:
            return True
        return self._right - last.x1 - 0.3 * last.size - line.first_width() < 0.3 * last.size

    def _centred(self, block: Block, line: Line) -> bool:
        """Whether both lines stand around one middle, as those of a title do."""
        last = block.last
        off = abs((last.x0 + last.x1) - (line.x0 + line.x1)) / 2
        heads = line.bold or line.size > 1.08 * self.measure.body
        return heads and off < 2 and abs(last.x0 - line.x0) > 4

    def _indents(self, block: Block, line: Line) -> bool:
        """Whether a line begins a paragraph by standing further right, or ends an item by standing further left."""
        step = line.x0 - block.last.x0
        if len(block.parts) == 1:
            if block.kind == "list_item":
                return line.x0 < block.edge - 0.5 * line.size
            return False
        return 0.8 * line.size < step < 4.5 * line.size or (block.kind == "list_item" and step < -0.6 * line.size)

    def _join(self, block: Block, line: Line, gap: float) -> str:
        if block.kind != "code":
            return self.vocabulary.join(block.last, line) if self._wrapped(block, line) else "\n"
        return "\n" * (1 + round(max(gap, 0) / self.measure.pitch(line)))

    # -- items of lists

    def _marked(self, line: Line, block: Block | None, gap: float) -> Block | None:
        """The item that a line begins, None when it begins none."""
        dot = self._dot(line)
        if dot is not None:
            return self._item(line, (), dot)
        first = line.words[0]
        rest = line.words[1:]
        if not rest or (line.mono and not BULLET.fullmatch(first.text)):
            return None
        gapped = rest[0].x0 - first.x1 > 0.15 * line.size
        if BULLET.fullmatch(first.text):
            return self._item(line, (first,), first.x0)
        starts = block is None or gap > 0.22 * self.measure.pitch(line) + 0.5 or not self._wrapped(block, line)
        sibling = block is not None and block.kind == "list_item" and abs(block.edge - line.x0) < 2
        return self._told_by_place(line, block, starts=starts, sibling=sibling) if gapped else None

    def _told_by_place(self, line: Line, block: Block | None, *, starts: bool, sibling: bool) -> Block | None:
        """The item of a dash or a number, which text may begin with too, where it stands as a marker does."""
        first, second = line.words[:2]
        if _DASH.fullmatch(first.text):
            letter = first.text == "o" and second.x0 - first.x1 < 0.6 * line.size
            told = not letter and (starts or sibling or self._steps(block, line))
            return self._item(line, (first,), first.x0) if told else None
        found = _ORDERED.fullmatch(first.text)
        number = self._number(found[1], line.x0) if found and (starts or sibling) else 0
        if number <= 0:
            return None
        item = self._item(line, (first,), first.x0)
        item.number = number
        return item

    def _steps(self, block: Block | None, line: Line) -> bool:
        return block is not None and line.x0 > block.left - 0.5 and line.x0 - block.edge > 0.8 * line.size

    def _dot(self, line: Line) -> float | None:
        """Where a round mark is drawn before a line."""
        for x0, y0, x1, y1 in self._dots:
            if 0 < line.x0 - x1 < 2 * line.size and line.y0 < (y0 + y1) / 2 < line.y1:
                return x0
        return None

    def _item(self, line: Line, marker: tuple[Word, ...], edge: float) -> Block:
        text = Line.of(line.page, line.words[len(marker) :])
        return Block("list_item", [Part("", text)], line.size, text.x0, edge, marker=marker)

    def _number(self, text: str, edge: float) -> int:
        """The number a marker says, when it follows that of the list before it or begins one; else 0."""
        numbers = list(_values(text))
        for block in reversed(self.flow[-40:]):
            if isinstance(block, Block) and block.number > 0 and abs(block.edge - edge) < 6:
                if block.number + 1 in numbers:
                    return block.number + 1
                break
        return 1 if 1 in numbers else (numbers[0] if text.isdigit() and len(text) < 3 else 0)

    # -- from page to page, column to column

    def _join_pages(self, start: int) -> None:
        """Joins what goes on from the page before, and from column to column."""
        if not start or start >= len(self.flow):
            return
        after = self.flow[start]
        index = start - 1
        while index >= 0 and self._aside(self.flow[index], after):
            index -= 1
        before = self.flow[index]
        if isinstance(before, Table) and isinstance(after, Table):
            if _same_columns(before, after):
                _append(before, after)
                del self.flow[start]
        elif isinstance(before, Block) and isinstance(after, Block) and self._continues(before, after):
            join = "\n" if before.kind == "code" else self.vocabulary.join(before.last, after.first)
            before.parts += [after.parts[0]._replace(join=join), *after.parts[1:]]
            del self.flow[start]

    def _aside(self, block: Flow, after: Flow) -> bool:
        """Whether a block at a page's end is a note below the text, which the next page does not go on with."""
        if not isinstance(block, Block) or block.kind not in ("paragraph", "list_item"):
            return False
        page = after.page if isinstance(after, Table) else after.first.page
        size = self.measure.body if isinstance(after, Table) else min(self.measure.body, after.size)
        return block.last.page == page - 1 and block.size < 0.93 * size

    def _continues(self, before: Block, after: Block) -> bool:
        """Whether the first block of a page or a column is the rest of one before."""
        if abs(before.size - after.size) > 0.3 or (after.bold and not before.bold):
            return False
        if before.kind == "code" or after.kind == "code":
            return before.kind == after.kind
        if before.kind not in ("paragraph", "list_item") or after.kind != "paragraph":
            return False
        text, first = before.last.text, after.first.text[0]
        if text[-1] in HYPHENS and len(before.last.words[-1].text) > 1:
            return True
        column = [
            line.x1 for line in self._lines.get(before.last.page, ()) if abs(line.x0 - before.left) < 3 * line.size
        ]
        full = max(column, default=0.0) - before.last.x1 < after.first.first_width() + 0.6 * before.size
        alike = first.islower() or not first.isupper() or len(before.parts) + len(after.parts) > 3
        return full and alike and not _ENDS.search(text)


def _scripts(line: Line, last: Line) -> bool:
    """Whether two lines share a size, so that the smaller one of one of them is a mark."""
    return bool({word.font.size for word in line.words} & {word.font.size for word in last.words}) and (
        len(line.text) < 4 or len(last.text) < 4
    )


def _values(text: str) -> Iterator[int]:
    if text.isdigit():
        yield int(text)
        return
    low = text.lower()
    if len(low) == 1:
        yield ord(low) - 96
    if set(low) <= set("ivxl"):
        worth = {"i": 1, "v": 5, "x": 10, "l": 50}
        values = [worth[sign] for sign in low]
        yield sum(-v if k + 1 < len(values) and v < values[k + 1] else v for k, v in enumerate(values))


def _same_columns(before: Table, after: Table) -> bool:
    if len(before.bounds) != len(after.bounds) or before.page >= after.page:
        return False
    return all(abs(a - b) < 12 for a, b in zip(before.bounds[1:-1], after.bounds[1:-1], strict=True))


def _append(before: Table, after: Table) -> None:
    """Puts the rows of a table that goes on below; rows repeated at its top are marked as heads by their text."""
    before.rows += after.rows
    before.words += after.words
    before.page = after.page


def read_blocks(
    sheets: Iterable[Sheet], pages: Iterable[Sequence[Piece]], measure: Measure, vocabulary: Vocabulary
) -> list[Flow]:
    """The blocks and tables of a document in reading order."""
    builder = Builder(measure, vocabulary)
    for sheet, pieces in zip(sheets, pages, strict=True):
        builder.page(sheet, pieces)
    return builder.flow


def is_caption(block: Block) -> bool:
    """Whether a block is the caption of a table or a figure by its first words."""
    return len(block.parts) <= 5 and bool(_CAPTION.match(block.text()))
