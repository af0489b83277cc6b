"""A page as a browser shows it once its scripts have run and its panels are open: one HTML text, by Playwright."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import runpy
import shutil
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

import httpcore2

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.core.types import NOTHING
from wrac.fetching.site.door import Door
from wrac.fetching.site.guard import PrivateAddressError, judged_addresses, public
from wrac.fetching.site.urls import origin

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Frame, Page, ProxySettings, Request, Response, Route

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
PLACES: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS: Final = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--mute-audio",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)  # fmt: skip
UNNEEDED: Final = frozenset(("image", "media", "font", "websocket", "eventsource", "ping", "manifest", "other"))
"""Kinds of requests that give no text."""
_ANALYTICS: Final = re.compile(
    r"(?:^|\.)(?:google-analytics|googletagmanager|doubleclick|hotjar|segment|mixpanel|matomo|plausible|amplitude|"
    r"facebook|clarity|newrelic|nr-data|sentry|fullstory|intercom|hs-analytics|linkedin|adservice)\.",
    re.IGNORECASE,
)


ANYWHERE: Final = "*"
NOWHERE: Final = ""
"""Places where a page may go by itself, beside a host."""
LOGIN: Final = 120.0
"""Seconds of the longest login."""
_MOVED: Final = frozenset((301, 302, 303, 307, 308))
MOVES: Final = 5
"""Times that a page may send its reader on by a script."""


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

    `state` is a file of Playwright's storage state (a login that was saved), `login` a script whose `login(page)` logs
    in; `headers` are sent to the origins named in them alone; `executable` is a Chromium, found where None. `judge`
    says of an IP address whether it may be reached; with `private` each may.
    """

    settle: float = 10.0
    timeout: float = 30.0
    private: bool = False
    state: Path | None = None
    login: Path | None = None
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: NOTHING)
    judge: Callable[[str], bool] = public
    executable: Path | None = None


