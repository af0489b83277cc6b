"""The crawl: from a start to every page of its site, each asked once, in the order of their distance."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import time
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias
from urllib.parse import urlsplit

from wrac.core.types import NOTHING, Page
from wrac.fetching import media
from wrac.fetching.judge import judged
from wrac.fetching.site.absent import Absent
from wrac.fetching.site.client import Answer, Client
from wrac.fetching.site.links import Links, is_made_by_scripts, links
from wrac.fetching.site.robots import NAME
from wrac.fetching.site.sitemaps import Listed, read
from wrac.fetching.site.urls import Scope, Traps, normal, origin
from wrac.fetching.skip import Skip

if TYPE_CHECKING:
    from wrac.fetching.site.browser import Browser

SITEMAPS: Final = 500
"""Sitemaps of one site that are read."""
FEEDS: Final = 10
"""Feeds of one site that are read; where each page has one of its own, the first say enough."""
_LISTS: Final = frozenset(("application/xml", "text/xml"))
_NOT_MODIFIED: Final = 304
_PAGES: Final = frozenset((media.HTML, media.XHTML))
_HTML: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html)[\s>]", re.IGNORECASE)
_WITH_VALUES: Final = frozenset(("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"))
_INDEX: Final = frozenset(("index.html", "index.htm", "index.php", "default.aspx", "default.htm"))


@dataclass(frozen=True, slots=True)
class Wanted:
    """An address to ask; `depth` links from the start, `changed` as its sitemap says, `listed` when one names it."""

    url: str
    depth: int = 0
    changed: float = 0.0
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A stored page that is as it was; `asked` is False where its sitemap said so already."""

    url: str
    asked: bool = True


Found: TypeAlias = Page | Skip | Unchanged


@dataclass(frozen=True, slots=True)
class Visit:
    """An address that was settled, and what was found there: a page under its final address, other names as skips.

    Whoever takes a visit tells the frontier when it has kept what was found.
    """

    url: str
    found: tuple[Found, ...]


class Frontier(Protocol):
    """The addresses of a crawl, each once. What was taken and not settled is taken again after a restart."""

    def add(self, wanted: Iterable[Wanted]) -> None:
        """New addresses to the end; known ones stay as they are."""
        ...

    def take(self) -> Wanted | None:
        """The next address, None when there is none left for now."""
        ...

    def settle(self, url: str) -> None:
        """What was found at the address is kept."""
        ...

    def known(self) -> Iterable[Wanted]:
        """Every address, in the order they came."""
        ...

    def __contains__(self, url: object, /) -> bool:
        """Whether the address came already."""
        ...

    def taken(self) -> int:
        """How many addresses were taken, those of earlier runs of this crawl too."""
        ...


@dataclass(slots=True)
class InMemory:
    """A frontier that ends with the process."""

    queue: deque[Wanted] = field(default_factory=deque)
    seen: dict[str, Wanted] = field(default_factory=dict)

    def add(self, wanted: Iterable[Wanted]) -> None:
        for one in wanted:
            if one.url not in self.seen:
                self.seen[one.url] = one
                self.queue.append(one)

    def take(self) -> Wanted | None:
        return self.queue.popleft() if self.queue else None

    def settle(self, url: str) -> None:
        """Nothing is to be kept for later."""

    def known(self) -> Iterable[Wanted]:
        return self.seen.values()

    def __contains__(self, url: object, /) -> bool:
        return url in self.seen

    def taken(self) -> int:
        return len(self.seen) - len(self.queue)


def _nothing_stored(_: str) -> Page | None:
    return None


