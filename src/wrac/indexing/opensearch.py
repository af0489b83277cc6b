"""An OpenSearch index as the store: a document for each row, found by Lucene's BM25 and by its k-NN search.

Terms come analysed, so the field's analyser only parts them at white space; k1 and b are ours. Lucene rounds long
lengths, and counts documents that are deleted but not yet merged away, so scores are near those of the embedded index.
Filters are part of either query. One shard: BM25 is then counted over the whole index.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from opensearchpy import OpenSearch
from opensearchpy.exceptions import OpenSearchException, RequestError, TransportError

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

TERMS: Final = 1000
"""Distinct terms of a query: Lucene's own limit for clauses is 1024."""
LONGEST: Final = 255
"""Letters of a term: Lucene would part a longer one."""
DEEPEST: Final = 10_000
"""Hits of one answer, and neighbours of one search: OpenSearch's own limits."""
_PAGE, _ROWS = 1000, 500
_KEYWORDS = ("entry", "chunk", "url", "language", "spoken", "kinds", "roles", "tags", "fields", "date")
_TRAITS = Traits(
    "opensearch",
    lexical=False,
    dense=False,
    shared=True,
    proven="osmem's BM25, bulk and filters, requests by OpenSearch's interface description; not run against a server",
)


def connect(address: StoreAddress, space: Space, *, create: bool, anew: bool) -> OpenSearchStore:
    """The store in the index `address.index`; `?ca=FILE` names the certificate that signed the server's.

    Raises as `stores.open_index` does.
    """
    if not address.host:
        raise ConfigError(f"--store {address.shown}: it has no host; write opensearch://localhost:9200")
    secure = address.transport == "https"
    client = OpenSearch(
        hosts=[{"host": address.host, "port": address.port or 9200, "url_prefix": address.path.strip("/")}],
        http_auth=(address.user, address.password) if address.password else None,
        use_ssl=secure,
        ca_certs=address.options.get("ca"),
        timeout=60,
        max_retries=2,
    )
    with _errors(address):
        known = client.indices.exists(index=address.index)
        if anew and known:
            client.indices.delete(index=address.index)
        if not known and not (create or anew):
            raise absent(address)
        if anew or not known:
            _create(client, address.index, space)
        compare(address, _space(client, address.index), space)
    return OpenSearchStore(address, client)


def _create(client: OpenSearch, name: str, space: Space) -> None:
    try:
        client.indices.create(index=name, body=_described(space))
    except RequestError as error:
        # Made by another process, or by this request's first attempt.
        if error.error != "resource_already_exists_exception":
            raise


def _described(space: Space) -> dict[str, Any]:
    """Settings and mapping of a new index."""
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
    properties: dict[str, Any] = {name: {"type": "keyword"} for name in _KEYWORDS}
    properties["position"] = {"type": "integer"}
    properties["terms"] = {"type": "text", "analyzer": "whitespace", "similarity": "bm25"}
    properties["vector"] = {"type": "knn_vector", "dimension": space.dimensions, "method": method}
    similarity = {"bm25": {"type": "BM25", "k1": bm25.K1, "b": bm25.B, "discount_overlaps": True}}
    return {
        "settings": {"index": {"knn": True, "number_of_shards": 1, "similarity": similarity}},
        # What has no field here is kept and given back, not searched: metadata may have any names.
        "mappings": {"dynamic": False, "_meta": {"wrac.embedder": space.embedder}, "properties": properties},
    }


def _space(client: OpenSearch, name: str) -> Space:
    (found,) = client.indices.get_mapping(index=name).values()
    mapping = found["mappings"]
    vector = mapping.get("properties", {}).get("vector", {})
    return Space(str(mapping.get("_meta", {}).get("wrac.embedder", "?")), int(vector.get("dimension", 0)))


