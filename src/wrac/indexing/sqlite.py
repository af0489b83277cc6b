"""The embedded index: rows and postings in the catalog's own SQLite file, and an exact scan of a matrix beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wrac.indexing import ALL, Filters, Row, Traits, Vector
from wrac.indexing.sql import SqlIndex
from wrac.indexing.vectors import Fetch, Matrix, MatrixFile, scan


@dataclass(slots=True)
class SqliteIndex(SqlIndex):
    """The index as one connection's transaction sees it.

    `fetch` reads vectors by key from the vector cache; `matrix` is the file derived from them. Writing needs neither.
    """

    matrix: MatrixFile | None = None
    fetch: Fetch | None = None

    @property
    def traits(self) -> Traits:
        """Both rankings are exact."""
        return Traits("sqlite", lexical=True, dense=True, shared=False, proven="the embedded index")

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product with a float32 vector of unit length, rounded."""
        return self.ranked(*scan(self.derived(), vector, k, self.mask(filters)), k)

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that have one, as the matrix has them."""
        matrix, numbers = self.derived(), self.numbers(entries)
        named = {number: entry for entry, number in numbers.items()}
        at = np.flatnonzero(np.isin(matrix.numbers, list(named)))
        return {named[int(matrix.numbers[n])]: vector for n, vector in zip(at, matrix.rows(at), strict=True)}

    def derived(self) -> Matrix:
        """The matrix of this transaction's entries, written to its file where that is behind."""
        if self.matrix is None or self.fetch is None:
            raise ValueError("this index was opened without vectors")
        return self.matrix.current(self.generation(), self.every, self.keys, self.fetch)

    def prepare(self) -> None:
        """Nothing: the matrix is made by whoever reads it."""

    def embedded(self, numbers: Mapping[str, int], rows: Sequence[Row]) -> None:
        """Nothing: vectors are in the cache, and the matrix is derived from there."""

    def settle(self) -> None:
        """What can be made ready for searches is."""
        self.derived()
