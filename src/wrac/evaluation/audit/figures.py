"""The figures of an audit: what each counts of how many, and the bar that wrac is held to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

EXAMPLES: Final = 3
"""Faults that are kept of each figure, each from a page of its own."""
MOST_NEW: Final = 3
"""Chunks of a page that may be new after one inserted paragraph."""


class Figure(NamedTuple):
    """A row of the table. `scale` times counted / all is its value; `bar` is the least, or with `low` the most, that is
    good.
    """

    key: str
    title: str
    scale: float = 100.0
    unit: str = "%"
    bar: float | None = None
    low: bool = False

    def good(self, value: float) -> bool:
        """Whether a value reaches the bar; one without a bar always does."""
        if self.bar is None:
            return True
        return value <= self.bar if self.low else value >= self.bar


FIGURES: Final = (
    Figure("lost", "words lost", bar=0, low=True),
    Figure("added", "words not on the page", 10_000, "/10k", bar=0, low=True),
    Figure("exact", "units exact", bar=99.5),
    Figure("exact_bare", "units exact but for markup", bar=99.5),
    Figure("heading_text", "heading in the same text"),
    Figure("heading", "heading in text or trail", bar=100),
    Figure("defined", "term with definition", bar=99.5),
    Figure("rows", "table rows whole", bar=100),
    Figure("header", "table rows with header", bar=100),
    Figure("blocks", "code blocks whole"),
    Figure("lines", "code lines verbatim", bar=100),
    Figure("chrome", "words of site chrome", bar=0, low=True),
    Figure("duplicates", "chunks stored again", low=True),
    Figure("tokens", "tokens out / main content", 1, "x", bar=1.10, low=True),
    Figure("address", "chunks with an address", bar=100),
    Figure("unique", "chunks with one address", bar=100),
    Figure("ids", "ids kept after an insertion", bar=99),
    Figure("again", "embedded again after it", bar=5, low=True),
    Figure("each", "chunks new after it, a page", 1, "", bar=MOST_NEW, low=True),
    Figure("over", "chunks over the maximum", bar=0, low=True),
    Figure("small", "chunks under 20 tokens", low=True),
)
BY_KEY: Final[Mapping[str, Figure]] = {figure.key: figure for figure in FIGURES}


class Example(NamedTuple):
    """A fault: the page, how the text begins, and what happened to it."""

    page: str
    text: str
    what: str


@dataclass(slots=True)
class Count:
    """How many of how many, and the first faults."""

    counted: float = 0
    all: float = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, counted: float, of: float = 1) -> None:
        """Counts some more."""
        self.counted += counted
        self.all += of

    def fault(self, example: Example) -> None:
        """Keeps an example, unless there are enough or one of its page."""
        if self.wants(example.page):
            self.examples.append(example)

    def wants(self, page: str) -> bool:
        """Whether an example of this page would be kept."""
        return len(self.examples) < EXAMPLES and all(page != one.page for one in self.examples)


def value(figure: Figure, count: Count) -> float | None:
    """The figure's value; None where there was nothing to count."""
    return figure.scale * count.counted / count.all if count.all else None


def row(figure: Figure, count: Count) -> dict[str, Any]:
    """The public shape of a figure: its value, what was counted, and of how many."""
    found = value(figure, count)
    return {
        "value": None if found is None else round(found, 4),
        "count": count.counted,
        "of": count.all,
        "good": None if found is None or figure.bar is None else figure.good(found),
        "examples": [example._asdict() for example in count.examples],
    }
