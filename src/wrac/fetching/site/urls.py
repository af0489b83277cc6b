"""Addresses: one form for each page, what belongs to a site, and where a site leads in circles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

LONGEST: Final = 2000
SEGMENTS: Final = 24
"""Code points of a longer address, and parts of a deeper path, that no page needs."""
QUERIES: Final = (0, 5000, 500, 50)
"""Query strings of one path with none, one, two, or more parameters, after which further ones are taken for a parameter
explosion: one parameter names the page on many sites, of three some only sort and filter it."""
DAYS: Final = 366
"""Addresses that differ by a date alone, after which further ones are taken for a calendar."""
REPEATS: Final = 3
"""Times a run of path parts may stand behind itself."""

_TRACKING: Final = re.compile(
    r"(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|mc_[ce]id|_ga|_gl|_hs\w+|igshid|ref_src|srsltid|"
    r"phpsessid|jsessionid|aspsessionid\w*|session_?id|cfid|cftoken|sid)\Z",
    re.IGNORECASE,
)
"""Parameters that say who came from where, or which visit this is; the page is the same without them."""
_SESSION: Final = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_LOGIN: Final = re.compile(r"(?i)\A(\s*https?:/{2,})([^/?#\\]*)@")
_PORTS: Final = {"http": 80, "https": 443}
_SAFE: Final = "/:@!$&'()*+,;=~-._"
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPE: Final = re.compile(r"%(?:([0-9A-Fa-f]{2}))?")
_DATE: Final = re.compile(
    r"(?<!\d)(?:19|20)\d\d(?:[-/_.]?(?:0?[1-9]|1[0-2])(?:[-/_.]?(?:0?[1-9]|[12]\d|3[01]))?)?(?!\d)"
)
_NUMBER: Final = re.compile(r"\d+")


def normal(url: str, base: str = "") -> str:
    """The address in the one form that is compared and asked for; "" for what is no address of a web page.

    Scheme and host in lower case, no default port, no fragment, no credentials, dots resolved, each octet escaped only
    where it must be, no parameters that name a campaign or a visit. The order of parameters stays.

    >>> normal("../b.html?utm_source=x&id=1#top", "HTTPS://Docs.Example.com:443/a/c/")
    'https://docs.example.com/a/b.html?id=1'
    """
    try:
        parts = urlsplit(urljoin(base, _slashed(url.strip())))
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not host:
        return ""
    try:
        host = host.encode("idna").decode() if not host.isascii() else host
    except UnicodeError:
        return ""
    where = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[scheme]:
        where += f":{port}"
    path = _escaped(_SESSION.sub("", parts.path), _SAFE)
    return urlunsplit((scheme, where, _undotted(path) or "/", _query(parts.query), ""))


def _slashed(url: str) -> str:
    """The address with its backslashes as browsers read them: as slashes, but for those of a query."""
    path, mark, query = url.partition("?")
    return path.replace("\\", "/") + mark + query


def _escaped(text: str, safe: str) -> str:
    """Each octet escaped where it must be, and only there: what stands for itself in any address is written as such."""
    plain = _ESCAPE.sub(lambda found: _octet(found[1]), text)
    return quote(plain, safe + "%", errors="surrogatepass")


def _octet(digits: str | None) -> str:
    if digits is None:
        return "%25"  # a percent sign that escapes nothing
    letter = chr(int(digits, 16))
    return letter if letter in _UNRESERVED else f"%{digits.upper()}"


def _undotted(path: str) -> str:
    """The path without `.` and `..`, as RFC 3986 resolves them."""
    kept: list[str] = []
    parts = path.split("/")
    for part in parts:
        if part == "..":
            if len(kept) > 1:
                kept.pop()
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)


def _query(query: str) -> str:
    kept = [part for part in query.split("&") if part and not _TRACKING.match(part.partition("=")[0])]
    return _escaped("&".join(kept), _SAFE + "?[]|")


def bare(url: str) -> str:
    """A web address without the name and password in it; anything else as it is.

    >>> bare("https://me:secret@example.com/a?b#c"), bare("docs/a@b.html")
    ('https://example.com/a?b#c', 'docs/a@b.html')
    """
    return _LOGIN.sub(r"\1", url)


def login(url: str) -> str:
    """The name and password in a web address, `name:password`; "" where there are none."""
    found = _LOGIN.match(url)
    return unquote(found[2]) if found else ""


def origin(url: str) -> str:
    """Scheme, host and port: what one robots.txt is about."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


