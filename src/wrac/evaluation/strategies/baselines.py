"""What everybody does: heading sections, windows of words, whole pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wrac.core.structure import trails
from wrac.core.types import Document, Page
from wrac.evaluation.strategies.corpus import Corpus, headed, indexed, texts
from wrac.evaluation.values import Passage, Passages


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
            yield Passage(page.url, text, indexed(page.url, text))


def _heading(document: Document, ordinal: int) -> bool:
    return document.unit(ordinal).kind == "heading"


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
class Fixed:
    """Windows of `size` words, each repeating the last `overlap` words of the one before."""

    corpus: Corpus
    size: int = 375
    overlap: int = 75

    @property
    def name(self) -> str:
        return f"fixed-{self.size}/{self.overlap}"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """Windows over each page's words; the last window ends with the page."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        words = "\n".join(texts(self.corpus.document(page))).split()
        step = self.size - self.overlap
        for start in range(0, max(len(words) - self.overlap, 1), step):
            text = " ".join(words[start : start + self.size])
            if text:
                yield Passage(page.url, text, indexed(page.url, text))


@dataclass(frozen=True, slots=True)
class WholePage:
    """Each page is one passage."""

    corpus: Corpus
    name: str = "whole page"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage a page that has text."""
        bodies = ((page.url, "\n".join(texts(self.corpus.document(page)))) for page in pages)
        return Passages(tuple(Passage(url, text, indexed(url, text)) for url, text in bodies if text))
