"""Stores side by side on the same rows: search, filters, both lists fused, filling and size, in one interleaved run.

    python scripts/bench_stores.py [--rows 20000] [--queries 60] [--store URL …]

Rows are made up: 384 numbers around 200 centres, 60 words of a Zipf vocabulary, 40 passages a page. Every query goes to
each store in turn, so that what else the machine does hits all alike; `numpy` is the bare product of the matrix and the
best 200 of it. Without --store: the embedded index, LanceDB in a folder, and PostgreSQL where the tests can start one.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads that wait for each other measure what else runs

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from wrac.catalog import Database, vectors
from wrac.core.ids import content_id
from wrac.indexing import ALL, Change, Filters, Index, Row, Space, Vector, tables
from wrac.indexing.sqlite import SqliteIndex
from wrac.indexing.stores import StoreAddress, open_index
from wrac.indexing.vectors import MatrixFile
from wrac.retrieval import DEPTH, fuse

DIMENSIONS, ON_PAGE, WORDS, BATCH = 384, 40, 60, 64
SPACE = Space("bench@1", DIMENSIONS)


@dataclass(slots=True)
class Store:
    """A store in the run: how an index of it is opened, and what was measured."""

    name: str
    opened: Callable[[], Any]
    bytes: Callable[[], int]
    fill: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)
    shares: dict[str, list[float]] = field(default_factory=dict)

    def timed(self, what: str, run: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever ran
        """What `run` gives, its milliseconds noted."""
        begun = time.perf_counter()
        found = run()
        self.times.setdefault(what, []).append(1000 * (time.perf_counter() - begun))
        return found


def made(count: int) -> tuple[list[Change], Vector]:
    """Pages of rows, and all their vectors in order."""
    random = np.random.default_rng(1)
    centres = random.normal(size=(200, DIMENSIONS))
    found = centres[random.integers(0, 200, count)] + 0.6 * random.normal(size=(count, DIMENSIONS))
    matrix = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
    ranks = np.minimum(random.zipf(1.3, (count, WORDS)), 50_000)
    changes = []
    for page, start in enumerate(range(0, count, ON_PAGE)):
        rows = [row(f"site/{page:05}.html", n - start, n, ranks[n]) for n in range(start, min(start + ON_PAGE, count))]
        changes.append(Change(rows[0].page, tuple(rows), matrix[start : start + len(rows)]))
    return changes, matrix


def row(page: str, position: int, number: int, ranks: Sequence[int]) -> Row:
    """A row with words by their ranks and one that no other has."""
    terms = (*(f"w{rank}" for rank in ranks), f"only{number}")
    chunk = content_id("c1", [str(number)])
    meta = {"tenant": f"t{number // ON_PAGE % 50}"}
    return Row(
        content_id("e1", [chunk]), chunk, page, position, " ".join(terms), language="en", meta=meta, terms=terms,
        key=vectors.key(str(number)), link=f"{page}#x", units=(content_id("u1", [str(number)]),), trail=("A", "B"),
        kinds=("paragraph",), roles=("main",), tokens=80, planner="bench@1", date="2026-11-30",
    )  # fmt: skip


@contextmanager
def embedded(folder: Path, changes: Sequence[Change]) -> Iterator[Store]:
    """The index inside a workspace."""
    database, matrix = Database(folder), MatrixFile(folder, SPACE.embedder)
    database.create(tables.metadata)
    store = Store("sqlite (embedded)", lambda: None, database.size)
    with _filling(store):
        for batch in _batches(changes):
            with database.write() as connection:
                for change in batch:
                    known = {r.key: v.tobytes() for r, v in zip(change.rows, _vectors(change), strict=True)}
                    vectors.store(connection, SPACE.embedder, known)
                SqliteIndex(connection).write(batch)
        with database.read() as connection:
            SqliteIndex(connection, matrix, lambda keys: vectors.recall(connection, SPACE.embedder, keys)).settle()

    @contextmanager
    def opened() -> Iterator[Index]:
        with database.read() as connection:
            yield SqliteIndex(connection, matrix, lambda keys: vectors.recall(connection, SPACE.embedder, keys))

    store.opened = opened
    yield store
    database.close()


@contextmanager
def outside(name: str, url: str, changes: Sequence[Change], size: Callable[[], int]) -> Iterator[Store]:
    """A store by its URL."""
    store = Store(name, lambda: None, size)
    with _filling(store):
        index = open_index(url, SPACE, create=True, anew=True)
        for batch in _batches(changes):
            index.write(batch)
        index.close()
    index = open_index(url, SPACE)

    @contextmanager
    def opened() -> Iterator[Index]:
        yield index

    store.opened = opened
    yield store
    index.close()


def ask(stores: Sequence[Store], matrix: Vector, changes: Sequence[Change], queries: int) -> None:
    """Put the queries to every store in turn, a round unmeasured first."""
    random = np.random.default_rng(2)
    rows = [one for change in changes for one in change.rows]
    tenants = [Filters.of({"tenant": f"t{n}"}) for n in range(50)]
    numbers = {one.entry: n for n, one in enumerate(rows)}
    for turn in range(-3, queries):
        if turn == 0:
            for store in stores:
                store.times.clear()
        near = matrix[random.integers(0, len(matrix))] + 0.05 * random.normal(size=DIMENSIONS)
        vector = (near / np.linalg.norm(near)).astype(np.float32)
        target = int(random.integers(0, len(rows)))
        terms = [*rng_terms(rows[target].terms, random), f"only{target}"]
        filters = tenants[turn % 50]
        exact = stores[0].timed("dense", lambda: top(matrix @ vector, DEPTH))  # noqa: B023 - called at once
        allowed = np.flatnonzero(np.arange(len(rows)) // ON_PAGE % 50 == turn % 50)
        within = allowed[top(matrix[allowed] @ vector, 10)]
        hybrids = []
        for store in stores[1:]:
            with store.opened() as index:
                found = store.timed("dense", lambda: index.dense(vector, DEPTH))  # noqa: B023
                few = store.timed("filtered", lambda: index.dense(vector, DEPTH, filters))  # noqa: B023
                words = store.timed("words", lambda: index.lexical(terms, DEPTH))  # noqa: B023
                hybrids.append(store.timed("search", lambda: searched(index, terms, vector)))  # noqa: B023
            note(store, "recall", [numbers[entry] for entry, _ in found[:10]], exact[:10])
            note(store, "within", [numbers[entry] for entry, _ in few[:10]], within)
            store.shares.setdefault("rare", []).append(float(words[0][0] == rows[target].entry))
            note(store, "shared", hybrids[-1], hybrids[0])


def rng_terms(terms: Sequence[str], random: np.random.Generator) -> list[str]:
    """Five words of a row."""
    return [terms[int(n)] for n in random.integers(0, WORDS, 5)]


def searched(index: Index, terms: list[str], vector: Vector) -> list[str]:
    """The first ten entries as a search ranks them."""
    words, near = index.lexical(terms, DEPTH), index.dense(vector, DEPTH)
    rows = index.rows([*dict.fromkeys(entry for entry, _ in (*words, *near))], ALL)
    pages = {entry: places[0].page for entry, places in rows.items()}
    return [entry for entry, _ in fuse(words, near, pages)[:10]]


def top(scores: Vector, k: int) -> Any:  # noqa: ANN401 - of numpy
    """The numbers of the best `k`, best first."""
    k = min(k, len(scores))
    best = np.argpartition(-scores, k - 1)[:k]
    return best[np.argsort(-scores[best], kind="stable")]


def note(store: Store, what: str, found: Sequence[Any], wanted: Sequence[Any]) -> None:
    """The share of what was wanted that was found."""
    store.shares.setdefault(what, []).append(len(set(found) & set(wanted)) / max(len(wanted), 1))


@contextmanager
def _filling(store: Store) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    store.fill = time.perf_counter() - begun
    print(f"{store.name}: filled in {store.fill:.1f} s", file=sys.stderr, flush=True)


def _vectors(change: Change) -> Vector:
    return change.vectors if change.vectors is not None else np.zeros((0, DIMENSIONS), np.float32)


def _batches(changes: Sequence[Change]) -> Iterator[list[Change]]:
    rest = iter(changes)
    while batch := list(itertools.islice(rest, BATCH)):
        yield batch


def _folder_size(folder: Path) -> Callable[[], int]:
    return lambda: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _postgres(stack: ExitStack, changes: Sequence[Change]) -> Store | None:
    """PostgreSQL, where the tests' one can be started."""
    import pytest
    from tests import postgres

    try:
        url = postgres.url()
    except (pytest.skip.Exception, pytest.fail.Exception) as error:
        print(f"no PostgreSQL: {error}", file=sys.stderr)
        return None
    from wrac.catalog.postgres import PostgresDatabase

    database = PostgresDatabase(url)
    stack.callback(database.close)
    return stack.enter_context(outside("postgresql (pgvector)", url, changes, database.size))


