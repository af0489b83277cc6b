"""A real browser for tests: Debian's Chromium by Playwright, without a profile and without a network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
ABSENT = "no Chromium (sh scripts/install_chromium.sh, or set WRAC_CHROMIUM)"


@dataclass(slots=True)
class Visit:
    """A page of the browser, and what it has asked for and complained of since it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def shoot(self, path: Path) -> Path:
        """A picture of the whole page."""
        self.page.screenshot(path=path, full_page=True)
        return path


def chromium() -> str:
    """The browser's path: WRAC_CHROMIUM, else the one in PATH. Skips without one, but fails in CI."""
    path = os.environ.get("WRAC_CHROMIUM") or shutil.which("chromium")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(ABSENT)
        pytest.skip(ABSENT)
    return path


@contextmanager
def visiting(profile: Path, *, width: int = 1280, height: int = 900) -> Iterator[Visit]:
    """An open page in a browser of its own, whose profile is a folder that is new."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    size = {"width": width, "height": height}
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=path,
            headless=True,
            args=list(FLAGS),
            viewport=size,  # type: ignore[arg-type]
        )
        try:
            visit = Visit(context.pages[0])
            context.on("request", lambda request: visit.requests.append(request.url))
            context.on("weberror", lambda error: visit.complaints.append(str(error.error)))
            context.on("console", lambda said: visit.complaints.append(said.text) if said.type != "log" else None)
            yield visit
        finally:
            context.close()
