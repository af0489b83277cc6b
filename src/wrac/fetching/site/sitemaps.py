"""Sitemaps and feeds: the addresses a site names itself, and when each was changed."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Literal
from xml.etree import ElementTree

LARGEST: Final = 50 * 2**20
"""Bytes of one sitemap, unpacked, that are read: as many as the protocol allows."""
MOST: Final = 50_000
"""Addresses of one sitemap that are read: as many as the protocol allows."""
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
    """Takes over the entries as they end, so that a large file is never a tree."""
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(plain), ("end",)):  # noqa: S314 - expat caps entities
            kind = _ENTRIES.get(_local(element))
            if kind is None:
                continue
            entry = _item(element) if kind == "item" else _entry(element)
            if entry is not None:
                (found.sitemaps if kind == "sitemap" else found.pages).append(entry)
            element.clear()
            if len(found.pages) + len(found.sitemaps) >= MOST:
                found.problem = f"more than {MOST} addresses; the rest is not read"
                return
    except ElementTree.ParseError as error:
        found.problem = found.problem or f"not XML: {error}"


_ENTRIES: Final[dict[str, Literal["page", "sitemap", "item"]]] = {
    "url": "page", "sitemap": "sitemap", "item": "item", "entry": "item",
}  # fmt: skip


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _texts(element: ElementTree.Element) -> dict[str, str]:
    return {_local(child): (child.text or "").strip() for child in element}


def _entry(element: ElementTree.Element) -> Listed | None:
    said = _texts(element)
    others = (child for child in element if _local(child) == "link" and child.get("rel") == "alternate")
    alternates = tuple((child.get("hreflang", ""), child.get("href", "").strip()) for child in others)
    return Listed(said["loc"], moment(said.get("lastmod", "")), alternates) if said.get("loc") else None


def _item(element: ElementTree.Element) -> Listed | None:
    """An entry of a feed: RSS has its link as text, Atom as an attribute."""
    said = _texts(element)
    links = (child for child in element if _local(child) == "link" and child.get("rel", "alternate") == "alternate")
    url = said.get("link") or next((child.get("href", "") for child in links if child.get("href")), "")
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
