"""Markdown to a Document: CommonMark with tables and strikethrough, front matter as metadata, HTML blocks as HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from wrac.core.types import NOTHING, Document, Kind, Loss, Mark, Page
from wrac.parsing.dom import fragment
from wrac.parsing.emit import Emitter
from wrac.parsing.finish import nest, places_of
from wrac.parsing.frames import Draft, Frame, SpanDraft, Table
from wrac.parsing.run import Line
from wrac.parsing.segment import Segmenter
from wrac.parsing.source import decode

if TYPE_CHECKING:
    from markdown_it.token import Token

PARSER: Final = "markdown@1"
CONTEXT: Final = "markdown"
_FRONT: Final = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = re.compile(r"([A-Za-z_][\w.-]*):[ \t]*(.*)")
_SLUG: Final = re.compile(r"[^\w\- ]+")


def parse_markdown(page: Page) -> Document:
    """The Document of a Markdown page. An address is its block's line range; the text is read back by parsing."""
    source, encoding = decode(page.body, page.charset)
    walk = walk_markdown(source)
    places, units = places_of(walk.drafts)
    first = next((draft.text for draft in walk.drafts if draft.kind == "heading"), "")
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


def walk_markdown(source: str) -> MarkdownWalk:
    """The drafts, spans and losses of a Markdown source."""
    from markdown_it import MarkdownIt  # 60 ms, for Markdown pages alone

    front = _FRONT.match(source)
    body = source if front is None else _blanked(source, front.end())
    walk = MarkdownWalk(source)
    if front is not None:
        walk.front_matter(front)
    walk.walk(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(body))
    return walk


def _blanked(source: str, end: int) -> str:
    """The source with its front matter emptied, so that line numbers stay."""
    return "\n" * source.count("\n", 0, end) + source[end:]