class Browser:
    """A headless Chromium. Used inside `async with`; pages may be shown at the same time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._places: dict[Page, str] = {}
        """Of each page the host that it may go to by itself: its own while it loads, none afterwards."""
        self._closing: set[asyncio.Task[None]] = set()
        self._open_until_left = AsyncExitStack()

    async def __aenter__(self) -> Browser:
        async with AsyncExitStack() as opening:
            await self._start(opening)
            self._open_until_left = opening.pop_all()
        return self

    async def _start(self, opening: AsyncExitStack) -> None:
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise MissingExtraError("browser", "showing pages in a browser") from error
        settings, executable = self.settings, self.settings.executable or chromium()
        door = None if settings.private else await opening.enter_async_context(Door(settings.judge))
        proxy: ProxySettings | None = {"server": door.url, "bypass": "<-loopback>"} if door is not None else None
        playwright = await async_playwright().start()
        opening.push_async_callback(playwright.stop)
        try:
            browser = await playwright.chromium.launch(
                executable_path=executable, args=[*FLAGS, *_sandbox()], proxy=proxy
            )
            opening.push_async_callback(browser.close)
            self._context: BrowserContext = await browser.new_context(
                storage_state=settings.state, service_workers="block", accept_downloads=False
            )
        except (Error, OSError, ValueError) as error:
            raise ConfigError(f"no browser could be started: {_first_line(error)}; {ADVICE}") from error
        await self._context.add_init_script(_script("before"))
        await self._context.route("**/*", self._route)
        if settings.login is not None:
            await self._login(settings.login)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._open_until_left.aclose()

    async def _login(self, script: Path) -> None:
        """Lets a script log in, on a page that may go anywhere. Raises ConfigError where it cannot."""
        from playwright.async_api import Error

        login = _function(script)
        page = await self._context.new_page()
        self._places[page] = ANYWHERE
        try:
            async with asyncio.timeout(LOGIN):
                await login(page)
        except (Error, TimeoutError) as error:
            said = _first_line(error) if str(error) else f"it took longer than {LOGIN:.0f} s"
            raise ConfigError(f"{script}: the login failed: {said}") from error
        finally:
            await self._leave(page)

    async def cookies(self, url: str) -> str:
        """The cookies that the browser has for an address, as a header says them; "" for none."""
        found = await self._context.cookies(url)
        return "; ".join(f"{one.get('name', '')}={one.get('value', '')}" for one in found)

    async def show(self, url: str) -> Shown:
        """The page with its details, accordions and tabs opened, what loads late loaded, shadow trees and frames in it.

        Raises TimeoutError where it does not answer in time, OSError where it cannot be had.
        """
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as Late

        host = urlsplit(url).hostname or ""
        await self._judge(host)
        page = await self._context.new_page()
        page.on("popup", self._close)
        self._places[page] = host
        longest = self.settings.timeout + 4 * self.settings.settle + 5
        try:
            async with asyncio.timeout(longest):  # a script that never ends lets nothing else run in its page
                return await self._shown(page, url)
        except Late as error:
            raise TimeoutError(_first_line(error)) from error
        except TimeoutError as error:
            raise TimeoutError(f"it took longer than {longest:.0f} s") from error
        except Error as error:
            raise OSError(_first_line(error)) from error
        finally:
            await self._leave(page)

    async def _judge(self, host: str) -> None:
        """Nothing, for a host that may be asked; the door would refuse it without a word."""
        if not self.settings.private:
            try:
                await judged_addresses(host, 0, self.settings.judge)
            except (httpcore2.ConnectError, PrivateAddressError) as error:
                raise OSError(str(error)) from error

    async def _shown(self, page: Page, url: str) -> Shown:
        from playwright.async_api import Error

        response = await page.goto(url, wait_until="commit", timeout=self.settings.timeout * 1000)
        await self._settle(page)
        self._places[page] = NOWHERE
        where, html = page.url, await _html(page)
        with suppress(Error):  # whatever became of the page while it was opened: what it was is known
            limit = self.settings.settle * 1000
            for _ in range(2):  # what was opened may hold more to open
                if not await page.evaluate(_script("open"), limit):
                    break
            html = await _html(page)
        return Shown(html, where, *_answered(response))

    async def _settle(self, page: Page) -> None:
        """Waits until the page rests, and for the page that its script goes to, some times."""
        from playwright.async_api import Error

        for _ in range(MOVES):
            try:
                await page.evaluate(_script("settle"), self.settings.settle * 1000)
            except Error as error:
                if "context was destroyed" not in str(error):
                    raise
                await page.wait_for_load_state("domcontentloaded", timeout=self.settings.timeout * 1000)
            else:
                return

    def _close(self, page: Page) -> None:
        """A window that a page opens is closed: whoever wants what is in it asks for its address."""
        task = asyncio.ensure_future(self._leave(page))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _leave(self, page: Page) -> None:
        self._places.pop(page, None)
        with suppress(*_gone()):
            await asyncio.wait_for(page.close(), 5)

    async def _route(self, route: Route, request: Request) -> None:
        """Lets through what gives text, and a page only to where it may go by itself; the rest is the door's matter."""
        host = urlsplit(request.url).hostname or ""
        place = self._place(request)
        if place is None:
            wanted = request.resource_type not in UNNEEDED and not _ANALYTICS.search(host)
        else:
            wanted = place in (ANYWHERE, host)
        if not wanted:
            await route.abort("aborted")  # any other reason puts an error in the page's place
        elif own := self.settings.headers.get(origin(request.url)):
            await self._with(own, route, request)
        else:
            await route.continue_()

    async def _with(self, own: Mapping[str, str], route: Route, request: Request) -> None:
        """Lets a question through with headers of its origin, and each redirect within that as a question of its own.

        Left alone, the browser would send them to wherever it is redirected.
        """
        from playwright.async_api import Error

        url = request.url
        try:
            for _ in range(MOVES):
                answer = await route.fetch(url=url, headers={**request.headers, **own}, max_redirects=0)
                target = urljoin(url, answer.headers.get("location", "")) if answer.status in _MOVED else url
                if target == url or origin(target) != origin(url):
                    await route.fulfill(response=answer)
                    return
                if request.is_navigation_request():  # the page must know where it is
                    onwards = f'<meta http-equiv=refresh content="0;url={escape(target)}">'
                    await route.fulfill(content_type="text/html", body=onwards)
                    return
                url = target
        except Error:
            pass
        await route.abort("failed")

    def _place(self, request: Request) -> str | None:
        """Where the page may go whose question this is; None for a question that leads nowhere."""
        from playwright.async_api import Error

        if not request.is_navigation_request():
            return None
        try:
            frame = request.frame
        except Error:  # of a window that is not there yet
            return NOWHERE
        return self._places.get(frame.page, NOWHERE) if frame.parent_frame is None else None


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


def _function(script: Path) -> Callable[[Page], Awaitable[object]]:
    """The `login` of a script. Raises ConfigError where it has none."""
    try:
        found = runpy.run_path(str(script)).get("login")
    except (OSError, SyntaxError, ImportError) as error:
        raise ConfigError(f"{script}: no script that can be run: {error}") from error
    if not inspect.iscoroutinefunction(found):
        raise ConfigError(f"{script}: it has no `async def login(page)`")
    return found


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
