"""Spans at a real collector: OTLP over HTTP, decoded; nothing where none is named, no text where none may be told."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.site import build

from wrac import telemetry
from wrac.core.errors import ConfigError
from wrac.telemetry import names

if os.environ.get("CI"):
    import opentelemetry.exporter.otlp.proto.http  # noqa: F401 - told where it is absent
else:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs wrac[telemetry]")

ROOT = Path(__file__).parent.parent
WORK = """
import sys
from tests.fakes_index import WordEmbedder
from tests.fakes import FakeModel
from wrac.embedding.watched import Watched
from wrac.flow import Workspace
with Workspace(sys.argv[1] + "/ws", embedder=Watched(WordEmbedder())) as workspace:
    workspace.index(sys.argv[1] + "/site", workers=0)
    workspace.search("secret refunds form", k=2)
    workspace.ask("secret refunds form")
    workspace.replan(workers=0)
    try:
        workspace.search("?!")
    except Exception as error:
        print(type(error).__name__)
print(*sorted(name for name in sys.modules if name.startswith("opentelemetry"))[:1])
"""


class Collector:
    """A collector on loopback: the spans that came, each with its attributes."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.resources: list[dict[str, Any]] = []

    def take(self, body: bytes) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        for one in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(said(one.resource))
            self.spans += [span for scope in one.scope_spans for span in scope.spans]

    def named(self, name: str) -> list[dict[str, Any]]:
        return [said(span) for span in self.spans if span.name == name]