class MarkdownWalk(Emitter):
    """Walks a token stream; `lines` holds the offset of each line's start."""

    def __init__(self, source: str) -> None:
        super().__init__(lambda: source)
        self.text_source = source
        self.lines = [0]
        self.meta: Mapping[str, str] = NOTHING
        self.lines.extend(found.end() for found in re.finditer("\n", source))
        self.lines.append(len(source))
        self._frame = Frame(None, "", iter(()), None, 0)
        self._lists: list[list[Any]] = []  # [SpanDraft, next number or None]
        self._open: list[SpanDraft] = []
        self._kinds: list[list[Any]] = []  # [kind of the container's first line, used]
        self._table: Table | None = None

    def front_matter(self, found: re.Match[str]) -> None:
        """Keeps `key: value` lines as metadata; the block is recorded as a loss of text."""
        pairs = (_FIELD.fullmatch(line.rstrip()) for line in (found[1] or "").split("\n"))
        self.meta = MappingProxyType({pair[1].lower(): _scalar(pair[2]) for pair in pairs if pair and pair[2]})
        chars = sum(map(len, found[0].split()))
        self.losses.append(Loss("front matter, kept as metadata", chars, 0, found.end(), found[0]))

    def walk(self, tokens: list[Token]) -> None:
        """Makes drafts of the block tokens, in order."""
        row: list[tuple[Line, bool]] = []
        where: Any = None
        head = False
        for token in tokens:
            kind = token.type
            if kind == "inline":
                line = inline_line(token)
                if self._table is not None:
                    row.append((line, head))
                else:
                    self._block(token, line, where)
            elif kind in ("heading_open", "paragraph_open"):
                where = token
            elif kind in ("fence", "code_block"):
                self._code(token)
            elif kind == "html_block":
                self._html(token)
            elif kind == "tr_open":
                row, where = [], token
            elif kind == "tr_close":
                self._row(row, where)
            elif kind in ("th_open", "td_open"):
                head = kind == "th_open"
            else:
                self._container(token, kind)
        self.outline.close(len(self.drafts))

    def _container(self, token: Token, kind: str) -> None:
        if kind in ("bullet_list_open", "ordered_list_open"):
            ordered = kind == "ordered_list_open"
            span = SpanDraft("list", len(self.drafts), {"ordered": ordered})
            self._lists.append([span, int(token.attrs.get("start", 1)) if ordered else None])
            self._open.append(span)
        elif kind == "list_item_open":
            number = self._lists[-1][1]
            data = {} if number is None else {"number": number}
            self._lists[-1][1] = None if number is None else number + 1
            self._open.append(SpanDraft("item", len(self.drafts), data))
            self._kinds.append(["list_item", False])
        elif kind == "blockquote_open":
            self._open.append(SpanDraft("quote", len(self.drafts)))
            self._kinds.append(["quote", False])
        elif kind == "table_open":
            self._table = Table()
            table = {"header_rows": self._table.headers, "groups": self._table.groups}
            self._open.append(SpanDraft("table", len(self.drafts), table))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
            self._end()
        elif kind in ("list_item_close", "blockquote_close"):
            self._kinds.pop()
            self._end()
        elif kind == "table_close":
            self._table = None
            self._end()

    def _end(self) -> None:
        span = self._open.pop()
        if len(self.drafts) > span.first:
            span.last = len(self.drafts) - 1
            self.spans.append(span)

    def _block(self, token: Token, line: Line, opener: Token) -> None:
        if not line.text:
            return
        if opener.type == "heading_open":
            draft = self._put("heading", line, opener, int(opener.tag[1:]))
            draft.anchor = _SLUG.sub("", line.text.lower()).replace(" ", "-")
            return
        kind: Kind = "image" if _is_image(line) else "paragraph"
        level = 0
        if self._kinds:
            owner = self._kinds[-1]
            if owner[0] == "quote" or not owner[1]:
                kind, owner[1] = owner[0], True
            level = len(self._lists) if kind == "list_item" else 0
        self._put(kind, line, token, level)

    def _code(self, token: Token) -> None:
        text = token.content.removesuffix("\n")
        if text.strip():
            language = token.info.split()[0] if token.info.split() else ""
            self._put("code", Line(text, (Mark("code", 0, len(text), language),) if language else (), ()), token)

    def _row(self, cells: list[tuple[Line, bool]], token: Token) -> None:
        if not any(line.text for line, _ in cells):
            return
        text = "\t".join(line.text for line, _ in cells)
        marks, at = [], 0
        for line, head in cells:
            marks.append(Mark("cell", at, at + len(line.text), header=head))
            marks.extend(mark._replace(start=mark.start + at, end=mark.end + at) for mark in line.marks)
            at += len(line.text) + 1
        if self._table is not None and all(head for _, head in cells):
            self._table.headers.append(len(self.drafts))
        self._put("table_row", Line(text, tuple(marks), ()), token)

    def _html(self, token: Token) -> None:
        start, end = self._range(token)
        inner = Segmenter(lambda: token.content)
        root = fragment(token.content, "body")
        inner.walk(Frame(root, "body", iter(root.children), None, 0))
        base = len(self.drafts)
        for number, draft in enumerate(inner.drafts):
            draft.start, draft.end, draft.context, draft.nth = start, end, CONTEXT, base + number
            draft.within = None
        for span in inner.spans:
            span.shift(base)
        self.drafts.extend(inner.drafts)
        self.spans.extend(inner.spans)
        self.losses.extend(inner.losses)

    def _put(self, kind: Kind, line: Line, token: Token, level: int = 0) -> Draft:
        draft = self.add(kind, line, self._frame, level)
        draft.start, draft.end = self._range(token)
        draft.context, draft.nth = CONTEXT, len(self.drafts) - 1
        return draft

    def _range(self, token: Token) -> tuple[int, int]:
        first, after = token.map or (0, 0)
        return self.lines[first], self.lines[min(after, len(self.lines) - 1)]


def inline_line(token: Token) -> Line:
    """The text and marks of an inline token."""
    pieces: list[str] = []
    marks: list[Mark] = []
    open_: list[tuple[Any, str, int]] = []
    length = 0
    for child in token.children or ():
        text, kind, value = _inline_text(child)
        if child.nesting == 1:
            open_.append((_MARKS.get(child.type), str(child.attrs.get("href", "")), length))
        elif child.nesting == -1:
            mark, href, start = open_.pop()
            if mark is not None and length > start:
                marks.append(Mark(mark, start, length, href))
        elif text or kind == "image":
            pieces.append(text)
            if kind is not None:
                marks.append(Mark(kind, length, length + len(text), value))
            length += len(text)
    whole = "".join(pieces)
    marks.sort(key=lambda mark: (mark.start, -mark.end))
    return Line(whole, tuple(marks), ())


_MARKS: Final[dict[str, Any]] = {"link_open": "link", "strong_open": "strong", "em_open": "em"}


def _inline_text(child: Token) -> tuple[str, Any, str]:
    if child.type == "text":
        return child.content, None, ""
    if child.type == "code_inline":
        return child.content, "code", ""
    if child.type == "image":
        return child.content, "image", str(child.attrs.get("src", ""))
    if child.type == "softbreak":
        return " ", None, ""
    if child.type == "hardbreak" or (child.type == "html_inline" and child.content.lower().startswith("<br")):
        return "\n", None, ""
    return "", None, ""


def _is_image(line: Line) -> bool:
    return len(line.marks) == 1 and line.marks[0].kind == "image" and len(line.text) == line.marks[0].end


def _scalar(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
