"""Jobs: begun once, followed, stopped with what was finished kept, and known of after a server was killed."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

import httpx2
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from tests.served import Asked, Reply, linking, served
from tests.serving import Running, running
from tests.site import build, page

from wrac.api import shapes_server
from wrac.api.jobs import UNDER_WAY, Job, Jobs
from wrac.api.replies import Bell
from wrac.api.served import Served
from wrac.flow import Workspace
from wrac.flow.forget import JOBS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages that jobs may read, and one beside it that they may not."""
    place = tmp_path_factory.mktemp("jobs")
    (place / "open").mkdir()
    build(place / "open", 3)
    (place / "secret.html").write_text("<h1>Secret</h1><p>Not for jobs.</p>")
    (place / "open" / "out.html").symlink_to(place / "secret.html")
    return place


@pytest.fixture(scope="module")
def shop(folder: Path) -> Path:
    with Workspace(folder / "shop") as opened:
        opened.index(folder / "open" / "site", workers=0)
    return folder / "shop"


@pytest.fixture(scope="module")
def server(shop: Path, folder: Path) -> Iterator[Running]:
    """A server that may ask this machine, and read one folder."""
    with running([shop], "--allow-private", "--allow-files", folder / "open") as found:
        yield found


def begun(server: Running, order: dict[str, Any], key: str = "") -> httpx2.Response:
    return server.client.post("/v1/jobs", json=order, headers={"Idempotency-Key": key} if key else None)


def ended(server: Running, job: dict[str, Any], patience: float = 60) -> dict[str, Any]:
    """The job once it has ended."""
    late = time.monotonic() + patience
    while (now := server.client.get(f"/v1/jobs/{job['id']}").json())["state"] in UNDER_WAY:
        assert time.monotonic() < late, now
        time.sleep(0.05)
    TypeAdapter(shapes_server.Job).validate_python(now, strict=True)
    return dict(now)


def urls(server: Running) -> list[str]:
    return [one["url"] for one in server.client.get("/v1/pages?limit=1000").json()["pages"]]


def test_a_site_is_indexed_and_followed_to_its_end(server: Running) -> None:
    routes = {"/": linking("/a", "/b"), "/a": page("refunds", 7), "/b": page("shipping", 8)}
    with served(routes) as site:
        response = begun(
            server, {"kind": "index", "sources": [f"{site.url}/"], "site": {"depth": 1}, "meta": {"x": "y"}}
        )
        assert response.status_code == 202
        job = response.json()
        assert response.headers["location"] == f"/v1/jobs/{job['id']}" and job["state"] in ("queued", "running")
        with server.client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            blocks = [block for block in "".join(stream.iter_text()).split("\n\n") if block.startswith("event")]
        told = [(block.split("\n")[0], json.loads(block.split("data: ")[1])) for block in blocks]
        assert [name for name, _ in told] == ["event: progress"] * (len(told) - 1) + ["event: end"]
        last = told[-1][1]
        assert last["state"] == "done" and last["report"]["pages"] == 3, last
        assert {one["state"] for _, one in told} >= {"running", "done"}
        assert {f"{site.url}/", f"{site.url}/a", f"{site.url}/b"} <= set(urls(server))
        hits = server.client.get("/v1/search", params={"q": "shipping fees", "where": "x=y"}).json()["hits"]
        assert hits and all(hit["url"].startswith(site.url) for hit in hits)


def test_one_page_is_one_page(server: Running) -> None:
    with served({"/a": linking("/b"), "/b": linking("/a"), "/sitemap.xml": Reply(status=404)}) as site:
        job = ended(server, begun(server, {"kind": "index", "sources": [f"{site.url}/a"]}).json())
        assert job["report"]["pages"] == 1
        assert "/b" not in site.asked()


def test_the_same_key_is_the_same_job(server: Running) -> None:
    first = begun(server, {"kind": "refresh", "due": True}, "monday")
    again = begun(server, {"kind": "refresh", "due": True}, "monday")
    assert (first.status_code, again.status_code) == (202, 200)
    assert first.json()["id"] == again.json()["id"] and again.headers["location"] == first.headers["location"]
    other = begun(server, {"kind": "reindex"}, "monday")
    assert other.status_code == 422 and "take another key" in other.json()["detail"]
    assert begun(server, {"kind": "refresh", "due": True}, "tuesday").json()["id"] != first.json()["id"]
    for job in server.client.get("/v1/jobs").json()["jobs"]:
        ended(server, job)


