"""What everybody does: heading sections, windows of words or tokens, whole pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wrac.core.structure import trails
from wrac.core.types import Document, Page, Slice
from wrac.evaluation.strategies.corpus import SOURCES, Corpus, headed, indexed, placed
from wrac.evaluation.values import Passage, Passages
from wrac.text.tokens import starts


@dataclass(frozen=True, slots=True)
class Sections:
    """A passage from each heading to the next, under the texts of the headings above it."""

    corpus: Corpus
    name: str = "sections"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage a heading and one for text before the first; a heading without text of its own gives none."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        document = self.corpus.document(page)
        above = trails(document)
        for group in _sections(document):
            head = [*above[group[0]], *(i for i in group[:1] if _heading(document, i))]
            body = [i for i in group if not _heading(document, i)]
            if not body:
                continue
            text = headed((document.text(i) for i in head), "\n".join(document.text(i) for i in body))
            held = placed(document, ((i, _whole(document, i)) for i in group)) if page.media_type in SOURCES else ()
            yield Passage(page.url, text, indexed(page.url, text), held)


def _heading(document: Document, ordinal: int) -> bool:
    return document.unit(ordinal).kind == "heading"


def _whole(document: Document, ordinal: int) -> Slice:
    return Slice(document.places[ordinal].unit, 0, len(document.text(ordinal)))


def _sections(document: Document) -> Iterator[list[int]]:
    group: list[int] = []
    for place in document.places:
        if group and _heading(document, place.ordinal):
            yield group
            group = []
        group.append(place.ordinal)
    if group:
        yield group


@dataclass(frozen=True, slots=True)
class Words:
    """Windows of `size` words, each repeating the last `overlap` words of the one before."""

    corpus: Corpus
    size: int = 375
    overlap: int = 75

    @property
    def name(self) -> str:
        return f"words-{self.size}/{self.overlap}"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """Windows over each page's words; the last window ends with the page."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        words = [word.span() for word in re.finditer(r"\S+", self.corpus.text(page))]
        spans = windows(len(words), self.size, self.overlap)
        return self.corpus.cut(page, ((words[a][0], words[b - 1][1]) for a, b in spans))


@dataclass(frozen=True, slots=True)
class Tokens:
    """Windows of `size` cl100k tokens, each repeating the last `overlap` tokens of the one before.

    An edge inside a code point of several tokens stands before it, so windows are texts and tile the page.
    """

    corpus: Corpus
    size: int
    overlap: int

    @property
    def name(self) -> str:
        return f"fixed-{self.size}/{self.overlap}"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """Windows over each page's tokens; the last window ends with the page."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        offsets = starts(self.corpus.text(page))
        spans = windows(len(offsets) - 1, self.size, self.overlap)
        return self.corpus.cut(page, ((offsets[a], offsets[b]) for a, b in spans))


def windows(count: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The ranges `[start, end)` of windows over `count` things; none over nothing, and none inside the one before."""
    for start in range(0, max(count - overlap, min(count, 1)), size - overlap):
        yield start, min(start + size, count)


@dataclass(frozen=True, slots=True)
class WholePage:
    """Each page is one passage."""

    corpus: Corpus
    name: str = "page"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage a page that has text."""
        whole = ((page, ((0, len(self.corpus.text(page))),)) for page in pages)
        return Passages(tuple(passage for page, ranges in whole for passage in self.corpus.cut(page, ranges)))
