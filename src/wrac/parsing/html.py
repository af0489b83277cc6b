"""HTML bytes to a Document."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import turbohtml
import turbohtml.detect  # registers the whatwg-* codecs

from wrac.core.types import NOTHING, Document, Page, Place, Span, Unit
from wrac.parsing.data import add_data
from wrac.parsing.frames import Draft, Frame, SpanDraft
from wrac.parsing.score import score
from wrac.parsing.segment import Segmenter, panels

PARSER: Final = "html@1"
_META_SKIPPED: Final = frozenset(("viewport", "theme-color", "generator", "robots", "charset", "color-scheme"))


def parse_html(page: Page) -> Document:
    """The Document of an HTML page."""
    tree = read_tree(page.body, page.charset)
    shadow = b"shadowroot" in page.body.lower()
    walk = segment_tree(tree, lambda: source_of(page.body, tree.encoding), shadow=shadow)
    add_data(walk)
    return _document(page, tree, walk)


def read_tree(body: bytes, charset: str) -> Any:
    """The HTML5 tree; the encoding is the BOM's, the header's, the page's own or the detected one."""
    options: dict[str, Any] = {"source_locations": True, "detect_encoding": True}
    try:
        return turbohtml.parse(body, encoding=charset, **options) if charset else turbohtml.parse(body, **options)
    except LookupError:  # a label outside the WHATWG standard counts as none, as in a browser
        return turbohtml.parse(body, **options)


def segment_tree(tree: Any, source: Callable[[], str], *, shadow: bool = False) -> Segmenter:
    """The walked segmenter of a whole tree; `shadow` says that it may hold declarative shadow roots."""
    walk = Segmenter(source, panels(tree), shadow=shadow)
    walk.walk(Frame(tree, "", iter(tree.children), None, 0))
    return walk


def source_of(body: bytes, encoding: str) -> str:
    """The decoded source in which addresses count: without BOM, CR and CRLF as LF."""
    text = codecs.decode(body, f"whatwg-{encoding.lower()}", "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _document(page: Page, tree: Any, walk: Segmenter) -> Document:
    units: dict[str, Unit] = {}
    places = tuple(_places(walk.drafts, units))
    return Document(
        body=page.body_id,
        media_type=page.media_type,
        encoding=tree.encoding,
        parser=PARSER,
        title=_title(tree),
        language=_language(tree),
        units=MappingProxyType(units),
        places=places,
        spans=nest(walk.spans, len(places)),
        losses=tuple(walk.losses),
        meta=_meta(tree),
    )


def _places(drafts: Iterable[Draft], units: dict[str, Unit]) -> Iterable[Place]:
    for ordinal, draft in enumerate(drafts):
        unit = Unit(draft.kind, draft.text)
        units.setdefault(unit.id, unit)
        yield Place(
            ordinal, unit.id, draft.level, draft.role, score(draft), draft.visible, draft.address(), draft.anchor,
            draft.marks, draft.language,
        )  # fmt: skip


def nest(drafts: list[SpanDraft], count: int) -> tuple[Span, ...]:
    """Spans in order, nested or disjoint: one that crosses the end of an outer one is cut in two there."""
    todo = [(d.first, d.last, n, d) for n, d in enumerate(drafts) if 0 <= d.first <= d.last < count]
    todo.sort(key=_outer_first)
    result: list[Span] = []
    open_: list[int] = []
    queue = list(reversed(todo))
    while queue:
        first, last, number, draft = queue.pop()
        while open_ and result[open_[-1]].last < first:
            open_.pop()
        if open_ and result[open_[-1]].last < last:
            cut = result[open_[-1]].last
            rest = (cut + 1, last, number, draft)
            last = cut
            at = len(queue)
            while at and _outer_first(queue[at - 1]) < _outer_first(rest):
                at -= 1
            queue.insert(at, rest)
        result.append(Span(draft.kind, first, last, open_[-1] if open_ else -1, _frozen(draft.data)))
        open_.append(len(result) - 1)
    return tuple(result)


_RANK: Final = {
    kind: rank
    for rank, kind in enumerate(
        ("section", "nav", "header", "footer", "aside", "form", "dialog", "tabs", "quote", "qa", "details", "figure",
         "definitions", "list", "item", "table")
    )
}  # fmt: skip


def _outer_first(item: tuple[int, int, int, SpanDraft]) -> tuple[int, int, int, int]:
    first, last, number, draft = item
    return first, -last, _RANK[draft.kind], -number


def _frozen(data: dict[str, Any]) -> Mapping[str, Any]:
    if not data:
        return NOTHING
    return MappingProxyType({key: tuple(value) if isinstance(value, list) else value for key, value in data.items()})


def _title(tree: Any) -> str:
    title = tree.select_one("title")
    return " ".join(title.text.split()) if title is not None else ""


def _language(tree: Any) -> str:
    root = tree.root
    return (root.attrs.get("lang") or root.attrs.get("xml:lang") or "") if root is not None else ""


def _meta(tree: Any) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for node in tree.select("meta[content]"):
        name = node.attrs.get("name") or node.attrs.get("property") or ""
        content = " ".join((node.attrs.get("content") or "").split())
        if name and content and name.lower() not in _META_SKIPPED:
            found.setdefault(name.lower(), content)
    return MappingProxyType(found) if found else NOTHING

