"""A Weaviate collection as the index: an object for each row, found by Weaviate's BM25 and by its vector index.

Terms come analysed: their property is parted at white space, without stop words; k1 and b are ours. Filters are part of
either query. A value is matched as a JSON string, whose quotes keep the white space at its ends, and with the signs
escaped that would stand for any letter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
import weaviate
from weaviate.classes import aggregate, config, data, init, query
from weaviate.exceptions import (
    InsufficientPermissionsError,
    WeaviateBaseError,
    WeaviateConnectionError,
    WeaviateStartUpError,
)

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

TERMS: Final = 1024
DEEPEST: Final = 10_000
"""Hits of one answer, and objects that one request deletes: Weaviate's own limit unless its server says otherwise."""
_ROWS, _ENTRIES = 500, 100
_TEXTS = ("entry", "chunk", "url", "text", "prefix", "anchor", "link", "planner", "language", "label", "date", "meta")
_NUMBERS = ("position", "start", "end", "tokens")
_LISTS = ("units", "trail", "kinds", "roles")
_KEYS = ("page_key", "entry_key", "language_key")
_LIST_KEYS = ("kinds_key", "roles_key", "spoken_key", "tags_key")
"""What filters look at; the others are what a reader gets back."""
_TRAITS = Traits(
    "weaviate",
    lexical=False,
    dense=False,
    shared=True,
    proven="Weaviate's client and interface description; not run against a server",
)


def connect(address: StoreAddress, space: Space, *, create: bool, anew: bool) -> WeaviateStore:
    """The index in the collection `address.index`; `?grpc=PORT` names the other port. Raises as `open_index` does."""
    if not address.host:
        raise ConfigError(f"--store {address.shown}: it has no host; write weaviate://localhost:8080")
    secure = address.transport == "https"
    with _errors(address):
        client = weaviate.connect_to_custom(
            http_host=address.host, http_port=address.port or (443 if secure else 8080), http_secure=secure,
            grpc_host=address.host, grpc_port=_port(address, 443 if secure else 50051), grpc_secure=secure,
            auth_credentials=init.Auth.api_key(address.password) if address.password else None,
            additional_config=init.AdditionalConfig(timeout=init.Timeout(init=10, query=60, insert=300)),
            skip_init_checks=True,  # they ask a package index for the client's newest version
        )  # fmt: skip
        try:
            return WeaviateStore(address, client, _collection(client, address, space, create=create, anew=anew))
        except BaseException:
            client.close()
            raise


def _port(address: StoreAddress, usual: int) -> int:
    given = address.options.get("grpc", str(usual))
    if not given.isdecimal() or not 0 < int(given) < 65536:
        raise ConfigError(f"--store {address.shown}: grpc={given} is no port")
    return int(given)


def _collection(client: Any, address: StoreAddress, space: Space, *, create: bool, anew: bool) -> Any:  # noqa: ANN401
    name = address.index[0].upper() + address.index[1:]
    known = client.collections.exists(name)
    if anew and known:
        client.collections.delete(name)
    if anew or (create and not known):
        return _created(client, name, space)
    if not known:
        raise absent(address)
    collection = client.collections.get(name)
    compare(address, _space(collection.config.get(simple=True).description), space)
    return collection


def _created(client: Any, name: str, space: Space) -> Any:  # noqa: ANN401 - of the client
    def made(name: str, kind: Any, **more: Any) -> Any:  # noqa: ANN401 - of the client
        return config.Property(name=name, data_type=kind, **more)

    kinds, plain = config.DataType, {"index_filterable": False, "index_searchable": False}
    exact = {"index_filterable": True, "index_searchable": False, "tokenization": config.Tokenization.FIELD}
    words = {"index_filterable": False, "index_searchable": True, "tokenization": config.Tokenization.WHITESPACE}
    properties = [made(name, kinds.TEXT, **plain) for name in _TEXTS]
    properties += [made(name, kinds.INT) for name in (*_NUMBERS, "day")]
    properties += [made(name, kinds.TEXT_ARRAY, **plain) for name in _LISTS]
    properties += [made(name, kinds.TEXT, **exact) for name in _KEYS]
    properties += [made(name, kinds.TEXT_ARRAY, **exact) for name in _LIST_KEYS]
    properties += [made("terms", kinds.TEXT, **words)]
    near = config.Configure.VectorIndex.hnsw(distance_metric=config.VectorDistances.DOT)
    return client.collections.create(
        name,
        description=json.dumps({"wrac.embedder": space.embedder, "dimensions": space.dimensions}),
        properties=properties,
        vector_config=config.Configure.Vectors.self_provided(vector_index_config=near),
        inverted_index_config=config.Configure.inverted_index(
            bm25_k1=bm25.K1, bm25_b=bm25.B, stopwords_preset=config.StopwordsPreset.NONE
        ),
    )


