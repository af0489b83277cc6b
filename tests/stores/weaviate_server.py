"""Weaviate's interface over lists in memory: its REST schema calls and a servicer of its official gRPC description.

The client packs and unpacks every message. What a request says and this server does not know is refused, so a field
that is ignored cannot pass for one that works; properties are searched and filtered only as the schema allows.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import numpy as np

from wrac.text.bm25 import idf, saturation

Json = dict[str, Any]


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that the server does not take."""


class Collections:
    """Of each collection its schema, and its objects by id."""

    def __init__(self) -> None:
        self.schemas: dict[str, Json] = {}
        self.objects: dict[str, dict[str, tuple[Json, Any]]] = {}

    def schema(self, collection: str, name: str) -> Json:
        """The schema of a property."""
        for said in self.schemas[collection]["properties"]:
            if said["name"] == name:
                return dict(said)
        raise Refused(f"no such prop with name '{name}' found in class '{collection}'")

    def allowed(self, collection: str, filters: Any | None) -> dict[str, tuple[Json, Any]]:
        """The objects that a filter allows."""
        if filters is None:
            return dict(self.objects[collection])
        holds = self._condition(collection, filters)
        return {key: one for key, one in self.objects[collection].items() if holds(one[0])}

    def _condition(self, collection: str, said: Any) -> Callable[[Json], bool]:
        operator = said.Operator.Name(said.operator).removeprefix("OPERATOR_")
        if operator in ("AND", "OR"):
            known(said, "operator", "filters")
            parts = [self._condition(collection, one) for one in said.filters]
            join = all if operator == "AND" else any
            return lambda said: join(part(said) for part in parts)
        (kind,) = {field.name for field, _ in said.ListFields()} - {"operator", "target"} or {"value_int"}
        value, name = getattr(said, kind), said.target.property
        schema = self.schema(collection, name)
        if not schema["indexFilterable"]:
            raise Refused(f"Filtering by property '{name}' requires inverted index.")
        if schema["dataType"][0].startswith("text") and schema["tokenization"] != "field":
            raise Refused(f"{name}: only whole values are filtered here")
        return _compared(operator, name, list(value.values) if kind == "value_text_array" else value)


def _compared(operator: str, name: str, value: Any) -> Callable[[Json], bool]:
    def values(said: Json) -> list[Any]:
        found = said.get(name)
        return found if isinstance(found, list) else [] if found is None else [found]

    if operator == "CONTAINS_ANY":
        wanted = set(value)
        return lambda said: not wanted.isdisjoint(values(said))
    if operator == "LIKE":
        pattern = re.compile("".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in value), re.DOTALL)
        return lambda said: any(pattern.fullmatch(one) for one in values(said))
    compare: dict[str, Callable[[Any], bool]] = {
        "EQUAL": lambda one: bool(one == value), "GREATER_THAN": lambda one: bool(one > value),
        "GREATER_THAN_EQUAL": lambda one: bool(one >= value), "LESS_THAN_EQUAL": lambda one: bool(one <= value),
    }  # fmt: skip
    if operator not in compare:
        raise Refused(f"unknown operator {operator}")
    return lambda said: any(map(compare[operator], values(said)))


def known(message: Any, *names: str) -> None:
    """Nothing, when a message says nothing but those fields."""
    said = {field.name for field, value in message.ListFields() if value or field.name in names}
    if unknown := said - set(names):
        raise Refused(f"{message.DESCRIPTOR.name}: unknown {sorted(unknown)}")


def servicer(collections: Collections, key: str) -> Any:
    """The gRPC side: each call answered by `Calls`."""
    import grpc  # type: ignore[import-untyped]
    from weaviate.proto.v1 import weaviate_pb2_grpc

    def guarded(answer: Callable[[Any], Any]) -> Callable[[Any, Any, Any], Any]:
        def call(_: Any, request: Any, context: Any) -> Any:
            if key and ("authorization", f"Bearer {key}") not in context.invocation_metadata():
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "unauthorized: invalid api key")
            try:
                return answer(request)
            except Refused as refused:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(refused))

        return call

    calls = Calls(collections)
    answers = {"BatchObjects": calls.batch, "BatchDelete": calls.delete, "Search": calls.search,
               "Aggregate": calls.aggregate}  # fmt: skip
    made = {name: guarded(answer) for name, answer in answers.items()}
    return type("Servicer", (weaviate_pb2_grpc.WeaviateServicer,), made)()


