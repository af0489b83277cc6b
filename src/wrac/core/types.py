"""The values that stages pass to one another. Frozen; an id is computed from what defines the value.

What a page has thousands of is a named tuple: it is made in a fifth of the time of a frozen dataclass.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from wrac.core.ids import body_id, content_id, unit_id

Kind: TypeAlias = Literal[
    "heading", "paragraph", "list_item", "table_row", "caption", "code", "quote",
    "term", "definition", "question", "math", "image", "label",
]  # fmt: skip
Role: TypeAlias = Literal[
    "main", "nav", "header", "footer", "aside", "breadcrumb", "toc",
    "form", "control", "dialog", "cookie", "comment", "data",
]  # fmt: skip
Visible: TypeAlias = Literal["visible", "collapsed", "hidden"]
SpanKind: TypeAlias = Literal[
    "section", "list", "item", "table", "definitions", "qa", "details", "tabs", "figure", "quote",
    "nav", "header", "footer", "aside", "form", "dialog",
]  # fmt: skip
MarkKind: TypeAlias = Literal[
    "link", "permalink", "code", "strong", "em", "sup", "sub", "ruby", "math", "image", "cell"
]

NOTHING: Mapping[str, Any] = MappingProxyType({})


def frozen(mapping: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A read-only copy."""
    return MappingProxyType(dict(mapping))


def _reduce(mapping: MappingProxyType[Any, Any]) -> tuple[Any, ...]:
    return frozen, (dict(mapping),)


copyreg.pickle(MappingProxyType, _reduce)  # values travel between processes


class Mark(NamedTuple):
    """A range inside a unit's text, in code points; `value` is a link's href, an image's src, a code's language.

    `rows`, `cols` and `header` belong to cells: how many grid rows and columns the cell covers, and whether it heads.
    """

    kind: MarkKind
    start: int
    end: int
    value: str = ""
    rows: int = 1
    cols: int = 1
    header: bool = False


class HtmlAddress(NamedTuple):
    """Source range `[start, end)` in code points of the BOM-stripped, LF-normalised source.

    `selector` names the element that holds the range; `context` is the tag in which the slice parses as it did in the
    page, and `nth` says which unit of the slice it is (0 but where the tree order is not the source order: there the
    slice is the whole page). `within` is the address of the attribute (srcdoc), string or part of a file the range
    counts in, None for the page itself.
    """

    selector: str
    start: int
    end: int
    context: str = "body"
    nth: int = 0
    within: Outer | None = None


@dataclass(frozen=True, slots=True)
class DataAddress:
    """A string inside a JSON script: the script's source range, and the string's RFC 6901 pointer."""

    start: int
    end: int
    pointer: str
    within: Outer | None = None


@dataclass(frozen=True, slots=True)
class PdfAddress:
    """A page (1-based) and its boxes `(x0, y0, x1, y1)` in points from the top left, in reading order.

    `joins` is what stands before each box's text and after the last one's: white space, nothing, or "-" for a line's
    end where a word goes on and the hyphen there is no part of it. `rest` is where the text goes on on a later page.
    """

    page: int
    boxes: tuple[tuple[float, float, float, float], ...]
    joins: tuple[str, ...] = ()
    rest: PdfAddress | None = None


@dataclass(frozen=True, slots=True)
class PartAddress:
    """A part of an office file and the shape, paragraph or cells inside it; "" is the part as a whole."""

    part: str
    shape: str


Outer: TypeAlias = HtmlAddress | DataAddress | PartAddress
Address: TypeAlias = Outer | PdfAddress


@dataclass(frozen=True, slots=True)
class Page:
    """What was fetched: a URL (or path), its bytes, and what the source said about them."""

    url: str
    body: bytes
    media_type: str = "text/html"
    charset: str = ""
    fetched: float = 0.0
    etag: str = ""
    last_modified: str = ""
    status: int = 200
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    id: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", content_id("p1", [self.url]))

    @property
    def body_id(self) -> str:
        return body_id(self.body)


class _Content(NamedTuple):
    kind: Kind
    text: str
    id: str


class Unit(_Content):
    """A kind and its verbatim text; equal content is one unit however many pages carry it."""

    __slots__ = ()

    def __new__(cls, kind: Kind, text: str) -> Unit:
        return tuple.__new__(cls, (kind, text, unit_id(kind, text)))

    def __getnewargs__(self) -> tuple[Kind, str]:  # the id is computed, never passed in
        return self.kind, self.text


BEST: Final = 0.6
"""A place that scores at least this is main content."""
KEEP_MORE: Final = 0.45
"""A place that scores at least this is, or may be, content: nearly all of it does."""


class Place(NamedTuple):
    """One appearance of a unit in a document. `level` is a heading's level or a list item's depth, else 0.

    `score` says how likely it is content of its page, 0..1, to three digits.
    """

    ordinal: int
    unit: str
    level: int
    role: Role
    score: float
    visible: Visible
    address: Address
    anchor: str = ""
    marks: tuple[Mark, ...] = ()
    language: str = ""


