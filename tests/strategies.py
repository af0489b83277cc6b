"""Well-formed documents for planners, chunking and renderings: nested structure as a parser gives it, without a page.

`Builder` writes one by hand, `documents()` draws any.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wrac.core.ids import content_id
from wrac.core.types import Document, HtmlAddress, Kind, Mark, MarkKind, Place, Role, Span, SpanKind, Unit, Visible


@dataclass
class Builder:
    """Writes a document block by block; `span` opens an interval for what is written inside the `with`."""

    title: str = ""
    language: str = "en"
    role: Role = "main"
    visible: Visible = "visible"
    score: float = 1.0
    units: dict[str, Unit] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    drafts: list[tuple[SpanKind, int, int, dict[str, Any]]] = field(default_factory=list)

    def add(self, kind: Kind, text: str, level: int = 0, *, anchor: str = "", marks: tuple[Mark, ...] = ()) -> int:
        """Writes a unit; its ordinal."""
        unit = Unit(kind, text)
        self.units[unit.id] = unit
        ordinal = len(self.places)
        address = HtmlAddress(f"body > :nth-child({ordinal + 1})", ordinal, ordinal + 1)
        place = Place(ordinal, unit.id, level, self.role, self.score, self.visible, address, anchor, marks)
        self.places.append(place)
        return ordinal

    def heading(self, level: int, text: str, *, anchor: str = "", marks: tuple[Mark, ...] = ()) -> int:
        return self.add("heading", text, level, anchor=anchor, marks=marks)

    def paragraph(self, text: str) -> int:
        return self.add("paragraph", text)

    def row(self, *cells: str, header: bool = False) -> int:
        marks, at = [], 0
        for cell in cells:
            marks.append(Mark("cell", at, at + len(cell), header=header))
            at += len(cell) + 1
        return self.add("table_row", "\t".join(cells), marks=tuple(marks))

    @contextmanager
    def span(self, kind: SpanKind, **data: Any) -> Iterator[dict[str, Any]]:
        first, index = len(self.places), len(self.drafts)
        self.drafts.append((kind, first, first, data))
        yield data
        if len(self.places) == first:
            del self.drafts[index:]
        else:
            self.drafts[index] = (kind, first, len(self.places) - 1, data)

    def items(self, *texts: str, ordered: bool = False, start: int = 1) -> None:
        with self.span("list", ordered=ordered):
            for number, text in enumerate(texts, start):
                with self.span("item", **({"number": number} if ordered else {})):
                    self.add("list_item", text, 1)

    def table(self, *rows: tuple[str, ...], header: bool = True) -> None:
        with self.span("table") as data:
            first = len(self.places)
            for number, row in enumerate(rows):
                self.row(*row, header=header and number == 0)
            data["header_rows"] = (first,) if header else ()

    def build(self) -> Document:
        drafts = [*self.drafts, *self._sections()]
        order = sorted(range(len(drafts)), key=lambda i: (drafts[i][1], -drafts[i][2], drafts[i][0] != "section", i))
        spans: list[Span] = []
        open_: list[int] = []
        for index in order:
            kind, first, last, data = drafts[index]
            while open_ and spans[open_[-1]].last < first:
                open_.pop()
            spans.append(Span(kind, first, last, open_[-1] if open_ else -1, data))
            open_.append(len(spans) - 1)
        body = content_id("b1", [repr((self.title, self.places, self.drafts, list(self.units)))])
        places = tuple(self.places)
        return Document(
            body, "text/html", "utf-8", "test@1", self.title, self.language, self.units, places, tuple(spans)
        )

    def _sections(self) -> list[tuple[SpanKind, int, int, dict[str, Any]]]:
        """A section from each heading to the next of its level or higher, within the interval it stands in."""
        result: list[tuple[SpanKind, int, int, dict[str, Any]]] = []
        heads = [place for place in self.places if self.units[place.unit].kind == "heading"]
        for head in heads:
            here = head.ordinal
            ends = [last for _, first, last, _ in self.drafts if first <= here <= last]
            after = [place.ordinal - 1 for place in heads if place.ordinal > here and place.level <= head.level]
            end = min([len(self.places) - 1, *ends, *after[:1]])
            # A heading inside a later interval ends this section before that interval: spans never cross.
            while crossed := [first for _, first, last, _ in self.drafts if here < first <= end < last]:
                end = min(crossed) - 1
            result.append(("section", here, end, {"level": head.level}))
        return result


WORDS = (
    "refund fee five days bank loan snake_case *star* <b> [x](y) `tick` a|b 1. - # > & &amp; ~~ \\ This However: "
    "für Gebühr 費用 是什么 résumé naïve x=1 $5 — “quoted” C++ 50% Ελλάδα мир"
).split()
ROLES: list[Role] = ["main", "main", "main", "main", "nav", "footer", "header", "aside", "comment", "data", "cookie"]
INLINE: list[MarkKind] = ["link", "code", "strong", "em", "sup", "permalink", "image", "math"]


class Author:
    """Writes any page from a seed: drawing each word by hypothesis would cost a second a page."""

    def __init__(self, page: Builder, random: Random) -> None:
        self.page, self.random = page, random

    def text(self, most: int = 12) -> str:
        words = " ".join(self.random.choices(WORDS, k=self.random.randint(1, most)))
        if self.random.random() < 0.1:
            return " ".join([words] * self.random.randint(2, 60))
        return words + self.random.choice(["", ".", ":", "\nnext line", "?"])

    def marks(self, text: str) -> tuple[Mark, ...]:
        found = []
        for _ in range(self.random.choice([0, 0, 1, 3])):
            start = self.random.randrange(len(text))
            end = self.random.randint(start + 1, len(text))
            found.append(Mark(self.random.choice(INLINE), start, end, self.random.choice(["", "/a b", "x.png"])))
        return tuple(sorted(found, key=lambda mark: (mark.start, -mark.end)))

    def unit(self, kind: Kind, level: int = 0) -> None:
        text = self.text()
        self.page.add(kind, text, level, anchor=self.random.choice(["", "", "here"]), marks=self.marks(text))

    def blocks(self, depth: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            self.block(self.random.choice(_PLAIN if depth <= 0 else _ALL), depth)

    def block(self, what: str, depth: int) -> None:
        if what == "heading":
            self.unit("heading", self.random.randint(1, 4))
        elif what == "list":
            self.items(depth)
        elif what == "table":
            self.table()
        elif what == "details":
            with self.page.span("qa"):
                self.unit("question")
                self.blocks(depth - 1, 2)
        elif what == "definitions":
            with self.page.span("definitions"):
                for _ in range(self.random.randint(1, 3)):
                    with self.page.span("item"):
                        self.unit("term")
                        self.unit("definition")
        elif what == "quote":
            with self.page.span("quote"):
                self.unit("quote")
        elif what == "figure":
            with self.page.span("figure"):
                self.unit("image")
                self.unit("caption")
        else:
            self.unit(_KINDS[what])

    def items(self, depth: int) -> None:
        ordered = self.random.random() < 0.5
        with self.page.span("list", ordered=ordered):
            for number in range(self.random.randint(1, 5)):
                with self.page.span("item", **({"number": number + 3} if ordered else {})):
                    self.unit("list_item", 1)
                    if self.random.random() < 0.2:
                        self.blocks(depth - 2, 2)

    def table(self) -> None:
        width, heads = self.random.randint(1, 4), self.random.randint(0, 2)
        with self.page.span("table") as data:
            first = len(self.page.places)
            data["header_rows"] = tuple(range(first, first + heads))
            for number in range(heads + self.random.randint(1, 6)):
                found, cells, at = [], [self.text(3) for _ in range(width)], 0
                for cell in cells:
                    size = self.random.choice([1, 1, 2, 0]), self.random.choice([1, 1, 3])
                    found.append(Mark("cell", at, at + len(cell), "", *size, number < heads))
                    at += len(cell) + 1
                self.page.add("table_row", "\t".join(cells), marks=tuple(found))


_KINDS: dict[str, Kind] = {
    "paragraph": "paragraph", "code": "code", "image": "image", "math": "math", "label": "label"
}  # fmt: skip
_PLAIN = [*_KINDS, "heading"]
_ALL = [*_PLAIN, "paragraph", "heading", "heading", "list", "table", "details", "definitions", "quote", "figure"]


def write(seed: int, size: int) -> Document:
    """The page of a seed, of about `size` times four blocks."""
    random = Random(seed)
    page = Builder(title=random.choice(["", "Refunds", "Fees > all"]), language=random.choice(["en", ""]))
    author = Author(page, random)
    for _ in range(size):
        page.role = random.choice(ROLES)
        page.visible = random.choice(["visible", "visible", "collapsed", "hidden"])
        page.score = random.choice([0.0, 0.5, 1.0])
        author.blocks(3, 3)
    return page.build()


def documents(most: int = 8) -> SearchStrategy[Document]:
    """Any page: nested lists, tables with spans, accordions, definitions, quotes, figures, chrome and comments."""
    return st.builds(write, st.integers(0, 2**32 - 1), st.integers(0, most))
