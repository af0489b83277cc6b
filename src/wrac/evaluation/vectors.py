"""Vectors of texts, kept on disk between runs, and the parts of texts that are longer than the embedder's window."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import StorageError
from wrac.core.seams import Embedder

Vectors = NDArray[np.float32]
BATCH = 128
Tell = Callable[[str], None]


def cache_folder() -> Path:
    """Where evaluation keeps vectors: `WRAC_CACHE`, else `XDG_CACHE_HOME/wrac`, else `~/.cache/wrac`."""
    if chosen := os.environ.get("WRAC_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wrac"


class VectorCache:
    """An embedder with a memory: a text it has seen under the same embedder name is read, not computed.

    One SQLite file serves any number of processes; a batch is one transaction, so a killed run loses one batch.
    """

    def __init__(self, embedder: Embedder, folder: Path | None = None) -> None:
        self.embedder, self.computed = embedder, 0
        self._known: dict[bytes, Vectors] = {}
        self._path = (folder or cache_folder()) / "vectors.sqlite"

    @staticmethod
    def of(embedder: str) -> Callable[[], VectorCache]:
        """A maker of the memory of an embedder: a run by BM25 alone loads no model."""

        def made() -> VectorCache:
            from wrac.embedding import load

            return VectorCache(load(embedder))

        return made

    def embed(self, texts: Sequence[str], *, query: bool = False, tell: Tell | None = None) -> Vectors:
        """float32 (n, dimensions) of `texts`, rows of unit length. Raises StorageError where the cache is unusable."""
        keys = [self._key(text, query) for text in texts]
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if wanted:
            with self._open() as db:
                self._known.update(self._read(db, wanted))
                missing = [(key, text) for key, text in wanted.items() if key not in self._known]
                self._compute(db, missing, query, tell or (lambda _: None))
        return np.array([self._known[key] for key in keys], np.float32).reshape(-1, self.embedder.dimensions)

    def _compute(self, db: sqlite3.Connection, missing: Sequence[tuple[bytes, str]], query: bool, tell: Tell) -> None:
        for start in range(0, len(missing), BATCH):
            keys, texts = zip(*missing[start : start + BATCH], strict=True)
            fresh = dict(zip(keys, self.embedder.embed(texts, query=query), strict=True))
            with db:
                rows = [(key, vector.tobytes()) for key, vector in fresh.items()]
                db.executemany("insert or replace into vector values (?, ?)", rows)
            self._known.update(fresh)
            self.computed += len(fresh)
            tell(f"embedding {start + len(fresh)}/{len(missing)}")

    def _key(self, text: str, query: bool) -> bytes:
        side = "query" if query else "passage"
        return sha256(f"{self.embedder.name}\n{side}\n{text}".encode()).digest()

    def _read(self, db: sqlite3.Connection, keys: Iterable[bytes]) -> Iterator[tuple[bytes, Vectors]]:
        width = 4 * self.embedder.dimensions
        for key in keys:
            row = db.execute("select value from vector where key = ?", (key,)).fetchone()
            if row is not None and len(row[0]) == width:
                yield key, np.frombuffer(row[0], np.float32)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=60)) as db:
                db.execute("create table if not exists vector (key blob primary key, value blob) without rowid")
                yield db
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"{self._path}: {error}; set WRAC_CACHE to a folder that can be written") from error


def pieces(text: str, embedder: Embedder) -> list[str]:
    """The text in parts of whole words, as few as greedily fit the embedder's window; one part where all fits."""
    if embedder.tokens(text) <= embedder.window:
        return [text]
    words, parts = text.split(), []
    while words:
        size = _fitting(words, embedder)
        parts.append(" ".join(words[:size]))
        words = words[size:]
    return parts


def _fitting(words: Sequence[str], embedder: Embedder) -> int:
    """How many of the first words fit the window, at least one, by bisection (tokens grow with words)."""
    low, high = 1, min(len(words), embedder.window)
    while low < high:
        middle = (low + high + 1) // 2
        if embedder.tokens(" ".join(words[:middle])) <= embedder.window:
            low = middle
        else:
            high = middle - 1
    return low
