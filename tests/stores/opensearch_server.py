"""OpenSearch on the wire: every request is checked by the official interface description, then run by osmem.

The description (`opensearch_api.json`, see its head and NOTICE) is read strictly: what it does not name is refused.
osmem has no k-NN search: such a query is answered here, exactly, over the documents that osmem's filters allow.
"""

from __future__ import annotations

import json
import re
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import numpy as np

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
    "null": type(None),
}  # fmt: skip


class Wrong(Exception):  # noqa: N818 - an answer, not a fault
    """A request that the description does not allow."""


@cache
def description() -> Any:
    return json.loads(Path(__file__).with_name("opensearch_api.json").read_text("utf-8"))


def check(method: str, path: str, query: Mapping[str, Any], body: Any) -> None:
    """Nothing, when the request is one that the description knows. Raises Wrong."""
    paths = {p: re.sub(r"\{\w+\}", r"[^/_][^/]*", p) for p in description()["paths"]}
    known = next((p for p, pattern in paths.items() if re.fullmatch(pattern, path)), "")
    operation = description()["paths"].get(known, {}).get(method.lower())
    if operation is None:
        raise Wrong(f"no operation {method} {path}")
    if unknown := set(query) - set(operation["query"]):
        raise Wrong(f"{path}: no parameters {sorted(unknown)}")
    if body is not None:
        whole(operation["body"], body, "body")


def whole(schema: Any, value: Any, at: str) -> None:
    """Nothing, when the value is as the schema says and has no property that no part of it names."""
    named = part(schema, value, at)
    if isinstance(value, dict) and (unknown := set(value) - named):
        raise Wrong(f"{at}: unknown {sorted(unknown)}")


def part(schema: Any, value: Any, at: str) -> set[str]:
    """The names of the value's properties that this part of a schema speaks of. Raises Wrong where it forbids one."""
    if "$ref" in schema:
        return part(description()["schemas"][schema["$ref"]], value, at)
    _plain(schema, value, at)
    named: set[str] = set()
    for one in schema.get("allOf", ()):
        named |= part(one, value, at)
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            named |= _one_of(schema[choice], value, at)
    if isinstance(value, dict):
        named |= _properties(schema, value, at)
    if isinstance(value, list) and "items" in schema:
        for number, one in enumerate(value):
            whole(schema["items"], one, f"{at}[{number}]")
    return named


def _plain(schema: Any, value: Any, at: str) -> None:
    kinds = schema.get("type", list(_TYPES))
    fits = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if isinstance(value, _TYPES[kind])]
    if not fits or (isinstance(value, bool) and not {"boolean"} & set(fits)):
        raise Wrong(f"{at}: {value!r} is no {kinds}")
    if "enum" in schema and value not in schema["enum"]:
        raise Wrong(f"{at}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        raise Wrong(f"{at}: {value!r} is not {schema['const']}")
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        raise Wrong(f"{at}: {value!r} does not match {schema['pattern']}")


def _one_of(choices: list[Any], value: Any, at: str) -> set[str]:
    """What the best fitting choice speaks of; that a second one fits too is no fault, as the description has it."""
    problems, found = [], set[str]()
    for choice in choices:
        try:
            named = part(choice, value, at)
        except Wrong as problem:
            problems.append(str(problem))
        else:
            found |= named
    if len(problems) == len(choices):
        raise Wrong(f"{at}: none of {len(choices)} choices: {problems}")
    return found


def _properties(schema: Any, value: Mapping[str, Any], at: str) -> set[str]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", False)
    if missing := set(schema.get("required", ())) - set(value):
        raise Wrong(f"{at}: missing {sorted(missing)}")
    if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value)):
        raise Wrong(f"{at}: {len(value)} properties")
    for name, one in value.items():
        if name in properties:
            whole(properties[name], one, f"{at}.{name}")
        elif isinstance(rest, dict) and rest:
            whole(rest, one, f"{at}.{name}")
    open_ended = rest is not False
    return set(value) if open_ended else set(value) & set(properties)


@contextmanager
def serving(user: str = "", password: str = "") -> Iterator[str]:
    """The host and port of a server; with a user it wants the password."""
    from osmem_server import OsmemServer

    wanted = f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}" if user else ""
    osmem = OsmemServer.start(japanese=False)
    with osmem, osmem.process.stdout:
        behind = httpx2.Client(base_url=osmem.url, headers={"Content-Type": "application/json"}, timeout=60)
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(behind, wanted))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
            behind.close()


def _handler(behind: httpx2.Client, wanted: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            where = urlsplit(self.path)
            lines = [json.loads(line) for line in data.splitlines() if line]
            body: Any = lines if where.path.endswith("/_bulk") else (lines[0] if lines else None)
            if wanted and self.headers.get("Authorization") != wanted:
                self._say(401, b"Unauthorized")
                return
            try:
                check(self.command, where.path, parse_qs(where.query), body)
            except Wrong as problem:
                self._say(400, json.dumps({"error": {"type": "strict", "reason": str(problem)}}).encode())
                return
            near = body["query"].get("knn") if where.path.endswith("/_search") else None
            answer = (
                _nearest(behind, where.path, body, near["vector"])
                if near
                else behind.request(self.command, self.path, content=data)
            )
            self._say(answer.status_code, answer.content)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _do  # noqa: N815

        def _say(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, *_: object) -> None: ...

    return Handler


def _nearest(behind: httpx2.Client, path: str, body: Mapping[str, Any], near: Mapping[str, Any]) -> httpx2.Response:
    """The answer to a k-NN query by every vector of the documents that its filter allows."""
    wanted = {"query": near.get("filter", {"match_all": {}}), "size": 10_000, "_source": ["vector", *body["_source"]]}
    answer = behind.post(path, json=wanted)
    if answer.status_code != 200:
        return answer
    hits = answer.json()["hits"]["hits"]
    query = np.array(near["vector"], np.float64)
    for hit in hits:
        vector = np.array(hit["_source"].pop("vector"), np.float64)
        hit["_score"] = float(np.float32((1 + vector @ query / np.linalg.norm(vector) / np.linalg.norm(query)) / 2))
    hits.sort(key=lambda hit: (-hit["_score"], hit["_source"]["entry"]))
    return httpx2.Response(200, json={"hits": {"hits": hits[: min(near["k"], body["size"])]}})
