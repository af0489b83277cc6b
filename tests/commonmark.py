"""What a CommonMark reader (with tables) makes of a rendering, and what it should make of a document's places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from wrac.core.structure import grid
from wrac.core.types import Document, Span

READER = MarkdownIt("commonmark", {"maxNesting": 200}).enable("table")
Rows: TypeAlias = tuple[tuple[str, ...], ...]


class Block(NamedTuple):
    """A leaf block: the quotes, lists (numbered in their order) and items around it, its kind, its text or rows."""

    around: tuple[str, ...]
    kind: str
    text: str | Rows


def squeezed(text: str) -> str:
    """The text without white space, which Markdown folds."""
    return "".join(text.split())


def read(markdown: str) -> list[Block]:
    """The blocks of a Markdown text."""
    return list(_read(READER.parse(markdown)))


def _read(tokens: Sequence[Token]) -> Iterator[Block]:
    around: list[str] = []
    lists = count(1)
    rows: list[list[str]] = []
    for at, token in enumerate(tokens):
        if token.type == "blockquote_open":
            around.append("quote")
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            around.append(f"{token.tag} {next(lists)}")
        elif token.type == "list_item_open":
            around.append(f"li {token.info}".strip())
        elif token.type in ("blockquote_close", "bullet_list_close", "ordered_list_close", "list_item_close"):
            around.pop()
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            yield Block(tuple(around), "table", tuple(map(tuple, rows)))
        elif token.type == "inline":
            opener = tokens[at - 1]
            if opener.tag in ("td", "th"):
                rows[-1].append(squeezed(_flat(token)))
            else:
                yield Block(tuple(around), opener.tag, squeezed(_flat(token)))
        elif token.type in ("fence", "code_block", "html_block", "hr"):
            yield Block(tuple(around), token.type, token.content)


def _flat(token: Token) -> str:
    """The text that a reader sees of a line."""
    found = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            found.append("\n")
        elif child.type == "image":
            found.append(_flat(child))
        elif child.type == "html_inline":
            found.append("\n" if child.content == "<br>" else "")
        else:
            found.append(child.content)
    return "".join(found)


def wanted(document: Document, ordinals: Sequence[int]) -> list[Block]:
    """The blocks that the places are; terms and definitions without an empty line between them are one paragraph."""
    chains = list(_chains(document))
    result: list[Block] = []
    before, table, described, beside = "", -1, "", list[int]()
    for ordinal in ordinals:
        kind, chain = document.unit(ordinal).kind, chains[ordinal]
        around = tuple(_names(document, chain))
        inside = next((i for i in reversed(chain) if document.spans[i].kind in ("table", "definitions")), -1)
        if kind == "table_row":
            if table != inside:
                rows = _rows(document, document.spans[inside])
                result.append(Block(around, "table", rows))
            table, before = inside, kind
            continue
        first, *rest = _texts(document, ordinal)
        block = Block(around, _tag(document, ordinal), first)
        if kind == "definition":
            last, described = described, _described(document, ordinal)
            if before == "term" or (last and described and not f"{last} ".startswith(f"{described} ")):
                block = block._replace(text=f":{block.text}")
            else:
                before = ""
        held = [
            index
            for index in chain
            if document.spans[index].kind in ("quote", "item") and not _grouped(document, index)
        ]
        if held == beside and (before, kind) in (
            ("term", "term"),
            ("term", "definition"),
            ("definition", "definition"),
        ):
            block = block._replace(text=f"{result.pop().text}{block.text}")
        result.append(block)
        result.extend(Block(around, "p", text) for text in rest)
        before, table, beside = kind, -1, held
    return result


def _described(document: Document, ordinal: int) -> str:
    """The dd around a place, by the path to it."""
    steps = getattr(document.places[ordinal].address, "selector", "").split(" > ")
    found = [at for at, step in enumerate(steps, 1) if step.startswith("dd")]
    return " > ".join(steps[: found[-1]]) if found else ""


def _chains(document: Document) -> Iterator[tuple[int, ...]]:
    """The spans around each place, from the outside in."""
    for ordinal in range(len(document.places)):
        yield tuple(index for index, span in enumerate(document.spans) if span.first <= ordinal <= span.last)


def _names(document: Document, chain: Sequence[int]) -> Iterator[str]:
    lists = [index for index, span in enumerate(document.spans) if span.kind == "list"]
    for index in chain:
        span = document.spans[index]
        if span.kind == "quote":
            yield "quote"
        elif span.kind == "list":
            yield f"{'ol' if span.data.get('ordered') else 'ul'} {lists.index(index) + 1}"
        elif span.kind == "item" and not _grouped(document, index):
            yield f"li {span.data.get('number', '')}".strip()


def _grouped(document: Document, index: int) -> bool:
    """Whether a span holds a term and its definitions."""
    parent = document.spans[index].parent
    return parent >= 0 and document.spans[parent].kind == "definitions"


def _tag(document: Document, ordinal: int) -> str:
    kind = document.unit(ordinal).kind
    if kind == "heading":
        return f"h{min(max(document.places[ordinal].level, 1), 6)}"
    return "fence" if kind == "code" else "p"


def _texts(document: Document, ordinal: int) -> list[str]:
    """The unit's text, as a reader sees it: a paragraph for each part between two line breaks."""
    text, unit = document.text(ordinal), document.unit(ordinal)
    if unit.kind == "code":
        return [f"{text}\n"]
    parts = [text] if unit.kind in ("heading", "image") else re.split(r"\n[ \t]*\n", text.strip())
    return [squeezed(part) for part in parts if part.strip()] or [""]


def _rows(document: Document, table: Span) -> Rows:
    """The header rows as one, then the rows, all of the same width."""
    cells = grid(document, table)
    heads = []
    for ordinal in cells:
        if ordinal not in table.data["header_rows"]:
            break
        heads.append(ordinal)
    width = max(map(len, cells.values()))
    columns = [dict.fromkeys(cells[o][c] for o in heads if c < len(cells[o]) and cells[o][c]) for c in range(width)]
    header = ["/".join(map(squeezed, column)) for column in columns]
    body = [[squeezed(cell) for cell in row] + [""] * (width - len(row)) for o, row in cells.items() if o not in heads]
    return tuple(map(tuple, [header, *body]))
