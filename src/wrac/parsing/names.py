"""What the names of elements say: words of class, id, itemprop and role, in groups, each group a bit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from wrac.parsing.dom import Element, Node

GROUPS: Final[dict[str, str]] = {
    "comment": r"comment|disqus|discuss",
    "nav": r"^nav|menu|navi|breadcrumb|crumb|pagination|pager|paging",
    "footer": r"foot|copyright|colophon|bottom|legal",
    "header": r"header|masthead|topbar|^top$|banner|hero|logo",
    "aside": r"sidebar|^side|aside|rail|secondary|widget|supplementary|extra",
    "share": r"share|sharing|social|follow|twitter|facebook|whatsapp|pinterest",
    "related": r"related|recommend|similar|also|suggest|popular|trending|latest|recent|upsell|cross|more|next|prev",
    "promo": r"promo|sponsor|advert|^ads?$|banner|campaign|affiliate|newsletter|subscri|signup|optin|cta",
    "privacy": r"cookie|consent|gdpr|privacy|onetrust",
    "meta": r"meta|byline|author|date|time|publish|dateline|info|credit|posted",
    "tags": r"^tags?$|categor|topic|label|keyword|taxonom",
    "title": r"title|headline|heading|subhead",
    "body": r"content|article|^entry|body|story|main|primary|^text|prose|richtext|wysiwyg|markdown|rte|copy",
    "post": r"^posts?$|blog|single|page",
    "product": r"product|item|sku|detail|spec|feature|variant|attribute",
    "price": r"price|cart|basket|buy|checkout|stock|quantity|qty|shipping|delivery|wishlist|compare|sale",
    "review": r"review|rating|star|testimonial|feedback|vote|score",
    "describe": r"descri|summary|excerpt|intro|lead|abstract|teaser|deck|standfirst|about|overview",
    "card": r"card|tile|grid|list|result|row|col|loop|archive|collection|catalog",
    "form": r"form|input|field|search|filter|facet|sort|select|login|signin|account|register|user",
    "dialog": r"modal|popup|dialog|overlay|drawer|offcanvas|toast|alert|notif|tooltip|lightbox|flyout",
    "media": r"caption|figure|image|img|photo|gallery|video|media|slide|carousel|swiper|thumb",
    "fold": r"accordion|collaps|faq|tab|panel|toggle|expand|details|question|answer",
    "contents": r"toc|contents|outline|anchor",
    "forum": r"message|thread|reply|replies|forum|topic|quote|signature|bbcode|avatar|member|badge|likes?$",
    "button": r"btn|button|icon|action|tool|control|link",
    "hidden": r"hidden|hide|sr$|screen|visually|print|skip|mobile|desktop",
    "section": r"section|module|block|component|container|wrapper|inner|layout|region|area|zone",
    "doc": r"docs?$|document|wiki|guide|api|code|highlight|admonition|method|param|sphinx|md",
    "service": r"service|benefit|pricing|plan|partner|client|team|process|step|contact|location|address|map|hours",
}
"""The groups, each with the parts of words that belong to it; group number n is bit n."""

_PATTERNS: Final = tuple(re.compile(pattern) for pattern in GROUPS.values())
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ATTRIBUTES: Final = frozenset(("class", "id", "itemprop", "role"))


@lru_cache(maxsize=16384)
def bits_of_word(word: str) -> int:
    """The groups a lower-case word belongs to."""
    return sum(1 << number for number, pattern in enumerate(_PATTERNS) if pattern.search(word))


@lru_cache(maxsize=16384)
def bits_of_text(text: str) -> int:
    """The groups of all words in an attribute's value."""
    bits = 0
    for word in _WORD.findall(text):
        bits |= bits_of_word(word.lower())
    return bits


def bits_of(node: Node) -> int:
    """The groups of all words an element is named with; none for what is no element."""
    if type(node) is not Element:
        return 0
    attrs = node.attrs
    if not attrs:
        return 0
    bits = 0
    for name in attrs:
        if name in _ATTRIBUTES:
            bits |= bits_of_text(node.attr(name) or "")
    return bits