@dataclass(slots=True)
class Crawl:
    """One crawl of a site. `stored` gives the page that is kept of an address, `fresh` says whether that will do.

    `meta` is put on every page. A `browser` shows the pages that scripts make, with `always` every page. Without
    `begin` the crawl goes by its frontier alone. `passed` counts why addresses were not asked; `stopped` says why the
    crawl ended before its frontier did. A start that has moved takes the `scope` along.
    """

    scope: Scope
    client: Client
    frontier: Frontier = field(default_factory=InMemory)
    stored: Callable[[str], Page | None] = _nothing_stored
    fresh: Callable[[str], bool] = lambda _: False
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    browser: Browser | None = None
    always: bool = False
    begin: bool = True
    traps: Traps = field(default_factory=Traps)
    passed: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
    absent: Absent = field(init=False)
    _given: set[str] = field(default_factory=set)
    _refused: set[str] = field(default_factory=set)
    _feeds: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.absent = Absent(self.client, self.scope.start)

    async def run(self) -> AsyncIterator[Visit]:
        """What is found, as it comes; links and sitemaps of a page are in the frontier before the page is given.

        A crawl that is stopped gives its reason as a last visit, of no address; what it did not settle stays ahead.
        """
        for one in self.frontier.known():
            if not one.listed:
                self.traps.why(one.url)
        self.stopped = (await self.client.rules(self.scope.start)).closed
        if self.begin and not self.stopped:
            await self._begin()
        if not self.stopped:
            async for visit in self._ahead():
                yield visit
        if self.stopped:
            yield Visit("", (Skip(self.scope.start, self.stopped, "unreachable"),))

    async def _ahead(self) -> AsyncIterator[Visit]:
        """What is found at the addresses ahead, the start alone first: it says where the site is."""
        running: set[asyncio.Task[Visit]] = set()
        try:
            while True:
                while len(running) < self.client.manners.parallel and (wanted := self._next()) is not None:
                    running.add(asyncio.create_task(self._one(wanted)))
                    if wanted.url == self.scope.start:
                        break
                if not running:
                    return
                ready, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                self.stopped = self.client.pace.closed(self.scope.home or self.scope.start)
                for visit in (task.result() for task in ready):
                    if not self.stopped or not any(_is_open(one) for one in visit.found):
                        yield visit
                if self.stopped:
                    return
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def _next(self) -> Wanted | None:
        full = self.scope.pages is not None and self.frontier.taken() >= self.scope.pages
        return None if full else self.frontier.take()

    # -- what a site names itself

    async def _begin(self) -> None:
        """Fills the frontier with the start and all that the site's sitemaps name."""
        self.frontier.add([Wanted(self.scope.start)])
        await self._sitemaps(self.scope.start)

    async def _sitemaps(self, at: str) -> None:
        """Puts into the frontier what the sitemaps of a host name; an index names files of its own host alone."""
        rules = await self.client.rules(at)
        named = [*rules.sitemaps, f"{origin(at)}/sitemap.xml"]
        waiting, read_already = deque(normal(url, at) for url in named), set[str]()
        while waiting and len(read_already) < SITEMAPS:
            url = waiting.popleft()
            if not url or url in read_already or self.client.pace.closed(url):
                continue
            read_already.add(url)
            answer = await self.client.get(url)
            if answer.status == 200 and not answer.problem:
                sitemap = read(answer.body)
                further = (normal(one.url, url) for one in sitemap.sitemaps)
                waiting.extend(one for one in further if origin(one) == origin(url))
                self.frontier.add(self._listed(sitemap.pages, url))

    def _listed(self, pages: Iterable[Listed], base: str) -> Iterable[Wanted]:
        for page in pages:
            for url in (page.url, *(other for _, other in page.alternates)):
                found = normal(url, base)
                if found and self.scope.holds(found):
                    yield Wanted(found, 1, page.changed, listed=True)

    # -- one address

    async def _one(self, wanted: Wanted) -> Visit:
        stored = self.stored(wanted.url)
        if stored is not None and (0 < wanted.changed <= stored.fetched or self.fresh(wanted.url)):
            self._follow(wanted, _links_of(stored))
            return Visit(wanted.url, (Unchanged(wanted.url, asked=False),))
        answer = await self._shown(await self.client.get(wanted.url, _conditions(stored)))
        if answer.status == _NOT_MODIFIED and stored is not None:
            self._follow(wanted, _links_of(stored))
            return Visit(wanted.url, (Unchanged(wanted.url),))
        if wanted.url == self.scope.start and not answer.problem and not self.scope.holds(answer.final):
            self.scope = self.scope.moved(answer.final)
            await self._sitemaps(answer.final)
        if wanted.url == self.scope.start and self._is_list(answer):
            self.frontier.add(self._listed(read(answer.body).pages, answer.final))
            return Visit(wanted.url, ())
        found, said = self._judge(wanted, answer)
        if wanted.depth <= 1:
            await self._read_feeds(said.feeds)
        if page := next((one for one in found if isinstance(one, Page)), None):
            lost = await self.absent.lost(page.url, said)
            found = [*(one for one in found if one is not page or not lost), *lost]
        return Visit(wanted.url, tuple(found))

    def _is_list(self, answer: Answer) -> bool:
        """Whether a site's start is its sitemap or feed."""
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        return not answer.problem and (kind in _LISTS or kind.endswith(("rss+xml", "atom+xml")))

    async def _read_feeds(self, feeds: Iterable[str]) -> None:
        """Puts into the frontier what feeds name; they say when a page came, not when it last changed."""
        for url in feeds:
            if url in self._feeds or len(self._feeds) >= FEEDS or not same_host(url, self.scope):
                continue
            self._feeds.add(url)
            answer = await self.client.get(url)
            if answer.status == 200 and not answer.problem:
                pages = [replace(page, changed=0.0) for page in read(answer.body).pages]
                self.frontier.add(self._listed(pages, answer.final))

    async def _shown(self, answer: Answer) -> Answer:
        """The answer, or what a browser makes of it where that is wanted."""
        if self.browser is None or answer.problem or answer.status == _NOT_MODIFIED:
            return answer
        media_type, charset = media.by_header(answer.headers.get("content-type", ""), answer.final)
        if media_type not in _PAGES or not (self.always or is_made_by_scripts(answer.body, charset)):
            return answer
        try:
            async with self.client.pace.turn(answer.final):
                shown = await self.browser.show(answer.final)
        except (OSError, TimeoutError) as error:
            return replace(answer, problem=f"the browser could not show it: {error}", state="unreachable")
        if shown.status >= 400:
            return replace(answer, problem=f"the server answered {shown.status} to the browser", state="unreachable")
        headers = {**answer.headers, "content-type": f"{media.HTML}; charset=utf-8"}
        return replace(answer, final=normal(shown.url) or answer.final, headers=headers, body=shown.html.encode())

    def _judge(self, wanted: Wanted, answer: Answer) -> tuple[list[Found], Links]:
        """What an answer is, a page under its final address or a reason why it is none; and what it says of links."""
        media_type, charset = media.by_header(answer.headers.get("content-type", ""), answer.final)
        if problem := answer.problem or self._unfit(answer, media_type):
            return [Skip(wanted.url, problem, answer.state)], Links()
        page = self._page(answer, media_type, charset)
        if isinstance(page, Skip):
            return [replace(page, url=wanted.url)], Links()
        said = _links_of(page)
        told = _told(answer.headers.get("x-robots-tag", ""))
        self._follow(wanted, replace(said, follow=said.follow and told.isdisjoint(("nofollow", "none"))))
        if not said.index or not told.isdisjoint(("noindex", "none")):
            return [Skip(answer.final, "the page asks not to be indexed")], said
        named = self.scope.holds(said.canonical) and same_page(said.canonical, answer.final)
        url = said.canonical if named else answer.final
        alias = [] if url == wanted.url else [Skip(wanted.url, f"the same page as {url}")]
        if url in self._given:
            return list[Found](alias), said
        self._given.add(url)
        return [replace(page, url=url), *alias], said

    def _page(self, answer: Answer, media_type: str, charset: str) -> Page | Skip:
        """The page of an answer, or why its bytes are none; HTML that is sent as plain text is HTML."""
        headers = answer.headers
        if media_type == media.TEXT and _HTML.match(answer.body):
            media_type = media.HTML
        page = Page(
            answer.final, answer.body, media_type, charset, time(), headers.get("etag", ""),
            headers.get("last-modified", ""), answer.status, self.meta,
        )  # fmt: skip
        return judged(page, self.client.manners.largest)

    def _unfit(self, answer: Answer, media_type: str) -> str:
        """Why an answer is no page of the site, "" when it is one."""
        if not self.scope.holds(answer.final):
            return f"redirects to {answer.final}, outside the site"
        return "" if media_type else f"not a page: {answer.headers['content-type'].split(';')[0].strip()}"

    def _follow(self, wanted: Wanted, said: Links) -> None:
        """Puts a page's links into the frontier, but for those outside the site, too far away, or in a trap."""
        if not said.follow or (self.scope.depth is not None and wanted.depth >= self.scope.depth):
            return
        others = (other for _, other in said.alternates)
        self.frontier.add(
            Wanted(url, wanted.depth + 1)
            for url in dict.fromkeys((*said.pages, *others, said.canonical, said.refresh))
            if url and self.scope.holds(url) and url not in self.frontier and self._is_no_trap(url)
        )

    def _is_no_trap(self, url: str) -> bool:
        """Whether a new address is followed; one that is not is counted once, however often it is linked."""
        if url in self._refused:
            return False
        why = self.traps.why(url)
        if why:
            self._refused.add(url)
            self.passed[why] += 1
        return not why


