"""What a page says and what must stay together on it: read from the DOM by lxml, and nothing of it by wrac's parser."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from wrac.core.errors import MissingExtraError
from wrac.core.types import Page
from wrac.evaluation.audit.words import fold, grams, words

Element: TypeAlias = Any  # lxml has no types
Skip: TypeAlias = Callable[[Element], bool]

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

_CHROME_ROLES = frozenset(("navigation", "banner", "contentinfo", "complementary", "search"))
_META = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Run(NamedTuple):
    """Text between two block boundaries, as it stands in the source, and the tag of the block that holds it."""

    tag: str
    text: str


class Row(NamedTuple):
    """The cells of a table row, and those of its table's header."""

    cells: tuple[str, ...]
    header: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    """What is owed to a reader of one page. Texts have white space folded; blocks and lines of code are as they are.

    `rule` says what was taken for main content. `words` are those of main content, `known` every word of the page,
    `text` the main content as plain text, `chrome` the three-word runs that stand outside of it only. A pair is a
    heading with the text after it, or a term with its definition, the second cut to `SHOWN` characters. `blocks` and
    `code` are the same, until those too long for one passage are taken out of `blocks`.
    """

    rule: str
    text: str
    words: Counter[str]
    known: frozenset[str]
    page: str
    chrome: frozenset[tuple[str, str, str]]
    units: tuple[str, ...]
    headed: tuple[tuple[str, str], ...]
    defined: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...]
    blocks: tuple[str, ...]
    code: tuple[str, ...]


def truth(page: Page) -> Truth | None:
    """The page's truth; None where there is none to be had: no HTML, or no text in it.

    Raises MissingExtraError without lxml.
    """
    if page.media_type not in ("text/html", "application/xhtml+xml"):
        return None
    tree = _tree(page)
    body = next(iter(tree.xpath("//body")), None) if tree is not None else None
    if body is None:
        return None
    rule, main, skip = main_content(body)
    found = list(runs(main, skip))
    if not found:
        return None
    everything = [word for run in runs(body, noise) for word in words(run.text)]
    spoken = [word for run in found for word in words(run.text)]
    code = tuple(run.text.strip("\n") for run in found if run.tag == "pre")
    folded = [(run.tag, fold(run.text)) for run in found]
    return Truth(
        rule=rule,
        text="\n".join(run.text.strip("\n") if run.tag == "pre" else fold(run.text) for run in found),
        words=Counter(spoken),
        known=frozenset(everything) | frozenset(_hidden_words(tree)),
        page=" ".join(everything),
        chrome=frozenset(grams(everything)) - frozenset(grams(spoken)),
        units=tuple(text for tag, text in folded if tag != "pre" and len(text.split()) >= SHORTEST),
        headed=tuple((a, b[:SHOWN]) for (t, a), (u, b) in pairwise(folded) if t in HEADINGS and u not in HEADINGS),
        defined=tuple(_defined(main, skip)),
        rows=tuple(row for table in main.iter("table") for row in _rows(table, skip)),
        blocks=code,
        code=code,
    )


# -- the tree ----------------------------------------------------------------------------------------------------------


def _tree(page: Page) -> Element | None:
    try:
        from lxml import etree, html  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingExtraError("eval", "an audit") from error
    body, encoding = _decoded(page)
    parser = html.HTMLParser(encoding=encoding, huge_tree=True)
    try:
        return html.document_fromstring(body, parser=parser)
    except etree.ParserError:  # an empty document
        return None


def _decoded(page: Page) -> tuple[bytes, str]:
    """The body without its mark, and the encoding: of the mark, the source, the page itself, or what decodes."""
    for mark, name in _BOMS:
        if page.body.startswith(mark):
            return page.body[len(mark) :], name
    named = page.charset.encode() or next(iter(_META.findall(page.body[:2048])), b"")
    try:
        name = codecs.lookup(named.decode()).name if named else "utf-8"
        page.body.decode(name)
    except (LookupError, UnicodeDecodeError):
        name = "windows-1252"
    return page.body, "windows-1252" if name in ("iso8859-1", "ascii") else name


def main_content(body: Element) -> tuple[str, Element, Skip]:
    """What a reader came for: the rule that found it, the element, and what is no part of it.

    Sphinx and DocBook pages say it by their classes, others by one main or article element; of all others it is the
    body without navigation, header, footer and asides.
    """
    sphinx = body.xpath("//div[@role='main'][contains(concat(' ', @class, ' '), ' body ')]")
    if len(sphinx) == 1:
        return "Sphinx body", sphinx[0], noise
    if body.xpath("//*[@class='navheader' or @class='navfooter']"):
        return "DocBook page", body, lambda e: noise(e) or e.get("class") in ("navheader", "navfooter")
    mains = body.xpath("//main | //*[@role='main']")
    articles = mains or body.xpath("//article | //*[@role='article']")
    if len(articles) == 1:
        return "main element" if mains else "article element", articles[0], _navigation
    return "body without chrome", body, _chrome


