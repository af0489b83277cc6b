"""Role and visibility of an element by rules: landmarks, ARIA, class and id words, cookie and dialog patterns."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from wrac.core.types import Role, Visible
from wrac.parsing.dom import Attributes, Element, Node
from wrac.parsing.tags import HEADING_LEVEL

if TYPE_CHECKING:
    from wrac.parsing.frames import Frame

BY_TAG: Final[dict[str, Role]] = {
    "nav": "nav", "footer": "footer", "aside": "aside", "dialog": "dialog", "form": "form", "search": "form",
    "fieldset": "form", "select": "control", "datalist": "control",
}  # fmt: skip
BY_ARIA: Final[dict[str, Role]] = {
    "navigation": "nav", "menu": "nav", "menubar": "nav", "banner": "header", "contentinfo": "footer",
    "complementary": "aside", "search": "form", "form": "form", "dialog": "dialog", "alertdialog": "dialog",
    "doc-toc": "toc", "directory": "toc", "main": "main", "toolbar": "control",
}  # fmt: skip
# Words of class and id, in the order they win. A word stands between separators; `-` and `_` separate.
_BANNER: Final = (
    "banner|consent|notice|notification|bar|box|popup|modal|law|message|msg|warning|overlay|dialog|info|alert|"
    "disclaimer|settings|preferences?|wall|layer|container|wrapper|manager|prompt"
)
_WORDS: Final[tuple[tuple[Role, str], ...]] = (
    ("cookie", rf"(?:cookies?|gdpr|ccpa|consent|privacy)-?(?:{_BANNER})\w*|(?<![\w-])(?:cookies?|gdpr)(?![\w-])|"
               r"cookieconsent\w*|cookiebot\w*|onetrust\w*|didomi\w*|usercentrics\w*|klaro|qc-cmp\w*|cmp-\w+|"
               r"cc-(?:window|banner)|truste\w*|evidon\w*|iubenda\w*|osano\w*|termly\w*"),
    ("breadcrumb", r"breadcrumbs?|crumbs?|bread-?crumbs?|breadcrumb\w*"),
    ("toc", r"toc|toctree\w*|tableofcontents|table-of-contents|on-this-page|page-?toc|localtoc|scrollspy"),
    ("comment", r"comments?|commentlist|disqus\w*|comment-?section"),
    ("dialog", r"modal|popup|pop-up|lightbox|offcanvas|newsletter-popup"),
    ("nav", r"nav|navs|navbar|navigation|nav(?:header|footer|bar|menu|list|links?)|side-?nav|top-?nav|main-?menu|"
            r"menubar|mega-?menu|pagination|pager|prev-?next|skip-?links?|skip-to-\w+|related|site-?menu"),
    ("footer", r"(?<![\w-])(?:(?:site|page|global|main)[-_]?)?footer|colophon|copyright"),
    ("header", r"(?<![\w-])(?:(?:site|global|top|main|page)[-_]?)?header|masthead|top-?bar|announcement\w*"),
    ("aside", r"side-?bar\w*|sphinxsidebar\w*|right-?rail|left-?rail|share|sharing|social(?:-\w+)?|related-\w+|"
              r"advert\w*|ads?|promo"),
    ("control", r"dropdown|toolbar|page-?actions?|copy-(?:page|button|btn)|feedback|was-this-helpful|edit-?page|"
                r"search-?(?:box|bar|form)|theme-toggle|language-(?:switcher|selector)|pagetools"),
)  # fmt: skip
_PATTERNS: Final = tuple((role, re.compile(rf"(?:^|[\s_-])(?:{words})(?=$|[\s_-])")) for role, words in _WORDS)
_NOTE: Final = re.compile(r"note|tip\b|hint|warn|caution|danger|important|info|admonition|callout|alert|example")
_PRIVACY: Final = re.compile(r"cookie|gdpr|dsgvo|rgpd|ccpa|consent")
_NOT_ROLES: Final = re.compile(r"(?:no|with|without|has|layout)-?(?:nav|side-?bar|toc|header|footer)", re.ASCII)
_COLLAPSIBLE: Final = re.compile(
    r"accordion|collaps|tab-?pane|tab-?panel|tab-?content|expand|toggle|disclosure|drawer|faq|answer|panel|spoiler"
)
_HIDING_CLASS: Final = frozenset(
    "hidden d-none is-hidden display-none hide sr-only visually-hidden visuallyhidden screen-reader-text".split()
)
_SHOWN_AGAIN: Final = re.compile(r"^(?:sm|md|lg|xl|2xl):(?:block|flex|grid|inline|inline-block|inline-flex|contents)$")
_HIDING_STYLE: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
# Elements whose class and id words count. Others (body, main, headings, text) are named after what they hold.
NAMED: Final = frozenset("div section ul ol dl p table header span aside form nav menu details center".split())
CONTENT: Final = "main,h1,[role=main]"


Panel: TypeAlias = Literal["", "open", "closed"]  # what the control of a panel says, if there is one


@lru_cache(maxsize=8192)
def by_words(words: str, inside: bool) -> Role | None:
    """The role that class and id words suggest; `inside` a main or article, where pages write about cookies too."""
    text = _NOT_ROLES.sub(" ", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", words)).lower()
    for role, pattern in _PATTERNS:
        if pattern.search(text):
            return role
    return "cookie" if not inside and _PRIVACY.search(text) else None


def role_of(frame: Frame, attrs: Attributes, aria: str, classes: str) -> Role:
    """The role of a block element whose frame has inherited the role around it; `aria` is its `role` attribute.

    Cookie banners and dialogs keep their role inside; a class word is not believed when the page's content is in it.
    """
    node, tag, current, inside = frame.node, frame.tag, frame.role, frame.inside
    if current in ("cookie", "dialog") and tag != "main":
        return current
    if tag == "main" or aria == "main":
        return "main"
    found = BY_ARIA.get(aria) if aria else None
    word = _word(node, attrs, classes, inside or tag == "section") if attrs and tag in NAMED else None
    if word is not None and not _believed(node, word, current, inside):
        word = None
    if tag == "nav" and "contents" in classes.split():
        word = "toc"  # as docutils writes it; on other elements the word says nothing
    if found == "dialog" or tag == "dialog" or word == "dialog":
        return "cookie" if "cookie" in node.text.lower() else "dialog"
    if word in ("cookie", "breadcrumb", "toc", "comment"):
        return word
    return found or _by_tag(node, tag, inside, word) or word or current


def _believed(node: Node, word: Role, current: Role, inside: bool) -> bool:
    if word == current or (inside and word in ("header", "footer")) or node.select_one(CONTENT) is not None:
        return False
    if current in ("nav", "footer") and word in ("aside", "header"):
        return False  # a wrapper named after the whole: navigation stays navigation
    return word != "nav" or node.select_one("p,pre,blockquote") is None


def _word(node: Node, attrs: Attributes, words: str, slugged: bool) -> Role | None:
    if "id" in attrs and not slugged and not _heads(node):
        words = f"{words} {node.attr('id')}"
    if "aria-label" in attrs:
        label = (node.attr("aria-label") or "").lower()
        words = f"{words} {label.replace(' ', '-')}" if label in _TELLING_LABELS else words
    return by_words(words, slugged) if words else None


def _heads(node: Node) -> bool:
    """Whether an element begins with a heading: its id is then a slug of what it is about, such as `cookies`."""
    first = next((child for child in node.children if type(child) is Element), None)
    return first is not None and first.tag in HEADING_LEVEL


_TELLING_LABELS: Final = frozenset(("breadcrumb", "breadcrumbs", "table of contents", "on this page"))


def _by_tag(node: Node, tag: str, inside: bool, word: Role | None) -> Role | None:
    if tag == "header":
        return None if inside else "header"
    role = BY_TAG.get(tag)
    if role == "form" and node.select_one(CONTENT) is not None:
        return None
    if role == "aside" and inside and word is None and _NOTE.search(_spoken(node)) is not None:
        return None  # an admonition, as documentation themes write them
    return role


def _spoken(node: Node) -> str:
    return f"{node.attr('class') or ''} {node.attr('aria-label') or ''} {node.attr('role') or ''}".lower()


def visible_of(attrs: Attributes, classes: str, current: Visible, panel: Panel) -> Visible:
    """The visibility of an element; `panel` says what the page's controls say of it."""
    flags = class_flags(classes) if classes else 0
    hidden = flags & HIDES or "hidden" in attrs or ("style" in attrs and hides_by_style(attrs["style"]))
    if panel == "closed" and (current == "visible" or hidden):
        return "collapsed"
    unseen = not hidden and "aria-hidden" in attrs and attrs["aria-hidden"] == "true"
    folded = flags & FOLDS
    if not hidden and not unseen and not folded:
        return current
    opened = panel or attrs.get("role") == "tabpanel" or attrs.get("hidden") == "until-found" or "itemprop" in attrs
    if opened or folded or _COLLAPSIBLE.search(classes.lower()):
        return "collapsed"
    return "hidden" if hidden else current


HIDES: Final = 1
FOLDS: Final = 2
DRAWS_FORMULA: Final = 4


@lru_cache(maxsize=8192)
def class_flags(classes: str) -> int:
    """What an element's classes say: `HIDES` at every width, `FOLDS` a panel or a tab away, `DRAWS_FORMULA`."""
    names = frozenset(classes.split())
    folds = ("collapse" in names and not names & {"show", "in"}) or (
        "tab-pane" in names and not names & {"active", "show"}
    )
    hides = not _HIDING_CLASS.isdisjoint(names) and not any(map(_SHOWN_AGAIN.match, names))
    draws = "katex-html" in classes or "MathJax" in classes or "mjx-chtml" in classes
    return (HIDES if hides else 0) | (FOLDS if folds else 0) | (DRAWS_FORMULA if draws else 0)


def hides_by_style(style: str | None) -> bool:
    """Whether an inline style takes an element out of sight."""
    return bool(style) and _HIDING_STYLE.search(style or "") is not None
