"""`wrac serve` and `wrac token` as commands: how a server starts, refuses to, and ends."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

import httpx2
from tests.endpoint import Wire, streams
from tests.serving import Running, running
from tests.site import build

from wrac.cli.run import run
from wrac.flow import Workspace
from wrac.flow.answerers import Answerer, keep


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    with Workspace(folder / "shop") as opened:
        opened.index(build(folder, 3), workers=0)
    return folder / "shop"


# -- what does not start


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    """The exit code and the one line of a server that does not start."""
    code = run(["serve", "--port", "0", *map(str, arguments)])
    (line,) = capsys.readouterr().err.splitlines()
    return code, line


def test_a_server_without_a_workspace_says_so(tmp_path: Path, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, line = refused(capsys, "--workspace", tmp_path / "none")
    assert code == 4 and line.endswith("none: there is no workspace; run `wrac index` first, or give --workspace")
    copied = tmp_path / "old"
    shutil.copytree(shop, copied)
    with closing(sqlite3.connect(copied / "wrac.db")) as connection, connection:
        connection.execute("UPDATE meta SET value = '999' WHERE name = 'schema'")
    code, line = refused(capsys, "--workspace", copied)
    assert code == 4 and "it has schema 999" in line


def test_a_port_that_is_taken_is_named(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = refused(capsys, "--workspace", shop, "--port", str(port))
    assert found == (2, f"wrac: --port {port} is taken; choose another, or 0 for any free one")


@pytest.mark.parametrize("options", [("--host", "0.0.0.0"), ("--host", "::"), ("--auth",)])  # noqa: S104
def test_a_server_for_others_wants_a_token_first(
    shop: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, line = refused(capsys, "--workspace", shop, *options)
    assert code == 2 and line.endswith(f", and there is no token; run `wrac token create --workspace {shop}` first")


def test_options_that_make_no_sense_are_named(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, line = refused(capsys, "--workspace", shop, "--allow-files", tmp_path / "none")
    assert code == 2 and line.endswith("is no folder")
    assert wrac("token", "create", "--workspace", shop) == 0
    capsys.readouterr()
    code, line = refused(capsys, "--workspace", shop, "--host", "no.such.host.invalid")
    assert code == 2 and line.startswith("wrac: --host no.such.host.invalid: ")


# -- tokens


def wrac(*arguments: str | Path) -> int:
    return run([*map(str, arguments)])


def test_tokens_are_made_listed_and_taken_back(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ("--workspace", shop)
    assert wrac("token", "create", *at, "--scope", "ask", "--name", "shop page", "--expires", "7") == 0
    made = capsys.readouterr()
    text = made.out.strip()
    assert text.startswith("wrac_") and "shown this once" in made.err
    assert wrac("token", "list", *at, "--json") == 0
    told = json.loads(capsys.readouterr().out)["tokens"][-1]
    assert told["scope"] == "ask" and told["name"] == "shop page" and not told["expired"]
    assert told["expires"] - told["created"] == pytest.approx(7 * 86_400, abs=1)
    assert wrac("token", "list", *at) == 0
    listed = capsys.readouterr().out
    assert told["id"] in listed and text not in listed
    assert wrac("token", "revoke", told["id"], *at) == 0
    assert capsys.readouterr().out == f"{told['id']} opens nothing any more\n"
    assert wrac("token", "revoke", told["id"], *at) == 4
    assert "`wrac token list` names them" in capsys.readouterr().err


def test_a_server_for_others_asks_for_the_token(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrac("token", "create", "--workspace", shop, "--json")
    made = json.loads(capsys.readouterr().out)
    with running([shop], "--host", "0.0.0.0", headers={"Authorization": f"Bearer {made['token']}"}) as server:  # noqa: S104
        assert server.client.get("/v1/pages").status_code == 200
        assert server.client.get("/v1/pages", headers={"Authorization": ""}).status_code == 401
        assert server.client.get("/v1/pages", headers={"Host": "board.example"}).status_code == 200
        assert wrac("token", "revoke", made["id"], "--workspace", shop) == 0
        time.sleep(2.1)
        assert server.client.get("/v1/pages").status_code == 401


# -- what runs, and how it ends


@pytest.fixture(scope="module")
def server(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    second = tmp_path_factory.mktemp("second") / "shop"
    shutil.copytree(shop, second)
    with running([shop, second]) as found:
        yield found


def test_workspaces_of_one_name_are_told_apart(server: Running) -> None:
    named = server.client.get("/v1/workspaces").json()["workspaces"]
    assert [one["name"] for one in named] == ["shop", "shop-2"]
    assert server.client.get("/v1/pages?workspace=shop-2").status_code == 200


def test_the_address_of_a_client_is_its_own(server: Running) -> None:
    """Whoever could say where they come from could guess without end."""
    wrong = {"Authorization": "Bearer wrac_no"}
    statuses = [
        server.client.get("/v1/pages", headers={**wrong, "X-Forwarded-For": f"10.0.0.{number}"}).status_code
        for number in range(8)
    ]
    assert statuses[:6] == [401] * 6 and 429 in statuses


def test_ctrl_c_ends_a_server_with_open_streams(shop: Path) -> None:
    with running([shop]) as server:
        job = server.client.post("/v1/jobs", json={"kind": "reindex"}).json()
        with server.client.stream("GET", f"/v1/jobs/{job['id']}/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: progress"
            started = time.monotonic()
            assert server.interrupt() == 0
            assert time.monotonic() - started < 2.5
        assert server.process.stderr is not None and server.process.stderr.read() == ""


def test_a_model_that_nobody_listens_to_is_not_heard_out(tmp_path: Path) -> None:
    pytest.importorskip("pydantic_ai", reason="needs wrac[llm]")
    heard_out: list[object] = []
    pieces = [f"word{number} " for number in range(30)]
    with (
        Wire(streams(*pieces, pause=0.1, end=heard_out.append)) as wire,
        Workspace(tmp_path / "shop") as workspace,
    ):
        workspace.index(build(tmp_path, 2), workers=0)
        keep(workspace.database, Answerer("small", wire.address, window=8000))
        with running([tmp_path / "shop"]) as server:
            order = {"query": "How are refunds handled every day?"}
            accept = {"Accept": "text/event-stream"}
            with server.client.stream("POST", "/v1/ask", json=order, headers=accept) as stream:
                assert next(stream.iter_lines()) == "event: text"
            time.sleep(4)
            assert len(wire.requests) == 1 and not heard_out
            assert server.interrupt() == 0
            assert server.process.stderr is not None and server.process.stderr.read() == ""


def test_sigterm_ends_a_server_in_order(shop: Path) -> None:
    with running([shop]) as server:
        assert server.client.get("/v1/health/ready").status_code == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(5) == 0


def test_a_killed_server_has_kept_all_that_it_acknowledged(shop: Path) -> None:
    verdicts: list[str] = []
    searches: list[str] = []

    def use(server: Running, name: str) -> None:
        """Search and judge until the server is gone."""
        with httpx2.Client(base_url=server.url, timeout=30) as client:
            for number in range(100_000):
                note = f"{name}-{number}"
                try:
                    found = client.get("/v1/search?q=refunds&k=1").json()
                    searches.append(found["run"])
                    order = {"chunk": found["hits"][0]["chunk"], "verdict": 1, "note": note}
                    judged = client.post("/v1/feedback", json=order)
                except httpx2.HTTPError:
                    return
                assert judged.status_code == 201
                verdicts.append(note)

    with running([shop]) as server:
        threads = [threading.Thread(target=use, args=(server, f"client{number}")) for number in range(8)]
        for thread in threads:
            thread.start()
        while len(verdicts) < 60:
            time.sleep(0.02)
        server.process.kill()
        for thread in threads:
            thread.join()
    with Workspace(shop, create=False) as workspace:
        events = list(workspace.log.read())
    notes = [event.fields["note"] for event in events if event.name == "feedback"]
    assert set(verdicts) <= set(notes) and len(notes) == len(set(notes))
    assert set(searches) <= {event.run for event in events if event.name == "query"}
    assert min(len(verdicts), len(searches)) >= 60


def test_a_client_that_never_says_what_it_wants_is_let_go(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wrac.api import server
    from wrac.api.app import create
    from wrac.api.served import Served

    monkeypatch.setattr(server, "HEAD", 0.5)
    with Workspace(shop, create=False) as workspace, server.listen("127.0.0.1", 0) as sock:
        port, app, listening = sock.getsockname()[1], create(Served({"shop": workspace})), threading.Event()
        running: list[server.Server] = []

        def serve() -> None:
            config = server.configured(app)
            running.append(server.Server(config, app.state.bell, listening.set))
            running[0].run([sock])

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            assert listening.wait(10)
            for said in (b"", b"GET /v1/health/live HTT", b"GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\nX: "):
                assert _closes(port, said)
            asked = b"GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
            assert _closes(port, asked, b"GET /v1/hea")  # a second request on one connection, too
        finally:
            running[0].should_exit = True
            thread.join(5)
        assert not thread.is_alive()


def _closes(port: int, *said: bytes) -> bool:
    """Whether a server closes the connection of a client that says only so much, half a second after the last."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(5)
        for part in said[:-1]:
            client.sendall(part)
            assert client.recv(4000).startswith(b"HTTP/1.1 200")
        client.sendall(said[-1])
        started = time.monotonic()
        while client.recv(4000):
            pass
        return 0.3 < time.monotonic() - started < 3
