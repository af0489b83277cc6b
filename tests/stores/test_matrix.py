"""The matrix of the embedded index: whatever came and went, each generation has its own rows and no others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wrac.indexing.vectors import Matrix, MatrixFile, scan

DIMENSIONS = 4


def vector(number: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """The vector that a row has for good."""
    found = np.random.default_rng(number).standard_normal(DIMENSIONS)
    return np.asarray(found / np.linalg.norm(found), "<f4")


class Rows:
    """An index that is looked at by generation; `without` have no vector, `fetched` counts what was read."""

    def __init__(self, without: frozenset[int] = frozenset()) -> None:
        self.without, self.fetched = without, 0

    def keys(self, numbers: Sequence[int]) -> dict[int, bytes]:
        return {number: b"%d" % number for number in numbers}

    def fetch(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        self.fetched += len(keys)
        return {key: vector(int(key)).tobytes() for key in keys if int(key) not in self.without}

    def current(self, file: MatrixFile, generation: int, numbers: Sequence[int]) -> Matrix:
        return file.current(generation, lambda: np.array(sorted(numbers), np.int64), self.keys, self.fetch)


def held(matrix: Matrix) -> dict[int, list[float]]:
    """The rows that a search can find, with their vectors."""
    query = np.ones(DIMENSIONS, np.float32)
    found, _ = scan(matrix, query, len(matrix.numbers), None)
    at = np.flatnonzero(np.isin(matrix.numbers, found))
    return {int(matrix.numbers[n]): row.tolist() for n, row in zip(at, matrix.rows(at), strict=True)}


generations = st.lists(st.sets(st.integers(1, 60)), min_size=1, max_size=8)


@given(generations, st.frozensets(st.integers(1, 60), max_size=3), st.data())
def test_any_generation_has_its_rows_in_any_order_of_asking(
    history: list[set[int]], without: frozenset[int], data: st.DataObject
) -> None:
    rows = Rows(without)
    with TemporaryDirectory() as folder:
        files = [MatrixFile(Path(folder), "words@1") for _ in range(2)]  # two processes
        for _ in range(8):
            generation = data.draw(st.integers(0, len(history) - 1))
            matrix = rows.current(data.draw(st.sampled_from(files)), generation, sorted(history[generation]))
            wanted = {number: vector(number).tolist() for number in history[generation] - without}
            assert matrix.generation == generation
            assert held(matrix) == wanted
            assert (np.diff(matrix.numbers) > 0).all()


def test_only_what_came_is_read_and_the_file_is_not_written_for_little(tmp_path: Path) -> None:
    rows, file = Rows(), MatrixFile(tmp_path, "words@1")
    rows.current(file, 1, range(1, 1001))
    written = file.path.stat().st_mtime_ns
    assert rows.fetched == 1000
    for generation in range(2, 12):
        matrix = rows.current(file, generation, range(1, 1000 + generation))
        assert len(held(matrix)) == 999 + generation
    assert rows.fetched == 1010
    assert file.path.stat().st_mtime_ns == written
    rows.current(file, 12, range(200, 1020))  # many are gone
    assert file.path.stat().st_mtime_ns > written
    again = MatrixFile(tmp_path, "words@1")
    assert sorted(held(rows.current(again, 12, range(200, 1020)))) == list(range(200, 1020))
    assert rows.fetched == 1019


def test_a_reader_of_an_older_snapshot_takes_nothing_from_the_newer_one(tmp_path: Path) -> None:
    rows, file = Rows(), MatrixFile(tmp_path, "words@1")
    rows.current(file, 5, range(1, 101))
    old = rows.current(file, 4, range(1, 100))
    assert len(held(old)) == 99
    allowed = np.ones(100, bool)  # the older snapshot knows no row 100
    assert len(scan(old, vector(1), 1000, allowed)[0]) == 99
    assert rows.fetched == 100
    assert len(held(rows.current(file, 5, range(1, 101)))) == 100


@pytest.mark.parametrize("content", [b"", b"wracvec1", b"\0" * 200])
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    rows, file = Rows(), MatrixFile(tmp_path, "words@1")
    rows.current(file, 1, range(1, 11))
    file.path.write_bytes(content)
    again = MatrixFile(tmp_path, "words@1")
    assert len(held(rows.current(again, 1, range(1, 11)))) == 10
    assert MatrixFile(tmp_path, "words@1").load() is not None