def line(store: Store, base: float) -> str:
    """One line of the table."""
    if "words" not in store.times:
        middle, high = np.percentile(store.times["dense"], (50, 95))
        return f"| numpy, bare | | | {middle:.1f} / {high:.1f} | 1.0 | | | | | 1.000 | 1.000 | | |"
    p50 = {what: np.percentile(times, 50) for what, times in store.times.items()}
    p95 = {what: np.percentile(times, 95) for what, times in store.times.items()}
    share = {what: f"{np.mean(shares):.3f}" for what, shares in store.shares.items()}
    ranks = [f"{p50[what]:.1f} / {p95[what]:.1f}" for what in ("filtered", "words", "search")]
    return (
        f"| {store.name} | {store.fill:.1f} | {store.bytes() / 1e6:.0f} | {p50['dense']:.1f} / {p95['dense']:.1f} |"
        f" {p50['dense'] / base:.1f} | {' | '.join(ranks)} | {p50['search'] / base:.1f} | {share['recall']} |"
        f" {share['within']} | {share['rare']} | {share['shared']} |"
    )


def main() -> None:
    """Run, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument(
        "--store", action="append", default=[], metavar="URL", help="a store that runs; may be repeated"
    )
    chosen = parser.parse_args()
    changes, matrix = made(chosen.rows)
    with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
        folder = Path(temporary)
        (folder / "ws").mkdir()
        stores = [Store("numpy", lambda: None, lambda: 0), stack.enter_context(embedded(folder / "ws", changes))]
        for url in chosen.store:
            address = StoreAddress.of(url)
            size = _folder_size(Path(address.path)) if address.scheme == "lancedb" else lambda: 0
            stores += [stack.enter_context(outside(address.scheme, url, changes, size))]
        if not chosen.store:
            size = _folder_size(folder / "lance")
            stores.append(stack.enter_context(outside("lancedb", f"lancedb://{folder}/lance", changes, size)))
            if (found := _postgres(stack, changes)) is not None:
                stores.append(found)
        ask(stores, matrix, changes, chosen.queries)
        base = float(np.percentile(stores[0].times["dense"], 50))
        print(f"{len(matrix):,} rows, {chosen.queries} queries, ms p50 / p95; × is p50 to bare numpy\n")
        print("| store | fill s | MB | best 200 by vector | × | the same, 1 page in 50 allowed | best 200 by words |"
              " search | × | recall@10 | recall@10, filtered | rare word first | top 10 as embedded |")  # fmt: skip
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        for store in stores:
            print(line(store, base))


if __name__ == "__main__":
    main()
