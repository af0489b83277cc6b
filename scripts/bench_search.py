"""What a search of the embedded index costs, as a ratio to a bare numpy product over the same vectors.

    python scripts/bench_search.py [DATA] [--rows 20000,200000] [--queries 40] [--readers 4]

Passages are those of RAG-Multi-Corpus (below WRAC_DATA or ../shared/data), each with words of its own until there are
enough; vectors are random. Queries are the data set's. What is compared runs in turns on one thread, in processor time
(OPENBLAS_NUM_THREADS is 1 unless it is set). At the end commands of their own are started: what a cold start costs.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads that wait for each other measure what else runs

import numpy as np
from numpy.typing import NDArray

from wrac.catalog import Database
from wrac.embedding import load
from wrac.evaluation.datasets import load as data_set
from wrac.evaluation.strategies import Corpus, strategy
from wrac.flow import Workspace
from wrac.flow.search import Ask, rank
from wrac.indexing import Row, tables
from wrac.indexing.sqlite import SqliteIndex
from wrac.indexing.vectors import MatrixFile
from wrac.retrieval import DEPTH
from wrac.text.analysis import analyse, query_terms

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data") / "rmc"
DIMENSIONS, PAGE = 384, 50
Vectors = NDArray[np.float32]


class Known:
    """An embedder that has a vector for every query already: what is measured is the search."""

    name, dimensions, window = "known@1", DIMENSIONS, 256

    def __init__(self, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)

    def tokens(self, text: str) -> int:
        return len(text.split()) + 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002 - the seam's
        return unit(self._random.standard_normal((len(texts), DIMENSIONS)))


def unit(vectors: NDArray[Any]) -> Vectors:
    """Rows of unit length."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def rows(texts: list[str], count: int) -> Iterator[list[Row]]:
    """Pages of rows: the texts in turn, each with a number of its own."""
    terms = [tuple(analyse(text, "en")) for text in texts]
    page: list[Row] = []
    for number in range(count):
        which, word = number % len(texts), f"n{number}"
        key = blake2b(word.encode(), digest_size=16).digest()
        page.append(
            Row(f"e1:{key.hex()}", f"c1:{key.hex()}", f"https://example.com/{number // PAGE}", number % PAGE,
                f"{texts[which]} {word}", language="en", terms=(*terms[which], word), key=key)
        )  # fmt: skip
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page


def filled(folder: Path, texts: list[str], count: int) -> tuple[Database, MatrixFile, Vectors]:
    """A database with so many rows, its matrix written, and the vectors in it."""
    database = Database(folder)
    database.create(tables.metadata)
    vectors = unit(np.random.default_rng(0).standard_normal((count, DIMENSIONS), np.float32))
    known: dict[bytes, int] = {}
    with database.write() as connection:
        index = SqliteIndex(connection)
        for page in rows(texts, count):
            index.put(page[0].page, page)
            known |= {row.key: at for at, row in enumerate(page, len(known))}
    matrix = MatrixFile(folder, "known@1")
    with database.read() as connection:
        fetch = lambda keys: {key: vectors[known[key]].tobytes() for key in keys}  # noqa: E731
        SqliteIndex(connection, matrix=matrix, fetch=fetch).derived()
    return database, matrix, vectors


def timed(run: Callable[[], object]) -> float:
    """Milliseconds of processor time of one call: on a busy machine the clock measures the others."""
    begin = time.process_time()
    run()
    return (time.process_time() - begin) * 1000


def bare(vectors: Vectors, vector: Vectors) -> object:
    """The least that an exact search can do: a product, and the best of it in order."""
    scores = vectors @ vector
    best = np.argpartition(scores, len(scores) - DEPTH)[-DEPTH:]
    return best[np.argsort(-scores[best])]


def measure(database: Database, matrix: MatrixFile, vectors: Vectors, queries: list[str]) -> dict[str, list[float]]:
    """Milliseconds of each part, query by query, in turns."""
    spent: dict[str, list[float]] = {}
    embedder = Known()

    def one(query: str, vector: Vectors, index: SqliteIndex) -> None:
        parts: dict[str, Callable[[], object]] = {
            "bare numpy": lambda: bare(vectors, vector),
            "by meaning": lambda: index.dense(vector, DEPTH),
            "by words": lambda: index.lexical(query_terms(query, ["en"]), DEPTH),
            "whole search": lambda: rank(index, embedder, Ask(query)),
        }
        for name, run in parts.items():
            spent.setdefault(name, []).append(timed(run))

    for query in queries:
        with database.read() as connection:
            one(query, embedder.embed([query], query=True)[0], SqliteIndex(connection, matrix=matrix, fetch=nothing))
    return spent


