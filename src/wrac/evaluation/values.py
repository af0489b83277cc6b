"""The values of evaluation: data sets, what a strategy made of their pages, and how a ranking is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from wrac.core.types import NOTHING, Page, Usage

NO_USAGE = Usage()
Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points `[start, end)` of a page's source, ascending."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A block a good answer rests on, and the URLs of the pages it stands on verbatim.

    `start` and `end` are its code points in the page's source, -1 where the data set gives the text alone.
    """

    text: str
    pages: frozenset[str]
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its gold; `groups` are the ways results are broken down, such as company and type.

    `answers` are right answers, any of them, where the data set gives some.
    """

    id: str
    text: str
    gold: tuple[Gold, ...]
    groups: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    answers: tuple[str, ...] = ()


class Excluded(NamedTuple):
    """A query or a gold block of it, or a page in the query's stead, that is left out of the figures, and why."""

    query: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class DataSet:
    """Pages and queries; `root` is the folder they came from, where published artefacts may lie beside them.

    `masks` are texts that no search may see, such as a question that stands as a heading over its answer. `spans` says
    that gold is code points of the pages' sources (recall, precision and IoU by character), not blocks.
    """

    name: str
    root: Path
    pages: tuple[Page, ...]
    queries: tuple[Query, ...]
    masks: tuple[str, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    spans: bool = False


class Passage(NamedTuple):
    """What a reader is given (`text`, which budgets count) and what is searched (`indexed`).

    `ranges` are what it holds of the page's source, where the strategy knows; `page` is the page's URL; `above` is what
    stands above it, outermost first, where the strategy says.
    """

    page: str
    text: str
    indexed: str
    ranges: Ranges = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passages:
    """A strategy's passages over all pages, what models were paid for them, and counts worth knowing, by name."""

    items: tuple[Passage, ...]
    notes: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    usage: Usage = NO_USAGE


class Chunker(Protocol):
    """How is a site cut?"""

    @property
    def name(self) -> str: ...

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The passages of all pages, in page order. Raises WracError where the strategy cannot go on."""
        ...


class Judge(Protocol):
    """How good are rankings?"""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the figures, in the order `scores` gives them; higher is better for each but `tokens@k`."""
        ...

    @property
    def primary(self) -> tuple[str, ...]:
        """The few of `metrics` that a table shows unless it is asked for all."""
        ...

    def scores(
        self, queries: Sequence[Query], rankings: Sequence[Sequence[Passage]], passages: Sequence[Passage]
    ) -> list[tuple[float, ...]]:
        """The figures of each query; a ranking is best first and empty where nothing was found.

        `passages` are all that were searched: the best possible ranking is made of them.
        """
        ...


def name(page: str) -> str:
    """The page's file name without folder and suffix, white space folded, lower case: what gold is matched by.

    >>> name("zx-bank/html/ Awards  & Recognitions.html")
    'awards & recognitions'
    """
    return " ".join(page.replace("\\", "/").split("/")[-1].rsplit(".", 1)[0].split()).lower()