class Span(NamedTuple):
    """An interval of ordinals, both ends included; `parent` is an index into the document's spans, -1 at the top.

    Spans nest or are disjoint, in the order of `first`, outer before inner. `data` by kind: section `level`; list
    `ordered`; item `number`; table `header_rows` (ordinals); details, qa and tabs none.
    """

    kind: SpanKind
    first: int
    last: int
    parent: int = -1
    data: Mapping[str, Any] = NOTHING


@dataclass(frozen=True, slots=True)
class Loss:
    """Text that became no unit: why, how many non-space code points, where, and the text unless it is program code."""

    reason: str
    chars: int
    start: int = -1
    end: int = -1
    text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed page: units by id, their places in reading order, and nested spans over the ordinals."""

    body: str
    media_type: str
    encoding: str
    parser: str
    title: str
    language: str
    units: Mapping[str, Unit]
    places: tuple[Place, ...]
    spans: tuple[Span, ...]
    losses: tuple[Loss, ...] = ()
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    id: str = field(init=False)

    def __post_init__(self) -> None:
        parts = [self.body, self.media_type, self.encoding, self.parser]
        object.__setattr__(self, "id", content_id("d1", parts))

    def unit(self, ordinal: int) -> Unit:
        """The unit at a place."""
        return self.units[self.places[ordinal].unit]

    def text(self, ordinal: int) -> str:
        """The verbatim text at a place."""
        return self.units[self.places[ordinal].unit].text


@dataclass(frozen=True, slots=True)
class Policy:
    """What a plan should be like. Sizes are tokens of `tokenizer`, counted on the chunk's text.

    `whole_tables` and `whole_lists` keep a table and a list in one chunk where the maximum allows, `one_question`
    starts a chunk at each question, `chunks_per_h2` is how many chunks a section of the second level may become where
    the maximum allows (0: as many as it takes). Text with more than `entities` names, dates, amounts, versions and
    codes in a target's worth is cut finer (0: they are not counted). `prose` is the target where headings are missing
    or far apart, never above `target`: such text is cut at changes of topic, inside long paragraphs too.
    A policy that is not the default goes into the plan's planner name, so two policies never share a cache.
    """

    target: int = 160
    maximum: int = 512
    tokenizer: str = "o200k"
    whole_tables: bool = False
    one_question: bool = False
    prose: int = 120
    whole_lists: bool = False
    chunks_per_h2: int = 0
    entities: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What models were paid for; `cost` is USD."""

    input: int = 0
    cached: int = 0
    output: int = 0
    calls: int = 0
    seconds: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Which ordinals belong together. Every ordinal is in exactly one group or in `omitted` with a reason."""

    document: str
    groups: tuple[tuple[int, ...], ...]
    omitted: Mapping[int, str]
    planner: str
    usage: Usage = Usage()


class Slice(NamedTuple):
    """The code points `[start, end)` of a unit's text."""

    unit: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Slices joined to a text, and the heading units above it. The same section on two pages is one chunk."""

    slices: tuple[Slice, ...]
    trail: tuple[str, ...]
    text: str
    tokens: int
    id: str = field(init=False)

    def __post_init__(self) -> None:
        parts = [*self.trail, "", *(f"{s.unit}:{s.start}:{s.end}" for s in self.slices)]
        object.__setattr__(self, "id", content_id("c1", parts))


@dataclass(frozen=True, slots=True)
class Label:
    """CHOP's signature of a passage; `inherited` when the topic went on from the passage before."""

    category: str = ""
    nouns: tuple[str, ...] = ()
    model: str = ""
    inherited: bool = False


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A chunk on a page: its ordinals there, the nearest anchor, its label, and its Markdown rendering."""

    chunk: str
    page: str
    ordinals: tuple[int, ...]
    anchor: str = ""
    label: Label | None = None
    markdown: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of an index: a chunk and the prefix (trail and label) it is embedded with.

    A chunk longer than the embedder's window has several, each for the code points `[start, end)` of its text; an
    `end` of -1 is the text's end.
    """

    chunk: Chunk
    prefix: str
    start: int = 0
    end: int = -1
    id: str = field(init=False)

    def __post_init__(self) -> None:
        part = () if self.whole else (f"{self.start}:{self.end}",)
        object.__setattr__(self, "id", content_id("e1", (self.chunk.id, self.prefix, *part)))

    @property
    def whole(self) -> bool:
        """Whether the entry stands for all of the chunk's text."""
        return self.start == 0 and self.end == -1

    @property
    def text(self) -> str:
        """What is embedded and analysed: the prefix, a newline, the chunk's text or the entry's part of it."""
        text = self.chunk.text if self.whole else self.chunk.text[self.start : None if self.end < 0 else self.end]
        return f"{self.prefix}\n{text}" if self.prefix else text


class Focus(NamedTuple):
    """A unit inside a hit and how well it alone answers."""

    unit: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk, best first (`rank` is 1-based), where it stands, and its best units."""

    chunk: Chunk
    score: float
    rank: int
    occurrence: Occurrence
    focus: tuple[Focus, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for statistics and audit."""

    at: float
    name: str
    run: str
    fields: Mapping[str, Any]
