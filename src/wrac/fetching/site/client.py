"""One question to a host, with what politeness and safety ask for: robots rules, turns, each redirect judged, caps."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final

import httpx2

from wrac.core.types import NOTHING
from wrac.fetching.http import HEADERS
from wrac.fetching.site.guard import Guarded, PrivateAddressError
from wrac.fetching.site.pace import FIRST, Pace
from wrac.fetching.site.robots import LARGEST as ROBOTS
from wrac.fetching.site.robots import Robots, Rules
from wrac.fetching.site.urls import normal, origin
from wrac.fetching.skip import State
from wrac.llm.faults import connecting

REDIRECTS: Final = 10
_BUSY: Final = frozenset((429, 503))
_AGAIN: Final = _BUSY | {408, 425, 500, 502, 504}
_GONE: Final = frozenset((404, 410))
_MOVED: Final = frozenset((301, 302, 303, 307, 308))


@dataclass(frozen=True, slots=True)
class Manners:
    """How hosts are asked. Seconds and bytes; `parallel` questions at once and `pause` between two, for each host.

    `private` allows addresses of this machine and its network, `robots` says whether robots.txt is obeyed; `headers`
    are sent to the origins named in them alone, so that a login never travels with a redirect. `longest` is for one
    answer from its first byte to its last.
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


@dataclass(frozen=True, slots=True)
class _Asking:
    """One question and its redirects: its conditions, the bytes of its answer, and the cookies it is given meanwhile.

    Cookies go with the question: what one page sets changes no other, so the order of a crawl changes nothing.
    """

    conditions: Mapping[str, str]
    largest: int
    cookies: httpx2.Cookies = field(default_factory=httpx2.Cookies)


class Client:
    """Asks hosts, as often as manners allow. Used inside `async with`."""

    def __init__(self, manners: Manners, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        limits = httpx2.Limits(max_connections=4 * manners.parallel, max_keepalive_connections=2 * manners.parallel)
        if transport is None:
            with connecting():
                transport = httpx2.AsyncHTTPTransport(limits=limits) if manners.private else Guarded(limits)
        self.manners = manners
        self._headers = dict(manners.headers)
        self.pace = Pace(manners.parallel, manners.pause)
        self.asked = 0
        self._robots = Robots(self._plain, obey=manners.robots)
        self._client = httpx2.AsyncClient(
            headers=HEADERS, timeout=httpx2.Timeout(manners.timeout, connect=10.0), transport=transport,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        )  # fmt: skip

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    def login(self, url: str, cookies: str) -> None:
        """Send cookies to the origin of an address, unless it is sent some already."""
        self._headers[origin(url)] = {"Cookie": cookies, **self._headers.get(origin(url), {})}

    async def rules(self, url: str) -> Rules:
        """The robots rules of an address's host; its crawl delay holds from then on."""
        rules = await self._robots.rules(url)
        self.pace.wants(url, rules.delay)
        return rules

    async def get(self, url: str, conditions: Mapping[str, str] = NOTHING) -> Answer:
        """The answer at an address; `conditions` are If-None-Match and If-Modified-Since, and 304 then is an answer."""
        return await self._follow(url, _Asking(conditions, self.manners.largest), obey=True)

    async def _plain(self, url: str) -> tuple[int, bytes, str]:
        answer = await self._follow(url, _Asking(NOTHING, ROBOTS), obey=False)
        return answer.status, answer.body, answer.problem

    async def _follow(self, url: str, asking: _Asking, *, obey: bool) -> Answer:
        at, seen = url, set[str]()
        for _ in range(REDIRECTS):
            if obey:
                rules = await self.rules(at)
                if not rules.allows(at):
                    state: State = "unreachable" if rules.closed else "no page"
                    return Answer(url, at, problem=rules.closed or "robots.txt does not allow it", state=state)
            answer = replace(await self._insist(at, asking), url=url)
            if answer.status not in _MOVED:
                return answer
            if "set-cookie" in answer.headers:
                seen.clear()  # some hosts send a reader round to see whether the cookie comes back
            seen.add(at)
            target = answer.headers.get("location", "")
            at = normal(target, at) if target else ""
            if not at:
                return replace(answer, problem=f"redirects to {target!r}, which is no web address")
            asking = replace(asking, conditions=NOTHING)  # they are of the page that was there
            if at in seen:
                return replace(answer, problem="redirects in a circle")
        return replace(answer, problem=f"redirects more than {REDIRECTS} times")

    async def _insist(self, url: str, asking: _Asking) -> Answer:
        """The answer after some attempts: a host that says it is too much is given time."""
        for attempt in range(1, self.manners.attempts + 1):
            async with self.pace.turn(url):
                if closed := self.pace.closed(url):
                    return Answer(url, url, problem=closed, state="unreachable")
                self.asked += 1
                answer = await self._once(url, asking)
            lost = answer.problem.startswith(("no answer", "no connection"))
            if answer.status not in _BUSY and not lost:
                self.pace.answered(url)
            if attempt == self.manners.attempts or not (
                answer.status in _AGAIN or answer.problem.startswith("no answer")
            ):
                break
            if answer.status in _BUSY:
                self.pace.refused(url, after(answer.headers.get("retry-after", "")))
            else:
                await asyncio.sleep(FIRST * 2 ** (attempt - 1))
        if answer.status in _BUSY or lost:
            self.pace.failed(url, answer.problem)
        return answer

    async def _once(self, url: str, asking: _Asking) -> Answer:
        try:
            own = self._headers.get(origin(url), NOTHING)
            request = self._client.build_request("GET", url, headers={**own, **asking.conditions})
            asking.cookies.set_cookie_header(request)
            async with asyncio.timeout(self.manners.longest):
                response = await self._client.send(request, stream=True)
                try:
                    asking.cookies.extract_cookies(response)
                    return await self._read(url, response, asking.largest)
                finally:
                    await response.aclose()
        except TimeoutError:
            return Answer(url, url, problem=f"took longer than {self.manners.longest:.0f} s", state="unreachable")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            private = isinstance(error, PrivateAddressError)
            return Answer(url, url, problem=_problem(error), state="no page" if private else "unreachable")

    async def _read(self, url: str, response: httpx2.Response, largest: int) -> Answer:
        answer = Answer(url, url, response.status_code, response.headers)
        if response.status_code >= 400:
            state: State = "missing" if response.status_code in _GONE else "unreachable"
            return replace(answer, problem=f"the server answered {response.status_code}", state=state)
        if response.status_code in _MOVED:
            return answer
        if packing := self._unknown(response):
            return replace(answer, problem=f"packed as {packing}, which was not asked for", state="unreachable")
        return replace(answer, body=await _body(response, largest))

    def _unknown(self, response: httpx2.Response) -> str:
        """The packing of an answer that cannot be undone here, "" where it can."""
        known = {name.strip() for name in self._client.headers["accept-encoding"].split(",")} | {"identity", ""}
        said = (name.strip().lower() for name in response.headers.get("content-encoding", "").split(","))
        return next((name for name in said if name not in known), "")


async def _body(response: httpx2.Response, largest: int) -> bytes:
    """The unpacked body, no further than one byte above the cap: a small answer may unpack to anything."""
    parts, size = [], 0
    async for part in response.aiter_bytes():
        parts.append(part)
        size += len(part)
        if size > largest:
            break
    return b"".join(parts)[: largest + 1]


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
