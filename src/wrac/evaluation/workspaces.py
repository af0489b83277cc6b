"""A data set as a workspace, so that what is measured is the product's own flow; no search sees what is masked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from wrac import catalog
from wrac.core.types import Page
from wrac.evaluation.masking import mask
from wrac.evaluation.search import Dense, Lexical
from wrac.evaluation.values import DataSet
from wrac.evaluation.vectors import Tell, VectorCache
from wrac.flow.pipeline import Options, Pipeline
from wrac.flow.shelf import Shelf, rows_in
from wrac.flow.workspace import Workspace
from wrac.indexing import ALL, DIGITS, Filters, Row, Searched
from wrac.text.analysis import analyse

Vectors = NDArray[np.float32]
SOURCE = "evaluation"
Hide = Callable[[str], str]


class Remembering:
    """An embedder whose vectors of earlier runs are read, not computed."""

    def __init__(self, vectors: VectorCache) -> None:
        self._vectors, embedder = vectors, vectors.embedder
        self.name, self.dimensions, self.window = embedder.name, embedder.dimensions, embedder.window

    def tokens(self, text: str) -> int:
        """Tokens of `text` for the embedder."""
        return self._vectors.embedder.tokens(text)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """float32 (n, dimensions), rows of unit length."""
        return self._vectors.embed(texts, query=query)


class Held:
    """Rows in memory as something to search: exact BM25 and cosine over what `hide` leaves of their texts."""

    def __init__(self, rows: Iterable[Row], vectors: VectorCache, hide: Hide = str) -> None:
        self._rows: dict[str, list[Row]] = {}
        for row in rows:
            self._rows.setdefault(row.entry, []).append(_hidden(row, hide))
        self._entries = sorted(self._rows)
        first = [self._rows[entry][0] for entry in self._entries]
        texts = [_searched(row) for row in first]
        self._lexical = Lexical([analyse(text, row.language) for text, row in zip(texts, first, strict=True)])
        self._dense = Dense(vectors.embed(texts), np.arange(len(texts)), len(texts))

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by BM25."""
        return self._best(self._lexical.search(terms, len(self._entries)), k, filters)

    def dense(self, vector: Vectors, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by cosine."""
        return self._best(self._dense.search(vector, len(self._entries)), k, filters)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand."""
        return {entry: [row for row in self._rows.get(entry, ()) if filters.allow(row)] for entry in entries}

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first."""
        spoken = [language for _, language in {(r.page, r.language) for rows in self._rows.values() for r in rows}]
        return sorted(set(spoken), key=lambda one: (-spoken.count(one), one))

    def fields(self) -> list[str]:
        """The names of metadata that a row has."""
        return sorted({name for rows in self._rows.values() for row in rows for name in row.meta})

    def _best(self, found: Iterable[tuple[int, float]], k: int, filters: Filters) -> list[tuple[str, float]]:
        """The first `k` that the filters allow, rounded; equals in the order of their ids."""
        named = [(self._entries[row], round(score, DIGITS)) for row, score in found]
        allowed = (one for one in named if filters == ALL or any(map(filters.allow, self._rows[one[0]])))
        return sorted(allowed, key=lambda one: (-one[1], one[0]))[:k]


def _hidden(row: Row, hide: Hide) -> Row:
    """The row as a search may see it; a part of a chunk becomes all of its text."""
    text = row.text[row.start : None if row.end < 0 else row.end]
    return replace(row, prefix=hide(row.prefix), text=hide(text), start=0, end=-1)


def _searched(row: Row) -> str:
    return f"{row.prefix}\n{row.text}" if row.prefix else row.text


class _Veiled(Shelf):
    """A shelf that gives what is held in memory to be searched."""

    held: Searched

    def search(self, connection: Connection) -> Searched:  # noqa: ARG002 - as a shelf has it
        return self.held


@contextmanager
def workspace(data: DataSet, vectors: VectorCache, tell: Tell = lambda _: None) -> Iterator[Workspace]:
    """A workspace of the data set's pages, indexed as `wrac index` would, under their own URLs; it is gone afterwards.

    Searches of a data set with masks see its passages without them. A page that cannot be read is skipped.
    """
    with (
        TemporaryDirectory(prefix="wrac-eval-") as folder,
        Workspace(Path(folder) / "workspace", embedder=Remembering(vectors), events=False) as made,
    ):
        _fill(made, data.pages, tell)
        if data.masks:
            made.shelf = veiled(made, held(made, vectors, data, tell=tell))
        yield made


def _fill(made: Workspace, pages: Sequence[Page], tell: Tell) -> None:
    def progress(stage: str, done: int, total: int | None, _: str) -> None:
        tell(f"embedding {stage} {done}/{total or len(pages)}")

    with Pipeline(made.shelf, made.log, Options(workers=0, progress=progress)) as pipeline:
        for page in pages:
            pipeline.offer(page, SOURCE)
        pipeline.flush()
        pipeline.told()


def veiled(made: Workspace, found: Searched) -> Shelf:
    """The workspace's shelf with that in the place of its index."""
    shelf = _Veiled(made.database, made.path, lambda: made.embedder)
    shelf.held = found
    return shelf


def held(
    made: Workspace,
    vectors: VectorCache,
    data: DataSet,
    pages: Callable[[str], bool] = lambda _: True,
    tell: Tell = lambda _: None,
) -> Held:
    """The passages of the pages that are wanted, by URL, as an index of their own without what is masked."""
    tell("masking")
    with made.database.read() as connection:
        rows = [row for url in catalog.urls(connection) if pages(url) for row in rows_in(connection, url)]
    return Held(rows, vectors, mask(data.masks))
