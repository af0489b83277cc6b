"""The stores that the conformance suite runs over: each opens on an empty folder or table and closes behind itself.

A new one is a `Store` here or in a file beside, added to `STORES`.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests import postgres
from tests.fakes_index import WordEmbedder
from tests.stores import opensearch_server, qdrant_server, weaviate_server

from wrac.catalog import Database, vectors
from wrac.indexing import Index, Space
from wrac.indexing.sqlite import SqliteIndex
from wrac.indexing.stores import open_index
from wrac.indexing.tables import metadata
from wrac.indexing.vectors import MatrixFile

EMBEDDER = WordEmbedder()
SPACE = Space(EMBEDDER.name, EMBEDDER.dimensions)
Vectors = dict[bytes, NDArray[np.float32]]
Open = Callable[[], AbstractContextManager[Index]]
Store = Callable[[Path, Vectors], AbstractContextManager[Open]]
"""Of a folder, and of the vectors known by key, which a store that gets them with each change does not need."""


@contextmanager
def sqlite(folder: Path, known: Vectors) -> Iterator[Open]:
    """The embedded index; each opening is a transaction of its own."""
    database = Database(folder)
    database.create(metadata)
    matrix = MatrixFile(folder, EMBEDDER.name)

    @contextmanager
    def opened() -> Iterator[Index]:
        with database.write() as connection:
            vectors.store(connection, EMBEDDER.name, {key: v.astype("<f4").tobytes() for key, v in known.items()})
            yield SqliteIndex(connection, matrix, lambda keys: vectors.recall(connection, EMBEDDER.name, keys))

    yield opened
    database.close()


@contextmanager
def lancedb(folder: Path, _known: Vectors) -> Iterator[Open]:
    """A LanceDB table in the folder."""
    needed("lancedb")
    with outside(f"lancedb://{folder}/lance") as opened:
        yield opened


@contextmanager
def qdrant(_folder: Path, _known: Vectors) -> Iterator[Open]:
    """A collection of Qdrant's engine behind its REST interface."""
    needed("qdrant_client", "qdrant_edge")
    with qdrant_server.serving() as host, outside(f"qdrant://{host}") as opened:
        yield opened


@contextmanager
def postgresql(_folder: Path, _known: Vectors) -> Iterator[Open]:
    """A schema of its own in a real PostgreSQL."""
    needed("psycopg", "pgvector")
    with outside(postgres.url()) as opened:
        yield opened


@contextmanager
def opensearch(_folder: Path, _known: Vectors) -> Iterator[Open]:
    """An index of osmem behind the strict description of OpenSearch's interface."""
    needed("opensearchpy", "osmem_server")
    with opensearch_server.serving() as host, outside(f"opensearch://{host}") as opened:
        yield opened


@contextmanager
def weaviate(_folder: Path, _known: Vectors) -> Iterator[Open]:
    """A collection of a servicer of Weaviate's interface description."""
    needed("weaviate")
    with weaviate_server.serving() as (host, grpc), outside(f"weaviate://{host}?grpc={grpc}") as opened:
        yield opened


@contextmanager
def outside(url: str) -> Iterator[Open]:
    """A store by its URL, made anew; each opening is a connection of its own."""
    open_index(url, SPACE, create=True, anew=True).close()

    @contextmanager
    def opened() -> Iterator[Index]:
        with closing(open_index(url, SPACE)) as index:
            yield index

    yield opened


def needed(*modules: str) -> None:
    """Skips where a module is not installed; fails in CI, where all are."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            reason = f"{module} is not installed (make services)"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)


STORES: list[Store] = [sqlite, lancedb, postgresql, qdrant, opensearch, weaviate]
