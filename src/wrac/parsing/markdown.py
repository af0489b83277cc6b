"""Markdown to a Document: CommonMark with tables and strikethrough as HTML for the segmenter, front matter as metadata.

HTML inside it then means what it means on a page: a `details` element may stand around blocks of Markdown, and tags in
a line are its marks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from wrac.core.errors import LimitError
from wrac.core.types import NOTHING, Document, Loss, Page
from wrac.parsing.dom import document
from wrac.parsing.finish import nest, places_of
from wrac.parsing.frames import Draft, SpanDraft
from wrac.parsing.front import front_matter
from wrac.parsing.html import segment_tree
from wrac.parsing.source import decode

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PARSER: Final = "markdown@2"
CONTEXT: Final = "markdown"
DEEPEST: Final = 60
"""Blocks inside blocks that are read; markdown-it leaves out what is deeper."""
_NOT_IN_SLUGS: Final = re.compile(r"[^\w\- ]+")
_NAMED: Final = re.compile(r"\s+\{#([\w.:-]+)[^{}]*\}\s*\Z")


class Rendered(NamedTuple):
    """The HTML of a source, and the offsets in it at which blocks begin with their ranges in the source."""

    html: str
    starts: list[int]
    ranges: list[tuple[int, int]]
    deep: bool  # whether blocks were nested beyond the cap


class Walk(NamedTuple):
    """What was found in a source."""

    drafts: list[Draft]
    spans: list[SpanDraft]
    losses: list[Loss]
    meta: Mapping[str, str]
    rendered: Rendered


def parse_markdown(page: Page) -> Document:
    """The Document of a Markdown page. An address is its block's line range; the text is read back by parsing.

    Raises LimitError for blocks nested beyond the cap.
    """
    source, encoding = decode(page.body, page.charset)
    walk = walk_markdown(source)
    if walk.rendered.deep:
        raise LimitError(page.url, "depth of blocks", DEEPEST, "more", "make it flatter")
    first = next((draft.text for draft in walk.drafts if draft.kind == "heading"), "")
    places, units = places_of(walk.drafts)
    return Document(
        body=page.body_id,
        media_type=page.media_type,
        encoding=encoding,
        parser=PARSER,
        title=walk.meta.get("title", first),
        language=walk.meta.get("lang", walk.meta.get("language", "")),
        units=units,
        places=places,
        spans=nest(walk.spans, len(places)),
        losses=tuple(walk.losses),
        meta=walk.meta,
    )


def walk_markdown(source: str) -> Walk:
    """The drafts, spans and losses of a Markdown source."""
    end, meta = front_matter(source)
    rendered = render(source, end)
    html = rendered.html
    walk = segment_tree(document(html), lambda: html, shadow="shadowroot" in html.lower())
    for ordinal, draft in enumerate(walk.drafts):
        block = max(bisect_right(rendered.starts, draft.start) - 1, 0)
        draft.start, draft.end = rendered.ranges[block] if rendered.ranges else (0, len(source))
        draft.selector, draft.context, draft.nth, draft.within = "", CONTEXT, ordinal, None
    losses = [Loss(loss.reason, loss.chars, text=loss.text) for loss in walk.losses]
    if end:
        text = source[:end]
        losses.insert(0, Loss("front matter, kept as metadata", sum(map(len, text.split())), 0, end, text))
    return Walk(walk.drafts, walk.spans, losses, MappingProxyType(meta) if meta else NOTHING, rendered)


def render(source: str, begin: int = 0) -> Rendered:
    """The HTML of a source from an offset on, and where its blocks stand."""
    reader = _reader()
    body = "\n" * source.count("\n", 0, begin) + source[begin:]  # line numbers stay
    tokens = reader.parse(body)
    _name_headings(tokens)
    lines = [0, *(found.end() for found in re.finditer("\n", source)), len(source)]
    pieces: list[str] = []
    starts: list[int] = []
    ranges: list[tuple[int, int]] = []
    length = 0
    for number, token in enumerate(tokens):
        if token.map is not None and token.nesting >= 0:
            first, after = token.map
            starts.append(length)
            ranges.append((lines[first], lines[min(after, len(lines) - 1)]))
        pieces.append(_html(reader, tokens, number))
        length += len(pieces[-1])
    return Rendered("".join(pieces), starts, ranges, any(token.level >= DEEPEST for token in tokens))


def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt  # 60 ms, for Markdown pages alone

    return MarkdownIt("commonmark", {"maxNesting": DEEPEST + 1}).enable(["table", "strikethrough"])


def _html(reader: MarkdownIt, tokens: list[Token], number: int) -> str:
    """The HTML of one token, as the renderer makes it."""
    token, renderer = tokens[number], reader.renderer
    if token.type == "inline":
        return str(renderer.renderInline(token.children or [], reader.options, {}))  # type: ignore[attr-defined]
    rule = renderer.rules.get(token.type)  # type: ignore[attr-defined]
    if rule is not None:
        return str(rule(tokens, number, reader.options, {}))
    return str(renderer.renderToken(tokens, number, reader.options, {}))  # type: ignore[attr-defined]


def _name_headings(tokens: list[Token]) -> None:
    """Gives headings the ids that hosts of Markdown give: `{#name}` at their end, else a slug, counted when not new."""
    seen: Counter[str] = Counter()
    for opener, inline in pairwise(tokens):
        if opener.type != "heading_open" or not inline.children:
            continue
        name = _own_name(inline.children[-1])
        text = "".join(_texts(inline.children))
        slug = name or _NOT_IN_SLUGS.sub("", text.strip().lower()).replace(" ", "-")
        if slug:
            opener.attrSet("id", f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1


def _own_name(last: Token) -> str:
    """The name that a heading's last text gives it; it is taken out of the text."""
    found = _NAMED.search(last.content) if last.type == "text" else None
    if found is None:
        return ""
    last.content = last.content[: found.start()]
    return found[1]


def _texts(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline"):
            yield token.content
        elif token.children:
            yield from _texts(token.children)
