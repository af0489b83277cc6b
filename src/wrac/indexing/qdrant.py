"""A Qdrant collection as the index: a point for each row, searched by a dense vector and by Qdrant's own BM25.

The BM25 is that of Qdrant's text index (1.20 and later) over our analysed terms, with our k1 and b. It counts documents
and lengths over the whole collection whatever the filter, so where each entry stands on one page its scores are those
of the embedded index. Sparse vectors were the other way: they hold the mean length of the day they were written.

Filters are in every query itself. Vectors are scanned exactly up to `MANY` points; beyond, Qdrant's graph answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from wrac.core.errors import ConfigError
from wrac.indexing import ALL, Change, Filters, Row, Space, Traits, Vector
from wrac.indexing.stores import (
    StoreAddress,
    absent,
    best,
    compare,
    down,
    in_batches,
    last,
    pair,
    record,
    row_id,
    row_of,
)
from wrac.text import bm25

MANY: Final = 50_000
"""Points from which vectors are searched by their graph: up to here a scan takes milliseconds and misses nothing."""
TERMS: Final = 1024
_BATCH, _PAGE, _DEEPEST = 500, 5000, 100_000
_KEYWORDS = ("entry", "language", "spoken", "kinds", "roles", "tags", "fields")
_SCORING = models.Bm25Scoring(bm25=models.Bm25Params(k=bm25.K1, b=bm25.B))
_TRAITS = Traits(
    "qdrant",
    lexical=False,
    dense=False,
    shared=True,
    proven="Qdrant's engine, through its client; not run against a server",
)


def connect(address: StoreAddress, space: Space, *, create: bool, anew: bool) -> QdrantStore:
    """The index in the collection `address.index`. Raises as `stores.open_index` does."""
    if not address.host:
        raise ConfigError(f"--store {address.shown}: it has no host; write qdrant://localhost:6333")
    scheme = address.transport or "http"
    client = QdrantClient(
        url=f"{scheme}://{address.host}:{address.port or (443 if scheme == 'https' else 6333)}",
        prefix=address.path.strip("/") or None,
        headers={"api-key": address.password} if address.password else None,  # api_key= would warn on plain HTTP
        check_compatibility=False,  # it warns by a second request; a feature that is missing says so
        timeout=60,
    )
    with _errors(address):
        known = client.collection_exists(address.index)
        if anew and known:
            client.delete_collection(address.index)
        if anew or (create and not known):
            _create(client, address.index, space)
        elif not known:
            raise absent(address)
        else:
            compare(address, _space(client, address.index), space)
    return QdrantStore(address, client)


def _create(client: QdrantClient, name: str, space: Space) -> None:
    dense = models.VectorParams(size=space.dimensions, distance=models.Distance.DOT)
    # One shard: BM25 is then counted over the whole collection.
    client.create_collection(name, {"dense": dense}, shard_number=1, metadata={"wrac.embedder": space.embedder})
    indexes: dict[str, Any] = dict.fromkeys(_KEYWORDS, models.PayloadSchemaType.KEYWORD)
    indexes["position"] = models.PayloadSchemaType.INTEGER
    indexes["date"] = models.PayloadSchemaType.DATETIME
    indexes["url"] = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, prefix=True)
    indexes["terms"] = models.TextIndexParams(
        type=models.TextIndexType.TEXT, tokenizer=models.TokenizerType.WHITESPACE, min_token_len=1, lowercase=False,
        scoring=True,
    )  # fmt: skip
    for field, schema in indexes.items():
        client.create_payload_index(name, field, schema)


def _space(client: QdrantClient, name: str) -> Space:
    config = client.get_collection(name).config
    vectors = config.params.vectors
    size = vectors["dense"].size if isinstance(vectors, dict) and "dense" in vectors else 0
    return Space(str((config.metadata or {}).get("wrac.embedder", "?")), size)


@dataclass(slots=True)
class QdrantStore:
    """The index in one collection. Any number of processes may write; of two that write a page at once the last wins.

    A page is taken out and put in by one request, so a reader in between misses it for a moment; a page of more than
    500 rows is put in by several.
    """

    address: StoreAddress
    client: QdrantClient
    traits = _TRAITS

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say."""
        with _errors(self.address):
            for batch in in_batches(last(changes).values(), 50):
                old = models.Filter(must=[_any("url", [change.page for change in batch])])
                operations: list[Any] = [models.DeleteOperation(delete=models.FilterSelector(filter=old))]
                points = [point for change in batch for point in _points(change)]
                for part in in_batches(points, _BATCH):
                    operations.append(models.UpsertOperation(upsert=models.PointsList(points=part)))
                    if len(part) == _BATCH:
                        self._update(operations)
                        operations = []
                if operations:
                    self._update(operations)

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by Qdrant's BM25, above zero; a query is cut to its first `TERMS` distinct terms."""
        words = [term for term in dict.fromkeys(terms) if term and not term.isspace()][:TERMS]
        text = models.TextQueryInput(query=" ".join(words), scoring=_SCORING)
        return self._best(models.TextQuery(text=text), "terms", k, filters) if words else []

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product."""
        with _errors(self.address):
            exact = self.client.count(self.address.index, exact=False).count < MANY
        return self._best(vector.tolist(), "dense", k, filters, models.SearchParams(exact=exact))

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        found: dict[str, list[Row]] = {entry: [] for entry in entries}
        for batch in in_batches(found, _BATCH):
            wanted = models.Filter(must=[_any("entry", batch), *(_where(filters).must or [])])
            hidden = models.PayloadSelectorExclude(exclude=["terms"])
            for point in self._scroll(wanted, payload=hidden):
                row = row_of(point.payload or {})
                found[row.entry].append(row)
        return {entry: sorted(rows, key=lambda row: (row.page, row.position)) for entry, rows in found.items()}

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that are in the collection."""
        found: dict[str, Vector] = {}
        for batch in in_batches(dict.fromkeys(entries), _BATCH):
            for point in self._scroll(models.Filter(must=[_any("entry", batch)]), ["entry"], vectors=["dense"]):
                if isinstance(point.vector, dict) and point.payload:
                    found[point.payload["entry"]] = np.array(point.vector["dense"], np.float32)
        return found

    def contents(self) -> Iterator[tuple[str, int, str]]:
        """Page, position and entry of every row."""
        for point in self._scroll(None, ["url", "position", "entry"]):
            said = point.payload or {}
            yield said["url"], said["position"], said["entry"]

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first, counted by their first passages."""
        first = models.FieldCondition(key="position", match=models.MatchValue(value=0))
        counted = self._facet("language", models.Filter(must=[first]))
        return sorted(counted, key=lambda language: (-counted[language], language))

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        return sorted(self._facet("fields"))

    def size(self) -> int:
        """How many entries there are."""
        return len({point.payload["entry"] for point in self._scroll(None, ["entry"]) if point.payload})

    def check(self) -> list[str]:
        """Points whose id is not that of their row."""
        return [
            f"point {point.id} is not the row it says"
            for point in self._scroll(None)
            if row_id(row_of(point.payload or {})) != UUID(str(point.id)).hex
        ]

    def close(self) -> None:
        """End the connection."""
        self.client.close()

    def _best(
        self,
        query: models.TextQuery | list[float],
        using: str,
        k: int,
        filters: Filters,
        params: models.SearchParams | None = None,
    ) -> list[tuple[str, float]]:
        where = _where(filters)

        def ask(depth: int) -> list[tuple[str, float]]:
            found = self.client.query_points(
                self.address.index, query, using=using, query_filter=where, search_params=params,
                limit=min(depth, _DEEPEST), with_payload=["entry"],
            )  # fmt: skip
            return [(point.payload["entry"], point.score) for point in found.points if point.payload]

        with _errors(self.address):
            return best(ask, k)

    def _update(self, operations: Sequence[Any]) -> None:
        self.client.batch_update_points(self.address.index, operations, wait=True)

    def _scroll(
        self,
        where: models.Filter | None,
        payload: bool | list[str] | models.PayloadSelectorExclude = True,
        vectors: list[str] | None = None,
    ) -> Iterator[models.Record]:
        """Every point that the filter allows."""
        offset: Any = None
        while True:
            with _errors(self.address):
                found, offset = self.client.scroll(
                    self.address.index, where, limit=_PAGE, offset=offset, with_payload=payload,
                    with_vectors=vectors or False,
                )  # fmt: skip
            yield from found
            if offset is None:
                return

    def _facet(self, key: str, where: models.Filter | None = None) -> Counter[str]:
        with _errors(self.address):
            hits = self.client.facet(self.address.index, key, where, limit=10_000, exact=True).hits
        return Counter({str(hit.value): hit.count for hit in hits if hit.count})  # a value that is gone may be told


def _points(change: Change) -> Iterator[models.PointStruct]:
    vectors = change.vectors if change.vectors is not None else np.zeros((0, 0), np.float32)
    for row, vector in zip(change.rows, vectors, strict=True):
        payload = {**record(row), "fields": sorted(row.meta), "terms": " ".join(row.terms)}
        yield models.PointStruct(id=str(UUID(row_id(row))), vector={"dense": vector.tolist()}, payload=payload)


def _where(filters: Filters) -> models.Filter:
    """What `Filters.allow` says of a row, as Qdrant's filter."""
    must: list[Any] = []
    if filters.url:
        prefixes = [models.FieldCondition(key="url", match=models.MatchPrefix(prefix=url)) for url in filters.url]
        must.append(models.Filter(should=prefixes))
    spoken = [language.lower() for language in filters.language]
    for key, wanted in (("kinds", filters.kind), ("roles", filters.role), ("spoken", spoken)):
        must += [_any(key, wanted)] if wanted else []
    must += [_any("tags", [pair(name, value) for value in values]) for name, values in filters.meta]
    if filters.since or filters.until:
        days = models.DatetimeRange(gte=filters.since or None, lte=filters.until or None)
        must.append(models.FieldCondition(key="date", range=days))
    return models.Filter(must=must)


def _any(key: str, values: Iterable[str]) -> models.FieldCondition:
    """That a field holds one of the values; of no value none does."""
    return models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))


@contextmanager
def _errors(address: StoreAddress) -> Iterator[None]:
    """Turn what the client raises into one line."""
    try:
        yield
    except UnexpectedResponse as error:
        refused = error.status_code in (401, 403)
        told = error.content.decode("utf-8", "replace") if error.content else error.reason_phrase
        raise down(address, "the key is refused" if refused else f"{error.status_code} {told}") from error
    except (ApiException, QdrantException, OSError) as error:
        raise down(address, error) from error
