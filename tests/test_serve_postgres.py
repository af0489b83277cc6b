"""Servers of a workspace in PostgreSQL: they share its tokens, run its jobs, and tell nobody its password."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")

from tests import postgres
from tests.commands import command
from tests.serving import running
from tests.site import build

from wrac.api.jobs import UNDER_WAY
from wrac.flow import Workspace


def test_two_servers_know_one_token_and_run_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = postgres.url()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Workspace(place) as workspace:
        workspace.index(build(tmp_path, 3), workers=0)
    code, made, _ = command("token", "create", "--workspace", place, "--scope", "admin", "--json", cwd=tmp_path)
    assert code == 0
    token = json.loads(made)
    headers = {"Authorization": f"Bearer {token['token']}"}
    with running([place], "--auth", headers=headers) as one, running([place], "--auth", headers=headers) as other:
        for server in (one, other):
            assert server.client.get("/v1/workspaces").json() == {
                "workspaces": [{"name": "postgres", "scope": "admin"}]
            }
        job = one.client.post("/v1/jobs", json={"kind": "reindex"}).json()
        while (now := one.client.get(f"/v1/jobs/{job['id']}").json())["state"] in UNDER_WAY:
            time.sleep(0.05)
        assert now["state"] == "done" and now["report"]["pages"] == 3, now
        assert other.client.get("/v1/search?q=refunds").json()["hits"]
        for path in ("/v1/search?q=a%00b", "/v1/pages?prefix=%00", "/v1/page?url=%00", "/v1/chunks/%00"):
            assert one.client.get(path).status_code == 422
        told = "".join(one.client.get(path).text for path in ("/v1/jobs", "/v1/status", "/v1/page?url=none"))
        assert command("token", "revoke", token["id"], "--workspace", place, cwd=tmp_path)[0] == 0
        time.sleep(2.1)
        assert other.client.get("/v1/pages").status_code == 401
    kept = [file.read_text("utf-8", "replace") for file in tmp_path.rglob("*.json")]
    assert kept and postgres.PASSWORD not in "".join([told, *kept]) and "p%3Aw" not in "".join([told, *kept])
