"""One question to a host, with what politeness and safety ask for: robots rules, turns, each redirect judged, caps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Final

import httpx2

from wrac.core.types import NOTHING
from wrac.fetching.http import HEADERS
from wrac.fetching.site.guard import Guarded, PrivateAddressError
from wrac.fetching.site.pace import Pace
from wrac.fetching.site.robots import Robots, Rules
from wrac.fetching.site.urls import normal
from wrac.fetching.skip import State

REDIRECTS: Final = 10
_AGAIN: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
_GONE: Final = frozenset((404, 410))
_MOVED: Final = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class Manners:
    """How hosts are asked. Seconds and bytes; `parallel` questions at once and `pause` between two, for each host.

    `private` allows addresses of this machine and its network, `robots` says whether robots.txt is obeyed; `headers`
    are sent to the hosts named in them alone, so that a login never travels with a redirect.
    """

    parallel: int = 4
    pause: float = 0.0
    timeout: float = 30.0
    longest: float = 120.0
    largest: int = 64 * 2**20
    attempts: int = 4
    private: bool = False
    robots: bool = True
    headers: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered at `final`, where the redirects from `url` lead; `problem` says why there is no body.

    A `status` of 0: nobody answered, or nobody was asked. A body is unpacked, and cut one byte above the cap. `state`
    says of a problem whether it is one of the page or of the moment.
    """

    url: str
    final: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    body: bytes = b""
    problem: str = ""
    state: State = "no page"


class Client:
    """Asks hosts, as often as manners allow. Used inside `async with`."""

    def __init__(self, manners: Manners, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        limits = httpx2.Limits(max_connections=4 * manners.parallel, max_keepalive_connections=2 * manners.parallel)
        if transport is None:
            transport = httpx2.AsyncHTTPTransport(limits=limits) if manners.private else Guarded(limits)
        self.manners = manners
        self.pace = Pace(manners.parallel, manners.pause)
        self.asked = 0
        self._robots = Robots(self._plain, obey=manners.robots)
        self._client = httpx2.AsyncClient(
            headers=HEADERS, timeout=httpx2.Timeout(manners.timeout, connect=10.0), transport=transport
        )

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def rules(self, url: str) -> Rules:
        """The robots rules of an address's host; its crawl delay holds from then on."""
        rules = await self._robots.rules(url)
        self.pace.wants(url, rules.delay)
        return rules

    async def get(self, url: str, conditions: Mapping[str, str] = NOTHING) -> Answer:
        """The answer at an address; `conditions` are If-None-Match and If-Modified-Since, and 304 then is an answer."""
        try:
            async with asyncio.timeout(self.manners.longest):
                return await self._follow(url, conditions, obey=True)
        except TimeoutError:
            return Answer(url, url, problem=f"no answer in {self.manners.longest:.0f} s", state="unreachable")

    async def _plain(self, url: str) -> tuple[int, bytes, str]:
        answer = await self._follow(url, NOTHING, obey=False)
        return answer.status, answer.body, answer.problem

    async def _follow(self, url: str, conditions: Mapping[str, str], *, obey: bool) -> Answer:
        at, seen = url, set[str]()
        while True:
            if obey:
                rules = await self.rules(at)
                if not rules.allows(at):
                    state: State = "unreachable" if rules.closed else "no page"
                    return Answer(url, at, problem=rules.closed or "robots.txt does not allow it", state=state)
            answer = replace(await self._insist(at, conditions), url=url)
            target = answer.headers.get("location", "") if answer.status in _MOVED else ""
            if not target:
                return answer
            seen.add(at)
            at = normal(target, at)
            if not at:
                return replace(answer, problem=f"redirects to {target!r}, which is no web address")
            if at in seen or len(seen) >= REDIRECTS:
                return replace(answer, problem="redirects in a circle")

    async def _insist(self, url: str, conditions: Mapping[str, str]) -> Answer:
        """The answer after some attempts: a host that says it is too much is given time."""
        for attempt in range(1, self.manners.attempts + 1):
            async with self.pace.turn(url):
                self.asked += 1
                answer = await self._once(url, conditions)
            if answer.status not in _AGAIN and not answer.problem.startswith("no answer"):
                self.pace.answered(url)
                return answer
            if attempt < self.manners.attempts:
                self.pace.refused(url, after(answer.headers.get("retry-after", "")))
        return answer

    async def _once(self, url: str, conditions: Mapping[str, str]) -> Answer:
        try:
            own = self.manners.headers.get(httpx2.URL(url).host, NOTHING)
            async with self._client.stream("GET", url, headers={**own, **conditions}) as response:
                answer = Answer(url, url, response.status_code, response.headers)
                if response.status_code >= 400:
                    state: State = "missing" if response.status_code in _GONE else "unreachable"
                    return replace(answer, problem=f"the server answered {response.status_code}", state=state)
                return answer if response.status_code in _MOVED else replace(answer, body=await self._body(response))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            private = isinstance(error, PrivateAddressError)
            return Answer(url, url, problem=_problem(error), state="no page" if private else "unreachable")

    async def _body(self, response: httpx2.Response) -> bytes:
        """The unpacked body, no further than one byte above the cap: a small answer may unpack to anything."""
        parts, size = [], 0
        async for part in response.aiter_bytes():
            parts.append(part)
            size += len(part)
            if size > self.manners.largest:
                break
        return b"".join(parts)[: self.manners.largest + 1]


def _problem(error: Exception) -> str:
    """Why a host gave no answer; what begins with "no answer" may be another time."""
    if isinstance(error, PrivateAddressError):
        return f"{error}; --allow-private reads it all the same"
    if isinstance(error, httpx2.TimeoutException):
        return "no answer in time"
    said = str(error) or type(error).__name__
    if isinstance(error, httpx2.DecodingError):
        return f"damaged: {said}"
    return f"no connection: {said}" if isinstance(error, httpx2.ConnectError) else f"no answer: {said}"


def after(text: str) -> float | None:
    """Seconds that a Retry-After asks for, as a number or a date; None where it says neither.

    >>> after("120"), after(""), after("later")
    (120.0, None, None)
    """
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