def test_pages_are_planned_anew_and_the_index_made_anew(server: Running) -> None:
    before = server.client.get("/v1/page", params={"url": "site/000-refunds.html"}).json()
    job = ended(server, begun(server, {"kind": "replan", "policy": {"target": 12, "maximum": 40}}).json())
    assert job["state"] == "done" and job["report"]["changed"] > 0
    after = server.client.get("/v1/page", params={"url": "site/000-refunds.html"}).json()
    assert len(after["chunks"]) > len(before["chunks"]) and after["policy"]["target"] == 12
    wrong = begun(server, {"kind": "replan", "policy": {"target": 50}})
    assert wrong.status_code == 400 and "target 50" in wrong.json()["detail"]
    job = ended(server, begun(server, {"kind": "reindex"}).json())
    assert job["report"]["pages"] == len(urls(server))


def test_a_job_is_stopped_and_what_it_finished_is_kept(server: Running) -> None:
    def slow(asked: Asked) -> Reply:
        return Reply(page("returns", int(asked.path[2:])).encode(), slow=0.0 if int(asked.path[2:]) < 8 else 30.0)

    links = [f"/p{number}" for number in range(40)]
    with served({"/": linking(*links), **dict.fromkeys(links, slow)}) as site:
        order = {"kind": "index", "sources": [f"{site.url}/"], "site": {"depth": 1, "parallel": 1}}
        job = begun(server, order).json()
        waiting = begun(server, {"kind": "reindex"}).json()
        late = time.monotonic() + 40
        while sum(url.startswith(site.url) for url in urls(server)) < 4:
            assert time.monotonic() < late
            time.sleep(0.1)
        assert server.client.delete(f"/v1/jobs/{waiting['id']}").json()["state"] == "cancelled"
        assert server.client.delete(f"/v1/jobs/{job['id']}").json()["state"] == "cancelling"
        started = time.monotonic()
        assert ended(server, job)["state"] == "cancelled"
        assert time.monotonic() - started < 15
        kept = [url for url in urls(server) if url.startswith(site.url)]
        assert 4 <= len(kept) < 40
        again = server.client.delete(f"/v1/jobs/{job['id']}")
        assert again.status_code == 200 and again.json()["state"] == "cancelled"
        assert server.client.get("/v1/search?q=returns").json()["hits"]
        assert ended(server, begun(server, {"kind": "reindex"}).json())["state"] == "done"  # the lock is free


def test_files_are_read_where_the_server_allows(server: Running, folder: Path) -> None:
    job = ended(server, begun(server, {"kind": "index", "sources": ["site/000-refunds.html"]}).json())
    assert job["report"]["pages"] == 1
    outside = (
        "../secret.html", str(folder / "secret.html"), "/etc/passwd", "site/../../secret.html", "out.html", "none.html",
        "file:///etc/passwd", "-", "ftp://example.com/", "http://", "postgresql://localhost/db", "@/etc/passwd",
    )  # fmt: skip
    for source in outside:
        refused = begun(server, {"kind": "index", "sources": [source]})
        assert refused.status_code == 422, (source, refused.text)
        assert refused.json()["error"] == "InputError"


def test_orders_that_make_no_sense_are_refused(server: Running) -> None:
    orders: list[dict[str, Any]] = [
        {}, {"kind": "drop"}, {"kind": "index"}, {"kind": "index", "sources": []}, {"kind": "replan", "planner": "llm"},
        {"kind": "index", "sources": ["a"] * 1001}, {"kind": "reindex", "to": "http://example.com"},
        {"kind": "refresh", "since": "x"}, {"kind": "replan", "policy": {"target": 0}},
    ]  # fmt: skip
    for order in orders:
        assert begun(server, order).status_code == 422, order
    assert server.client.get("/v1/jobs/none").status_code == server.client.delete("/v1/jobs/none").status_code == 404