class Calls:
    """What the service does."""

    def __init__(self, collections: Collections) -> None:
        self.collections = collections

    def batch(self, request: Any) -> Any:
        from weaviate.proto.v1 import batch_pb2

        known(request, "objects")
        problems = [(index, self._put(one)) for index, one in enumerate(request.objects)]
        errors = [batch_pb2.BatchObjectsReply.BatchError(index=n, error=text) for n, text in problems if text]
        return batch_pb2.BatchObjectsReply(errors=errors)

    def _put(self, one: Any) -> str:
        known(one, "uuid", "properties", "collection", "vector_bytes", "vectors")
        known(one.properties, "non_ref_properties", "text_array_properties", "empty_list_props")
        said = {name: _number(value) for name, value in one.properties.non_ref_properties.items()}
        said |= {part.prop_name: list(part.values) for part in one.properties.text_array_properties}
        said |= {name: [] for name in one.properties.empty_list_props}
        for name in said:
            self.collections.schema(one.collection, name)
        (data,) = [part.vector_bytes for part in one.vectors] or [one.vector_bytes]
        vector, others = np.frombuffer(data, "<f4"), self.collections.objects[one.collection]
        lengths = {len(other) for _, other in others.values()}
        if lengths - {len(vector)}:
            return f"vector lengths don't match: {len(vector)} vs {lengths.pop()}"
        others[one.uuid] = (said, vector)
        return ""

    def delete(self, request: Any) -> Any:
        from weaviate.proto.v1 import batch_delete_pb2

        known(request, "collection", "filters")
        gone = list(self.collections.allowed(request.collection, request.filters))[:10_000]
        for uuid in gone:
            del self.collections.objects[request.collection][uuid]
        return batch_delete_pb2.BatchDeleteReply(matches=len(gone), successful=len(gone))

    def search(self, request: Any) -> Any:
        from weaviate.proto.v1 import search_get_pb2

        known(request, "collection", "properties", "metadata", "limit", "after", "filters", "bm25_search",
              "near_vector", "uses_123_api", "uses_125_api", "uses_127_api")  # fmt: skip
        if request.limit > 10_000:
            raise Refused("query maximum results exceeded")
        filters = request.filters if request.HasField("filters") else None
        allowed = self.collections.allowed(request.collection, filters)
        if request.HasField("bm25_search"):
            ranked = _lexical(self.collections, request.collection, request.bm25_search, allowed)
        elif request.HasField("near_vector"):
            ranked = _near(request.near_vector, allowed)
        else:
            ranked = [(uuid, 0.0) for uuid in sorted(allowed) if uuid > request.after]
        for name in request.properties.non_ref_properties:
            self.collections.schema(request.collection, name)
        found = ranked[: request.limit or 10]
        return search_get_pb2.SearchReply(results=[self._result(request, uuid, score) for uuid, score in found])

    def _result(self, request: Any, uuid: str, score: float) -> Any:
        from weaviate.proto.v1 import search_get_pb2

        said, vector = self.collections.objects[request.collection][uuid]
        result = search_get_pb2.SearchResult()
        meta = result.metadata
        meta.id, meta.id_as_bytes = uuid, UUID(uuid).bytes
        if request.metadata.score:
            meta.score, meta.score_present = score, True
        if request.metadata.distance:
            meta.distance, meta.distance_present = -score, True
        if request.metadata.vector or request.metadata.vectors:
            meta.vectors.add(name="default", vector_bytes=vector.tobytes(), type=1)
            meta.vector_bytes = vector.tobytes()
        for name in set(request.properties.non_ref_properties) & said.keys():
            value = result.properties.non_ref_props.fields[name]
            if isinstance(said[name], list):
                value.list_value.text_values.SetInParent()
                value.list_value.text_values.values.extend(said[name])
            elif isinstance(said[name], str):
                value.text_value = said[name]
            else:
                value.int_value = said[name]
        return result

    def aggregate(self, request: Any) -> Any:
        from weaviate.proto.v1 import aggregate_pb2

        known(request, "collection", "group_by", "filters", "objects_count")
        filters = request.filters if request.HasField("filters") else None
        name = request.group_by.property
        counted = Counter(said[name] for said, _ in self.collections.allowed(request.collection, filters).values())
        reply = aggregate_pb2.AggregateReply()
        for value, count in counted.items():
            group = reply.grouped_results.groups.add(objects_count=count)
            group.grouped_by.path.append(name)
            group.grouped_by.text = value
        return reply


