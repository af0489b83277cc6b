"""What responses look like, for the API's documentation: the shapes of `wrac.contract`, which makes them.

Nothing is validated by these while the server answers; the tests compare what is answered with what stands here.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

exact = with_config(ConfigDict(extra="forbid"))


@exact
class Problem(TypedDict):
    """What went wrong, by RFC 9457; `error` names wrac's own error, empty where HTTP alone is concerned."""

    type: str
    title: str
    status: int
    detail: str
    error: str


@exact
class Usage(TypedDict):
    """What models were paid for; `cost` is USD."""

    input: int
    cached: int
    output: int
    calls: int
    seconds: float
    cost: float


@exact
class Focus(TypedDict):
    """A unit of a passage that answers best."""

    unit: str
    text: str
    score: float


@exact
class Passage(TypedDict):
    """A passage in a context, whose text says the rest."""

    rank: int
    score: float
    chunk: str
    url: str
    link: str
    trail: list[str]
    focus: list[Focus]
    tokens: int
    confidence: float


@exact
class Hit(Passage):
    """A passage found."""

    text: str
    markdown: str


@exact
class Hits(TypedDict):
    """Passages, best first; `run` is what the event log calls the search, empty where nothing was found."""

    run: str
    hits: list[Hit]


@exact
class Block(TypedDict):
    """A numbered part of a context: one page's passages in reading order."""

    number: int
    url: str
    heading: str
    text: str
    passages: list[Passage]


@exact
class Context(TypedDict):
    """Passages as one text to answer from."""

    text: str
    tokens: int
    budget: int | None
    blocks: list[Block]


@exact
class Way(TypedDict):
    """What one way of answering takes; `cost` in USD, null where no price is known."""

    tokens: int
    cost: float | None


@exact
class Route(TypedDict):
    """What a question was answered from, and what each way that was weighed takes."""

    choice: Literal["passages", "document", "corpus"]
    reason: str
    page: str
    ways: dict[str, Way]


@exact
class Citation(TypedDict):
    """A unit that an answer rests on."""

    mark: str
    unit: str
    url: str
    name: str
    link: str
    quote: str
    heading: str


@exact
class Answer(TypedDict):
    """An answer, checked against what was sent; `uncited` and `misquoted` are code points `[start, end)` of it."""

    text: str
    model: str
    refused: bool
    whole: bool
    problem: str
    cached: bool
    confidence: float
    run: str
    citations: list[Citation]
    uncited: list[list[int]]
    misquoted: list[list[int]]
    route: Route
    usage: Usage


@exact
class Where(TypedDict):
    """Where a place is in its source: ranges of code points; in a PDF page and boxes, in an office file its part."""

    selector: str
    ranges: list[list[int]]
    pointer: NotRequired[str]
    within: NotRequired[dict[str, Any]]
    page: NotRequired[int]
    boxes: NotRequired[list[list[float]]]
    part: NotRequired[str]
    shape: NotRequired[str]


@exact
class ShownUnit(Where):
    """A unit of a chunk; `start` and `end` are the part of it that is in the chunk."""

    id: str
    kind: str
    name: str
    text: str
    start: int
    end: int


@exact
class Chunk(TypedDict):
    """A chunk where it stands first, and every page it stands on."""

    chunk: str
    text: str
    markdown: str
    tokens: int
    url: str
    anchor: str
    link: str
    planner: str
    trail: list[str]
    units: list[ShownUnit]
    pages: list[str]


@exact
class Mark(TypedDict):
    """A range of a unit's text: a link, code, a cell."""

    kind: str
    start: int
    end: int
    value: NotRequired[str]
    rows: NotRequired[int]
    cols: NotRequired[int]
    header: NotRequired[bool]


@exact
class Unit(Where):
    """A unit in its place on a page."""

    ordinal: int
    id: str
    kind: str
    text: str
    level: int
    role: str
    score: float
    visible: str
    language: str
    direction: str
    anchor: str
    name: str
    marks: list[Mark]
    trail: list[int]
    cells: NotRequired[list[str]]
    number: NotRequired[int]


@exact
class Units(TypedDict):
    """A page's units in order, the intervals over them, and what is in no unit."""

    units: list[Unit]
    spans: list[dict[str, Any]]
    losses: list[dict[str, Any]]


@exact
class Listed(TypedDict):
    """A page in a list; `places` and `chunks` are counts, `fetched` seconds since 1970."""

    url: str
    source: str
    media_type: str
    fetched: float
    places: int
    chunks: int
    planner: str


@exact
class Pages(TypedDict):
    """A part of the pages by URL; `after` asks for the next part, null where there is none."""

    pages: list[Listed]
    after: str | None


@exact
class Policy(TypedDict):
    """What a plan should be like."""

    target: int
    maximum: int
    tokenizer: str
    whole_tables: bool
    one_question: bool
    prose: int
    whole_lists: bool
    chunks_per_h2: int
    entities: int


@exact
class Plan(TypedDict):
    """The groups of ordinals that become chunks, and what is omitted, with the reason."""

    document: str
    groups: list[list[int]]
    omitted: dict[str, str]
    planner: str
    usage: Usage


@exact
class PageChunk(TypedDict):
    """A chunk on its page."""

    id: str
    text: str
    tokens: int
    trail: list[str]
    ordinals: list[int]
    anchor: str
    link: str


@exact
class Page(TypedDict):
    """What is stored of a page."""

    url: str
    source: str
    title: str
    language: str
    media_type: str
    status: int
    fetched: float
    meta: dict[str, str]
    document: str
    planner: str
    policy: Policy
    places: int
    omitted: int
    chunks: list[PageChunk]


@exact
class Change(TypedDict):
    """A boundary before the ordinal `old` that would be before `new`; null where there is none."""

    old: int | None
    new: int | None


@exact
class Preview(TypedDict):
    """A page as another policy would cut it. Nothing is changed."""

    policy: Policy
    plan: Plan
    chunks: list[PageChunk]
    changes: list[Change]


@exact
class Judgement(TypedDict):
    """A verdict that was kept; give its `run` again to change it."""

    run: str
    chunk: str
    url: str
    verdict: Literal[-1, 0, 1]
    query: str
    note: str
    at: float
