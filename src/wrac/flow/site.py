"""A site to an index: its crawl goes through the pipeline, goes on where it stopped, and knows what was there."""

from __future__ import annotations

import time
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from wrac import catalog
from wrac.catalog import Database, crawls
from wrac.catalog.crawls import Ahead, History
from wrac.catalog.memory import forget, remember, remembered
from wrac.core.errors import ConfigError
from wrac.core.types import Page
from wrac.fetching import Skip
from wrac.fetching.site.browser import Settings
from wrac.fetching.site.client import Manners
from wrac.fetching.site.crawl import Unchanged, Visit, Wanted
from wrac.fetching.site.urls import Scope, bare, login, normal, origin
from wrac.fetching.site.walk import Plan, Walk
from wrac.flow.pipeline import Pipeline
from wrac.flow.report import Skipped
from wrac.flow.sites import Site

DAY: Final = 86_400.0
SOONEST: Final = DAY / 4
LATEST: Final = 30 * DAY
"""Seconds after which a page that changes all the time, or never, is worth another visit."""
SETTLED: Final = 16
"""Addresses that are settled in one transaction: what a killed crawl asks for again."""


class Frontier:
    """The addresses of a crawl, kept in the catalog as they come, so that a stopped crawl goes on."""

    def __init__(self, database: Database, crawl: str) -> None:
        self._database, self._crawl = database, crawl
        with database.read() as connection:
            found = crawls.ahead(connection, crawl)
        self.seen = {one.url: _wanted(one) for one in found}
        self._queue = deque(_wanted(one) for one in found if not one.settled)

    def add(self, wanted: Iterable[Wanted]) -> None:
        new = {one.url: one for one in wanted if one.url not in self.seen}
        rows = [
            Ahead(one.url, one.depth, one.changed, one.listed, len(self.seen) + number)
            for number, one in enumerate(new.values())
        ]
        if rows:
            with self._database.write() as connection:
                crawls.extend(connection, self._crawl, rows)
            self.seen.update(new)
            self._queue.extend(new.values())

    def take(self) -> Wanted | None:
        return self._queue.popleft() if self._queue else None

    def settle(self, url: str) -> None:
        with self._database.write() as connection:
            crawls.settle(connection, self._crawl, [url])

    def known(self) -> Iterable[Wanted]:
        return list(self.seen.values())

    def __contains__(self, url: object, /) -> bool:
        return url in self.seen

    def taken(self) -> int:
        return len(self.seen) - len(self._queue)


def _wanted(one: Ahead) -> Wanted:
    return Wanted(one.url, one.depth, one.changed, one.listed)


