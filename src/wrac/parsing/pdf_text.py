"""Words and lines of a PDF page, and how lines become the text of a unit and are read back from its boxes."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from wrac.core.types import Loss
from wrac.parsing.pdf_drawn import Box
from wrac.parsing.pdf_read import Font, Glyph, Sheet

DROP: Final = "-"
"""The join of two lines whose word goes on without the hyphen at the first one's end."""
HYPHENS: Final = "-\u2010\u00ad"
_WIDE: Final = re.compile("[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_ADDRESS: Final = re.compile(r"[/@]|\w\.\w")
_ALNUM: Final = re.compile(r"[^\W_]+")
_RTL: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SAME: Final = 0.6


class Word(NamedTuple):
    """Glyphs of one style without white space; `at` is its number in the file's order, `glued` when nothing parts
    it from the word before. (x, y) is the middle of its box."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    font: Font
    at: int
    glued: bool
    x: float
    y: float


def words_of(sheet: Sheet) -> tuple[list[Word], list[Loss]]:
    """The words of a page in the file's order, and what was drawn where other text is, or outside of the page."""
    words: list[Word] = []
    losses: list[Loss] = []
    taken: dict[tuple[int, int], list[Word]] = {}
    for run in sheet.runs:
        glued = False
        for piece in _pieces(run):
            word = _word(piece, len(words), glued)
            reason = _unreadable(word, sheet, taken, words[-1] if words else None)
            if reason:
                losses.append(Loss(f"{reason}, page {sheet.number}", len(word.text), text=word.text))
                continue
            words.append(word)
            glued = True
    return words, losses


def _pieces(run: Sequence[Glyph]) -> Iterator[Sequence[Glyph]]:
    """A run cut where its line, its style or its place changes."""
    start = 0
    for at in range(1, len(run)):
        before, glyph = run[at - 1], run[at]
        if glyph.font is before.font and glyph.y0 == before.y0 and -1 < glyph.x0 - before.x1 < 1:
            continue
        if _parts(before, glyph):
            yield run[start:at]
            start = at
    yield run[start:]


def _parts(before: Glyph, glyph: Glyph) -> bool:
    a, b = before.font, glyph.font
    if (glyph.x0, glyph.x1) == (before.x0, before.x1):
        return False  # of one ligature
    if a.turn or b.turn:
        return a.turn != b.turn
    size = max(a.size, b.size, 1)
    if not -0.6 * size < glyph.x0 - before.x1 < 0.6 * size and not -0.6 * size < before.x0 - glyph.x1 < 0.6 * size:
        return True
    styled = (a.bold, a.italic, a.mono) != (b.bold, b.italic, b.mono) or abs(a.size - b.size) > 0.15 * size
    return styled or abs(glyph.y0 + glyph.y1 - before.y0 - before.y1) > 0.5 * size


def _word(glyphs: Sequence[Glyph], at: int, glued: bool) -> Word:
    first = glyphs[0]
    text = "".join([glyph[0] for glyph in glyphs])
    x0, y0 = min([glyph[1] for glyph in glyphs]), min([glyph[2] for glyph in glyphs])
    x1, y1 = max([glyph[3] for glyph in glyphs]), max([glyph[4] for glyph in glyphs])
    return Word(text, x0, y0, x1, y1, first.font, at, glued, (x0 + x1) / 2, (y0 + y1) / 2)


def _unreadable(word: Word, sheet: Sheet, taken: dict[tuple[int, int], list[Word]], before: Word | None) -> str:
    """Why a word cannot be read on the page, "" when it can; what runs over the edge belongs to its line."""
    x, y = word.x, word.y
    outside = not (0 <= x <= sheet.width and 0 <= y <= sheet.height)
    if outside and (before is None or abs(y - before.y) > 3 or word.x0 - before.x1 > 3 * word.font.size):
        return "text outside of the page"
    column, row = int(x), int(y)
    for cell in ((column - 1, row), (column, row - 1), (column, row), (column, row + 1), (column + 1, row)):
        for other in taken.get(cell, ()):
            near = max(abs(other.x - x), abs(other.y - y))
            if near < _SAME and other.text == word.text:
                return "text drawn twice"
            if near < 0.1:
                return "text drawn over other text"
    taken.setdefault((column, row), []).append(word)
    return ""


@dataclass(slots=True)
class Line:
    """Words of one baseline of one column, in reading order."""

    page: int
    words: list[Word]
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    middle: float

    @classmethod
    def of(cls, page: int, words: Iterable[Word]) -> Line:
        """The line of some words, in any order; its size is that of most glyphs, its middle that of most words."""
        held = in_order(words)
        sizes: dict[float, int] = {}
        for word in held:
            sizes[word.font.size] = sizes.get(word.font.size, 0) + len(word.text)
        return cls(
            page,
            held,
            min([word.x0 for word in held]),
            min([word.y0 for word in held]),
            max([word.x1 for word in held]),
            max([word.y1 for word in held]),
            max(sizes, key=lambda size: (sizes[size], size)),
            sorted([word.y for word in held])[len(held) // 2],
        )

    @property
    def text(self) -> str:
        """The words, with a space between two that do not touch."""
        return text_of(self.words)

    @property
    def bold(self) -> bool:
        """Whether all of it is bold, markers of lists and other signs left out."""
        told = [word for word in self.words if any(map(str.isalnum, word.text))]
        return bool(told) and all(word.font.bold for word in told)

    @property
    def italic(self) -> bool:
        """Whether all of it is italic."""
        return all(word.font.italic for word in self.words)

    @property
    def mono(self) -> bool:
        """Whether all of it is set in letters of one width; signs as wide as high say nothing."""
        said = [word.font.mono for word in self.words if not _WIDE.search(word.text)]
        return bool(said) and all(said)

    @property
    def wide(self) -> bool:
        """Whether it has signs as wide as high, such as Chinese ones."""
        return any(_WIDE.search(word.text) for word in self.words)

    def first_width(self) -> float:
        """The width of what could not be parted from its start by a line's end."""
        first = self.words[0]
        if _WIDE.search(first.text):
            return (first.x1 - first.x0) / len(first.text)
        end = first.x1
        for before, word in pairwise(self.words):
            if spaced(before, word):
                break
            end = word.x1
        return end - first.x0


def in_order(words: Iterable[Word]) -> list[Word]:
    """The words of one line as they are read: from left to right, or as the file has them where they are read from the
    right, or turned."""
    held = list(words)
    if any(word.font.turn for word in held):
        return sorted(held, key=lambda word: word.at)
    letters = sum(len(word.text) for word in held)
    if sum(len(_RTL.findall(word.text)) for word in held) * 2 > letters:
        return sorted(held, key=lambda word: word.at)
    return sorted(held, key=lambda word: (word.x0, word.at))


def spaced(before: Word, word: Word) -> bool:
    """Whether a space stands between two neighbours of a line."""
    if word.at == before.at + 1:
        return not word.glued
    size = max(before.font.size, word.font.size)
    gap = max(word.x0 - before.x1, before.x0 - word.x1)
    if gap < 0.3 * size and _WIDE.match(before.text[-1]) and _WIDE.match(word.text[0]):
        return False
    return gap > 0.1 * size


def text_of(words: Sequence[Word]) -> str:
    """The text of a line's words in their order."""
    pieces = [words[0].text]
    for before, word in pairwise(words):
        if spaced(before, word):
            pieces.append(" ")
        pieces.append(word.text)
    return "".join(pieces)


class Part(NamedTuple):
    """A line of a unit and the join before it: white space, "", or DROP."""

    join: str
    line: Line


class Spot(NamedTuple):
    """A word of a unit and where it stands in the unit's text."""

    start: int
    end: int
    page: int
    word: Word


def compose(parts: Sequence[Part]) -> tuple[str, list[Spot]]:
    """The text of a unit, and where its words are in it."""
    pieces: list[str] = []
    spots: list[Spot] = []
    at = 0
    for join, line in parts:
        if join == DROP:
            pieces[-1] = pieces[-1][:-1]
            at -= 1
            spots[-1] = spots[-1]._replace(end=at)
        elif join:
            pieces.append(join)
            at += len(join)
        for number, word in enumerate(line.words):
            if number and spaced(line.words[number - 1], word):
                pieces.append(" ")
                at += 1
            pieces.append(word.text)
            spots.append(Spot(at, at + len(word.text), line.page, word))
            at += len(word.text)
    return "".join(pieces), spots


class Vocabulary:
    """The words of a document: whether a hyphen at a line's end belongs to the word or to the line."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def learn(self, lines: Iterable[Line]) -> None:
        """Takes in the words of lines, but for the last of each, which may be cut."""
        for line in lines:
            text = line.text.lower()
            self._known.update(_LETTERS.findall(text))
            self._known.update(_ALNUM.findall(text))

    def join(self, line: Line, after: Line) -> str:
        """What joins a line to the one after it in the same unit: a space, nothing, or DROP.

        A hyphen after a letter goes when the document has the word without it. It stays when the document has the word
        with it, when the word has another hyphen or is an address, after a single letter, and before a capital or a
        digit. Else it goes.
        """
        end, start = line.words[-1].text, after.words[0].text
        if end[-1] in HYPHENS and len(end) > 1:
            return self._hyphen(line.text, after.text)
        if _WIDE.match(end[-1]) and _WIDE.match(start[0]):
            return ""
        if (end[-1] == "/" and len(end) > 1) or (end[-1] in "\u2013\u2014" and end[:-1].isalpha()):
            return ""
        return " "

    def _hyphen(self, text: str, after: str) -> str:
        last = text.rsplit(None, 1)[-1]
        first = after.split(None, 1)[0]
        stem, rest = _tail(last[:-1]), _head(first)
        if not stem or not rest:
            return "" if last[:-1] and last[-2].isalnum() else " "
        whole, compound = (stem + rest).lower(), f"{stem}-{rest}".lower()
        if last[-1] == "\u00ad" or whole in self._known:
            return DROP
        if compound in self._known or not rest[0].islower() or len(stem) == 1 or _ADDRESS.search(last):
            return ""
        return "" if any(hyphen in stem for hyphen in HYPHENS) else DROP


def _tail(text: str) -> str:
    found = re.search(r"[^\W_]+(?:[-\u2010][^\W_]+)*$", text)
    return found[0] if found and found[0][-1].isalpha() else ""


def _head(text: str) -> str:
    found = re.match(r"[^\W_]+", text)
    return found[0] if found else ""


class Reader:
    """Reads the text in boxes of one page."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = sorted(words, key=lambda word: word.y)
        self._heights = [word.y for word in self._words]

    def words_in(self, box: Box) -> list[Word]:
        """The words whose middle is in a box, in reading order."""
        x0, y0, x1, y1 = box
        low, high = bisect_left(self._heights, y0), bisect_right(self._heights, y1)
        return in_order(word for word in self._words[low:high] if x0 <= word.x <= x1)

    def boxes(self, line: Line) -> list[tuple[str, Box]]:
        """The boxes that hold the line's words and no other ones, with the join before each but the first.

        One box as a rule; one a word where other text reaches into it, around the word's middle where that too does.
        """
        whole = _rounded(line.x0, line.y0, line.x1, line.y1)
        if self.words_in(whole) == line.words:
            return [("", whole)]
        found = []
        for number, word in enumerate(line.words):
            box = _rounded(word.x0, word.y0, word.x1, word.y1)
            if self.words_in(box) != [word]:
                x, y = word.x, word.y
                box = _rounded(x - 0.02, y - 0.02, x + 0.02, y + 0.02)
            found.append((" " if number and spaced(line.words[number - 1], word) else "", box))
        return found


def _rounded(x0: float, y0: float, x1: float, y1: float) -> Box:
    return round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)


def solid(text: str) -> int:
    """The code points of a text that are no white space."""
    return sum(map(len, text.split()))


def is_letter(character: str) -> bool:
    """Whether a character is a letter, of any script."""
    return unicodedata.category(character)[0] == "L"