def noise(element: Element) -> bool:
    """Whether an element's text is no running text. A button that opens something is a question, not a control."""
    if element.tag == "button":
        return element.get("aria-expanded") is None and element.get("aria-controls") is None
    return element.tag in NOISE


def _navigation(element: Element) -> bool:
    return noise(element) or element.tag == "nav" or element.get("role") == "navigation"


def _chrome(element: Element) -> bool:
    """Header and footer of the page; those of an article or a section belong to it."""
    if _navigation(element) or element.get("role") in _CHROME_ROLES or element.tag == "aside":
        return True
    return element.tag in ("header", "footer") and next(element.iterancestors("article", "section"), None) is None


def runs(root: Element, skip: Skip) -> Iterator[Run]:
    """The texts between block boundaries, in tree order; `br` is a line break."""
    from lxml import etree

    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    blocks, buffer = [str(root.tag)], list[str]()
    for event, element in walk:
        block = element is not root and element.tag in BLOCK
        if event == "start":
            if skip(element) and element is not root:
                walk.skip_subtree()
                continue
            if block:
                yield from _flush(blocks, buffer)
                blocks.append(element.tag)
            buffer.append("\n" if element.tag == "br" else element.text or "")
            continue
        if event == "end" and block and not skip(element):
            yield from _flush(blocks, buffer)
            blocks.pop()
        if element is not root:
            buffer.append(element.tail or "")
    yield from _flush(blocks, buffer)


def _flush(blocks: Sequence[str], buffer: list[str]) -> Iterator[Run]:
    text = "".join(buffer)
    buffer.clear()
    if text and not text.isspace():
        inside = next((tag for tag in reversed(blocks) if tag in HEADINGS or tag == "pre"), blocks[-1])
        yield Run(inside, text)


def _text(element: Element, skip: Skip) -> str:
    return fold(" ".join(run.text for run in runs(element, skip)))


def _hidden_words(tree: Element) -> Iterator[str]:
    """Words a page holds that are no running text: of controls, formulas, templates, JSON, pictures, the title."""
    for element in tree.iter("button", *NOISE):
        text = "".join(element.itertext())
        yield from words(_json(text) if "json" in (element.get("type") or "") else text)
        yield from words(element.get("srcdoc") or "")
    for element in tree.iter("img", "area", "input"):
        yield from words(element.get("alt") or "")


def _json(text: str) -> str:
    """The strings of a JSON script as they read, broken JSON as it stands."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False).replace("\\n", " ")
    except ValueError:
        return text


# -- what belongs together ---------------------------------------------------------------------------------------------


def _defined(main: Element, skip: Skip) -> Iterator[tuple[str, str]]:
    """Each term with the beginning of its definition, the next one after it."""
    for term in main.iter("dt"):
        after = term.getnext()
        while after is not None and after.tag == "dt":
            after = after.getnext()
        if after is None or after.tag != "dd" or any(map(skip, (term, *term.iterancestors()))):
            continue
        first = next(iter(runs(after, skip)), None)
        name = _text(term, skip)
        if name and first:
            yield name, fold(first.text)[:SHOWN]


def _rows(table: Element, skip: Skip) -> Iterator[Row]:
    """The rows of a data table with its header's cells: of `thead`, else of the rows before that are all `th`."""
    if _layout(table) or any(map(skip, (table, *table.iterancestors()))):
        return
    header: list[str] = []
    body = False
    for row in table.iter("tr"):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        texts = [_text(cell, skip) for cell in cells]
        if not body and (row.getparent().tag == "thead" or all(cell.tag == "th" for cell in cells)):
            header += texts
        elif any(texts):
            body = True
            yield Row(tuple(filter(None, texts)), tuple(filter(None, header)))


def _layout(table: Element) -> bool:
    """Whether a table only arranges: it says so, has another in it, or heads nothing and holds headings."""
    if table.get("role") in ("presentation", "none") or next(table.iterdescendants("table"), None) is not None:
        return True
    heads = next(table.iterdescendants("th", "thead", "caption"), None) is not None
    return not heads and next(table.iterdescendants(*HEADINGS), None) is not None
