"""A page as a browser shows it once its scripts have run and its panels are open: one HTML text, by Playwright."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.core.types import NOTHING
from wrac.fetching.site.guard import is_public_host

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, Frame, Page, Playwright, Request, Response, Route

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
PLACES: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS: Final = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--mute-audio",
)  # fmt: skip
UNNEEDED: Final = frozenset(("image", "media", "font", "websocket", "eventsource", "ping", "manifest", "other"))
"""Kinds of requests that give no text."""
_ANALYTICS: Final = re.compile(
    r"(?:^|\.)(?:google-analytics|googletagmanager|doubleclick|hotjar|segment|mixpanel|matomo|plausible|amplitude|"
    r"facebook|clarity|newrelic|nr-data|sentry|fullstory|intercom|hs-analytics|linkedin|adservice)\.",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A page as it was shown: its HTML, where it ended up, the status and headers of its first answer."""

    html: str
    url: str
    status: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Settings:
    """How pages are shown. `settle` is the longest wait, in seconds, for a page to come to rest.

    `state` is a file of Playwright's storage state (a login that was saved); `executable` a Chromium, found where None.
    """

    settle: float = 10.0
    timeout: float = 30.0
    private: bool = False
    state: Path | None = None
    executable: Path | None = None


class Browser:
    """A headless Chromium. Used inside `async with`; pages may be shown at the same time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._hosts: dict[str, bool] = {}

    async def __aenter__(self) -> Browser:
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise MissingExtraError("browser", "showing pages in a browser") from error
        self._playwright: Playwright = await async_playwright().start()
        try:
            self._browser: PlaywrightBrowser = await self._playwright.chromium.launch(
                executable_path=self.settings.executable or chromium(), args=[*FLAGS, *_sandbox()]
            )
        except Error as error:
            await self._playwright.stop()
            raise ConfigError(f"no browser could be started: {_first_line(error)}; {ADVICE}") from error
        self._context: BrowserContext = await self._browser.new_context(
            storage_state=self.settings.state, service_workers="block", accept_downloads=False
        )
        await self._context.add_init_script(_script("before"))
        await self._context.route("**/*", self._route)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._browser.close()
        await self._playwright.stop()

    async def show(self, url: str) -> Shown:
        """The page with its details, accordions and tabs opened, what loads late loaded, shadow trees and frames in it.

        Raises TimeoutError where it does not answer in time, OSError where it cannot be had.
        """
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as Late

        page = await self._context.new_page()
        try:
            response = await page.goto(url, wait_until="domcontentloaded", timeout=self.settings.timeout * 1000)
            await self._open(page)
            return Shown(await _html(page), page.url, *_answered(response))
        except Late as error:
            raise TimeoutError(_first_line(error)) from error
        except Error as error:
            raise OSError(_first_line(error)) from error
        finally:
            await page.close()

    async def _open(self, page: Page) -> None:
        """Opens what can be opened, as long as the page stays the page."""
        limit = self.settings.settle * 1000
        await page.evaluate(_script("settle"), limit)
        for _ in range(2):  # what was opened may hold more to open
            if not await page.evaluate(_script("open"), limit):
                break

    async def _route(self, route: Route, request: Request) -> None:
        """Lets through what gives text and comes from where it may."""
        host = urlsplit(request.url).hostname or ""
        wanted = request.resource_type not in UNNEEDED and not _ANALYTICS.search(host)
        if request.is_navigation_request() and request.frame.parent_frame is None:
            wanted = True
        if wanted and await self._may(host):
            await route.continue_()
        else:
            await route.abort("blockedbyclient")

    async def _may(self, host: str) -> bool:
        if self.settings.private:
            return True
        if host not in self._hosts:
            self._hosts[host] = await is_public_host(host)
        return self._hosts[host]


async def _html(page: Page) -> str:
    """The page's HTML with its shadow trees, and with its frames' pages as their `srcdoc`, the innermost first."""
    for frame in reversed(page.frames[1:]):
        with suppress(*_gone()):
            await _embed(frame)
    return f"<!doctype html>\n{await page.evaluate(_script('html'))}"


async def _embed(frame: Frame) -> None:
    element = await frame.frame_element()
    text = await asyncio.wait_for(frame.evaluate(_script("html")), 5)
    await element.evaluate("(node, html) => { node.wracPage = html; }", text)


def _answered(response: Response | None) -> tuple[int, Mapping[str, str]]:
    return (response.status, response.headers) if response is not None else (200, NOTHING)


@cache
def _gone() -> tuple[type[Exception], ...]:
    """What happens when a frame is gone or does not answer: the page has it no more."""
    from playwright.async_api import Error

    return (Error, TimeoutError)


@cache
def _script(name: str) -> str:
    return files("wrac.fetching.site").joinpath(f"scripts/{name}.js").read_text("utf-8")


ADVICE: Final = "install Chromium (Debian: apt-get install chromium), or set WRAC_CHROMIUM to a browser's path"


def chromium() -> Path | None:
    """The Chromium of this machine; None for the one that Playwright installs.

    Raises ConfigError where WRAC_CHROMIUM names none.
    """
    named = os.environ.get("WRAC_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"WRAC_CHROMIUM={named}: no such file; {ADVICE}")
        return Path(named)
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return Path(found) if found else next((path for path in map(Path, PLACES) if path.is_file()), None)


def _sandbox() -> list[str]:
    """Chromium refuses its sandbox to root."""
    return ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
