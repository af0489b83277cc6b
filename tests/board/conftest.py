"""What every test of the board has: a workspace that is served, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs wrac[serve]")
pytest.importorskip("uvicorn", reason="needs wrac[serve]")

from tests.board import boards
from tests.browser import Visit, visiting
from tests.fakes import FakeEmbedder

from wrac.flow import Workspace


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of a few pages, of its own for every test."""
    boards.index(tmp_path)
    with Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as workspace:
        yield workspace


@pytest.fixture
def board(shop: Workspace) -> Iterator[str]:
    """The board's address."""
    with boards.serving(shop=shop) as address:
        yield address


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """One browser for all."""
    with visiting(tmp_path_factory.mktemp("profile")) as visit:
        yield visit


@pytest.fixture
def visit(browser: Visit) -> Visit:
    """An empty page, of which nothing is known yet."""
    browser.page.goto("about:blank")
    browser.page.set_viewport_size({"width": 1280, "height": 900})
    browser.page.emulate_media(color_scheme="light")
    browser.requests.clear()
    browser.complaints.clear()
    return browser
