"""Running headers, footers and page numbers of a PDF: what stands at the same height of page after page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from wrac.parsing.pdf_read import Sheet
from wrac.parsing.pdf_text import Line

Edge: TypeAlias = Literal["header", "footer"]
Edges: TypeAlias = tuple[list[Line], list[Line]]
"""The outermost lines of a page at its top and its bottom, from the edge inwards."""

_EDGES: Final[tuple[Edge, Edge]] = ("header", "footer")
_NUMBER: Final = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE: Final = re.compile(
    r"\W*(?:page|seite|p\.?|página|pagina|страница|стр\.?|第)?\s*#\s*(?:页|頁|ページ)?\s*(?:(?:of|von|de|/|\||из|sur)\s*#)?\W*",
    re.IGNORECASE,
)


class Running(NamedTuple):
    """A line that runs over the pages, and at which edge."""

    line: Line
    edge: Edge


class _Slot(NamedTuple):
    """Where and how a running line is set: edge, height in steps of 4 points, size, italic."""

    edge: Edge
    height: int
    size: float
    italic: bool


def running_lines(sheets: Sequence[Sheet], edges: Sequence[Edges], body: float) -> list[list[Running]]:
    """The running lines of each page, from top to bottom. `body` is the size of most text."""
    seen: Counter[tuple[Edge, str, int]] = Counter()
    for sheet, sides in zip(sheets, edges, strict=True):
        seen.update({_key(sheet, line, edge) for edge, lines in zip(_EDGES, sides, strict=True) for line in lines})
    first = [_first_pass(sheet, sides, seen, len(sheets), body) for sheet, sides in zip(sheets, edges, strict=True)]
    slots = Counter(slot for page in first for slot in {_slot(run) for run in page})
    usual = {slot for slot, count in slots.items() if count >= max(3, 0.3 * len(sheets))}
    return [
        sorted([*found, *_second_pass(sides, found, usual)], key=lambda run: run.line.middle)
        for sides, found in zip(edges, first, strict=True)
    ]


def _key(sheet: Sheet, line: Line, edge: Edge) -> tuple[Edge, str, int]:
    height = line.middle if edge == "header" else sheet.height - line.middle
    return edge, _NUMBER.sub("#", line.text), round(height / 6)


def _times(seen: Counter[tuple[Edge, str, int]], key: tuple[Edge, str, int]) -> int:
    edge, text, height = key
    return max(seen[edge, text, height] + max(seen[edge, text, height - 1], seen[edge, text, height + 1]), 0)


def _first_pass(
    sheet: Sheet, edges: Edges, seen: Counter[tuple[Edge, str, int]], pages: int, body: float
) -> list[Running]:
    """The lines whose text is on other pages too, and page numbers."""
    found: list[Running] = []
    for edge, lines in zip(_EDGES, edges, strict=True):
        for line in lines:
            key = _key(sheet, line, edge)
            times = _times(seen, key)
            told = _runs(line, key[1], times, pages, body) or _lone_number(sheet, line, key[1], lines, pages)
            if not told and not _artifact(sheet, line):
                break
            found.append(Running(line, edge))
    return found


def _runs(line: Line, text: str, times: int, pages: int, body: float) -> bool:
    if _PAGE.fullmatch(text):
        return times >= 2
    if line.size > 1.15 * body or times < 2:
        return False
    if "#" in text and len(text.replace("#", "").strip()) < 12 and line.size > 0.98 * body:
        return times >= max(3, 0.5 * pages)  # such as "Step 1" at the top of a few pages
    return times >= 3 or times * 2 >= pages


def _lone_number(sheet: Sheet, line: Line, text: str, lines: Sequence[Line], pages: int) -> bool:
    """Whether the outermost line is the number of its page, far from the text."""
    if line is not lines[0] or not _PAGE.fullmatch(text) or len(line.text) > 20:
        return False
    gap = min((abs(other.middle - line.middle) for other in lines[1:]), default=99.0)
    near = min(line.middle, sheet.height - line.middle) < 0.13 * sheet.height
    return near and gap > 1.8 * line.size and (pages > 1 or str(sheet.number) in line.text)


def _artifact(sheet: Sheet, line: Line) -> bool:
    """Whether a line is no part of the structure that the file tells of the page."""
    return bool(sheet.tags) and all(word.font.tag not in sheet.tags for word in line.words)


def _slot(run: Running) -> _Slot:
    return _Slot(run.edge, round(run.line.middle / 4), run.line.size, run.line.italic)


def _second_pass(edges: Edges, found: Sequence[Running], usual: set[_Slot]) -> list[Running]:
    """Lines of other text where running lines usually stand, such as a chapter's name on its only page."""
    if not usual:
        return []
    held = {id(run.line) for run in found}
    more: list[Running] = []
    for edge, lines in zip(_EDGES, edges, strict=True):
        for line in lines:
            if id(line) in held:
                continue
            run = Running(line, edge)
            if _slot(run) not in usual:
                break
            more.append(run)
    return more
