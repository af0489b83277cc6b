"""The dense half of the embedded index: a memory-mapped float32 matrix derived from the vector cache.

The file is a cache of one generation of the index: an array of row numbers, ascending, then the matrix. A reader that
finds it behind writes a new one beside it and renames it into place, so readers of the old one are not disturbed; what
both have is copied, only new vectors are fetched. Where it cannot be written the matrix stays in memory: a search on a
full disk works, only slower.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wrac.indexing import DIGITS, Vector
from wrac.indexing.tables import FORM

MAGIC = b"wracvec1"
_HEADER = np.dtype([("magic", "S8"), ("generation", "<i8"), ("rows", "<i8"), ("dimensions", "<i8")])
_FETCH = 2000

Fetch = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]
"""Of the keys that have a vector, its little-endian float32 bytes."""


class Matrix(NamedTuple):
    """Row numbers, int64 (n), ascending; their vectors, float32 (n, d); the index generation both are of."""

    generation: int
    numbers: NDArray[np.int64]
    vectors: Vector


class MatrixFile:
    """The matrix of one embedder's vectors in a workspace folder, for one form of the index: its rows have numbers."""

    def __init__(self, folder: Path, embedder: str) -> None:
        name = blake2b(f"{embedder}\n{FORM}".encode(), digest_size=6).hexdigest()
        self.path = folder / f"vectors-{name}.f32"
        self._held: Matrix | None = None
        self._lock = threading.Lock()

    def current(self, generation: int, keys: Callable[[], Mapping[int, bytes]], fetch: Fetch) -> Matrix:
        """The matrix of a generation, whose rows have these keys; made and written when the file is of another."""
        with self._lock:
            if self._held is None or self._held.generation != generation:
                matrix = self.load()
                if matrix is None or matrix.generation != generation:
                    matrix = _derive(matrix, generation, keys(), fetch)
                    matrix = self._save(matrix)
                self._held = matrix
            return self._held

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

    def _save(self, matrix: Matrix) -> Matrix:
        try:
            self._write(matrix)
        except OSError:
            return matrix
        return self.load() or matrix

    def _write(self, matrix: Matrix) -> None:
        count, dimensions = matrix.vectors.shape
        head = np.array([(MAGIC, matrix.generation, count, dimensions)], _HEADER)
        handle, name = tempfile.mkstemp(prefix=self.path.name, suffix=".new", dir=self.path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                for part in (head, matrix.numbers.astype("<i8"), np.ascontiguousarray(matrix.vectors, "<f4")):
                    file.write(part.data)
            Path(name).replace(self.path)
        except BaseException:
            with suppress(FileNotFoundError):
                Path(name).unlink()
            raise


def _mapped(descriptor: int, generation: int, count: int, dimensions: int) -> Matrix:
    import mmap  # a platform without it cannot be searched, but can still be imported

    if not count:
        return Matrix(generation, np.zeros(0, np.int64), np.zeros((0, dimensions), np.float32))
    data = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    start = _HEADER.itemsize
    numbers = np.frombuffer(data, "<i8", count, start)
    vectors = np.frombuffer(data, "<f4", count * dimensions, start + 8 * count).reshape(count, dimensions)
    return Matrix(generation, numbers, vectors)


def _derive(old: Matrix | None, generation: int, keys: Mapping[int, bytes], fetch: Fetch) -> Matrix:
    """The matrix of the rows that have a vector: what `old` has is copied, the rest fetched."""
    wanted = np.array(sorted(keys), np.int64)
    have = np.isin(old.numbers, wanted) if old is not None else np.zeros(0, bool)
    kept = old.numbers[have] if old is not None else np.zeros(0, np.int64)
    missing = [int(number) for number in wanted[~np.isin(wanted, kept)]]
    numbers, parts = [kept], [old.vectors[have]] if old is not None and len(kept) else []
    for start in range(0, len(missing), _FETCH):
        batch = missing[start : start + _FETCH]
        found = fetch([keys[number] for number in batch])
        present = [number for number in batch if keys[number] in found]
        numbers.append(np.array(present, np.int64))
        if present:
            data = b"".join(found[keys[number]] for number in present)
            parts.append(np.frombuffer(data, "<f4").reshape(len(present), -1))
    every = np.concatenate(numbers)
    vectors = np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)
    order = np.argsort(every, kind="stable")
    return Matrix(generation, every[order], vectors[order])


def scan(matrix: Matrix, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> tuple[list[int], list[float]]:
    """Row numbers and scores of the best `k`, with all that tie with the last; exact, in no order.

    A product's last bits depend on where a row stands in the matrix, so candidates near the edge are scored anew, each
    alone in float64, and rounded: the same vectors give the same scores in any order of rows.
    """
    if not len(matrix.numbers) or k < 1:
        return [], []
    rough = np.vecdot(matrix.vectors, vector)  # as fast as BLAS on one thread, whose others would wait for each other
    if allowed is not None:
        rough[~allowed[matrix.numbers]] = -np.inf
    edge = np.partition(rough, len(rough) - k)[len(rough) - k] if k < len(rough) else -np.inf
    near = np.flatnonzero((rough >= edge - 1e-5) & np.isfinite(rough))
    exact = np.round(matrix.vectors[near].astype(np.float64) @ vector.astype(np.float64), DIGITS)
    return [int(number) for number in matrix.numbers[near]], [float(score) for score in exact]
