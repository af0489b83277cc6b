"""Answers, routes and the MCP server under attack: what was found by those who did not build them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from wrac.flow import Workspace

PAGE = "<title>Fees</title><h1>Fees</h1><p>A transfer inside the union costs five euros.</p>"


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