def _is_open(found: Found) -> bool:
    """Whether nobody knows what is there."""
    return isinstance(found, Skip) and found.state == "unreachable"


def _links_of(page: Page) -> Links:
    return links(page.body, page.url, page.charset) if page.media_type in _PAGES else Links()


def _told(header: str) -> set[str]:
    """What an X-Robots-Tag says to wrac: to all, or to it by name."""
    words, said, agent = set[str](), header.lower().split(","), ""
    for word in said:
        name, colon, rest = (part.strip() for part in word.partition(":"))
        agent = name if colon and name not in _WITH_VALUES else agent
        if agent in ("", NAME):
            words.add(rest if colon and name == agent else name)
    return words


def _conditions(stored: Page | None) -> dict[str, str]:
    if stored is None:
        return {}
    asked = {"If-None-Match": stored.etag, "If-Modified-Since": stored.last_modified}
    return {name: value for name, value in asked.items() if value}


def same_page(one: str, other: str) -> bool:
    """Whether two addresses of a site differ only in what seldom makes another page: query, last slash, index file.

    A canonical link that says more (every page the home page, say) is more often a mistake than true.
    """
    return _stem(one) == _stem(other)


def same_host(url: str, scope: Scope) -> bool:
    """Whether an address is at the site's host, in its folder or not."""
    return origin(url) == origin(scope.home or scope.start)


def _stem(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    folder, _, name = parts.path.rpartition("/")
    path = folder if name.lower() in _INDEX else parts.path.rstrip("/")
    return parts.netloc, path.lower()
