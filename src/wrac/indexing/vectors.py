"""The dense half of the embedded index: a memory-mapped float32 matrix derived from the vector cache.

The file is a cache of one generation of the index: an array of row numbers, ascending, then the matrix. A row's number
is never given twice, so what a reader has is good for any other generation: rows that are gone are passed over, rows
that came are fetched and stand behind. When those are a twentieth of all, a new file is written beside the old one and
renamed into its place, so readers of the old one are not disturbed. Where it cannot be written the matrix stays in
memory: a search on a full disk works, only slower.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wrac.indexing import DIGITS, Vector
from wrac.indexing.tables import FORM

MAGIC = b"wracvec1"
_HEADER = np.dtype([("magic", "S8"), ("generation", "<i8"), ("rows", "<i8"), ("dimensions", "<i8")])
_FETCH = 2000
_LATE = 0.05
"""The share of rows that the file may lack, or have too many."""

Fetch = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]
"""Of the keys that have a vector, its little-endian float32 bytes."""
Keys = Callable[[Sequence[int]], Mapping[int, bytes]]
"""Of rows by their numbers the keys of their vectors."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The vectors of one generation of the index.

    `numbers` are int64 (n), ascending; `parts` float32 (m, d), one behind the other, their rows in the order of the
    numbers; `live`, bool (n), says of which rows the generation is, None of all.
    """

    generation: int
    numbers: NDArray[np.int64]
    parts: tuple[Vector, ...]
    live: NDArray[np.bool_] | None = None

    def products(self, vector: Vector) -> Vector:
        """The inner product of each row with a vector, float32 (n); minus infinity for rows that are gone."""
        # As fast as BLAS on one thread; BLAS's further ones would wait for one another.
        found = np.concatenate([np.vecdot(part, vector) for part in self.parts])
        if self.live is not None:
            found[~self.live] = -np.inf
        return found

    def rows(self, at: NDArray[np.int64]) -> Vector:
        """The vectors at some places, ascending."""
        parts, start = [], 0
        for part in self.parts:
            parts.append(part[at[(at >= start) & (at < start + len(part))] - start])
            start += len(part)
        return np.concatenate(parts)

    def of(self, generation: int, wanted: NDArray[np.int64]) -> Matrix:
        """The same vectors as another generation sees them, whose rows have these numbers, as far as they are here."""
        live = np.isin(self.numbers, wanted, assume_unique=True)
        return Matrix(generation, self.numbers, self.parts, None if live.all() else live)

    def extended(self, numbers: NDArray[np.int64], vectors: Vector) -> Matrix:
        """With more rows, that were not here."""
        if not len(numbers):
            return self
        live = None if self.live is None else np.concatenate([self.live, np.ones(len(numbers), bool)])
        every = np.concatenate([self.numbers, numbers])
        if not len(self.numbers):
            return Matrix(self.generation, numbers, (vectors,))
        tail = np.concatenate([*self.parts[1:], vectors])
        found = Matrix(self.generation, every, (self.parts[0], tail), live)
        return found if numbers[0] > self.numbers[-1] else found.compact()

    def compact(self) -> Matrix:
        """In one part, without rows that are gone."""
        order = np.argsort(self.numbers, kind="stable")
        order = order if self.live is None else order[self.live[order]]
        vectors = self.parts[0] if len(self.parts) == 1 else np.concatenate(self.parts)
        return Matrix(self.generation, self.numbers[order], (vectors[order],))


NONE = Matrix(-1, np.zeros(0, np.int64), (np.zeros((0, 0), np.float32),))


class MatrixFile:
    """The matrix of one embedder's vectors in a workspace folder, for one form of the index: its rows have numbers."""

    def __init__(self, folder: Path, embedder: str) -> None:
        name = blake2b(f"{embedder}\n{FORM}".encode(), digest_size=6).hexdigest()
        self.path = folder / f"vectors-{name}.f32"
        self._held: Matrix | None = None
        self._saved = -1
        self._lock = threading.Lock()

    def current(self, generation: int, numbers: Callable[[], NDArray[np.int64]], keys: Keys, fetch: Fetch) -> Matrix:
        """The matrix of a generation, whose rows have these numbers, ascending; the file is written when it is late."""
        with self._lock:
            if self._held is not None and self._held.generation == generation:
                return self._held
            if self._held is None:
                self._held = self._loaded()
                if self._held.generation == generation:
                    return self._held
            matrix = _derive(self._held, generation, numbers(), keys, fetch)
            if generation > self._held.generation:
                self._held = matrix = self._kept(matrix)
            return matrix

    def _loaded(self) -> Matrix:
        found = self.load() or NONE
        self._saved = found.generation
        return found

    def _kept(self, matrix: Matrix) -> Matrix:
        """The matrix, written anew to its file where too much of it is not there; as the file has it then."""
        inside = len(matrix.numbers) if matrix.live is None else int(matrix.live.sum())
        behind = len(matrix.numbers) - len(matrix.parts[0]) + len(matrix.numbers) - inside
        if self._saved >= 0 and behind <= _LATE * inside:
            return matrix
        matrix = matrix.compact()
        try:
            self._write(matrix)
        except OSError:
            return matrix
        self._saved = matrix.generation
        return self.load() or matrix

    def load(self) -> Matrix | None:
        """What the file holds, mapped; None when there is none or it is damaged."""
        try:
            with self.path.open("rb") as file:
                head = np.frombuffer(file.read(_HEADER.itemsize), _HEADER)
                size = os.fstat(file.fileno()).st_size
                if len(head) != 1 or head["magic"][0] != MAGIC:
                    return None
                count, dimensions = int(head["rows"][0]), int(head["dimensions"][0])
                if size != _HEADER.itemsize + count * (8 + 4 * dimensions):
                    return None
                return _mapped(file.fileno(), int(head["generation"][0]), count, dimensions)
        except (FileNotFoundError, ValueError):
            return None

    def _write(self, matrix: Matrix) -> None:
        (vectors,) = matrix.parts
        count, dimensions = vectors.shape
        head = np.array([(MAGIC, matrix.generation, count, dimensions)], _HEADER)
        handle, name = tempfile.mkstemp(prefix=self.path.name, suffix=".new", dir=self.path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                for part in (head, matrix.numbers.astype("<i8"), np.ascontiguousarray(vectors, "<f4")):
                    file.write(part.data)
            Path(name).replace(self.path)
        except BaseException:
            with suppress(FileNotFoundError):
                Path(name).unlink()
            raise


def _mapped(descriptor: int, generation: int, count: int, dimensions: int) -> Matrix:
    import mmap  # a platform without it cannot be searched, but can still be imported

    if not count:
        return Matrix(generation, np.zeros(0, np.int64), (np.zeros((0, dimensions), np.float32),))
    data = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    start = _HEADER.itemsize
    numbers = np.frombuffer(data, "<i8", count, start)
    vectors = np.frombuffer(data, "<f4", count * dimensions, start + 8 * count).reshape(count, dimensions)
    return Matrix(generation, numbers, (vectors,))


def _derive(held: Matrix, generation: int, wanted: NDArray[np.int64], keys: Keys, fetch: Fetch) -> Matrix:
    """The matrix of the rows that have a vector: what is `held` is taken, the rest fetched."""
    missing = wanted[~np.isin(wanted, held.numbers, assume_unique=True)]
    numbers: list[int] = []
    data: list[bytes] = []
    for start in range(0, len(missing), _FETCH):
        named = keys(missing[start : start + _FETCH].tolist())
        found = fetch(list(named.values()))
        present = [number for number in sorted(named) if named[number] in found]
        numbers += present
        data += [found[named[number]] for number in present]
    came = np.frombuffer(b"".join(data), "<f4").reshape(len(data), -1) if data else NONE.parts[0]
    return held.of(generation, wanted).extended(np.array(numbers, np.int64), came)


def scan(matrix: Matrix, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> tuple[list[int], list[float]]:
    """Row numbers and scores of the best `k`, with all that tie with the last; exact, in no order.

    A product's last bits depend on where a row stands in the matrix, so candidates near the edge are scored anew, each
    alone in float64, and rounded: the same vectors give the same scores in any order of rows.
    """
    if not len(matrix.numbers) or k < 1:
        return [], []
    rough = matrix.products(vector)
    if allowed is not None:
        rough[~allowed[np.minimum(matrix.numbers, len(allowed) - 1)]] = -np.inf  # beyond are rows that are gone
    edge = np.partition(rough, len(rough) - k)[len(rough) - k] if k < len(rough) else -np.inf
    near = np.flatnonzero((rough >= edge - 1e-5) & np.isfinite(rough))
    products: NDArray[np.float64] = np.vecdot(matrix.rows(near).astype(np.float64), vector.astype(np.float64))
    exact = np.round(products, DIGITS)
    return [int(number) for number in matrix.numbers[near]], [float(score) for score in exact]