class SiteRun:
    """One crawl of a site: what it finds, and what that says of the pages that were there before."""

    def __init__(self, line: Pipeline, start: str, site: Site, fresh: Callable[[History], bool]) -> None:
        begin = normal(start)
        if not begin:
            raise ConfigError(f"{bare(start)}: a site starts at an http or https address")
        if said := login(start):
            site = replace(
                site, headers={"Authorization": f"Basic {b64encode(said.encode()).decode()}", **site.headers}
            )
        self.line, self.database, self.site = line, line.database, site
        scope = Scope.of(begin, include=site.include, exclude=site.exclude, depth=site.depth, pages=site.pages)
        self.asked = 0
        self.passed: Counter[str] = Counter()
        with self.database.read() as connection:
            home = remembered(connection, f"moved:{begin}")
            self._before = frozenset(catalog.urls(connection, begin))
            self._histories = crawls.histories(connection, self._before)
        self.scope = scope.moved(home) if home else scope
        self.stopped = ""
        self._fresh = fresh
        self._frontier = Frontier(self.database, begin)
        self._seen: set[str] = set()
        self._bodies: dict[str, str] = {}
        self._noted: dict[str, History] = {}
        self._unsettled: deque[tuple[int, str]] = deque()

    def run(self) -> list[Skip]:
        """What became no page, once the crawl is over; a page that is missing is given the grace of some crawls.

        A crawl that is stopped is not over: the next one goes on with it.
        """
        with self.database.write() as connection:
            remember(connection, f"site:{self.scope.start}", self.site.text)
        skips = list(self._walk(begin=True))
        if self.stopped:
            return skips
        left = sorted(url for url in self._before - self._seen if self.scope.holds(url))
        if left and self.site.pages is None:  # nothing links to them any more, but they may still be there
            self._frontier.add(Wanted(url, self.scope.depth or 0) for url in left)
            skips += self._walk(begin=False)
        if self.stopped:
            return skips
        outside = [Skip(url, "outside the site now", "missing" if self.scope.home else "no page")
                   for url in sorted(self._before - self._seen) if not self.scope.holds(url)]  # fmt: skip
        skips += [skip for skip in outside if self._counts(skip)]
        with self.database.write() as connection:
            crawls.end(connection, self.scope.start)
            crawls.note(connection, self._noted.values())
        return skips

    def _walk(self, *, begin: bool) -> Iterator[Skip]:
        walk = Walk(self._plan(begin=begin), self._frontier, self._stored, self._is_fresh)
        try:
            for visit in self.line.read(walk.visits()):
                if walk.scope != self.scope:
                    self._move(walk.scope)
                yield from self._take(visit)
                self.line.total = len(self._frontier.seen)
            self.line.flush()
        except KeyboardInterrupt:
            self._settle()  # what is stored need not be asked for again
            raise
        self._settle()
        self.asked += walk.asked
        self.passed.update(walk.passed)
        self.stopped = walk.stopped

    def _move(self, scope: Scope) -> None:
        """The site is elsewhere from now on, for a crawl that goes on too."""
        self.scope, name = scope, f"moved:{scope.start}"
        with self.database.write() as connection:
            if scope.home:
                remember(connection, name, scope.home)
            else:
                forget(connection, name)

    def _plan(self, *, begin: bool) -> Plan:
        site = self.site
        manners = Manners(
            site.parallel, site.pause, largest=self.line.options.max_size, private=site.private, robots=site.robots,
            headers=dict.fromkeys(_own(self.scope.start), site.headers),
        )  # fmt: skip
        shown = None
        if site.browser != "never":
            shown = Settings(
                private=site.private, state=_file(site.state), login=_file(site.login), headers=manners.headers
            )
        return Plan(self.scope, manners, shown, site.browser == "always", site.meta, begin)

    # -- asked by the crawl, from its thread

    def _stored(self, url: str) -> Page | None:
        with self.database.read() as connection:
            found = catalog.stored(connection, url)
        if found is None or found[1] != self.scope.start:
            return None
        history = self._histories.get(url)
        self._bodies[url] = found[0].body_id
        return replace(found[0], fetched=max(found[0].fetched, history.checked if history else 0.0))

    def _is_fresh(self, url: str) -> bool:
        history = self._histories.get(url)
        return history is not None and not history.misses and self._fresh(history)

    # -- what is found

    def _take(self, visit: Visit) -> Iterator[Skip]:
        """Hands what was found to the pipeline; the address is settled once that is stored."""
        for found in visit.found:
            self._seen.add(found.url)
            if isinstance(found, Skip) and not visit.url:
                self.line.skipped.append(Skipped(found.url, f"{found.reason}; run it again to go on"))
            elif isinstance(found, Skip):
                self.line.counts["missed"] += not found.reason.startswith("the same page as")
                self.line.done(found.url)
                if self._counts(found):
                    yield found
                else:
                    self.line.skipped.append(Skipped(found.url, found.reason))
            elif isinstance(found, Unchanged):
                self._still(found)
            else:
                self._note(found.url, changed=self._bodies.get(found.url) != found.body_id)
                self.line.offer(found, self.scope.start)
        self._unsettled.append((self.line.taken, visit.url))
        if len(self._unsettled) >= SETTLED:
            self._settle()

    def _still(self, found: Unchanged) -> None:
        """A page that is as it was goes through the pipeline all the same: it may be planned otherwise by now."""
        with self.database.read() as connection:
            stored = catalog.stored(connection, found.url)
        if stored is not None:
            if found.asked:
                self._note(found.url, changed=False)
            self.line.offer(replace(stored[0], meta=self.site.meta), self.scope.start)

    def _counts(self, skip: Skip) -> bool:
        """Whether a skip counts: not where nobody knows what is there, nor the first times that a page is missing."""
        if skip.state == "unreachable" or skip.url not in self._before:
            return skip.state != "unreachable"
        if skip.state == "no page":
            return True
        known = self._histories.get(skip.url) or History(skip.url, 0.0, 0.0)
        missed = replace(known, misses=known.misses + 1, checked=time.time())
        self._noted[skip.url] = missed
        return missed.misses >= self.site.grace

    def _note(self, url: str, *, changed: bool) -> None:
        known, now = self._histories.get(url), time.time()
        self._noted[url] = visited(known, now, changed=changed) if known else History(url, now, now, wait=DAY)

    def _settle(self) -> None:
        """Keeps which addresses are settled, and what visits have shown, as far as the pages are stored."""
        stored = self.line.taken - self.line.behind
        settled = []
        while self._unsettled and self._unsettled[0][0] <= stored:
            settled.append(self._unsettled.popleft()[1])
        with self.database.write() as connection:
            crawls.settle(connection, self.scope.start, settled)
            crawls.note(connection, self._noted.values())
        self._noted.clear()


def visited(history: History, now: float, *, changed: bool) -> History:
    """The history after one more visit: what changes is looked at sooner the next time, what does not later."""
    wait = max(SOONEST, history.wait / 2) if changed else min(LATEST, history.wait * 1.5)
    return History(
        history.url, now, now if changed else history.changed, history.checks + 1, history.changes + changed, 0, wait
    )


def _file(name: str) -> Path | None:
    return Path(name) if name else None


def _own(start: str) -> set[str]:
    """The origins that a login for a site is sent to: its own, and that of its host with TLS."""
    return {origin(start), f"https://{urlsplit(start).hostname}"}