def _space(description: str | None) -> Space:
    try:
        said = json.loads(description or "")
        return Space(str(said["wrac.embedder"]), int(said["dimensions"]))
    except (ValueError, KeyError, TypeError):
        return Space("?", 0)


@dataclass(slots=True)
class WeaviateStore:
    """The index in one collection. Any number of processes may write; of two that write a page at once the last wins.

    A page is taken out before it is put in, so a reader in between misses it; a batch of more than 500 rows is put in
    by several requests.
    """

    address: StoreAddress
    client: Any
    collection: Any
    traits = _TRAITS

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say."""
        with _errors(self.address):
            for batch in in_batches(last(changes).values(), 50):
                pages = query.Filter.by_property("page_key").contains_any([_key(change.page) for change in batch])
                while self.collection.data.delete_many(where=pages).matches >= DEEPEST:
                    pass
                objects = (made for change in batch for made in _objects(change))
                for part in in_batches(objects, _ROWS):
                    refused = self.collection.data.insert_many(part).errors
                    if refused:
                        raise down(self.address, f"an object is refused: {next(iter(refused.values())).message}")

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by Weaviate's BM25, above zero; a query is cut to its first `TERMS` distinct terms."""
        words = " ".join([term for term in dict.fromkeys(terms) if term and not term.isspace()][:TERMS])

        def ask(depth: int) -> list[tuple[str, float]]:
            found = self.collection.query.bm25(
                words, query_properties=["terms"], limit=min(depth, DEEPEST), filters=_where(filters),
                return_metadata=query.MetadataQuery(score=True), return_properties=["entry"],
            )  # fmt: skip
            return [(one.properties["entry"], one.metadata.score) for one in found.objects]

        return self._best(ask, k) if words else []

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product, as the graph finds them among those the filters allow."""

        def ask(depth: int) -> list[tuple[str, float]]:
            found = self.collection.query.near_vector(
                vector.tolist(), limit=min(depth, DEEPEST), filters=_where(filters),
                return_metadata=query.MetadataQuery(distance=True), return_properties=["entry"],
            )  # fmt: skip
            return [(one.properties["entry"], -one.metadata.distance) for one in found.objects]

        return self._best(ask, k)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        found: dict[str, list[Row]] = {entry: [] for entry in entries}
        for one in self._of(found, filters):
            row = _row(one.properties)
            found[row.entry].append(row)
        return {entry: sorted(rows, key=lambda row: (row.page, row.position)) for entry, rows in found.items()}

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that are in the collection."""
        found = self._of(dict.fromkeys(entries), ALL, vectors=True)
        return {one.properties["entry"]: np.array(one.vector["default"], np.float32) for one in found}

    def contents(self) -> Iterator[tuple[str, int, str]]:
        """Page, position and entry of every row."""
        for _, said in self._each(["url", "position", "entry"]):
            yield said["url"], said["position"], said["entry"]

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first, counted by their first passages."""
        with _errors(self.address):
            groups = self.collection.aggregate.over_all(
                group_by=aggregate.GroupByAggregate(prop="language_key"),
                filters=query.Filter.by_property("position").equal(0),
            ).groups
        counted = {_plain(str(group.grouped_by.value)): group.total_count or 0 for group in groups}
        return sorted(counted, key=lambda language: (-counted[language], language))

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        return sorted({name for _, said in self._each(["meta"]) for name in json.loads(said["meta"])})

    def size(self) -> int:
        """How many entries there are."""
        return len({said["entry"] for _, said in self._each(["entry"])})

    def check(self) -> list[str]:
        """Objects whose id is not that of their row."""
        read = [*_TEXTS, *_NUMBERS, *_LISTS]
        return [
            f"object {identity} is not the row it says"
            for identity, said in self._each(read)
            if row_id(_row(said)) != identity.hex
        ]

    def close(self) -> None:
        """End the connections."""
        self.client.close()

    def _best(self, ask: Callable[[int], Sequence[tuple[str, float]]], k: int) -> list[tuple[str, float]]:
        with _errors(self.address):
            return best(ask, k)

    def _of(self, entries: Mapping[str, object], filters: Filters, *, vectors: bool = False) -> Iterator[Any]:
        """The objects of entries; a batch that fills an answer is asked for in halves."""
        asked = list(in_batches(entries, _ENTRIES))
        while asked:
            batch = asked.pop()
            where = query.Filter.by_property("entry_key").contains_any([_key(entry) for entry in batch])
            allowed = _where(filters)
            with _errors(self.address):
                found = self.collection.query.fetch_objects(
                    filters=where & allowed if allowed else where, limit=DEEPEST, include_vector=vectors,
                    return_properties=["entry"] if vectors else [*_TEXTS, *_NUMBERS, *_LISTS],
                ).objects  # fmt: skip
            if len(found) == DEEPEST and len(batch) > 1:
                asked += [batch[: len(batch) // 2], batch[len(batch) // 2 :]]
            else:
                yield from found

    def _each(self, properties: list[str]) -> Iterator[tuple[UUID, dict[str, Any]]]:
        with _errors(self.address):
            for one in self.collection.iterator(return_properties=properties):
                yield one.uuid, one.properties


def _objects(change: Change) -> Iterator[data.DataObject[dict[str, Any], None]]:
    vectors = change.vectors if change.vectors is not None else np.zeros((0, 0), np.float32)
    for row, vector in zip(change.rows, vectors, strict=True):
        said = record(row)
        spoken, tags = said.pop("spoken"), said.pop("tags")
        said |= {
            "meta": json.dumps(said["meta"], ensure_ascii=False, sort_keys=True),
            "terms": " ".join(row.terms),
            "day": int(row.date.replace("-", "") or 0),
            "page_key": _key(row.page),
            "entry_key": _key(row.entry),
            "language_key": _key(row.language),
        }
        lists = (("kinds", row.kinds), ("roles", row.roles), ("spoken", spoken), ("tags", tags))
        said |= {f"{name}_key": [_key(value) for value in values] for name, values in lists}
        yield data.DataObject(properties=said, uuid=UUID(row_id(row)), vector=vector.tolist())


def _row(said: Mapping[str, Any]) -> Row:
    lists = {name: said.get(name) or [] for name in _LISTS}
    return row_of({**said, **lists, "meta": json.loads(said["meta"])})


def _where(filters: Filters) -> Any:  # noqa: ANN401 - of the client
    """What `Filters.allow` says of a row, as Weaviate's filter; None for all."""
    by, parts = query.Filter.by_property, []
    if filters.url:
        parts.append(query.Filter.any_of([by("page_key").like(_key(prefix)[:-1] + "*") for prefix in filters.url]))
    spoken = tuple(language.lower() for language in filters.language)
    for name, wanted in (("kinds_key", filters.kind), ("roles_key", filters.role), ("spoken_key", spoken)):
        parts += [by(name).contains_any([_key(value) for value in wanted])] if wanted else []
    for name, values in filters.meta:
        # No value is without quotes, so of no values none is found.
        parts.append(by("tags_key").contains_any([_key(pair(name, value)) for value in values] or ["none"]))
    if filters.since:
        parts.append(by("day").greater_or_equal(int(filters.since.replace("-", ""))))
    if filters.until:
        parts.append(by("day").greater_than(0) & by("day").less_or_equal(int(filters.until.replace("-", ""))))
    return query.Filter.all_of(parts) if parts else None


def _key(text: str) -> str:
    """The text as a value to be matched exactly, whatever signs it has."""
    return json.dumps(text.replace("%", "%25").replace("?", "%3F").replace("*", "%2A"), ensure_ascii=False)


def _plain(key: str) -> str:
    """The text of a key."""
    return str(json.loads(key)).replace("%2A", "*").replace("%3F", "?").replace("%25", "%")


@contextmanager
def _errors(address: StoreAddress) -> Iterator[None]:
    """Turn what the client raises into one line."""
    try:
        yield
    except WeaviateBaseError as error:
        told = str(error.message)
        if isinstance(error, InsufficientPermissionsError) or "UNAUTHENTICATED" in told or "401" in told:
            told = "the key is refused"
        elif isinstance(error, (WeaviateConnectionError, WeaviateStartUpError)):
            told = "no server answers"
        raise down(address, told) from error
    except OSError as error:
        raise down(address, error) from error
