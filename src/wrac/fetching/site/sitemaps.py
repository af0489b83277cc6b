"""Sitemaps and feeds: the addresses a site names itself, and when each was changed."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from xml.etree import ElementTree

LARGEST: Final = 50 * 2**20
"""Bytes of one sitemap, unpacked, that are read: as many as the protocol allows."""
MOST: Final = 50_000
"""Addresses of one sitemap that are read: as many as the protocol allows."""
DEEPEST: Final = 64
LINKS: Final = 500
LONGEST: Final = 4000
"""Levels of a file, links of an entry and code points of a text that are read; no honest file has more."""
_GZIP: Final = b"\x1f\x8b"
_STEP: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Listed:
    """An address that a site names; `changed` is in seconds since 1970, 0 where it says nothing or nonsense.

    `alternates` are the same page in other languages, by language.
    """

    url: str
    changed: float = 0.0
    alternates: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Sitemap:
    """What one file says: `pages` of the site, further `sitemaps`, and why no more of it was read."""

    pages: list[Listed] = field(default_factory=list)
    sitemaps: list[Listed] = field(default_factory=list)
    problem: str = ""


def read(body: bytes) -> Sitemap:
    """The sitemap, sitemap index, RSS or Atom feed, or list of lines in a body, packed by gzip or not.

    A file that breaks off, or is no XML from some point on, gives what stands before that point, and the problem.
    """
    found = Sitemap()
    try:
        plain = unpacked(body)
    except zlib.error as error:
        found.problem = f"not gzip: {error}"
        return found
    if len(plain) > LARGEST:
        found.problem = f"larger than {LARGEST >> 20} MB unpacked; the rest is not read"
        plain = plain[:LARGEST]
    if plain.lstrip()[:1] != b"<" and not plain.startswith((b"\xef\xbb\xbf<", b"\xff\xfe", b"\xfe\xff")):
        lines = plain.decode("utf-8-sig", "replace").split()
        found.pages = [Listed(line) for line in lines if line.startswith(("http://", "https://"))][:MOST]
        return found
    _xml(plain, found)
    return found


def unpacked(body: bytes) -> bytes:
    """A body without its gzip packing, cut one byte above LARGEST: a small file may unpack to anything."""
    if not body.startswith(_GZIP):
        return body
    parts: list[bytes] = []
    size = 0
    while body.startswith(_GZIP) and size <= LARGEST:  # a file may be several members, one behind another
        reader = zlib.decompressobj(wbits=31)
        while not reader.eof and size <= LARGEST:
            part = reader.decompress(body, _STEP)
            body = reader.unconsumed_tail
            if not part and not body:
                break
            parts.append(part)
            size += len(part)
        body = reader.unused_data
    return b"".join(parts)[: LARGEST + 1]


def _xml(plain: bytes, found: Sitemap) -> None:
    """Takes over the entries as they end; what is no entry is never kept, however large or deep the file is."""
    parser = ElementTree.XMLParser(target=_Entries(found))  # noqa: S314 - expat caps entities, _Entries depth
    try:
        for start in range(0, len(plain), _STEP):
            parser.feed(plain[start : start + _STEP])
        parser.close()
    except ElementTree.ParseError as error:
        found.problem = found.problem or f"not XML: {error}"
    except _EnoughError as enough:
        found.problem = found.problem or str(enough)


_ENTRIES: Final = frozenset(("url", "sitemap", "item", "entry"))
_TEXTS: Final = frozenset(("loc", "lastmod", "link", "updated", "pubDate", "published"))


class _EnoughError(Exception):
    """No more of a file is read."""


class _Entries:
    """What an XML parser tells: of each entry its texts by name, and the attributes of its links."""

    def __init__(self, found: Sitemap) -> None:
        self._found = found
        self._depth = 0
        self._entry = 0  # its depth; 0 outside of one
        self._name = ""
        self._texts: dict[str, str] = {}
        self._links: list[dict[str, str]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _EnoughError(f"more than {DEEPEST} levels deep; the rest is not read")
        name = tag.rpartition("}")[2]
        self._name = ""
        if not self._entry and name in _ENTRIES:
            self._entry, self._texts, self._links = self._depth, {}, []
        elif self._entry and self._depth == self._entry + 1 and name in _TEXTS:
            self._name = name
            if name == "link" and len(self._links) < LINKS:
                self._links.append(attributes)

    def data(self, text: str) -> None:
        if self._name and len(known := self._texts.get(self._name, "")) <= LONGEST:
            self._texts[self._name] = known + text

    def end(self, tag: str) -> None:
        self._name = ""
        if self._depth == self._entry:
            self._entry = 0
            self._take(tag.rpartition("}")[2])
        self._depth -= 1

    def close(self) -> None:
        """Nothing is left to be told."""

    def _take(self, kind: str) -> None:
        said = {name: text.strip() for name, text in self._texts.items()}
        entry = _page(said, self._links) if kind in ("url", "sitemap") else _item(said, self._links)
        if entry is None:
            return
        (self._found.sitemaps if kind == "sitemap" else self._found.pages).append(entry)
        if len(self._found.pages) + len(self._found.sitemaps) >= MOST:
            raise _EnoughError(f"more than {MOST} addresses; the rest is not read")


def _page(said: dict[str, str], links: list[dict[str, str]]) -> Listed | None:
    """An entry of a sitemap or of an index of them."""
    alternates = tuple(
        (link.get("hreflang", ""), link.get("href", "").strip()) for link in links if link.get("rel") == "alternate"
    )
    return Listed(said["loc"], moment(said.get("lastmod", "")), alternates) if said.get("loc") else None


def _item(said: dict[str, str], links: list[dict[str, str]]) -> Listed | None:
    """An entry of a feed: RSS has its link as text, Atom as an attribute."""
    named = (link["href"] for link in links if link.get("href") and link.get("rel", "alternate") == "alternate")
    url = said.get("link") or next(named, "")
    when = said.get("updated") or said.get("pubDate") or said.get("published") or ""
    return Listed(url.strip(), moment(when)) if url.strip() else None


def moment(text: str) -> float:
    """Seconds since 1970 of a W3C date (a year will do) or an RFC 822 date; 0 for neither.

    >>> moment("2024-02-29"), moment("1970"), moment("Thu, 01 Jan 1970 00:00:10 GMT"), moment("soon")
    (1709164800.0, 0.0, 10.0, 0.0)
    """
    for reader in (_iso, parsedate_to_datetime):
        try:
            found = reader(text)
        except (ValueError, TypeError, IndexError):
            continue
        return max(0.0, (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
    return 0.0


def _iso(text: str) -> datetime:
    """A W3C date, of which a month or a year alone is one too."""
    return datetime.fromisoformat(f"{text}-01-01"[:10] if len(text) in (4, 7) else text)