@dataclass(frozen=True, slots=True)
class Scope:
    """What belongs to a site: pages of the start's host below `prefix`, as far as the patterns allow.

    `include` and `exclude` are globs over the path with its query (`/docs/*`); `depth` counts links from the start,
    `pages` is the most pages that are fetched; None for no limit. `home` is where the start has moved to, "" where it
    stands: host and prefix are those of the home then.
    """

    start: str
    prefix: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    pages: int | None = None
    home: str = ""

    @classmethod
    def of(cls, start: str, **limits: object) -> Scope:
        """The scope of a start page: its folder and what is below.

        >>> Scope.of("https://example.com/docs/index.html").prefix
        '/docs/'
        """
        return cls(start, _folder(start), **limits)  # type: ignore[arg-type]  # as the caller typed them

    def moved(self, home: str) -> Scope:
        """The scope of the same site at another place: its host may be another, its folder is that of its new home."""
        return replace(self, home="" if home == self.start else home, prefix=_folder(home))

    def holds(self, url: str) -> bool:
        """Whether an address in normal form belongs to the site."""
        parts, start = urlsplit(url), urlsplit(self.home or self.start)
        if parts.netloc != start.netloc or not parts.path.startswith(self.prefix):
            return False
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        if any(fnmatchcase(path, glob) for glob in self.exclude):
            return False
        if not self.include or url in (self.start, self.home):
            return True
        return any(fnmatchcase(path, glob) for glob in self.include)


def _folder(url: str) -> str:
    path = urlsplit(url).path or "/"
    return path[: path.rindex("/") + 1]


@dataclass(slots=True)
class Traps:
    """Where a site leads in circles, by the addresses it has given so far.

    What is named in a sitemap is no trap: the site says that it is a page.
    """

    queries: Counter[tuple[str, int]] = field(default_factory=Counter)
    dates: Counter[str] = field(default_factory=Counter)
    shapes: Counter[str] = field(default_factory=Counter)

    def why(self, url: str) -> str:
        """Why an address is not followed, "" when it is. An address is asked about once: each question counts it."""
        parts = urlsplit(url)
        if len(url) > LONGEST:
            return f"trap: an address of {len(url)} characters"
        segments = [part for part in parts.path.split("/") if part]
        if len(segments) > SEGMENTS:
            return f"trap: a path of {len(segments)} parts"
        if repeated := _repeated(segments):
            return f"trap: {repeated!r} again and again in the path"
        return self._exploding(parts) or self._calendar(parts)

    def _exploding(self, parts: SplitResult) -> str:
        if not parts.query:
            return ""
        names = min(parts.query.count("&") + 1, len(QUERIES) - 1)
        at, most = (f"{parts.netloc}{parts.path}", names), QUERIES[names]
        self.queries[at] += 1
        return f"trap: more than {most} query strings at {parts.path}" if self.queries[at] > most else ""

    def _calendar(self, parts: SplitResult) -> str:
        said = f"{parts.path}?{parts.query}"
        shape = f"{parts.netloc}{_NUMBER.sub('#', said)}"
        if shape.endswith(said):  # no number at all
            return ""
        self.shapes[shape] += 1
        self.dates[shape] += _DATE.search(said) is not None
        few = self.dates[shape] <= DAYS or 2 * self.dates[shape] < self.shapes[shape]  # numbers that look like years
        return "" if few else f"trap: more than {DAYS} addresses that differ by a date"


def _repeated(segments: list[str]) -> str:
    """The run of path parts that stands more than REPEATS times behind itself, "" when none does."""
    for length in range(1, len(segments) // (REPEATS + 1) + 1):
        for start in range(len(segments) - length * (REPEATS + 1) + 1):
            run = segments[start : start + length]
            behind = segments[start : start + length * (REPEATS + 1)]
            if behind == run * (REPEATS + 1):
                return "/".join(run)
    return ""


def distinct(urls: Iterable[str]) -> list[str]:
    """Each address once, in order, without those that are none."""
    return [url for url in dict.fromkeys(urls) if url]
