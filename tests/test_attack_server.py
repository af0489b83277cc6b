"""What was tried against `wrac serve` and once went through."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

import httpx2
from starlette.testclient import TestClient
from tests.board.boards import serving
from tests.fakes import FakeEmbedder
from tests.site import build

from wrac.api.access import Keys
from wrac.api.headers import HEADERS
from wrac.api.served import Limits, Rules, Served
from wrac.api.tokens import create as token
from wrac.api.tokens import digest, revoke
from wrac.board.app import create
from wrac.flow import Workspace
from wrac.observing import event


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as opened:
        opened.index(build(tmp_path, 3), workers=0)
        yield opened


def client(served: Served) -> TestClient:
    return TestClient(
        create(served), base_url="http://localhost", follow_redirects=False, raise_server_exceptions=False
    )


@pytest.mark.parametrize(
    "host",
    # The first ones are names that a browser sends and that Starlette takes for none at all.
    ["a{b.evil.example", 'a"b.evil.example:8765', "a`b.evil.example", "evil.example, localhost", "[", "localhost:x", "",
     "localhost.", "localhost/static/", "u@localhost", "evil.example#localhost"],
)  # fmt: skip
def test_a_name_that_is_pointed_here_is_not_answered(shop: Workspace, host: str) -> None:
    asking = client(Served({"shop": shop}))
    headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    assert asking.get("/v1/search?q=refund", headers=headers).status_code == 421
    assert asking.post("/v1/jobs", json={"kind": "reindex"}, headers=headers).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.2", "127.1.2.3:80", "LOCALHOST:80", "[::1]"])
def test_every_address_of_this_machine_is_answered(shop: Workspace, host: str) -> None:
    assert client(Served({"shop": shop})).get("/v1/status", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://[", "http://localhost:x", "//", "", "http://a{b", "localhost"])
def test_an_origin_that_is_none_is_another_ones(shop: Workspace, origin: str) -> None:
    for rules in (Rules(), Rules(loopback=False)):
        asking = client(Served({"shop": shop}, rules=rules))
        headers = {"Host": "localhost", "Origin": origin}
        assert asking.post("/v1/jobs", json={"kind": "reindex"}, headers=headers).status_code == 403


def test_a_clock_that_is_set_back_keeps_no_revoked_token_open(shop: Workspace) -> None:
    now = [1_000_000.0]
    keys = Keys({"shop": shop}, lambda: now[0])
    text, made = token(shop.database, "admin")
    keys.refresh()
    assert keys.rights("here", digest(text))
    revoke(shop.database, made.id)
    now[0] -= 3600
    assert keys.stale
    keys.refresh()
    assert not keys.stale and not keys.rights("here", digest(text))


def run_elsewhere(shop: Workspace, since: str = "") -> None:
    """A job `x` that another process runs, without end."""
    folder = shop.path / "jobs"
    folder.mkdir(exist_ok=True)
    job = {"id": "x", "kind": "reindex", "workspace": "shop", "order": {}, "state": "running", "server": os.getppid()}
    (folder / "x.json").write_text(json.dumps({**job, "since": since}))


def test_a_process_that_got_the_number_of_a_server_that_is_gone_runs_none_of_its_jobs(shop: Workspace) -> None:
    told = Path(f"/proc/{os.getppid()}/stat")
    if not told.exists():
        pytest.skip("nothing tells here when a process began")
    began = told.read_text().rpartition(")")[2].split()[19]
    for since, state in ((began, "running"), (f"{began}1", "interrupted")):
        run_elsewhere(shop, since)
        assert client(Served({"shop": shop})).get("/v1/jobs/x").json()["state"] == state


def test_streams_leave_room_for_searches(shop: Workspace) -> None:
    run_elsewhere(shop)
    limits = Limits(streams=3, waiting=5)
    with serving(shop=shop, limits=limits) as url, ExitStack() as opened:
        told = [opened.enter_context(httpx2.stream("GET", f"{url}/v1/jobs/x/events")) for _ in range(8)]
        assert [one.status_code for one in told] == [200] * 3 + [503] * 5
        assert httpx2.get(f"{url}/v1/search?q=refund").status_code == 200


def test_whoever_had_a_token_that_was_revoked_may_come_in_with_another_one(shop: Workspace) -> None:
    app = create(Served({"shop": shop}, rules=Rules(auth=True)))
    asking = TestClient(app, base_url="http://localhost", follow_redirects=False)
    text, made = token(shop.database, "read")
    assert asking.post("/login", data={"token": text}, headers={"Origin": "http://localhost"}).status_code == 303
    revoke(shop.database, made.id)
    app.state.keys.refresh()
    assert {asking.get("/jobs").status_code for _ in range(12)} == {303}  # as a page does that looks again and again
    again = {"token": token(shop.database, "read")[0]}
    assert asking.get("/login").status_code == 200
    assert asking.post("/login", data=again, headers={"Origin": "http://localhost"}).status_code == 303


def test_behind_a_proxy_with_tls_a_session_is_sent_over_tls_alone(shop: Workspace) -> None:
    text, _ = token(shop.database, "read")
    asking = client(Served({"shop": shop}, rules=Rules(auth=True, loopback=False)))
    for scheme in ("http", "https"):
        headers = {"Host": "board.example", "Origin": f"{scheme}://board.example"}
        cookie = asking.post("/login", data={"token": text}, headers=headers).headers["set-cookie"]
        assert ("; Secure" in cookie) == (scheme == "https")
        assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower()


def test_a_stream_of_another_servers_job_is_silent_while_nothing_changes(shop: Workspace) -> None:
    run_elsewhere(shop)
    with serving(shop=shop) as url, httpx2.stream("GET", f"{url}/v1/jobs/x/events", timeout=1) as told:
        until, events = time.monotonic() + 0.5, 0
        with pytest.raises(httpx2.ReadTimeout):
            for piece in told.iter_raw():
                events += piece.count(b"event:")
                assert time.monotonic() < until, f"{events} events of a job that stands still"
    assert events == 1


def test_a_fault_is_told_with_the_headers_too(shop: Workspace) -> None:
    app = create(Served({"shop": shop}))

    @app.get("/fault")
    def fault() -> None:
        raise ValueError

    asking = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    for media in ("text/html", "application/json"):
        told = asking.get("/fault", headers={"Accept": media})
        assert told.status_code == 500 and HEADERS.items() <= {name: told.headers.get(name) for name in HEADERS}.items()


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file may become longer, as on a disk that is full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_verdict_that_is_half_written_is_not_acknowledged_and_harms_no_other(shop: Workspace) -> None:
    asking = client(Served({"shop": shop}))
    chunk = shop.record(shop.pages()[0].url).chunks[0].id
    given = {"chunk": chunk, "verdict": 1, "note": "first"}
    assert asking.post("/v1/feedback", json=given).status_code == 201
    for spare in (0, 1, 50):
        (log,) = shop.log.folder.glob("*.jsonl")
        with room(log.stat().st_size + spare):
            refused = asking.post("/v1/feedback", json={**given, "note": "torn"})
        assert refused.status_code == 507 and str(shop.path) not in refused.text
        assert asking.post("/v1/feedback", json={**given, "note": f"after {spare}"}).status_code == 201
    notes = [one.fields["note"] for one in shop.log.read() if one.name == "feedback"]
    assert notes == ["first", "after 0", "after 1", "after 50"]
    assert len(shop.log.events()["feedback"]) == 4


def test_a_job_that_cannot_be_written_down_is_none(shop: Workspace) -> None:
    app = create(Served({"shop": shop}))
    asking = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    order, key = {"kind": "reindex"}, {"Idempotency-Key": "monday"}
    with room(10):
        assert asking.post("/v1/jobs", json=order, headers=key).status_code == 507
    assert asking.get("/v1/jobs").json() == {"jobs": []}
    assert asking.post("/v1/jobs", json=order, headers=key).status_code == 202
    app.state.jobs.close()


@pytest.mark.parametrize("name", ["a" * 300, "ä" * 200, "a/" * 1000])
def test_names_that_no_file_system_takes_are_nowhere(shop: Workspace, tmp_path: Path, name: str) -> None:
    asking = client(Served({"shop": shop}, rules=Rules(files=(tmp_path,))))
    assert asking.post("/v1/jobs", json={"kind": "index", "sources": [name]}).status_code == 422
    for way in ("result", "report", "file"):
        assert asking.get(f"/evaluation/{way}", params={"name": f"{name}.json"}).status_code == 404


def test_ids_in_the_log_that_no_chunk_has_are_counted_and_harm_nothing(shop: Workspace) -> None:
    for wrong in ("x", "c1:zz", "c1:", "c2:" + "0" * 32, "c1:" + "0" * 30, "", "c1:<script>"):
        hit = {"chunk": wrong, "url": "https://x.example/", "rank": 1, "query": "q", "confidence": 0.9}
        shop.log.write([event("hit", "r", hit), event("feedback", "r", {**hit, "verdict": -1, "note": ""})])
    asking = client(Served({"shop": shop}))
    ways = ("/v1/statistics", "/statistics", "/statistics/chunks", "/statistics/hits", "/statistics/proposals")
    assert [asking.get(way).status_code for way in ways] == [200] * len(ways)
