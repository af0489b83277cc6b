"""What a page says and what must stay together on it, read from the DOM by lexbor and not by wrac's parser."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from wrac.core.errors import MissingExtraError
from wrac.core.types import Page
from wrac.evaluation.wording import fold, grams, words

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

Skip: TypeAlias = "Callable[[LexborNode], bool]"

BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section "
    "summary table tbody td tfoot th thead tr ul".split()
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
NOISE = frozenset(
    "script style template noscript svg math select textarea iframe object canvas audio video datalist head title "
    "noframes noembed".split()
)
"""Elements whose text is no running text of the page: programs, drawings, controls, what stands in for a picture."""
SHORTEST = 4
"""Words a unit has at least: shorter ones stand on every page by chance."""
SHOWN = 200
"""Characters that a following text is known by: the rest may go on in the next passage."""

DEEPEST = 5000
"""Elements inside one another that are still read."""

_NESTS = re.compile(
    r"<(/?)(?:div|span|section|article|table|ul|ol|dl|blockquote|details|font|b|i|em|strong|a|svg|math)[\s>/]",
    re.IGNORECASE,
)
_CHROME_ROLES = frozenset(("navigation", "banner", "contentinfo", "complementary", "search"))
_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Run(NamedTuple):
    """Text between two block boundaries, as it stands in the source, and the tag of the block that holds it.

    `pictured` is the same with the alternative texts of the pictures in it.
    """

    tag: str
    text: str
    pictured: str


class Row(NamedTuple):
    """The cells of a table row, and those of its table's header."""

    cells: tuple[str, ...]
    header: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """What is owed to a reader of one page. Texts have white space folded; blocks and lines of code are as they are.

    `rule` says what was taken for main content. `words` are those of main content, `known` every word of the page,
    `text` the main content as plain text, `page` the words of all running text, `chrome` the three-word runs that stand
    outside of main content only. A unit has one form, or a second one with the alternative texts of its pictures:
    either is verbatim. A pair is a heading with the text after it, or a term with its definition, the second cut to
    `SHOWN` characters. `blocks` and `code` are the same, until those too long for one passage are taken out of
    `blocks`.
    """

    rule: str
    text: str
    words: Counter[str]
    known: frozenset[str]
    page: str
    chrome: frozenset[tuple[str, str, str]]
    units: tuple[tuple[str, ...], ...]
    headed: tuple[tuple[str, str], ...]
    defined: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    blocks: tuple[str, ...]
    code: tuple[str, ...]


def truth(page: Page) -> Truth | None:
    """The page's truth; None where there is none to be had: no HTML, no text in it, or nested too deep.

    Raises MissingExtraError without selectolax.
    """
    if page.media_type not in ("text/html", "application/xhtml+xml"):
        return None
    tree = _tree(page)
    body = tree.css_first("body") if tree else None
    if tree is None or body is None:  # a frameset has no body
        return None
    rule, main, skip = main_content(body)
    found = list(runs(main, skip))
    if not found:
        return None
    everything = [*runs(body, noise)]
    said = [word for run in everything for word in words(run.text)]
    spoken = [word for run in found for word in words(run.text)]
    code = tuple(run.text.strip("\n") for run in found if run.tag == "pre")
    folded = [(run.tag, fold(run.text)) for run in found]
    return Truth(
        rule=rule,
        text="\n".join(run.text.strip("\n") if run.tag == "pre" else fold(run.text) for run in found),
        words=Counter(spoken),
        known=frozenset((*said, *_hidden_words(tree), *(one for run in everything for one in words(run.pictured)))),
        page=" ".join(said),
        chrome=frozenset(grams(said)) - frozenset(grams(spoken)),
        units=tuple(_forms(run) for run in found if run.tag != "pre" and len(run.text.split()) >= SHORTEST),
        headed=tuple((a, b[:SHOWN]) for (t, a), (u, b) in pairwise(folded) if t in HEADINGS and u not in HEADINGS),
        defined=tuple(_defined(main, skip)),
        rows=tuple(row for table in main.css("table") for row in _rows(table, skip)),
        blocks=code,
        code=code,
    )


# -- the tree ----------------------------------------------------------------------------------------------------------


def _tree(page: Page) -> LexborNode | None:
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise MissingExtraError("eval", "an audit") from error
    source = _decoded(page)
    # Lexbor's time is quadratic in the depth: 100,000 elements would take minutes.
    return None if _depth(source) > DEEPEST else LexborHTMLParser(source).root


def _depth(source: str) -> int:
    """How deep elements nest that have to be closed, by their tags alone."""
    return max(accumulate(-1 if match[1] else 1 for match in _NESTS.finditer(source)), default=0)


def _decoded(page: Page) -> str:
    """The body by its mark, by what the source or the page itself says, else by what decodes."""
    for mark, encoding in _BOMS:
        if page.body.startswith(mark):
            return page.body[len(mark) :].decode(encoding, "replace")
    named = page.charset.encode() or next(iter(_META.findall(page.body[:2048])), b"utf-8")
    try:
        name = codecs.lookup(named.decode()).name
        return page.body.decode("windows-1252" if name in ("iso8859-1", "ascii") else name)
    except (LookupError, UnicodeDecodeError):
        return page.body.decode("windows-1252", "replace")


