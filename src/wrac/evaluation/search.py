"""The same search for every strategy: BM25 alone, or the product's hybrid, over passages held in memory.

The postings are counted as the embedded index counts them and fused by `wrac.retrieval`, so a figure here is a figure
of the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import ConfigError
from wrac.core.seams import Embedder
from wrac.core.types import NOTHING
from wrac.evaluation.metrics.words import content_terms
from wrac.evaluation.values import Passage
from wrac.evaluation.vectors import Tell, VectorCache, pieces
from wrac.retrieval import DEPTH, HEAD, Scored, Stands, closeness, demote, fuse, rerank, strangers, trust
from wrac.text import bm25
from wrac.text.analysis import analyse, query_terms

Vectors = NDArray[np.float32]


class Lexical:
    """BM25 over analysed passages, as arrays: a term's postings are a slice of rows and of ready weights."""

    def __init__(self, documents: Sequence[Sequence[str]], *, k1: float = bm25.K1, b: float = bm25.B) -> None:
        self.size = len(documents)
        counts = [Counter(terms) for terms in documents]
        lengths = [len(terms) for terms in documents]
        average = sum(lengths) / len(lengths) if lengths else 0.0
        postings: dict[str, tuple[list[int], list[float]]] = {}
        for row, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for term, frequency in count.items():
                rows, weights = postings.setdefault(term, ([], []))
                rows.append(row)
                weights.append(bm25.saturation(frequency, length, average, k1=k1, b=b))
        self._postings = {
            term: (np.array(rows), np.array(weights) * bm25.idf(self.size, len(rows)))
            for term, (rows, weights) in postings.items()
        }

    def search(self, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
        """The best `k` rows that hold a term, best first, ties in row order."""
        scores = np.zeros(self.size)
        for term in dict.fromkeys(terms):
            if term in self._postings:
                rows, weights = self._postings[term]
                scores[rows] += weights
        return _best(scores, np.flatnonzero(scores), k)


class Dense:
    """Exact cosine over passages; a passage longer than the window has several vectors and the best one counts."""

    def __init__(self, vectors: Vectors, owners: NDArray[np.intp], size: int) -> None:
        self.size, self._vectors, self._owners = size, vectors, owners

    def search(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """The best `k` rows by cosine, best first, ties in row order."""
        scores = np.full(self.size, -1.0)
        np.maximum.at(scores, self._owners, (self._vectors @ vector).astype(np.float64))
        return _best(scores, np.arange(self.size), k)


def _best(scores: NDArray[np.float64], rows: NDArray[np.intp], k: int) -> list[tuple[int, float]]:
    order = rows[np.lexsort((rows, -scores[rows]))][:k]
    return [(int(row), float(scores[row])) for row in order]


class Search(Protocol):
    """Which passages answer a query?"""

    def __call__(self, query: str) -> list[int]:
        """Rows of the passages, best first."""
        ...


def plain(passages: Sequence[Passage]) -> Search:
    """BM25 over English content words, no embedding, no page: the search of the published comparison rows."""
    lexical = Lexical([content_terms(passage.indexed) for passage in passages], k1=1.2, b=0.75)
    return lambda query: [row for row, _ in lexical.search(content_terms(query), DEPTH)]


def hybrid(
    passages: Sequence[Passage],
    cache: VectorCache,
    languages: Mapping[str, str],
    tell: Tell | None = None,
    *,
    reread: bool = False,
) -> Search:
    """The product's default search: its analysis, its embedder's vectors, its fusion with the page prior, and what is
    about siblings of what a query names demoted, as far as passages say what stands above them.

    `languages` are those of the pages, by URL; `reread` orders the head anew by its tokens.
    """
    lexical = Lexical([analyse(passage.indexed, languages.get(passage.page, "")) for passage in passages])
    dense, embedder = dense_over(passages, cache, tell), cache.embedder
    ids = [f"{row:08d}" for row in range(len(passages))]
    pages = {entry: passage.page for entry, passage in zip(ids, passages, strict=True)}
    spoken = sorted(set(languages.values()))
    read = _reader(passages, embedder) if reread else None
    stands = {
        entry: Stands(passage.above, passage.text, languages.get(passage.page, ""))
        for entry, passage in zip(ids, passages, strict=True)
    }

    def search(query: str) -> list[int]:
        vector = cache.embed([query], query=True)[0]
        believed = trust(query, embedder.tokens(query) - embedder.tokens(""))
        words = _named(ids, lexical.search(query_terms(query, spoken), DEPTH))
        meanings = _named(ids, dense.search(vector, DEPTH))
        ranked = fuse(words, meanings, pages, trust=believed)
        ranked = demote(ranked, strangers(query, {entry: stands[entry] for entry, _ in ranked[:DEPTH]}))
        if read is not None:
            ranked = rerank(ranked, read(query, [entry for entry, _ in ranked[:HEAD]]), trust=believed)
        return [int(entry) for entry, _ in ranked]

    return search


def _reader(passages: Sequence[Passage], embedder: Embedder) -> Callable[[str, Sequence[str]], dict[str, float]]:
    """How close passages are to a query, token by token, a long one by its first part; each is read once.

    Raises ConfigError for an embedder that has no vectors of tokens.
    """
    vectors = getattr(embedder, "token_vectors", None)
    if vectors is None:
        raise ConfigError(f"{embedder.name} has no vectors of tokens; leave out the search `rerank`")
    held = lru_cache(None)(lambda row: vectors(pieces(passages[row].indexed, embedder)[0]))

    def read(query: str, entries: Sequence[str]) -> dict[str, float]:
        asked = vectors(query, query=True)
        return {entry: closeness(asked, held(int(entry))) for entry in entries}

    return read


def nearest(passages: Sequence[Passage], cache: VectorCache, tell: Tell | None = None) -> Search:
    """Cosine alone: the search of published comparisons of embedders."""
    dense = dense_over(passages, cache, tell)
    return lambda query: [row for row, _ in dense.search(cache.embed([query], query=True)[0], DEPTH)]


def dense_over(passages: Sequence[Passage], cache: VectorCache, tell: Tell | None = None) -> Dense:
    """Cosine over passages, each in as many parts as the embedder's window asks for."""
    owned = [(row, part) for row, passage in enumerate(passages) for part in pieces(passage.indexed, cache.embedder)]
    vectors = cache.embed([part for _, part in owned], tell=tell)
    return Dense(vectors, np.array([row for row, _ in owned], np.intp), len(passages))


def _named(ids: Sequence[str], ranked: Sequence[tuple[int, float]]) -> list[Scored]:
    return [(ids[row], score) for row, score in ranked]


Prepare = Callable[[Sequence[Passage]], Search]


def prepare(
    name: str, vectors: Callable[[], VectorCache], languages: Mapping[str, str] = NOTHING, tell: Tell | None = None
) -> Prepare:
    """The search under that name, ready to be given passages. Raises ConfigError naming the known ones.

    `vectors` is called only by a search that embeds; `languages` are the pages', by URL.
    """
    if name == "bm25":
        return plain
    if name == "dense":
        return lambda passages: nearest(passages, vectors(), tell)
    if name in ("default", "rerank"):
        return lambda passages: hybrid(passages, vectors(), languages, tell, reread=name == "rerank")
    raise ConfigError(f"no search {name!r}; choose from {', '.join((*SEARCHES, 'rerank'))}")


SEARCHES = ("bm25", "dense", "default")
"""Those of every run; `rerank`, the default search with its head read once more, is slow and runs where it is named."""
