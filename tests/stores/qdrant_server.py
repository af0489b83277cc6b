"""Qdrant's REST interface over Qdrant's own engine in this process: what the client sends is run, not imitated.

Only requests that the index makes are known; a field that is not understood is refused as the server would refuse it.
"""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

Json = dict[str, Any]


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """An answer of the server that is no success."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Collections:
    """Collections in a folder, each a shard of the engine and the configuration that the engine does not keep."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shards: dict[str, Any] = {}
        self.configs: dict[str, Json] = {}
        self.lock = threading.Lock()

    def answer(self, method: str, path: str, body: Json) -> Any:
        name, _, verb = path.removeprefix("/collections").strip("/").partition("/")
        with self.lock:
            known: dict[tuple[str, str], Callable[[str, Json], Any]] = {
                ("PUT", ""): self.create, ("DELETE", ""): self.delete, ("GET", ""): self.describe,
                ("GET", "exists"): lambda name, _: {"exists": name in self.shards},
                ("PUT", "index"): self.index, ("POST", "points/batch"): self.batch,
                ("POST", "points/query"): self.query, ("POST", "points/scroll"): self.scroll,
                ("POST", "points/count"): self.count, ("POST", "facet"): self.facet,
            }  # fmt: skip
            if (method, verb) not in known:
                raise Refused(404, f"no {method} {path}")
            if name not in self.shards and (method, verb) not in (("PUT", ""), ("GET", "exists")):
                raise Refused(404, f"Collection `{name}` doesn't exist!")
            return known[method, verb](name, body)

    def create(self, name: str, body: Json) -> bool:
        import qdrant_edge as edge

        size, distance = understood(body.pop("vectors").pop("dense"), "size", "distance")
        understood(body, "shard_number", "metadata")
        folder = self.folder / name
        folder.mkdir()
        vectors = {"dense": edge.EdgeVectorParams(size, getattr(edge.Distance, distance))}
        self.shards[name] = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors=vectors))
        self.configs[name] = {"metadata": body["metadata"], "size": size}
        return True

    def delete(self, name: str, _: Json) -> bool:
        self.shards.pop(name).close()
        shutil.rmtree(self.folder / name)
        return True

    def describe(self, name: str, _: Json) -> Json:
        import qdrant_edge as edge

        config = self.configs[name]
        return {
            "status": "green", "optimizer_status": "ok", "segments_count": 1, "payload_schema": {},
            "points_count": self.shards[name].count(edge.CountRequest()),
            "config": {
                "params": {"vectors": {"dense": {"size": config["size"], "distance": "Dot"}}},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000,
                                     "default_segment_number": 0, "flush_interval_sec": 5},
                "metadata": config["metadata"],
            },
        }  # fmt: skip

    def index(self, name: str, body: Json) -> Json:
        import qdrant_edge as edge

        field, schema = understood(body, "field_name", "field_schema")
        if isinstance(schema, str):
            made: Any = getattr(edge.PayloadSchemaType, schema.capitalize())
        elif schema.pop("type") == "keyword":
            made = edge.KeywordIndexParams(**schema)
        else:
            tokenizer = getattr(edge.TokenizerType, schema.pop("tokenizer").capitalize())
            made = edge.TextIndexParams(tokenizer=tokenizer, **schema)
        self.shards[name].update(edge.UpdateOperation.create_field_index(field, made))
        return {"operation_id": 0, "status": "completed"}

    def batch(self, name: str, body: Json) -> list[Json]:
        import qdrant_edge as edge

        (operations,) = understood(body, "operations")
        for operation in operations:
            ((kind, said),) = operation.items()
            if kind == "delete":
                (where,) = understood(said, "filter")
                made = edge.UpdateOperation.delete_points_by_filter(condition(where))
            elif kind == "upsert":
                (points,) = understood(said, "points")
                made = edge.UpdateOperation.upsert_points([edge.Point(**point) for point in points])
            else:
                raise Refused(400, f"unknown operation {kind}")
            self.shards[name].update(made)
        return [{"operation_id": 0, "status": "completed"} for _ in operations]

    def query(self, name: str, body: Json) -> Json:
        import qdrant_edge as edge

        query, using, limit = understood(
            body, "query", "using", "limit", rest=("filter", "params", "with_payload", "with_vector")
        )
        if "nearest" in query:
            (vector,) = understood(query, "nearest")
            made: Any = edge.Query.Nearest(vector, using)
        else:
            (text,) = understood(query, "text")
            words, scoring = understood(text, "query", "scoring")
            made = edge.TextQuery(using, words, edge.Bm25Params(**scoring["bm25"]))
        request = edge.QueryRequest(
            limit=limit, query=made, filter=condition(body.get("filter")), with_payload=body.get("with_payload"),
            params=edge.SearchParams(**body["params"]) if body.get("params") else None,
        )  # fmt: skip
        points = self.shards[name].query(request)
        return {"points": [told(point) | {"version": 0, "score": point.score} for point in points]}

    def scroll(self, name: str, body: Json) -> Json:
        import qdrant_edge as edge

        (limit,) = understood(body, "limit", rest=("filter", "offset", "with_payload", "with_vector"))
        payload = body.get("with_payload", True)
        if isinstance(payload, dict):
            payload = edge.PayloadSelector.Exclude(payload["exclude"])
        request = edge.ScrollRequest(
            offset=body.get("offset"), limit=limit, filter=condition(body.get("filter")), with_payload=payload,
            with_vector=body.get("with_vector", False),
        )  # fmt: skip
        points, offset = self.shards[name].scroll(request)
        return {"points": [told(point) for point in points], "next_page_offset": str(offset) if offset else None}

    def count(self, name: str, body: Json) -> Json:
        import qdrant_edge as edge

        understood(body, "exact", rest=("filter",))
        return {"count": self.shards[name].count(edge.CountRequest(body["exact"], condition(body.get("filter"))))}

    def facet(self, name: str, body: Json) -> Json:
        import qdrant_edge as edge

        key, limit, exact = understood(body, "key", "limit", "exact", rest=("filter",))
        request = edge.FacetRequest(key, limit, exact, condition(body.get("filter")))
        hits = self.shards[name].facet(request).hits
        return {"hits": [{"value": hit.value, "count": hit.count} for hit in hits]}