@dataclass(slots=True)
class OpenSearchStore:
    """The store in one index. Any number of processes may write; of two that write a page at once the last wins.

    A page is taken out and put in by one bulk request: after a kill it is as it was or as it should be.
    """

    address: StoreAddress
    client: OpenSearch
    traits = _TRAITS

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say."""
        with _errors(self.address):
            for batch in _by_size(last(changes)):
                documents = {key: value for change in batch for key, value in _documents(change)}
                pages = {"terms": {"url": [change.page for change in batch]}}
                old = [hit["_id"] for hit in self._each(pages, [])]
                lines: list[dict[str, Any]] = [{"delete": {"_id": key}} for key in old if key not in documents]
                for key, document in documents.items():
                    lines += [{"index": {"_id": key}}, document]
                if lines:
                    self._bulk(lines)

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by Lucene's BM25, above zero; a query is cut to its first `TERMS` distinct terms."""
        words = [term for term in dict.fromkeys(map(_cut, terms)) if term and not term.isspace()][:TERMS]
        matched = {"match": {"terms": {"query": " ".join(words), "operator": "or"}}}
        query = {"bool": {"must": [matched], "filter": _where(filters)}}

        def ask(depth: int) -> list[tuple[str, float]]:
            return self._scored(query, depth)

        with _errors(self.address):
            return best(ask, k) if words else []

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product, as Lucene's graph finds them among those the filters allow."""

        def ask(depth: int) -> list[tuple[str, float]]:
            near: dict[str, Any] = {"vector": vector.tolist(), "k": min(depth, DEEPEST)}
            if where := _where(filters):
                near["filter"] = {"bool": {"filter": where}}
            # A score is half of one more than the cosine.
            return [(entry, 2.0 * score - 1.0) for entry, score in self._scored({"knn": {"vector": near}}, depth)]

        with _errors(self.address):
            return best(ask, k)

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        found: dict[str, list[Row]] = {entry: [] for entry in entries}
        with _errors(self.address):
            for batch in in_batches(found, _ROWS):
                wanted = {"bool": {"filter": [{"terms": {"entry": batch}}, *_where(filters)]}}
                for hit in self._each(wanted, {"excludes": ["vector", "terms"]}):
                    row = row_of(hit["_source"])
                    found[row.entry].append(row)
        return {entry: sorted(rows, key=lambda row: (row.page, row.position)) for entry, rows in found.items()}

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that are in the index."""
        found: dict[str, Vector] = {}
        with _errors(self.address):
            for batch in in_batches(dict.fromkeys(entries), _ROWS):
                for hit in self._each({"terms": {"entry": batch}}, ["entry", "vector"]):
                    found[hit["_source"]["entry"]] = np.array(hit["_source"]["vector"], np.float32)
        return found

    def contents(self) -> Iterator[tuple[str, int, str]]:
        """Page, position and entry of every row."""
        with _errors(self.address):
            for hit in self._each({"match_all": {}}, ["url", "position", "entry"]):
                yield hit["_source"]["url"], hit["_source"]["position"], hit["_source"]["entry"]

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first, counted by their first passages."""
        counted = self._counted("language", {"term": {"position": 0}})
        return sorted(counted, key=lambda language: (-counted[language], language))

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        return sorted(self._counted("fields", {"match_all": {}}))

    def size(self) -> int:
        """How many entries there are."""
        return len({entry for _, _, entry in self.contents()})

    def check(self) -> list[str]:
        """Documents whose id is not that of their row."""
        with _errors(self.address):
            return [
                f"document {hit['_id']} is not the row it says"
                for hit in self._each({"match_all": {}}, {"excludes": ["vector", "terms"]})
                if row_id(row_of(hit["_source"])) != hit["_id"]
            ]

    def close(self) -> None:
        """End the connections."""
        self.client.close()

    def _bulk(self, lines: Sequence[Mapping[str, Any]]) -> None:
        body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        answer = self.client.bulk(index=self.address.index, body=body, refresh=True)
        wrong = (said for item in answer["items"] for said in item.values() if said.get("error"))
        if answer.get("errors") and (first := next(wrong, None)):
            raise down(self.address, f"a document is refused: {json.dumps(first['error'], ensure_ascii=False)}")

    def _scored(self, query: Mapping[str, Any], depth: int) -> list[tuple[str, float]]:
        body = {"query": query, "size": min(depth, DEEPEST), "_source": ["entry"], "track_total_hits": False,
                "sort": [{"_score": {"order": "desc"}}, {"entry": {"order": "asc"}}]}  # fmt: skip
        hits = self.client.search(index=self.address.index, body=body)["hits"]["hits"]
        return [(hit["_source"]["entry"], hit["_score"]) for hit in hits]

    def _each(self, query: Mapping[str, Any], source: object) -> Iterator[Mapping[str, Any]]:
        """Every document that the query finds, with those of its fields that `source` names."""
        order = [{name: {"order": "asc"}} for name in ("url", "position", "entry")]
        body = {"query": query, "size": _PAGE, "_source": source or False, "track_total_hits": False, "sort": order}
        while hits := self.client.search(index=self.address.index, body=body)["hits"]["hits"]:
            yield from hits
            if len(hits) < _PAGE:
                return
            body["search_after"] = hits[-1]["sort"]

    def _counted(self, field: str, query: Mapping[str, Any]) -> dict[str, int]:
        counting = {"values": {"terms": {"field": field, "size": DEEPEST}}}
        body = {"query": query, "size": 0, "aggs": counting}
        with _errors(self.address):
            found = self.client.search(index=self.address.index, body=body)["aggregations"]["values"]["buckets"]
        return {bucket["key"]: bucket["doc_count"] for bucket in found}


