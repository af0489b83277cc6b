"""A page read in parts: what its sections are, and the text of one, as much as a reader has room for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wrac.catalog import Record
from wrac.core.errors import NotFoundError
from wrac.core.structure import names, trail
from wrac.core.types import Document
from wrac.flow.links import link, plain
from wrac.text.render import Renderer
from wrac.text.tokens import counter

_TOLD = 8  # headings that an error names


class Heading(NamedTuple):
    """A section's heading: its human name, level and anchor, and the tokens of all that is in the section."""

    name: str
    level: int
    title: str
    anchor: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page as Markdown of `tokens`, and where it stands.

    `name` is the section's human name, empty for the page as a whole; `units` are (human name, id) of what is shown.
    `following` is the place to read on from, None at the end.
    """

    url: str
    link: str
    name: str
    trail: tuple[str, ...]
    markdown: str
    tokens: int
    units: tuple[tuple[str, str], ...]
    following: int | None = None


def headings(record: Record) -> list[Heading]:
    """The sections of a page in order, those that its plan leaves out left out."""
    document, called, size = record.document, names(record.document), counter("o200k").count
    sizes = {ordinal: size(document.text(ordinal)) for ordinal in _kept(record, 0, len(document.places) - 1)}
    found = []
    for first, last in _spans(document):
        place = document.places[first]
        inside = sum(sizes.get(ordinal, 0) for ordinal in range(first, last + 1))
        if first in sizes:
            found.append(Heading(called[first], place.level, _title(document, first), place.anchor, inside))
    return found


def read(record: Record, wanted: str = "", *, budget: int = 1500, start: int = 0) -> Section:
    """A section from its beginning, or from the place `start` on: as many whole units as fit `budget` tokens.

    `wanted` is a section's human name (`h2_3`), its anchor, or its heading, in any case; empty, the whole page. The
    first unit is always given. Raises NotFoundError where the page has no such section.
    """
    document, called = record.document, names(record.document)
    first, last = _find(record, wanted, called)
    ordinals = _kept(record, max(first, start), last)
    markdown, taken = _fill(document, ordinals, budget)
    shown, anchor = ordinals[:taken], next((document.places[o].anchor for o in ordinals[:1]), "")
    return Section(
        url=record.page.url,
        link=link(record.page.url, anchor, [plain(document, document.places[ordinal]) for ordinal in shown]),
        name=called[first] if wanted else "",
        trail=tuple(_title(document, ordinal) for ordinal in trail(document, shown[0])) if shown else (),
        markdown=markdown,
        tokens=counter("o200k").count(markdown),
        units=tuple((called[ordinal], document.places[ordinal].unit) for ordinal in shown),
        following=ordinals[taken] if taken < len(ordinals) else None,
    )


def _fill(document: Document, ordinals: Sequence[int], budget: int) -> tuple[str, int]:
    """The longest beginning that fits and ends with no heading, and how many units it is.

    By halving: what one unit adds depends on what stands before it.
    """
    size, renderer, low, high = (
        counter("o200k").count,
        Renderer(document, lean=True),
        min(1, len(ordinals)),
        len(ordinals),
    )
    while low < high:
        middle = (low + high + 1) // 2
        fits = size(renderer.markdown(ordinals[:middle])) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    while 1 < low < len(ordinals) and document.unit(ordinals[low - 1]).kind == "heading":
        low -= 1
    return renderer.markdown(ordinals[:low]), low


def _find(record: Record, wanted: str, called: Sequence[str]) -> tuple[int, int]:
    document, asked = record.document, " ".join(wanted.split()).removeprefix("#").casefold()
    if not asked:
        return 0, len(document.places) - 1
    found = list(_spans(document))
    ways: tuple[Callable[[int], str], ...] = (
        lambda ordinal: called[ordinal],
        lambda ordinal: document.places[ordinal].anchor.casefold(),
        lambda ordinal: _title(document, ordinal).casefold(),
    )
    for said in ways:
        for first, last in found:
            if said(first) == asked:
                return first, last
    some = ", ".join(f"{called[first]} {_title(document, first)!r}" for first, _ in found[:_TOLD])
    advice = f"it has {some}{' …' if len(found) > _TOLD else ''}" if found else "it has no sections; read it whole"
    raise NotFoundError(record.page.url, f"no section is called {wanted}", advice)


def _spans(document: Document) -> Iterator[tuple[int, int]]:
    return ((span.first, span.last) for span in document.spans if span.kind == "section")


def _kept(record: Record, first: int, last: int) -> list[int]:
    return [ordinal for ordinal in range(first, last + 1) if ordinal not in record.plan.omitted]


def _title(document: Document, ordinal: int) -> str:
    return " ".join(plain(document, document.places[ordinal]).split())
