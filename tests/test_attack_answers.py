"""Answers, routes and the MCP server under attack: what was found by those who did not build them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from tests.commands import command
from tests.endpoint import Turn, Wire, says
from tests.fakes import everything

from wrac.flow import Workspace

PAGE = "<title>Fees</title><h1>Fees</h1><p>A transfer inside the union costs five euros.</p>"
LABELS = json.dumps({"labels": [{"topic": "transfer", "intent": "price"}] * 50})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "fees.html").write_text(PAGE)
    with Workspace(folder / "ws") as made:
        made.index([folder / "fees.html"], workers=0)
    return folder / "ws"


def test_many_threads_may_be_the_first_to_search(place: Path) -> None:
    failed: list[Exception] = []

    def search(workspace: Workspace, barrier: threading.Barrier) -> None:
        barrier.wait()
        try:
            assert workspace.embedder.name
        except Exception as error:  # noqa: BLE001 - what it is is what is asked
            failed.append(error)

    for _ in range(20):
        with Workspace(place, create=False) as workspace:
            barrier = threading.Barrier(12)
            threads = [threading.Thread(target=search, args=(workspace, barrier)) for _ in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert isinstance(workspace._named, str)
    assert failed == []


@pytest.mark.parametrize(
    ("turn", "options"),
    [
        (says(everything), ("--planner", "llm", "--model", "small", "--base-url")),
        (says(LABELS), ("--labels", "llm", "--label-model", "small", "--label-base-url")),
    ],
    ids=["plans", "labels"],
)
def test_what_a_model_said_of_pages_is_forgotten_with_them(
    tmp_path: Path, turn: Turn, options: tuple[str, ...]
) -> None:
    (tmp_path / "fees.html").write_text(PAGE)
    with Wire(turn) as wire:
        assert command("index", "fees.html", "--workers", "1", *options, wire.address, cwd=tmp_path)[0] == 0
        assert command("index", "fees.html", "--workers", "1", cwd=tmp_path)[0] == 0
        assert command("replan", "--workers", "1", cwd=tmp_path)[0] == 0  # what the model said is remembered
        assert len(wire.requests) == 1
        code, out, noise = command("forget", "fees.html", cwd=tmp_path)
    assert (code, noise) == (0, "")
    assert "erased 1 page" in out
    words = [path for path in (tmp_path / ".wrac").rglob("*") if path.is_file() and b"transfer" in path.read_bytes()]
    assert words == []
