"""Recursive splitting by ever finer separators, as LangChain's RecursiveCharacterTextSplitter does it, in offsets.

The pieces of a text always touch, so a chunk is a range of it and never has to be searched for. The separators are
those of Chroma's evaluation; lengths are cl100k tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from wrac.core.types import Page
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.values import Passage, Passages
from wrac.text.tokens import counter

SEPARATORS: Final = ("\n\n", "\n", ".", "?", "!", " ", "")
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Recursive:
    """Chunks of at most `size` cl100k tokens that end at the coarsest separator there is, `overlap` tokens repeated."""

    corpus: Corpus
    size: int
    overlap: int = 0

    @property
    def name(self) -> str:
        return f"recursive-{self.size}/{self.overlap}"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks of each page's text; white space at their ends is left out, as LangChain does."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        return self.corpus.cut(page, Splitter(self.corpus.text(page), self.size, self.overlap).ranges())


class Splitter:
    """The ranges of one text."""

    def __init__(self, text: str, size: int, overlap: int = 0, length: Callable[[str], int] | None = None) -> None:
        self._text, self._size, self._overlap = text, size, overlap
        self._length = length or counter("cl100k").count

    def ranges(self) -> list[Range]:
        """The chunks `[start, end)` in order; those of white space alone are left out."""
        return list(self._split((0, len(self._text)), SEPARATORS))

    def _split(self, part: Range, separators: Sequence[str]) -> Iterator[Range]:
        """Chunks of a part by its first separator; what is still too long by the next ones."""
        text = self._text[slice(*part)]
        level = next(i for i, separator in enumerate(separators) if separator in text)
        finer = separators[level + 1 :]
        small: list[tuple[Range, int]] = []
        for piece in self._pieces(part, separators[level]):
            length = self._length(self._text[slice(*piece)])
            if length < self._size:
                small.append((piece, length))
                continue
            yield from self._merged(small)
            small = []
            if finer:
                yield from self._split(piece, finer)
            else:
                yield piece
        yield from self._merged(small)

    def _pieces(self, part: Range, separator: str) -> Iterator[Range]:
        """The part cut before each separator; none of the pieces is empty."""
        cuts = (found.start() for found in re.compile(re.escape(separator)).finditer(self._text, *part))
        return ((start, end) for start, end in pairwise((part[0], *cuts, part[1])) if start < end)

    def _merged(self, pieces: Sequence[tuple[Range, int]]) -> Iterator[Range]:
        """Neighbours joined while the sum of their lengths fits, each chunk beginning with the last one's overlap."""
        first = total = 0
        for i, (_, length) in enumerate(pieces):
            if total + length > self._size and first < i:
                yield from self._stripped(pieces[first][0][0], pieces[i - 1][0][1])
                while total > self._overlap or (total + length > self._size and total > 0):
                    total -= pieces[first][1]
                    first += 1
            total += length
        if pieces:
            yield from self._stripped(pieces[first][0][0], pieces[-1][0][1])

    def _stripped(self, start: int, end: int) -> Iterator[Range]:
        text = self._text[start:end]
        body = text.strip()
        if body:
            start += len(text) - len(text.lstrip())
            yield start, start + len(body)