def understood(body: Json, *wanted: str, rest: tuple[str, ...] = ()) -> list[Any]:
    """The values under those names; any other one that is said is refused, as is one that is missing."""
    said = {name for name, value in body.items() if value is not None}
    if unknown := said - {*wanted, *rest}:
        raise Refused(400, f"unknown fields {sorted(unknown)}")
    if missing := set(wanted) - said:
        raise Refused(400, f"missing fields {sorted(missing)}")
    return [body[name] for name in wanted]


def condition(said: Json | None) -> Any:
    """The engine's condition for one in JSON: a filter of conditions, or one field's."""
    import qdrant_edge as edge

    if said is None:
        return None
    if "key" not in said:
        parts = understood(
            {"must": [], "should": [], **{k: v for k, v in said.items() if v is not None}}, "must", "should"
        )
        must, should = ([condition(one) for one in part] or None for part in parts)
        return edge.Filter(must=must, should=should)
    (key,) = understood(said, "key", rest=("match", "range"))
    if said.get("range"):
        limits = {name: value for name, value in said["range"].items() if value is not None}
        return edge.FieldCondition(key, range=edge.RangeDateTime(**limits))
    ((kind, value),) = said["match"].items()
    made = {"any": edge.MatchAny, "value": edge.MatchValue, "prefix": edge.MatchPrefix}[kind](value)
    return edge.FieldCondition(key, match=made)


def told(point: Any) -> Json:
    vector = {name: list(values) for name, values in point.vector.items()} if point.vector else None
    return {"id": str(point.id), "payload": point.payload, "vector": vector}


@contextmanager
def serving(key: str = "") -> Iterator[str]:
    """The host and port of a server; with a key it wants it. Its data are in memory where that is a folder."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of our own in it
    folder = TemporaryDirectory(dir=memory if memory.is_dir() else None)
    collections = Collections(Path(folder.name))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _do(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
            if key and self.headers.get("api-key") != key:
                self._say(401, {"status": {"error": "Must provide an API key or an Authorization bearer token"}})
                return
            try:
                result = collections.answer(self.command, urlsplit(self.path).path, body)
                self._say(200, {"result": result, "status": "ok", "time": 0.0})
            except Refused as refused:
                self._say(refused.status, {"status": {"error": str(refused)}, "time": 0.0})
            except Exception as error:  # noqa: BLE001 - the engine's errors are the server's answers
                self._say(400, {"status": {"error": re.sub(r"\s+", " ", str(error))}, "time": 0.0})

        do_GET = do_PUT = do_POST = do_DELETE = _do  # noqa: N815

        def _say(self, status: int, answer: Json) -> None:
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        for shard in collections.shards.values():
            shard.close()
        folder.cleanup()
