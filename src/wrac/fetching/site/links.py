"""What an HTML page says about addresses: where it links, what it calls itself, and what it asks of crawlers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from wrac.fetching.site.urls import distinct, normal

if TYPE_CHECKING:
    from turbohtml import Document, Element

_REFRESH: Final = re.compile(r"\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?['\"]?([^'\"\s][^'\"]*)", re.IGNORECASE)
"""Seconds, and an address behind them: without one a page only shows itself again."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_LOST: Final = re.compile(
    r"\b404\b|not found|does not exist|nicht gefunden|introuvable|no encontrad|non trovat|n[ãa]o encontrad|"
    r"niet gevonden|не найден|見つかりません|找不到|찾을 수 없",
    re.IGNORECASE,
)
FEW_WORDS: Final = 40
"""A page with fewer words in its plain form, and with scripts, is one that scripts make."""
_ROBOTS: Final = frozenset(("robots", "wrac"))


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses in normal form, each once, in the page's order.

    `canonical` is the page's own name for itself, "" where it gives none; `alternates` are the same page in other
    languages, `feeds` RSS and Atom. `refresh` is where the page sends its reader at once. `index` and `follow` are
    False where the page asks crawlers not to. `sign` is the same for pages that say the same, but for numbers and for
    words of their addresses; `lost` whether the title sounds as if there were no such page.
    """

    pages: tuple[str, ...] = ()
    canonical: str = ""
    alternates: tuple[tuple[str, str], ...] = ()
    feeds: tuple[str, ...] = ()
    refresh: str = ""
    index: bool = True
    follow: bool = True
    sign: str = ""
    lost: bool = False


def links(body: bytes, url: str, charset: str = "") -> Links:
    """The links of a page that was found at an address. Linear in the page."""
    tree = _tree(body, charset)
    base = next((normal(_attr(node, "href"), url) for node in tree.select("base[href]")), "") or url
    rules = {word.strip() for node in tree.select("meta[name][content]") if _attr(node, "name").lower() in _ROBOTS
             for word in _attr(node, "content").lower().split(",")}  # fmt: skip
    related = list(_related(tree, base))
    return Links(
        pages=tuple(distinct(normal(_attr(node, "href"), base) for node in tree.select("a[href], area[href]")
                             if "nofollow" not in _attr(node, "rel").lower().split())),
        canonical=next((link for rels, _, _, link in related if "canonical" in rels), ""),
        alternates=tuple((language, link) for rels, _, language, link in related if "alternate" in rels and language),
        feeds=tuple(distinct(link for rels, kind, _, link in related if "alternate" in rels and kind in _FEEDS)),
        refresh=_refresh(tree, base),
        index=rules.isdisjoint(("noindex", "none")),
        follow=rules.isdisjoint(("nofollow", "none")),
        sign=_sign(tree, url),
        lost=any(_LOST.search(node.text) is not None for node in tree.select("title, h1")),
    )  # fmt: skip


def _sign(tree: Document, url: str) -> str:
    """A digest of a page's words without those that differ from one address to the next: numbers, the address's own."""
    own = set(_WORD.findall(url.lower()))
    said = " ".join(word for word in _WORD.findall(tree.text.lower()) if word not in own)
    return blake2b(said.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _tree(body: bytes, charset: str) -> Document:
    """The page's tree; a charset that nobody knows counts as none."""
    from turbohtml import parse

    try:
        return parse(body, encoding=charset or None, detect_encoding=True)
    except LookupError:
        return parse(body, detect_encoding=True)


_FEEDS: Final = frozenset(("application/rss+xml", "application/atom+xml"))


def _related(tree: Document, base: str) -> Iterator[tuple[set[str], str, str, str]]:
    """Of each `link` its relations, media type, language and address."""
    for node in tree.select("link[rel][href]"):
        kind, language = _attr(node, "type").lower(), _attr(node, "hreflang").lower()
        yield set(_attr(node, "rel").lower().split()), kind, language, normal(_attr(node, "href"), base)


def _refresh(tree: Document, base: str) -> str:
    for node in tree.select("meta[http-equiv][content]"):
        found = _REFRESH.match(_attr(node, "content")) if _attr(node, "http-equiv").lower() == "refresh" else None
        if found:
            return normal(found[1], base)
    return ""


def _attr(node: Element, name: str) -> str:
    value = node.attr(name)
    return value if isinstance(value, str) else ""


def is_made_by_scripts(body: bytes, charset: str = "") -> bool:
    """Whether a page's plain form says little and has scripts that would say more: an empty root of an application."""
    tree = _tree(body, charset)
    if not tree.select("script"):
        return False
    for node in tree.select("script, style, template, noscript, head"):
        node.decompose()
    return len(tree.text.split()) < FEW_WORDS
