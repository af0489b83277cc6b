"""The HTTP API over a workspace: what it answers has the documented shapes, and nothing that is sent breaks it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from starlette.testclient import TestClient
from tests.endpoint import Wire, streams
from tests.fakes import FakeEmbedder
from tests.site import build

from wrac.api import shapes, shapes_server
from wrac.api.app import create
from wrac.api.served import Limits, Rules, Served
from wrac.flow import Workspace
from wrac.flow.answerers import Answerer

URL = "site/000-refunds.html"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("api")
    with Workspace(folder / "shop", embedder=FakeEmbedder()) as opened:
        opened.index(build(folder), workers=0, meta={"product": "shop"})
        yield opened


@pytest.fixture(scope="module")
def client(workspace: Workspace) -> TestClient:
    return asking(create(Served({"shop": workspace})))


def asking(app: FastAPI, **headers: str) -> TestClient:
    return TestClient(app, base_url="http://localhost", headers=headers, raise_server_exceptions=True)


def fits(shape: Any, body: Any) -> Any:
    """The body, which is exactly of a shape."""
    TypeAdapter(shape).validate_python(body, strict=True)
    return body


def chunk_of(client: TestClient) -> str:
    return str(client.get("/v1/search", params={"q": "refunds"}).json()["hits"][0]["chunk"])


# -- shapes


def test_hits_have_their_shape_and_are_those_of_the_workspace(client: TestClient, workspace: Workspace) -> None:
    body = fits(shapes.Hits, client.get("/v1/search", params={"q": "refund costs", "k": 3}).json())
    assert [hit["chunk"] for hit in body["hits"]] == [hit.chunk for hit in workspace.search("refund costs", k=3)]
    posted = client.post("/v1/search", json={"query": "refund costs", "k": 3})
    assert posted.json()["hits"] == body["hits"] and posted.json()["run"] != body["run"]


def test_a_search_is_filtered_cut_and_reranked_as_the_command_does(client: TestClient) -> None:
    def urls(**given: Any) -> list[str]:
        return [hit["url"] for hit in client.get("/v1/search", params={"q": "steps", **given}).json()["hits"]]

    assert set(urls(where=["url=site/000", "product=shop"])) == {URL}
    assert len(urls(where=["url=site/000", "url=site/001"], k=50)) > len(urls(where="url=site/000", k=50))
    assert len(urls(budget=60)) < len(urls())
    assert urls(min_confidence=1) == []
    posted = client.post("/v1/search", json={"query": "steps", "where": {"url": ["site/000", "site/001"]}, "k": 50})
    assert [hit["url"] for hit in posted.json()["hits"]] == urls(where=["url=site/000", "url=site/001"], k=50)


def test_a_context_has_its_shape_and_keeps_its_budget(client: TestClient) -> None:
    body = fits(shapes.Context, client.get("/v1/context", params={"q": "refund costs", "budget": 120}).json())
    assert body["tokens"] <= 120 and body["budget"] == 120
    assert client.post("/v1/context", json={"query": "refund costs", "budget": 120}).json() == body


def test_a_chunk_a_page_its_units_and_its_plan_have_their_shapes(client: TestClient, workspace: Workspace) -> None:
    shown = fits(shapes.Chunk, client.get(f"/v1/chunks/{chunk_of(client)}").json())
    assert shown["chunk"] == chunk_of(client)
    assert client.get(f"/v1/chunks/{shown['chunk'][:12]}").json() == shown
    page = fits(shapes.Page, client.get("/v1/page", params={"url": URL}).json())
    record = workspace.record(URL)
    assert [one["id"] for one in page["chunks"]] == [one.id for one in record.chunks]
    assert page["meta"]["product"] == "shop"
    units = fits(shapes.Units, client.get("/v1/page/units", params={"url": URL}).json())
    assert [one["ordinal"] for one in units["units"]] == list(range(page["places"]))
    plan = fits(shapes.Plan, client.get("/v1/page/plan", params={"url": URL}).json())
    assert plan["document"] == page["document"] and plan["planner"] == page["planner"]


def test_another_policy_is_previewed_and_nothing_is_changed(client: TestClient) -> None:
    before = client.get("/v1/page", params={"url": URL}).json()
    trial = {"url": URL, "policy": {"target": 10, "maximum": 30}}
    body = fits(shapes.Preview, client.post("/v1/page/preview", json=trial).json())
    assert body["policy"]["target"] == 10 and len(body["chunks"]) > len(before["chunks"]) and body["changes"]
    same = fits(shapes.Preview, client.post("/v1/page/preview", json={"url": URL}).json())
    assert same["changes"] == [] and [one["id"] for one in same["chunks"]] == [one["id"] for one in before["chunks"]]
    assert client.get("/v1/page", params={"url": URL}).json() == before
    wrong = client.post("/v1/page/preview", json={"url": URL, "policy": {"target": 10, "maximum": 5}})
    assert wrong.status_code == 400 and "target" in wrong.json()["detail"]


def test_pages_come_part_by_part_and_each_once(client: TestClient) -> None:
    every = fits(shapes.Pages, client.get("/v1/pages").json())
    assert every["after"] is None and "link" not in client.get("/v1/pages").headers
    found, address = [], "/v1/pages?limit=4&prefix=site/"
    while address:
        response = client.get(address)
        found += fits(shapes.Pages, response.json())["pages"]
        address = response.headers.get("link", "").removeprefix("<").partition(">")[0]
    assert found == every["pages"] and len(found) == 6
    assert client.get("/v1/pages", params={"prefix": "elsewhere"}).json()["pages"] == []


STREAM = {"Accept": "text/event-stream"}


def test_an_answer_comes_whole_or_as_events(client: TestClient) -> None:
    whole = client.post("/v1/ask", json={"query": "What does a refund cost?"})
    assert whole.status_code == 200, whole.text
    fits(shapes.Answer, whole.json())
    told = client.post("/v1/ask", json={"query": "What does a refund cost?"}, headers=STREAM)
    assert told.headers["content-type"].startswith("text/event-stream")
    ((name, answer),) = events(told.text)  # without a model it is there at once
    assert name == "answer" and fits(shapes.Answer, answer)["text"] == whole.json()["text"]
    empty = client.post("/v1/ask", json={"query": "?"}, headers=STREAM)
    name, problem = events(empty.text)[-1]
    assert name == "problem" and fits(shapes.Problem, problem)["status"] == 400


def test_what_a_model_says_comes_as_it_says_it(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="needs wrac[llm]")
    pieces = ("A refund ", "takes three days [1.1].")
    with (
        Wire(streams(*pieces, pause=0.3)) as wire,
        Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as asked,
    ):
        asked.index(build(tmp_path, 2), workers=0)
        asked.ask("What are refunds?", answerer=Answerer("small", wire.address, window=8000))
        client = asking(create(Served({"shop": asked})))
        found = events(
            client.post("/v1/ask", json={"query": "How are refunds handled every day?"}, headers=STREAM).text
        )
    assert [data["text"] for name, data in found if name == "text"] == list(pieces)
    name, answer = found[-1]
    assert name == "answer" and answer["text"] == "".join(pieces) and answer["model"]


def events(text: str) -> list[tuple[str, Any]]:
    """The events of a stream."""
    found = []
    for block in filter(None, text.split("\n\n")):
        fields = dict(line.partition(": ")[::2] for line in block.splitlines())
        if "data" in fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_feedback_is_in_the_log_when_it_is_acknowledged(client: TestClient, workspace: Workspace) -> None:
    order = {"chunk": chunk_of(client), "verdict": -1, "query": "refunds", "note": "old <script>"}
    response = client.post("/v1/feedback", json=order)
    kept = fits(shapes.Judgement, response.json())
    assert response.status_code == 201
    logged = [event for event in workspace.log.read() if event.name == "feedback"][-1]
    assert logged.run == kept["run"] and logged.fields["note"] == "old <script>"
    again = client.post("/v1/feedback", json={**order, "verdict": 0, "run": kept["run"]})
    assert again.json()["run"] == kept["run"]
    assert client.post("/v1/feedback", json={**order, "chunk": "c1:00"}).status_code == 404


def test_what_is_served_and_held_is_told(client: TestClient) -> None:
    assert fits(shapes_server.Workspaces, client.get("/v1/workspaces").json()) == {
        "workspaces": [{"name": "shop", "scope": "admin"}]
    }
    assert client.get("/v1/status").json()["pages"] == 6
    assert client.get("/v1/statistics", params={"since": "2020-01-01"}).json()["searches"] > 0
    fits(shapes_server.Costs, client.get("/v1/costs", params={"by": "model"}).json())
    for name in ("live", "ready"):
        assert fits(shapes_server.Health, client.get(f"/v1/health/{name}").json()) == {"status": "ok"}


def test_what_is_not_there_is_a_problem(client: TestClient) -> None:
    for path in ("/v1/page?url=no", "/v1/chunks/c1:ffff", "/v1/chunks/zz", "/v1/jobs/none", "/v1/nothing",
                 "/v1/search?q=a&workspace=other"):  # fmt: skip
        response = client.get(path)
        assert response.status_code == 404, path
        assert response.headers["content-type"] == "application/problem+json"
        assert fits(shapes.Problem, response.json())["status"] == 404
    assert client.put("/v1/search").status_code == 405


# -- tags


def test_what_a_client_has_is_not_sent_again(client: TestClient) -> None:
    for path in (f"/v1/page?url={URL}", f"/v1/page/units?url={URL}", f"/v1/page/plan?url={URL}", "/v1/pages",
                 f"/v1/chunks/{chunk_of(client)}"):  # fmt: skip
        first = client.get(path)
        tag = first.headers["etag"]
        assert tag.startswith('"')
        for known in (tag, f'"other", W/{tag}', "*"):
            again = client.get(path, headers={"If-None-Match": known})
            assert again.status_code == 304 and not again.content and again.headers["etag"] == tag
        assert client.get(path, headers={"If-None-Match": '"other"'}).json() == first.json()


# -- what no request may do


HOSTILE = (
    "' OR 1=1 --", '"; DROP TABLE pages; --', 'NEAR("a" "b")', "a AND (", "^title:*", "\x00", "%00", "..%2f..%2fetc",
    "../../../../etc/passwd", "\U0001f600", "x" * 5000, "<script>alert(1)</script>", "{{7*7}}", "${jndi:x}", "%",
    "_", "\\", "\r\nSet-Cookie: a=b", "NaN", "-1", "9" * 400, "\u202e", "a\u0000b",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_parameter_is_read_as_anything_but_text(client: TestClient, text: str) -> None:
    tried = [
        ("/v1/search", {"q": text}), ("/v1/search", {"q": "refunds", "where": f"product={text}"}),
        ("/v1/search", {"q": "refunds", "where": f"{text}=shop"}), ("/v1/search", {"q": "refunds", "where": text}),
        ("/v1/search", {"q": "a", "k": text}), ("/v1/search", {"q": "a", "workspace": text}),
        ("/v1/context", {"q": text}), ("/v1/pages", {"prefix": text}), ("/v1/pages", {"after": text}),
        ("/v1/page", {"url": text}), ("/v1/page/units", {"url": text}), ("/v1/page/plan", {"url": text}),
        ("/v1/costs", {"by": text}), ("/v1/costs", {"since": text}), ("/v1/statistics", {"since": text}),
    ]  # fmt: skip
    for path, parameters in tried:
        response = client.get(path, params=parameters)
        assert response.status_code in (200, 400, 404, 413, 422), (path, parameters, response.text)
        assert "<script" not in response.headers["content-type"] and "set-cookie" not in response.headers
    before = client.get("/v1/status").json()["pages"]
    assert before == 6


@settings(max_examples=60)
@given(st.text(max_size=60))
def test_any_text_can_be_searched_for_or_is_refused_with_a_line(client: TestClient, text: str) -> None:
    response = client.post(
        "/v1/search", content=json.dumps({"query": text}), headers={"content-type": "application/json"}
    )
    assert response.status_code in (200, 400, 422)
    assert response.status_code == 200 or response.json()["detail"]


@pytest.mark.parametrize(
    "path", ["/v1/chunks/..%2f..%2fwrac.db", "/v1/../wrac.db", "/v1/jobs/..%2f..%2fsecret", "/v1//search"]
)
def test_paths_lead_nowhere(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_bodies_are_what_they_should_be(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    bodies = (
        b"", b"{", b"[]", b'"x"', b"\xff\xfe", b'{"query": NaN}', b"[" * 100_000, b'{"query": "\\ud800"}',
        b'{"query": "a", "more": 1}', b'{"query": "a", "k": 1e999}', b'{"query": "a", "k": %s}' % (b"9" * 5000),
    )  # fmt: skip
    for body in bodies:
        response = client.post("/v1/search", content=body, headers=headers)
        assert response.status_code in (400, 422), (body[:20], response.text)
        fits(shapes.Problem, response.json())


def test_what_is_too_long_is_refused(workspace: Workspace) -> None:
    client = asking(create(Served({"shop": workspace}, Limits(body=2000, query=50))))
    assert client.get("/v1/search", params={"q": "a" * 51}).status_code == 422
    assert client.post("/v1/search", json={"query": "a" * 51}).status_code == 422
    assert client.post("/v1/search", json={"query": "a" * 2000}).json()["detail"].startswith("the body is larger")

    def parts() -> Iterator[bytes]:
        yield b'{"query": "'
        for _ in range(30):
            yield b"a" * 100
        yield b'"}'

    streamed = client.post("/v1/search", content=parts(), headers={"content-type": "application/json"})
    assert streamed.status_code == 413


def test_what_takes_too_long_is_given_up_and_keeps_its_place_until_it_ends(workspace: Workspace) -> None:
    app = create(Served({"shop": workspace}, Limits(seconds=0.2, threads=2, waiting=3)))

    @app.get("/slow")
    def slow() -> str:
        time.sleep(1.0)
        return "done"

    async def tried() -> list[tuple[int, float]]:
        from httpx2 import ASGITransport, AsyncClient

        async with AsyncClient(transport=ASGITransport(app), base_url="http://localhost") as client:
            started = time.perf_counter()
            found = await asyncio.gather(*(client.get("/slow") for _ in range(5)))
            taken = time.perf_counter() - started
            assert taken < 0.9
            assert (await client.get("/v1/health/live")).status_code == 503  # three are still at work
            await asyncio.sleep(2.2)
            assert (await client.get("/v1/health/live")).status_code == 200
            return [(one.status_code, taken) for one in found]

    assert [status for status, _ in asyncio.run(tried())] == [503] * 5


# -- what browsers are told


def test_every_response_has_the_headers(client: TestClient) -> None:
    for path in ("/v1/search?q=a", "/v1/nothing", "/v1/metrics", "/v1/openapi.json"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_only_names_of_this_machine_are_answered(workspace: Workspace) -> None:
    app = create(Served({"shop": workspace}))
    for host, status in (("localhost:8765", 200), ("127.0.0.1", 200), ("[::1]:80", 200), ("evil.example", 421),
                         ("localhost.evil.example", 421), ("127.0.0.1.nip.io", 421)):  # fmt: skip
        assert TestClient(app, base_url="http://localhost").get(
            "/v1/health/live", headers={"Host": host}
        ).status_code == status  # fmt: skip
    served = create(Served({"shop": workspace}, rules=Rules(loopback=False)))
    assert TestClient(served, base_url="http://board.example").get("/v1/health/live").status_code == 200


def test_pages_of_other_sites_change_and_read_nothing(client: TestClient) -> None:
    order = {"chunk": chunk_of(client), "verdict": 1}

    def post(**headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.post("/v1/feedback", json=order, headers=named).status_code

    assert post() == 201  # no browser's
    assert post(Origin="http://localhost", Sec_Fetch_Site="same-origin") == 201
    assert post(Origin="http://localhost") == 201
    assert post(Origin="http://evil.example") == 403
    assert post(Origin="null") == 403
    assert post(Origin="http://localhost:99", Sec_Fetch_Site="same-site") == 403
    assert post(Sec_Fetch_Site="cross-site") == 403
    form = client.post("/v1/feedback", data={"chunk": "x"})
    assert form.status_code == 403
    assert client.get("/v1/search?q=a", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/v1/search?q=a", headers=followed).status_code == 200


# -- documentation and counts


def test_the_documentation_has_every_route_and_what_it_may_answer(client: TestClient) -> None:
    told = client.get("/v1/openapi.json").json()
    for path, methods in told["paths"].items():
        assert path.startswith("/v1/")
        for method, operation in methods.items():
            if path == "/v1/metrics":
                continue
            assert operation["description"] or operation["summary"], (method, path)
            problems = [code for code in operation["responses"] if int(code) >= 400]
            assert {"401", "403", "422", "429", "503"} <= set(problems), (method, path)
            for code in problems:
                assert list(operation["responses"][code]["content"]) == ["application/problem+json"]
    assert "Problem" in told["components"]["schemas"]


def test_metrics_count_by_route_and_bound_their_labels(workspace: Workspace) -> None:
    client = asking(create(Served({"shop": workspace})))
    for number in range(20):
        client.get(f"/v1/chunks/{number:032x}")
        client.get(f"/v1/no/such/path/{number}")
    client.request("BREW", "/v1/search")
    text = client.get("/v1/metrics").text
    assert 'wrac_requests_total{method="GET",route="/v1/chunks/{chunk}",status="404"} 20' in text
    assert 'wrac_requests_total{method="GET",route="none",status="404"} 20' in text
    assert 'method="other"' in text and "BREW" not in text
    assert 'wrac_request_seconds_bucket{method="GET",route="/v1/chunks/{chunk}",le="+Inf"} 20' in text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(line.rpartition(" ")[2].replace(".", "").replace("e-", "").isdigit() for line in lines)


def test_a_server_that_only_reads_changes_nothing(workspace: Workspace) -> None:
    client = asking(create(Served({"shop": workspace}, rules=Rules(read_only=True))))
    chunk = chunk_of(client)
    assert client.post("/v1/search", json={"query": "refunds"}).status_code == 200
    for path, order in (("/v1/feedback", {"chunk": chunk, "verdict": 1}), ("/v1/jobs", {"kind": "refresh"})):
        response = client.post(path, json=order)
        assert response.status_code == 403 and "only reads" in response.json()["detail"]