def said(thing: Any) -> dict[str, Any]:
    """The attributes of a span or resource."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in thing.attributes}


@contextmanager
def collecting() -> Iterator[tuple[Collector, str]]:
    """A collector and its address."""
    found = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            assert self.headers["Content-Type"] == "application/x-protobuf"
            found.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def environment(**others: str) -> Mapping[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "WRAC_TELEMETRY"))}
    return {**kept, "PYTHONPATH": str(ROOT), **others}


def work(folder: Path, **others: str) -> str:
    """What the work prints, done in a process of its own."""
    build(folder, 3)
    done = subprocess.run(
        [sys.executable, "-c", WORK, folder], env=environment(**others), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_is_loaded_or_sent_where_no_endpoint_is_named(tmp_path: Path) -> None:
    assert work(tmp_path).split() == ["ConfigError"]
    assert not telemetry.on()
    with telemetry.span("anything", {}) as span:
        span.set({"a": 1})
        span.name("other")
        span.fail("never")
    started = time.perf_counter()
    for _ in range(10_000):
        with telemetry.span("anything", {}):
            pass
    assert time.perf_counter() - started < 1  # 2 us each


def test_searches_answers_embeddings_and_runs_are_told_without_their_texts(tmp_path: Path) -> None:
    with collecting() as (found, url):
        out = work(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=url)
    assert out.split()[0] == "ConfigError"
    assert found.resources[0]["service.name"] == "wrac"
    (run,) = found.named("wrac.index")
    assert run[names.PAGES] == 3 and run[names.CHUNKS] > 0 and run[names.SKIPPED] == 0
    assert len(found.named("wrac.replan")) == 1
    searched = found.named("retrieval")
    first = searched[0]
    assert first["gen_ai.operation.name"] == "retrieval"
    assert first["openinference.span.kind"] == "RETRIEVER"
    assert first["gen_ai.retrieval.top_k"] == 2
    documents = json.loads(first["gen_ai.retrieval.documents"])
    assert len(documents) == 2 and documents[0]["id"].startswith("c1:") and documents[0]["score"] > 0
    assert first["retrieval.documents.0.document.id"] == documents[0]["id"]
    assert "url" in json.loads(first["retrieval.documents.0.document.metadata"])
    (answer,) = found.named("wrac.ask")
    assert answer[names.CHOICE] == "passages" and answer[names.REFUSED] is False
    embedded = found.named("embeddings words@1")
    assert (
        embedded[0]["gen_ai.operation.name"] == "embeddings" and embedded[0]["gen_ai.embeddings.dimension.count"] == 16
    )
    assert any(one.get("error.type") == "ConfigError" for one in searched)
    everything = json.dumps([said(span) for span in found.spans]) + str(found.spans)
    assert "secret" not in everything and "refunds form" not in everything and "support team" not in everything


def test_spans_stand_inside_one_another(tmp_path: Path) -> None:
    with collecting() as (found, url):
        work(tmp_path, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=url + "/v1/traces")
    spans = {span.span_id: span for span in found.spans}
    inside = {(spans[one.parent_span_id].name, one.name) for one in found.spans if one.parent_span_id in spans}
    assert {
        ("wrac.ask", "retrieval"),
        ("retrieval", "embeddings words@1"),
        ("wrac.index", "embeddings words@1"),
    } <= inside


def test_texts_are_told_where_they_may_be(tmp_path: Path) -> None:
    with collecting() as (found, url):
        work(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=url, WRAC_TELEMETRY_CONTENT="1", OTEL_SERVICE_NAME="docs")
    assert found.resources[0]["service.name"] == "docs"
    first = found.named("retrieval")[0]
    assert first["gen_ai.retrieval.query.text"] == first["input.value"] == "secret refunds form"
    assert "refunds" in first["retrieval.documents.0.document.content"].lower()
    assert found.named("wrac.ask")[0]["output.value"]


def test_a_collector_that_is_down_disturbs_nothing(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert work(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{port}", OTEL_EXPORTER_OTLP_TIMEOUT="1")


def test_a_protocol_that_is_not_spoken_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from wrac.telemetry.tracing import provider

    provider.cache_clear()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(ConfigError, match="http/protobuf"), telemetry.span("x", {}):
        pass
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not telemetry.on()


def test_a_model_that_is_asked_is_told() -> None:
    pytest.importorskip("pydantic_ai", reason="needs wrac[llm]")
    from tests.endpoint import Wire, says

    script = (
        "import sys\n"
        "from wrac.llm.asking import Question\n"
        "from wrac.llm.providers import Endpoint, Provider\n"
        "provider = Provider(Endpoint('m', sys.argv[1], attempts=1))\n"
        "print(provider.ask(Question('be brief', 'secret data')).text)\n"
        "provider.close()\n"
    )
    with Wire(says("1-2")) as wire, collecting() as (found, url):
        done = subprocess.run(
            [sys.executable, "-c", script, wire.address],
            env=environment(OTEL_EXPORTER_OTLP_ENDPOINT=url),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    (asked,) = found.named("chat openai-compatible:m")
    assert asked["gen_ai.operation.name"] == "chat" and asked["openinference.span.kind"] == "LLM"
    assert asked["gen_ai.request.model"] == asked["llm.model_name"] == "m"
    assert asked["gen_ai.usage.input_tokens"] == asked["llm.token_count.prompt"] > 0
    assert "secret" not in str(found.spans)


def test_requests_of_a_server_are_told_by_their_route_inside_the_caller(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="needs wrac[serve]")
    build(tmp_path, 2)
    run = [sys.executable, "-c", "from wrac.cli.main import main; main()"]
    with collecting() as (found, url):
        env = environment(OTEL_EXPORTER_OTLP_ENDPOINT=url, OTEL_BSP_SCHEDULE_DELAY="200")
        subprocess.run([*run, "index", "site"], cwd=tmp_path, env=environment(), check=True, capture_output=True)
        server = subprocess.Popen(
            [*run, "serve", "--port", "0"],
            cwd=tmp_path,
            env=env,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            address = listening(server)
            caller = {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"}
            for path in ("/v1/search?q=secret+refunds", "/v1/nothing/here", "/v1/search?q=secret+refunds"):
                assert httpx2.get(address + path, headers=caller).status_code == (404 if "nothing" in path else 200)
        finally:
            server.terminate()
            server.communicate(timeout=20)
    (first, second) = (span for span in found.spans if span.name == "GET /v1/search")
    assert {first.trace_id.hex(), second.trace_id.hex()} == {"ab" * 16}
    assert first.parent_span_id.hex() == "cd" * 8
    attributes = said(first)
    assert attributes["http.route"] == "/v1/search"
    assert attributes["http.response.status_code"] == 200
    assert attributes["http.request.method"] == "GET"
    assert "secret" not in str(found.spans)
    (missing,) = (said(span) for span in found.spans if span.name == "GET")
    assert missing["http.response.status_code"] == 404
    inner = [span for span in found.spans if span.name == "retrieval"]
    assert {span.parent_span_id for span in inner} == {first.span_id, second.span_id}


def listening(server: subprocess.Popen[str]) -> str:
    """The address that a server says it listens at."""
    for stream in (server.stdout, server.stderr):
        assert stream is not None
    lines: list[str] = []
    found = threading.Event()

    def read(stream: Any) -> None:
        for line in stream:
            lines.append(line)
            if "http://" in line:
                found.set()

    for stream in (server.stdout, server.stderr):
        threading.Thread(target=read, args=(stream,), daemon=True).start()
    assert found.wait(60), lines
    match = re.search(r"http://[\w.:]+", "".join(lines))
    assert match
    return match[0]
