"""Hypothesis strategies for the values that stages pass on: any well-formed document, plan and chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from wrac.catalog import Record
from wrac.core.ids import content_id
from wrac.core.types import (
    Address,
    Chunk,
    DataAddress,
    Document,
    Entry,
    HtmlAddress,
    Label,
    Loss,
    Mark,
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

KINDS = ["heading", "paragraph", "list_item", "table_row", "code", "question"]
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
WORDS = st.lists(
    st.sampled_from(["refund", "fee", "c++", "a\tb", "x\ny", "Gebühr", "费用", "é"]), min_size=1, max_size=6
)
SMALL = st.integers(0, 10**6)


@st.composite
def html_addresses(draw: DrawFn, depth: int = 0) -> HtmlAddress | DataAddress:
    start = draw(SMALL)
    within = draw(st.none() | html_addresses(depth + 1)) if depth < 2 else None
    if draw(st.booleans()) and depth:
        return DataAddress(start, start + draw(SMALL), draw(TEXT), within)
    selector = draw(st.sampled_from(["body > p", "html > body > div:nth-child(2)", "td"]))
    context, nth = draw(st.sampled_from(["body", "tr"])), draw(st.integers(0, 2))
    return HtmlAddress(selector, start, start + draw(SMALL), context, nth, within)


def addresses() -> SearchStrategy[Address]:
    box = st.tuples(*(st.floats(0, 1000) for _ in range(4)))
    pdf = st.builds(PdfAddress, SMALL, st.lists(box, max_size=2).map(tuple))
    data = st.builds(lambda start, size, pointer: DataAddress(start, start + size, pointer), SMALL, SMALL, TEXT)
    return html_addresses() | pdf | data | st.builds(PartAddress, TEXT, TEXT)


def marks() -> SearchStrategy[Mark]:
    kind = st.sampled_from(["link", "code", "strong", "cell", "image"])
    return st.builds(Mark, kind, SMALL, SMALL, TEXT, st.integers(1, 3), st.integers(1, 3), st.booleans())


@st.composite
def places(draw: DrawFn, ordinal: int, unit: str) -> Place:
    return Place(
        ordinal=ordinal,
        unit=unit,
        level=draw(st.integers(0, 6)),
        role=draw(st.sampled_from(["main", "nav", "footer"])),
        score=draw(st.floats(0, 1)),
        visible=draw(st.sampled_from(["visible", "collapsed", "hidden"])),
        address=draw(addresses()),
        anchor=draw(TEXT),
        marks=tuple(draw(st.lists(marks(), max_size=2))),
        language=draw(st.sampled_from(["", "de", "zh-Hans"])),
    )


@st.composite
def spans(draw: DrawFn, count: int) -> list[Span]:
    found: list[Span] = []
    for parent in range(-1, draw(st.integers(-1, 3))):
        data: dict[str, Any] = draw(
            st.sampled_from([{}, {"level": 2}, {"ordered": True}, {"number": "iv"}, {"header_rows": (0, 1)}])
        )
        found.append(Span(draw(st.sampled_from(["section", "list", "table", "qa"])), 0, count - 1, parent, data))
    return found


@st.composite
def documents(draw: DrawFn, body: bytes | None = None) -> Document:
    texts = draw(st.lists(st.tuples(st.sampled_from(KINDS), WORDS.map(" ".join)), max_size=8))
    units = [Unit(kind, text) for kind, text in texts]  # type: ignore[arg-type]
    document = Document(
        body=content_id("b1", [draw(TEXT) if body is None else body]),
        media_type="text/html",
        encoding=draw(st.sampled_from(["utf-8", "windows-1252"])),
        parser="tests@1",
        title=draw(TEXT),
        language=draw(st.sampled_from(["", "en", "de-AT"])),
        units={unit.id: unit for unit in units},
        places=tuple(draw(places(ordinal, unit.id)) for ordinal, unit in enumerate(units)),
        spans=tuple(draw(spans(len(units)))) if units else (),
        losses=tuple(draw(st.lists(st.builds(Loss, TEXT, SMALL, SMALL, SMALL, TEXT), max_size=2))),
        meta=draw(st.dictionaries(TEXT, TEXT, max_size=2)),
    )
    # A parser is a function: what differs came from another one.
    return replace(document, parser=f"tests@{content_id('t1', [repr(document)])}")


@st.composite
def plans(draw: DrawFn, document: Document) -> Plan:
    """Any partition: each ordinal in one of four groups or left out."""
    choices = [draw(st.integers(0, 4)) for _ in document.places]
    groups = [tuple(o for o, choice in enumerate(choices) if choice == number) for number in range(1, 5)]
    plan = Plan(
        document=document.id,
        groups=tuple(group for group in groups if group),
        omitted={o: draw(st.sampled_from(["nav", "empty"])) for o, choice in enumerate(choices) if choice == 0},
        planner="tests@1",
        usage=draw(st.builds(Usage, SMALL, SMALL, SMALL, SMALL, st.floats(0, 9), st.floats(0, 9))),
    )
    return replace(plan, planner=f"tests@{content_id('t1', [repr(plan)])}")


def chunk_of(document: Document, group: tuple[int, ...], joint: str) -> Chunk:
    slices = tuple(Slice(document.places[o].unit, 0, len(document.text(o))) for o in group)
    above = [p.unit for p in document.places[: group[0]] if document.units[p.unit].kind == "heading"][-2:]
    text = joint.join(document.text(o) for o in group)
    return Chunk(slices, tuple(above), text, len(text.split()))


@st.composite
def entries(draw: DrawFn, chunk: Chunk) -> tuple[Entry, ...]:
    prefix = draw(st.sampled_from(["", "Title", "Title > Part"]))
    middle = len(chunk.text) // 2
    if middle and draw(st.booleans()):
        return (Entry(chunk, prefix, 0, middle), Entry(chunk, prefix, middle, len(chunk.text)))
    return (Entry(chunk, prefix),)


@st.composite
def records(draw: DrawFn, url: str | None = None) -> Record:
    body = draw(st.binary(max_size=40))
    document = draw(documents(body=body))
    plan = draw(plans(document))
    # One joint for a set of slices, as in real chunks: the id of a chunk does not cover it.
    chunks = [chunk_of(document, group, "\n" if len(group) % 2 else "\n\n") for group in plan.groups]
    labels = st.none() | st.builds(Label, TEXT, st.lists(TEXT, max_size=2).map(tuple), TEXT, st.booleans())
    page = Page(url or f"site/{draw(st.integers(0, 3))}.html", body, meta=draw(st.dictionaries(TEXT, TEXT, max_size=2)))
    return Record(
        page=replace(
            page, fetched=draw(st.floats(0, 9)), etag=draw(TEXT), charset=draw(st.sampled_from(["", "utf-8"]))
        ),
        source="site",
        state=content_id("s1", [body, draw(TEXT)]),
        document=document,
        plan=plan,
        chunks=tuple(chunks),
        occurrences=tuple(
            Occurrence(chunk.id, page.url, group, draw(TEXT), draw(labels), draw(TEXT))
            for chunk, group in zip(chunks, plan.groups, strict=True)
        ),
        entries=tuple(draw(entries(chunk)) for chunk in chunks),
        embedder="words@1",
        policy=draw(st.builds(Policy, st.integers(20, 200), st.integers(200, 900))),
    )
