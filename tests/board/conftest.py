"""What every test of the board has: a workspace that is served, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.browser import Visit, visiting
from tests.fakes import FakeEmbedder

from wrac.flow import Workspace

# Without the packages that serve, or that drive a browser, there is nothing to test here.
collect_ignore_glob = [] if all(map(find_spec, ("fastapi", "uvicorn", "playwright"))) else ["test_*.py"]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of a few pages, of its own for every test."""
    from tests.board import boards

    boards.index(tmp_path)
    with Workspace(tmp_path / "shop", embedder=FakeEmbedder()) as workspace:
        yield workspace


@pytest.fixture
def board(shop: Workspace) -> Iterator[str]:
    """The board's address."""
    from tests.board import boards

    with boards.serving(shop=shop) as address:
        yield address


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """One browser for all tests of the board. It has an event loop, beside which no other test could run one."""
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