def main_content(body: LexborNode) -> tuple[str, LexborNode, Skip]:
    """What a reader came for: the rule that found it, the element, and what is no part of it.

    Sphinx and DocBook pages say it by their classes, others by one main or article element; of all others it is the
    body without navigation, header, footer and asides.
    """
    sphinx = body.css("div.body[role=main]")
    if len(sphinx) == 1:
        return "Sphinx body", sphinx[0], noise
    if body.css_first("div.navheader, div.navfooter") is not None:
        return "DocBook page", body, lambda e: noise(e) or e.attributes.get("class") in ("navheader", "navfooter")
    for name, selector in (("main element", "main, [role=main]"), ("article element", "article, [role=article]")):
        found = body.css(selector)
        if len(found) == 1:
            return name, found[0], _navigation
    return "body without chrome", body, _chrome


def noise(element: LexborNode) -> bool:
    """Whether an element's text is no running text. A button that opens something is a question, not a control."""
    if element.tag == "button":
        return not {"aria-expanded", "aria-controls"} & set(element.attributes)
    return element.tag in NOISE


def _navigation(element: LexborNode) -> bool:
    return noise(element) or element.tag == "nav" or element.attributes.get("role") == "navigation"


def _chrome(element: LexborNode) -> bool:
    """Header and footer of the page; those of an article or a section belong to it."""
    if _navigation(element) or element.tag == "aside" or element.attributes.get("role") in _CHROME_ROLES:
        return True
    return element.tag in ("header", "footer") and not {"article", "section"} & {one.tag for one in _above(element)}


def _above(element: LexborNode) -> Iterator[LexborNode]:
    above = element.parent
    while above is not None:
        yield above
        above = above.parent


def runs(root: LexborNode, skip: Skip) -> Iterator[Run]:
    """The texts between block boundaries, in tree order; `br` is a line break."""
    blocks, buffer = [root.tag or ""], list[tuple[str, str]]()
    stack: list[LexborNode | str] = []
    stack.extend([*root.iter(include_text=True)][::-1])
    while stack:
        node = stack.pop()
        if isinstance(node, str):  # the end of a block
            yield from _flush(blocks, buffer)
            blocks.pop()
        elif node.is_text_node:
            buffer.append((node.text_content or "",) * 2)
        elif node.tag == "br":
            buffer.append(("\n", "\n"))
        elif node.tag == "img":
            buffer.append(("", node.attributes.get("alt") or ""))
        elif not skip(node):
            if node.tag in BLOCK:
                yield from _flush(blocks, buffer)
                blocks.append(node.tag)
                stack.append("end")
            stack.extend([*node.iter(include_text=True)][::-1])
    yield from _flush(blocks, buffer)


def _flush(blocks: Sequence[str], buffer: list[tuple[str, str]]) -> Iterator[Run]:
    text, pictured = ("".join(form) for form in zip(*buffer, strict=True)) if buffer else ("", "")
    buffer.clear()
    if text and not text.isspace():
        inside = next((tag for tag in reversed(blocks) if tag in HEADINGS or tag == "pre"), blocks[-1])
        yield Run(inside, text, pictured)


def _forms(run: Run) -> tuple[str, ...]:
    return tuple(dict.fromkeys((fold(run.text), fold(run.pictured))))


def _text(element: LexborNode, skip: Skip) -> str:
    return fold(" ".join(run.text for run in runs(element, skip)))


def _hidden_words(tree: LexborNode) -> Iterator[str]:
    """Words a page holds that are no running text: of controls, formulas, templates, JSON, pictures, the title."""
    for element in tree.css(", ".join(("button", *sorted(NOISE)))):
        text = element.text(deep=True) or ""
        if element.tag == "template":
            text = " ".join(part.text(deep=True) or "" for part in element.template_fragments())
        yield from words(_json(text) if "json" in (element.attributes.get("type") or "") else text)
        yield from words(element.attributes.get("srcdoc") or "")
    for element in tree.css("img, area, input"):
        yield from words(element.attributes.get("alt") or "")


def _json(text: str) -> str:
    """The strings of a JSON script as they read, broken JSON as it stands."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False).replace("\\n", " ")
    except ValueError:
        return text


# -- what belongs together ---------------------------------------------------------------------------------------------


def _defined(main: LexborNode, skip: Skip) -> Iterator[tuple[str, str]]:
    """Each term with the beginning of its definition, the next one after it."""
    for term in main.css("dt"):
        after = term.next
        while after is not None and after.tag != "dd" and (not after.is_element_node or after.tag == "dt"):
            after = after.next
        if after is None or after.tag != "dd" or _skipped(term, skip):
            continue
        first = next(iter(runs(after, skip)), None)
        name = _text(term, skip)
        if name and first:
            yield name, fold(first.text)[:SHOWN]


def _skipped(element: LexborNode, skip: Skip) -> bool:
    return skip(element) or any(map(skip, _above(element)))


def _rows(table: LexborNode, skip: Skip) -> Iterator[Row]:
    """The rows of a data table with its header's cells: of `thead`, else of the rows before that are all `th`."""
    if _layout(table) or _skipped(table, skip):
        return
    header: list[str] = []
    body = False
    for row in table.css("tr"):
        cells = [cell for cell in row.iter() if cell.tag in ("td", "th")]
        texts = [_text(cell, skip) for cell in cells]
        heads = row.parent is not None and row.parent.tag == "thead"
        if not body and (heads or all(cell.tag == "th" for cell in cells)):
            header += texts
        elif any(texts):
            body = True
            yield Row(tuple(filter(None, texts)), tuple(filter(None, header)))


def _layout(table: LexborNode) -> bool:
    """Whether a table only arranges: it says so, has another in it, or heads nothing and holds headings."""
    if table.attributes.get("role") in ("presentation", "none") or len(table.css("table")) > 1:
        return True
    return table.css_first("th, thead, caption") is None and table.css_first("h1, h2, h3, h4, h5, h6") is not None
