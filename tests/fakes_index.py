"""The brute-force oracle every store is compared with, and an embedder that needs no model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from wrac.indexing import ALL, DIGITS, Change, Filters, Row, Traits
from wrac.text.bm25 import idf, saturation

DIMENSIONS = 16


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> NDArray[np.float64]:
    digest = np.frombuffer(blake2b(word.encode(), digest_size=DIMENSIONS).digest(), np.uint8)
    return np.asarray(digest / 127.5 - 1.0, np.float64)


class WordEmbedder:
    """Adds up one fixed vector a word, so texts that share words are near. `asked` counts what it was given."""

    name = "words@1"
    dimensions = DIMENSIONS
    window = 100_000

    def __init__(self) -> None:
        self.asked = 0

    def tokens(self, text: str) -> int:
        return len(text.split()) + 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.asked += 0 if query else len(texts)
        return np.array([self._one(text) for text in texts], np.float32).reshape(len(texts), DIMENSIONS)

    def _one(self, text: str) -> NDArray[np.float64]:
        total = np.full(DIMENSIONS, 1e-3)
        for word in text.lower().split():
            total += _word(word)
        return np.asarray(total / np.linalg.norm(total))


class Oracle:
    """An index that keeps every row in a list and looks at all of them."""

    def __init__(self, vectors: dict[bytes, NDArray[np.float32]]) -> None:
        self.known = vectors
        self.pages: dict[str, list[Row]] = {}

    traits = Traits("oracle", lexical=True, dense=True, shared=False, proven="by reading it")

    def write(self, changes: Sequence[Change]) -> None:
        self.pages |= {change.page: list(change.rows) for change in changes}

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        entries = self._entries(ALL)
        counts = {entry: Counter(row.terms) for entry, row in entries.items()}
        average = sum(len(row.terms) for row in entries.values()) / len(entries) if entries else 0.0
        scores: dict[str, float] = {}
        for term in sorted(set(terms)):
            containing = [entry for entry in entries if counts[entry][term]]
            for entry in containing:
                weight = saturation(counts[entry][term], len(entries[entry].terms), average)
                scores[entry] = scores.get(entry, 0.0) + idf(len(entries), len(containing)) * weight
        rounded = {entry: round(score, DIGITS) for entry, score in scores.items()}
        return self._best(rounded, k, filters)

    def dense(self, vector: NDArray[np.float32], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        wide = vector.astype(np.float64)
        scores = {
            entry: round(float(self.known[row.key].astype(np.float64) @ wide), DIGITS)
            for entry, row in self._entries(ALL).items()
            if row.key in self.known
        }
        return self._best(scores, k, filters)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        every = sorted((row for rows in self.pages.values() for row in rows), key=lambda row: (row.page, row.position))
        return {entry: [row for row in every if row.entry == entry and filters.allow(row)] for entry in entries}

    def vectors(self, entries: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        keys = {row.entry: row.key for row in self._entries(ALL).values()}
        return {entry: self.known[keys[entry]] for entry in entries if keys.get(entry) in self.known}

    def contents(self) -> list[tuple[str, int, str]]:
        return [(row.page, row.position, row.entry) for rows in self.pages.values() for row in rows]

    def languages(self) -> list[str]:
        counted = Counter(rows[0].language for rows in self.pages.values() if rows)
        return sorted(counted, key=lambda language: (-counted[language], language))

    def fields(self) -> list[str]:
        return sorted({name for rows in self.pages.values() for row in rows for name in row.meta})

    def size(self) -> int:
        return len(self._entries(ALL))

    def check(self) -> list[str]:
        return []

    def close(self) -> None:
        self.pages = {}

    def _entries(self, filters: Filters) -> dict[str, Row]:
        return {row.entry: row for rows in self.pages.values() for row in rows if filters.allow(row)}

    def _best(self, scores: dict[str, float], k: int, filters: Filters) -> list[tuple[str, float]]:
        allowed = self._entries(filters)
        found = [(entry, score) for entry, score in scores.items() if entry in allowed]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[: max(k, 0)]