def test_a_server_asks_no_private_address_unless_it_is_allowed(shop: Path) -> None:
    with served({"/": page("refunds", 1), "/robots.txt": Reply(status=404)}) as site, running([shop]) as server:
        here = [
            site.url.replace("127.0.0.1", name) for name in ("127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]")
        ]
        sources = [f"{address}/" for address in (*here, "http://169.254.169.254/latest")]
        job = ended(server, begun(server, {"kind": "index", "sources": sources}).json())
        assert job["state"] == "failed" or job["report"]["pages"] == 0, job
        assert not site.asked()
        files = begun(server, {"kind": "index", "sources": ["site"]})
        assert files.status_code == 422 and "--allow-files" in files.json()["detail"]


def test_jobs_of_a_killed_server_are_told_as_interrupted_and_go_on(shop: Path) -> None:
    def slow(asked: Asked) -> Reply:
        return Reply(page("invoices", int(asked.path[2:])).encode(), slow=0.05 if patient else 20.0)

    patient, links = False, [f"/p{number}" for number in range(5)]
    with served({"/": linking(*links), **dict.fromkeys(links, slow)}) as site:
        order = {"kind": "index", "sources": [f"{site.url}/"], "site": {"depth": 1}}
        with running([shop], "--allow-private") as server:
            job = begun(server, order, "night").json()
            while not site.asked("/p0"):
                time.sleep(0.05)
            server.process.kill()
            server.process.wait()
        patient = True
        with running([shop], "--allow-private") as server:
            assert server.client.get(f"/v1/jobs/{job['id']}").json()["state"] == "interrupted"
            assert begun(server, order, "night").json()["id"] == job["id"]
            again = ended(server, begun(server, order).json())
            assert again["state"] == "done" and again["report"]["pages"] == 6, again


def test_jobs_of_another_server_are_told_as_that_tells_them(shop: Path) -> None:
    folder = shop / JOBS
    folder.mkdir(exist_ok=True)
    running_there = Job("there", "refresh", "x", {}, "running", 1.0, 2.0, server=os.getppid())
    (folder / "there.json").write_text(json.dumps(asdict(running_there)))
    (folder / "gone.json").write_text(json.dumps(asdict(replace(running_there, id="gone", server=2**22 + 1))))
    (folder / "torn.json").write_text('{"id": ')
    with Workspace(shop, create=False) as workspace:
        jobs = Jobs(Served({"shop": workspace}), Bell())
        assert jobs.get("gone").state == "interrupted"
        assert jobs.get("there").state == "running" and jobs.get("there").workspace == "shop"
        with pytest.raises(HTTPException, match="another server runs this job"):
            jobs.cancel("there")
        (folder / "there.json").write_text(json.dumps(asdict(replace(running_there, state="done", report={}))))
        assert jobs.get("there").state == "done" and jobs.cancel("there").state == "done"
        assert "there" in [job.id for job in jobs.of("shop")]


def test_old_jobs_are_forgotten_and_too_many_are_refused(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wrac.api.jobs.KEPT", 3)
    monkeypatch.setattr("wrac.api.jobs.QUEUE", 2)
    shutil.copytree(shop, tmp_path / "copy")
    shutil.rmtree(tmp_path / "copy" / JOBS, ignore_errors=True)
    with Workspace(tmp_path / "copy", create=False) as workspace:
        jobs = Jobs(Served({"shop": workspace}), Bell())
        for number in range(8):
            job, new = jobs.start("shop", "refresh", {"due": True, "since": 0.0}, str(number))
            assert new
            jobs.cancel(job.id)
            while jobs.get(job.id).state in UNDER_WAY:
                time.sleep(0.02)
        assert len(jobs.of("shop")) <= 4 and len(list((tmp_path / "copy" / JOBS).glob("*.json"))) <= 4
        started = [jobs.start("shop", "refresh", {"due": True, "since": 0.0})[0] for _ in range(2)]
        with pytest.raises(HTTPException, match="jobs wait already"):
            jobs.start("shop", "refresh", {"due": True, "since": 0.0})
        jobs.close()
        assert {jobs.get(job.id).state for job in started} <= {"interrupted", "done"}
