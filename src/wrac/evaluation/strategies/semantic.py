"""Cutting where the meaning changes: sentences embedded, cut at the largest distances between neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import Page
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.recursive import Range, Splitter
from wrac.evaluation.values import Passage, Passages
from wrac.evaluation.vectors import pieces
from wrac.text.tokens import counter

Vectors = NDArray[np.float64]
PIECE: Final = 50
"""Tokens of a piece at most: short sentences together, a long one in parts, as in Chroma's evaluation."""


@dataclass(frozen=True, slots=True)
class Semantic:
    """Greg Kamradt's chunker, as in LangChain's SemanticChunker: a cut at each distance above the page's percentile.

    A piece is compared with the next in the company of its neighbours (`buffer` on each side). Where they embed the
    joined text, the mean of the vectors stands here, so each distinct piece is embedded once, by the run's embedder
    through its cache. A chunk above `maximum` cl100k tokens, which they let grow, is cut at its largest distance.
    """

    corpus: Corpus
    percentile: float = 95.0
    maximum: int = 500
    buffer: int = 1
    name: str = "semantic"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks of each page's text; the notes say how many distinct texts were embedded."""
        cut = [Splitter(self.corpus.text(page), PIECE).ranges() for page in pages]
        texts = [self.corpus.text(page)[a:b] for page, ranges in zip(pages, cut, strict=True) for a, b in ranges]
        vectors = self._embedded(texts)
        edges = np.cumsum([0, *map(len, cut)]).tolist()
        items: list[Passage] = []
        for page, ranges, (first, end) in zip(pages, cut, pairwise(edges), strict=True):
            items.extend(self._page(page, ranges, vectors[first:end]))
        return Passages(tuple(items), {"texts embedded to cut": len(set(texts))})

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        """float64 (n, dimensions) of the texts; the mean of its parts for one beyond the embedder's window."""
        cache = self.corpus.vectors()
        parts = [pieces(text, cache.embedder) for text in texts]
        vectors = cache.embed([part for one in parts for part in one]).astype(np.float64)
        edges = np.cumsum([0, *map(len, parts)])[:-1]
        return np.add.reduceat(vectors, edges) if len(texts) else vectors

    def _page(self, page: Page, ranges: Sequence[Range], vectors: Vectors) -> Iterator[Passage]:
        gaps = distances(vectors, self.buffer)
        limit = np.percentile(gaps, self.percentile) if len(gaps) else 0.0
        starts = [0, *(np.flatnonzero(gaps > limit) + 1).tolist(), *([len(ranges)] if ranges else ())]
        groups = [one for first, end in pairwise(starts) for one in self._fitting(page, ranges, gaps, first, end)]
        return self.corpus.cut(page, ((ranges[first][0], ranges[end - 1][1]) for first, end in groups))

    def _fitting(
        self, page: Page, ranges: Sequence[Range], gaps: Vectors, first: int, end: int
    ) -> Iterator[tuple[int, int]]:
        """The pieces `[first, end)` in groups within the maximum, in order."""
        waiting = [(first, end)]
        count, text = counter("cl100k").count, self.corpus.text(page)
        while waiting:
            first, end = waiting.pop()
            if end - first < 2 or count(text[ranges[first][0] : ranges[end - 1][1]]) <= self.maximum:
                yield first, end
                continue
            middle = first + 1 + int(np.argmax(gaps[first : end - 1]))
            waiting += [(middle, end), (first, middle)]


def distances(vectors: Vectors, buffer: int) -> Vectors:
    """The cosine distances (n - 1,) of neighbours, each in the company of `buffer` vectors on either side."""
    count = len(vectors)
    total = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    at = np.arange(count)
    company = total[np.minimum(at + buffer + 1, count)] - total[np.maximum(at - buffer, 0)]
    lengths = np.linalg.norm(company, axis=1, keepdims=True)
    company = company / np.where(lengths > 0, lengths, 1.0)
    near: Vectors = (company[:-1] * company[1:]).sum(axis=1)
    return 1.0 - near