def _documents(change: Change) -> Iterator[tuple[str, dict[str, Any]]]:
    vectors = change.vectors if change.vectors is not None else np.zeros((0, 0), np.float32)
    for row, vector in zip(change.rows, vectors, strict=True):
        terms = " ".join(map(_cut, row.terms))
        yield row_id(row), {**record(row), "fields": sorted(row.meta), "terms": terms, "vector": vector.tolist()}


def _by_size(changes: Mapping[str, Change]) -> Iterator[list[Change]]:
    """The changes in lists of some 500 rows, no page in two."""
    batch: list[Change] = []
    for change in changes.values():
        batch.append(change)
        if sum(len(one.rows) for one in batch) >= _ROWS or len(batch) >= _ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _where(filters: Filters) -> list[dict[str, Any]]:
    """What `Filters.allow` says of a row, as clauses that all must hold."""
    found: list[dict[str, Any]] = []
    if filters.url:
        found.append({"bool": {"should": [{"prefix": {"url": {"value": url}}} for url in filters.url]}})
    spoken = tuple(language.lower() for language in filters.language)
    for name, wanted in (("kinds", filters.kind), ("roles", filters.role), ("spoken", spoken)):
        found += [{"terms": {name: list(wanted)}}] if wanted else []
    found += [{"terms": {"tags": [pair(name, value) for value in values]}} for name, values in filters.meta]
    found += [{"range": {"date": {"gte": filters.since}}}] if filters.since else []
    found += [{"range": {"date": {"gt": "", "lte": filters.until}}}] if filters.until else []
    return found


def _cut(term: str) -> str:
    return term[:LONGEST]


@contextmanager
def _errors(address: StoreAddress) -> Iterator[None]:
    """Turn what the client raises into one line."""
    try:
        yield
    except TransportError as error:
        refused = error.status_code in (401, 403)
        told = "user or password is refused" if refused else f"{error.status_code} {error.error} {_reason(error)}"
        raise down(address, told) from error
    except (OpenSearchException, OSError) as error:
        raise down(address, error) from error


def _reason(error: TransportError) -> str:
    """The server's own words, without the request's trace."""
    info = error.info if isinstance(error.info, dict) else {}
    cause = info.get("error")
    return str(cause.get("reason", "")) if isinstance(cause, dict) else str(cause or "")