def nothing(_: Sequence[bytes]) -> dict[bytes, bytes]:
    """No vectors: the matrix has them all."""
    return {}


def together(database: Database, matrix: MatrixFile, queries: list[str], readers: int) -> float:
    """Searches a second of several readers at once, each with a connection of its own."""

    def one(query: str) -> None:
        with database.read() as connection:
            rank(SqliteIndex(connection, matrix=matrix, fetch=nothing), Known(), Ask(query))

    begin = time.perf_counter()
    with ThreadPoolExecutor(readers) as pool:
        list(pool.map(one, queries))
    return len(queries) / (time.perf_counter() - begin)


def cold(folder: Path, runs: int = 7) -> dict[str, tuple[float, float]]:
    """Wall and processor seconds of a bare interpreter, `wrac --help` and `wrac search`, in turns: their medians."""
    site = folder / "site"
    site.mkdir()
    (site / "a.html").write_text("<title>Refunds</title><h1>Refunds</h1><p>Refunds take five days.")
    with Workspace(folder / "ws") as workspace:
        workspace.index(site, workers=0)
    wrac = [sys.executable, "-m", "wrac.cli.main"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "wrac --help": [*wrac, "--help"],
        "wrac search": [*wrac, "search", "how long do refunds take", "--json", "-w", str(folder / "ws")],
    }
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            spent[name].append(started(command))
    return {name: (float(np.median([w for w, _ in one])), float(np.median([p for _, p in one]))) for name, one in
            spent.items()}  # fmt: skip


def started(command: list[str]) -> tuple[float, float]:
    """Wall and processor seconds of one command."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, and print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default=str(DATA))
    parser.add_argument("--rows", default="20000,200000", metavar="N,N")
    parser.add_argument("--queries", type=int, default=40, metavar="N")
    parser.add_argument("--readers", type=int, default=4, metavar="N")
    chosen = parser.parse_args()
    data = data_set(chosen.data)
    texts = [passage.indexed for passage in strategy("sections", data, Corpus()).passages(data.pages).items]
    queries = [query.text for query in data.queries][:: max(len(data.queries) // chosen.queries, 1)][: chosen.queries]
    for count in map(int, chosen.rows.split(",")):
        with tempfile.TemporaryDirectory() as temporary:
            began = time.perf_counter()
            database, matrix, vectors = filled(Path(temporary), texts, count)
            took = time.perf_counter() - began
            measure(database, matrix, vectors, queries[:3])  # the first ones pay for pages of memory
            spent = measure(database, matrix, vectors, queries)
            print(
                f"\n{count:,} rows (written in {took:.0f} s)\n\n| | p50 ms | p95 ms | p50 / numpy |\n|---|---|---|---|"
            )
            for name, times in spent.items():
                middle, late = np.percentile(times, [50, 95])
                ratio = middle / np.percentile(spent["bare numpy"], 50)
                print(f"| {name} | {middle:.1f} | {late:.1f} | {ratio:.2f} |", flush=True)
            alone, several = (together(database, matrix, queries, n) for n in (1, chosen.readers))
            print(f"\n1 reader {alone:.0f} searches/s, {chosen.readers} readers {several:.0f} searches/s")
            database.close()
    embedder = load()
    embedder.embed(["warm"], query=True)
    asked = [timed(partial(embedder.embed, [query], query=True)) for query in queries]
    print(f"\nembedding a query: p50 {np.percentile(asked, 50):.1f} ms, p95 {np.percentile(asked, 95):.1f} ms")
    with tempfile.TemporaryDirectory() as temporary:
        begun = cold(Path(temporary))
    print("\n| started cold | wall s | processor s | processor, × a bare interpreter |\n|---|---|---|---|")
    least = begun["python -c pass"][1]
    for name, (wall, processor) in begun.items():
        print(f"| {name} | {wall:.3f} | {processor:.3f} | {processor / least:.1f} |")


if __name__ == "__main__":
    main()
