"""A crawl as a plain iterator: it runs in a thread of its own, some pages ahead of whoever takes them."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

from wrac.core.types import NOTHING, Page
from wrac.fetching.site.browser import Browser, Settings
from wrac.fetching.site.client import Client, Manners
from wrac.fetching.site.crawl import Crawl, Frontier, InMemory, Visit
from wrac.fetching.site.urls import Scope

AHEAD = 32
"""Visits that a crawl may be ahead; then it waits, however fast the site answers."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is crawled and how. `browser` None shows no page; `always` shows every page, not only what scripts make.

    Without `begin` only what is in the frontier is asked, and what that leads to.
    """

    scope: Scope
    manners: Manners = field(default_factory=Manners)
    browser: Settings | None = None
    always: bool = False
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    begin: bool = True


@dataclass(slots=True)
class Walk:
    """A running crawl. `asked` counts the questions so far, `passed` why addresses were not asked.

    `scope` is the site's, which may have moved; `stopped` says why the crawl ended before its frontier did.
    """

    plan: Plan
    frontier: Frontier = field(default_factory=InMemory)
    stored: Callable[[str], Page | None] = lambda _: None
    fresh: Callable[[str], bool] = lambda _: False
    asked: int = 0
    passed: Mapping[str, int] = field(default_factory=dict)
    stopped: str = ""
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.scope = self.plan.scope

    def visits(self) -> Generator[Visit]:
        """What is found, as it comes. Closing the iterator ends the crawl; what it did not give is not settled."""
        found: queue.Queue[Visit | BaseException | None] = queue.Queue(AHEAD)
        loop = asyncio.new_event_loop()
        task = loop.create_task(self._run(found))
        thread = threading.Thread(target=_serve, args=(loop, task, found), name="wrac-crawl", daemon=True)
        thread.start()
        try:
            while (one := found.get()) is not None:
                if isinstance(one, BaseException):
                    raise one
                yield one
        finally:
            with suppress(RuntimeError):  # the loop is closed: the crawl is over
                loop.call_soon_threadsafe(task.cancel)
            while thread.is_alive():  # whoever waits for room in the queue must see that it is over
                _empty(found)
                thread.join(0.05)

    async def _run(self, found: queue.Queue[Visit | BaseException | None]) -> None:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(Client(self.plan.manners))
            browser = self.plan.browser
            shown = await stack.enter_async_context(Browser(browser)) if browser is not None else None
            plan = self.plan
            if shown is not None and (cookies := await shown.cookies(plan.scope.start)):
                client.login(plan.scope.start, cookies)
            crawl = Crawl(
                plan.scope, client, self.frontier, self.stored, self.fresh, plan.meta, shown, plan.always, plan.begin
            )
            self.passed = crawl.passed
            try:
                async for visit in crawl.run():
                    self._told(client, crawl)
                    await asyncio.to_thread(found.put, visit)
            finally:  # what was asked and said after the last visit counts too
                self._told(client, crawl)

    def _told(self, client: Client, crawl: Crawl) -> None:
        self.asked, self.stopped, self.scope = client.asked, crawl.stopped, crawl.scope


def _serve(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[None], found: queue.Queue[Visit | BaseException | None]
) -> None:
    """Runs the crawl to its end, and puts what ended it behind the last visit."""
    asyncio.set_event_loop(loop)
    end: BaseException | None = None
    try:
        try:
            loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
    except BaseException as error:  # noqa: BLE001 - a thread has nobody to raise it to; whoever takes visits raises it
        end = error
    found.put(end)  # whatever happened: without it, who takes the visits would wait for ever


def _empty(found: queue.Queue[Visit | BaseException | None]) -> None:
    try:
        while True:
            found.get_nowait()
    except queue.Empty:
        return