def _number(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value


def _lexical(collections: Collections, collection: str, said: Any, allowed: Json) -> list[tuple[str, float]]:
    """BM25 over the whole collection, of the allowed objects."""
    known(said, "query", "properties")
    (name,) = said.properties
    schema, settings = collections.schema(collection, name), collections.schemas[collection]["invertedIndexConfig"]
    if not schema["indexSearchable"] or schema["tokenization"] != "whitespace":
        raise Refused(f"{name} is not searchable by words")
    if settings["stopwords"]["preset"] != "none":
        raise Refused("stop words are left out")
    documents = {uuid: Counter(one[0][name].split()) for uuid, one in collections.objects[collection].items()}
    average = sum(c.total() for c in documents.values()) / max(len(documents), 1)
    scores: dict[str, float] = {}
    for term in said.query.split():
        holding = [uuid for uuid, counts in documents.items() if counts[term]]
        for uuid in holding:
            counts = documents[uuid]
            weight = saturation(counts[term], counts.total(), average, **{
                "k1": settings["bm25"]["k1"], "b": settings["bm25"]["b"]})  # fmt: skip
            scores[uuid] = scores.get(uuid, 0.0) + idf(len(documents), len(holding)) * weight
    return sorted(((u, s) for u, s in scores.items() if u in allowed), key=lambda one: (-one[1], one[0]))


def _near(said: Any, allowed: dict[str, tuple[Json, Any]]) -> list[tuple[str, float]]:
    """The allowed objects by their inner product."""
    known(said, "vector_bytes", "vectors", "targets", "target_vectors")
    (data,) = [part.vector_bytes for part in said.vectors] or [said.vector_bytes]
    query = np.frombuffer(data, "<f4").astype(np.float64)
    scores = {uuid: float(vector.astype(np.float64) @ query) for uuid, (_, vector) in allowed.items()}
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))


@contextmanager
def serving(key: str = "") -> Iterator[tuple[str, int]]:
    """Host and port, and the port of gRPC; with a key it wants it."""
    import grpc
    from weaviate.proto.v1 import weaviate_pb2_grpc

    collections = Collections()
    remote = grpc.server(futures.ThreadPoolExecutor(4))
    weaviate_pb2_grpc.add_WeaviateServicer_to_server(servicer(collections, key), remote)
    port = remote.add_insecure_port("127.0.0.1:0")
    remote.start()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(collections, key))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}", port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        remote.stop(None).wait()


_CLASS = {"class", "description", "properties", "vectorConfig", "invertedIndexConfig", "vectorIndexConfig",
          "vectorIndexType", "vectorizer", "moduleConfig"}  # fmt: skip
_PROPERTY = {
    "name",
    "dataType",
    "indexFilterable",
    "indexSearchable",
    "indexRangeFilters",
    "tokenization",
    "skip_vectorization",
    "vectorize_property_name",
}  # the client's own, of no meaning to a server


def _handler(collections: Collections, key: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _do(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            if key and self.headers.get("Authorization") != f"Bearer {key}":
                self._say(401, {"error": [{"message": "unauthorized: invalid api key"}]})
            elif self.path == "/v1/meta":
                self._say(200, {"version": "1.36.0", "modules": {}, "hostname": "", "grpcMaxMessageSize": 10_485_760})
            else:
                self._schema(self.command, self.path.removeprefix("/v1/schema").strip("/"), body)

        def _schema(self, method: str, name: str, body: Json) -> None:
            if method == "POST" and not name:
                unknown = set(body) - _CLASS
                unknown |= {field for said in body["properties"] for field in said if field not in _PROPERTY}
                if unknown:
                    self._say(422, {"error": [{"message": f"unknown {sorted(unknown)}"}]})
                    return
                for said in body["properties"]:
                    text = said["dataType"][0].startswith("text")
                    said.setdefault("indexFilterable", True)
                    said.setdefault("indexSearchable", text)
                    said.setdefault("tokenization", "word" if text else None)
                collections.schemas[body["class"]] = body
                collections.objects[body["class"]] = {}
                self._say(200, body)
            elif name not in collections.schemas:
                self._say(404, {})
            elif method == "GET":
                self._say(200, _described(collections.schemas[name]))
            else:
                del collections.schemas[name], collections.objects[name]
                self._say(200, {})

        do_GET = do_POST = do_DELETE = _do  # noqa: N815

        def _say(self, status: int, answer: Json) -> None:
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    return Handler


def _described(schema: Json) -> Json:
    """A schema as the server tells it: with all that it adds."""
    return {
        "replicationConfig": {"factor": 1, "asyncEnabled": False, "deletionStrategy": "NoAutomatedResolution"},
        "shardingConfig": {"virtualPerPhysical": 128, "desiredCount": 1, "actualCount": 1, "desiredVirtualCount": 128,
                           "actualVirtualCount": 128, "key": "_id", "strategy": "hash", "function": "murmur3"},
        "multiTenancyConfig": {"enabled": False},
        **schema,
        "vectorConfig": {
            name: said | {"vectorIndexConfig": _HNSW | said["vectorIndexConfig"]}
            for name, said in schema["vectorConfig"].items()
        },
    }  # fmt: skip


_HNSW = {
    "cleanupIntervalSeconds": 300, "distance": "cosine", "dynamicEfMin": 100, "dynamicEfMax": 500, "dynamicEfFactor": 8,
    "ef": -1, "efConstruction": 128, "filterStrategy": "acorn", "flatSearchCutoff": 40000, "maxConnections": 32,
    "skip": False, "vectorCacheMaxObjects": 10**12,
}  # fmt: skip
