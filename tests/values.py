"""Any well-formed document, plan and chunks, for the laws of what stores them. Not parsed: stranger than pages are.

Hypothesis draws a seed and `random` the rest: a document has some hundred choices, and to draw each is far slower.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wrac.catalog import Record
from wrac.core.ids import content_id
from wrac.core.types import (
    Address,
    Chunk,
    DataAddress,
    Document,
    Entry,
    HtmlAddress,
    Kind,
    Label,
    Loss,
    Mark,
    MarkKind,
    Occurrence,
    Page,
    PartAddress,
    PdfAddress,
    Place,
    Plan,
    Policy,
    Slice,
    Span,
    Unit,
    Usage,
)

KINDS: list[Kind] = ["heading", "paragraph", "list_item", "table_row", "code", "question"]
MARKS: list[MarkKind] = ["link", "code", "strong", "cell", "image"]
WORDS = ["refund", "fee", "c++", "a\tb", "x\ny", "Gebühr", "费用", "é", "\u202e", "\x00", "'", '"', "\U0001f600"]
DATA: list[Mapping[str, object]] = [
    {}, {"level": 2}, {"ordered": True}, {"number": "iv"}, {"header_rows": (0, 1)}, {"header_rows": ()},
]  # fmt: skip


def documents() -> SearchStrategy[Document]:
    return _seeds().map(document)


def records(url: str | None = None) -> SearchStrategy[Record]:
    return _seeds().map(lambda random: record(random, url))


def _seeds() -> SearchStrategy[Random]:
    return st.integers(0, 2**32).map(Random)


def text(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=random.randrange(4)))


def mapping(random: Random) -> dict[str, str]:
    return {text(random): text(random) for _ in range(random.randrange(3))}


def html_address(random: Random, depth: int = 0) -> HtmlAddress | DataAddress:
    start = random.randrange(10**6)
    within = html_address(random, depth + 1) if depth < 2 and random.random() < 0.2 else None
    if depth and random.random() < 0.5:
        return DataAddress(start, start + random.randrange(99), text(random), within)
    selector = random.choice(["body > p", "html > body > div:nth-child(2)", "td"])
    context, nth = random.choice(["body", "tr"]), random.randrange(3)
    return HtmlAddress(selector, start, start + random.randrange(99), context, nth, within)


def address(random: Random) -> Address:
    match random.randrange(6):
        case 0:
            return PdfAddress(random.randrange(9), tuple((random.random(), 0.5, 1.0, 9e3) for _ in range(2)))
        case 1:
            return PartAddress(text(random), text(random))
        case 2:
            return DataAddress(5, 9, text(random), None)
        case _:
            return html_address(random)


def mark(random: Random) -> Mark:
    sizes = random.randrange(99), random.randrange(99)
    rows, cols, header = random.choice([1, 1, 3]), random.choice([1, 1, 2]), random.random() < 0.3
    return Mark(random.choice(MARKS), *sizes, text(random), rows, cols, header)


def place(random: Random, ordinal: int, unit: str) -> Place:
    return Place(
        ordinal=ordinal,
        unit=unit,
        level=random.randrange(7),
        role=random.choice(["main", "nav", "footer"]),
        score=random.choice([0.0, 1.0, random.random()]),
        visible=random.choice(["visible", "collapsed", "hidden"]),
        address=address(random),
        anchor=text(random),
        marks=tuple(mark(random) for _ in range(random.randrange(3))),
        language=random.choice(["", "de", "zh-Hans"]),
    )


def document(random: Random, body: bytes = b"") -> Document:
    units = [Unit(random.choice(KINDS), text(random)) for _ in range(random.randrange(9))]
    depth = random.randrange(4) if units else 0
    kinds = random.choices(["section", "list", "table", "qa"], k=depth)
    spans = [Span(kind, 0, len(units) - 1, n - 1, random.choice(DATA)) for n, kind in enumerate(kinds)]  # type: ignore[arg-type]
    made = Document(
        body=content_id("b1", [body]),
        media_type="text/html",
        encoding=random.choice(["utf-8", "windows-1252"]),
        parser="tests@1",
        title=text(random),
        language=random.choice(["", "en", "de-AT"]),
        units={unit.id: unit for unit in units},
        places=tuple(place(random, ordinal, unit.id) for ordinal, unit in enumerate(units)),
        spans=tuple(spans),
        losses=tuple(Loss(text(random), random.randrange(9), 1, 2, text(random)) for _ in range(random.randrange(3))),
        meta=mapping(random),
    )
    # A parser is a function: what differs came from another one.
    return replace(made, parser=f"tests@{content_id('t1', [repr(made)])}")


def plan(random: Random, of: Document) -> Plan:
    """Any partition: each ordinal in one of four groups or left out."""
    choices = [random.randrange(5) for _ in of.places]
    groups = [tuple(o for o, choice in enumerate(choices) if choice == number) for number in range(1, 5)]
    made = Plan(
        document=of.id,
        groups=tuple(group for group in groups if group),
        omitted={o: random.choice(["nav", "empty"]) for o, choice in enumerate(choices) if choice == 0},
        planner="tests@1",
        usage=Usage(random.randrange(99), 1, 2, 3, random.random(), random.random()),
    )
    return replace(made, planner=f"tests@{content_id('t1', [repr(made)])}")


def chunk_of(of: Document, group: tuple[int, ...], joint: str) -> Chunk:
    slices = tuple(Slice(of.places[o].unit, 0, len(of.text(o))) for o in group)
    above = [p.unit for p in of.places[: group[0]] if of.units[p.unit].kind == "heading"][-2:]
    joined = joint.join(of.text(o) for o in group)
    return Chunk(slices, tuple(above), joined, len(joined.split()))


def entries(random: Random, of: Chunk) -> tuple[Entry, ...]:
    prefix = random.choice(["", "Title", "Title > Part"])
    middle = len(of.text) // 2
    if middle and random.random() < 0.3:
        return (Entry(of, prefix, 0, middle), Entry(of, prefix, middle, len(of.text)))
    return (Entry(of, prefix),)


def record(random: Random, url: str | None = None) -> Record:
    body = random.choice([b"", b"same", random.randbytes(9)])
    page = Page(
        url or f"site/{random.randrange(4)}.html", body, meta=mapping(random), fetched=random.random(),
        etag=text(random), charset=random.choice(["", "utf-8"]),
    )  # fmt: skip
    parsed = document(random, body)
    planned = plan(random, parsed)
    # One joint for a set of slices, as in real chunks: the id of a chunk does not cover it.
    chunks = [chunk_of(parsed, group, "\n" if len(group) % 2 else "\n\n") for group in planned.groups]
    labels = [None, Label(text(random), (text(random),), text(random), True), Label()]
    return Record(
        page=page,
        source="site",
        state=content_id("s1", [body, text(random)]),
        document=parsed,
        plan=planned,
        chunks=tuple(chunks),
        occurrences=tuple(
            Occurrence(chunk.id, page.url, group, text(random), random.choice(labels), text(random))
            for chunk, group in zip(chunks, planned.groups, strict=True)
        ),
        entries=tuple(entries(random, chunk) for chunk in chunks),
        embedder="words@1",
        policy=Policy(random.randrange(20, 200), random.randrange(200, 900)),
    )
