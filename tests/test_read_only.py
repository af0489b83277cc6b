"""Workspaces that a process may only read, and stores that do not answer: what can be told is told."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.commands import command
from tests.fakes_index import WordEmbedder
from tests.site import build

from wrac.catalog.memory import remember
from wrac.core.errors import RemoteError, WorkspaceError
from wrac.flow import Workspace
from wrac.flow.shelf import STORE

NOBODY = 65534
NEWS = "INSERT INTO skips (url, source, state, reason) VALUES ('new', '', x'00', 'made up')"
PROGRAM = """
import ctypes, sys
from wrac.cli.main import main
none = (ctypes.c_uint32 * 6)()
if ctypes.CDLL(None, use_errno=True).capset((ctypes.c_uint32 * 2)(0x20080522, 0), none):
    raise OSError(ctypes.get_errno(), "capset")
main()
"""
"""Without capabilities root is a user like others: what belongs to somebody else it may read, as that one allows."""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace of the shipped model that only its owner may write."""
    with Workspace(tmp_path / "ws") as made:
        made.index(build(tmp_path, 2), workers=0)
        assert made.search("how are refunds handled")
    _protect(tmp_path / "ws")
    return tmp_path / "ws"


def _protect(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
        if os.getuid() == 0:
            os.chown(path, NOBODY, NOBODY)


def as_reader(*arguments: object) -> subprocess.CompletedProcess[str]:
    """`wrac` run by a user who may not write."""
    program = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    return subprocess.run(program, capture_output=True, text=True, timeout=60, check=False)


def test_a_reader_searches_shows_and_is_told_that_nothing_is_logged(workspace: Path) -> None:
    before = sorted((path.name, path.stat().st_mtime_ns) for path in workspace.rglob("*"))
    found = as_reader("search", "how are refunds handled", "--json", "-w", workspace)
    assert found.returncode == 0, found.stderr
    hit = json.loads(found.stdout.splitlines()[0])
    assert "refunds" in hit["text"]
    assert found.stderr == (
        "wrac: what is searched for is not kept here (permission denied); statistics will not know of it\n"
    )
    shown = as_reader("show", hit["chunk"], "-w", workspace)
    assert (shown.returncode, shown.stderr) == (0, "")
    held = as_reader("status", "--json", "-w", workspace)
    assert json.loads(held.stdout)["pages"] == 2
    assert (held.returncode, held.stderr) == (0, "")
    assert as_reader("verify", "-w", workspace).stdout.startswith("sound")
    assert sorted((path.name, path.stat().st_mtime_ns) for path in workspace.rglob("*")) == before


def test_a_reader_needs_no_matrix(workspace: Path) -> None:
    workspace.chmod(0o755)
    for matrix in workspace.glob("vectors-*.f32"):
        matrix.unlink()
    _protect(workspace)
    assert as_reader("search", "how are refunds handled", "-w", workspace).returncode == 0


def test_a_reader_is_refused_what_writes(workspace: Path, tmp_path: Path) -> None:
    done = as_reader("index", tmp_path / "site", "-w", workspace)
    assert done.returncode == WorkspaceError.exit_code
    advice = "it may only be read here; run this as its owner, or on a copy of it"
    assert done.stderr.splitlines()[-1] == f"wrac: {workspace}: {advice}"


def test_a_reader_sees_what_a_writer_writes_meanwhile(workspace: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root may write what it may not")
    writer = sqlite3.connect(workspace / "wrac.db")
    writer.execute(NEWS)
    writer.commit()
    held = json.loads(as_reader("status", "--json", "-w", workspace).stdout)
    assert held["skips"] == 1  # in the log that the writer has not brought over yet
    writer.close()
    assert json.loads(as_reader("status", "--json", "-w", workspace).stdout)["skips"] == 1


def test_what_was_left_unfinished_is_not_passed_over(workspace: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for path in (workspace, workspace / "wrac.db"):
        path.chmod(0o755)
    with closing(sqlite3.connect(workspace / "wrac.db")) as writer:
        writer.execute(NEWS)
        writer.commit()
        shutil.copytree(workspace, copy)
    (copy / "wrac.db-shm").unlink()
    _protect(copy)
    found = as_reader("status", "-w", copy)
    assert found.returncode == WorkspaceError.exit_code
    assert "what another user left unfinished there that one must finish" in found.stderr


@pytest.fixture
def unanswered(tmp_path: Path) -> Path:
    """A workspace whose store is at a port where nothing listens."""
    pytest.importorskip("opensearchpy")
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as made:
        made.index(build(tmp_path, 2), workers=0)
        with made.database.write() as connection:
            remember(connection, STORE, "opensearch://127.0.0.1:9")
    return tmp_path / "ws"


def test_the_status_tells_what_the_catalog_knows_where_the_store_is_down(unanswered: Path) -> None:
    code, out, err = command("status", "--json", "-w", unanswered, cwd=unanswered.parent)
    held = json.loads(out)
    assert (code, held["pages"], held["store"]) == (RemoteError.exit_code, 2, "opensearch://127.0.0.1:9")
    assert "entries" not in held
    assert err == f"wrac: {held['problem']}\n"
    assert held["problem"].startswith("opensearch://127.0.0.1:9: ")
    assert "start it" in held["problem"]
    code, out, err = command("status", "-w", unanswered, cwd=unanswered.parent)
    assert (code, "pages" in out, err.count("\n")) == (RemoteError.exit_code, True, 1)


def test_a_search_of_a_store_that_is_down_is_one_line(unanswered: Path) -> None:
    with Workspace(unanswered, create=False, embedder=WordEmbedder()) as opened:
        with pytest.raises(RemoteError, match="start it, or check host"):
            opened.search("refunds")
        with pytest.raises(RemoteError, match="start it, or check host"):
            opened.verify()


def test_what_may_only_be_read_is_not_written(tmp_path: Path) -> None:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as made:
        made.index(build(tmp_path, 2), workers=0)
        made.database.readonly = True
        with pytest.raises(WorkspaceError, match="only be read"), made.database.write():
            pass
        with pytest.raises(WorkspaceError, match="only be read"), made.database.writer(0, lambda: None):
            pass
