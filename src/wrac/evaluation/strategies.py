"""Chunking strategies under test. A Chunker turns pages into Passages; search and scoring are the same for all.

Passages and not Chunks: what is compared here overlaps, cuts inside units or rewrites. Page-reading baselines read the
same parsed units as wrac does, so a row's difference is chunking and never parsing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from wrac.core.errors import ConfigError, InputError
from wrac.core.structure import trails
from wrac.core.types import NOTHING, Document, Page, Policy
from wrac.evaluation.datasets import DataSet, lines, name

JOIN = " > "


class Passage(NamedTuple):
    """What a reader is given (`text`, which the budget counts) and what is searched (`indexed`).

    `start`, `end` are code points in the page's own text where the strategy has them, else -1.
    """

    page: str
    text: str
    indexed: str
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Passages:
    """A strategy's passages over all pages, and what is worth knowing about them (counts by name)."""

    items: tuple[Passage, ...]
    notes: Mapping[str, float] = field(default_factory=lambda: NOTHING)


class Chunker(Protocol):
    """How is a site cut?"""

    @property
    def name(self) -> str: ...

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The passages of all pages, in page order."""
        ...


class Corpus:
    """Pages parsed once for all strategies that read them."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}

    def document(self, page: Page) -> Document:
        """The page's document."""
        from wrac.parsing import parse  # replaying published chunks needs no parser

        if page.id not in self._documents:
            self._documents[page.id] = parse(page)
        return self._documents[page.id]


def texts(document: Document) -> list[str]:
    """The units' texts in reading order, questions of accordions and hidden panels too; images and data left out."""
    return [document.text(place.ordinal) for place in document.places if document.unit(place.ordinal).kind != "image"]


def _headed(head: Iterable[str], body: str) -> str:
    line = JOIN.join(" ".join(part.split()) for part in head)
    return f"{line}\n{body}" if line and body else line or body


def _indexed(page: str, text: str) -> str:
    return f"{name(page)}\n{text}"


@dataclass(frozen=True, slots=True)
class Sections:
    """A passage from each heading to the next, under the texts of the headings above it."""

    corpus: Corpus
    name: str = "sections"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage a heading and one for text before the first; a heading without text of its own gives none."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        document = self.corpus.document(page)
        above = trails(document)
        for group in _sections(document):
            head = [*above[group[0]], *(i for i in group[:1] if _heading(document, i))]
            body = [i for i in group if not _heading(document, i)]
            if not body:
                continue
            text = _headed((document.text(i) for i in head), "\n".join(document.text(i) for i in body))
            yield Passage(page.url, text, _indexed(page.url, text))


def _heading(document: Document, ordinal: int) -> bool:
    return document.unit(ordinal).kind == "heading"


def _sections(document: Document) -> Iterator[list[int]]:
    group: list[int] = []
    for place in document.places:
        if group and _heading(document, place.ordinal):
            yield group
            group = []
        group.append(place.ordinal)
    if group:
        yield group


@dataclass(frozen=True, slots=True)
class Fixed:
    """Windows of `size` words, each repeating the last `overlap` words of the one before."""

    corpus: Corpus
    size: int = 375
    overlap: int = 75

    @property
    def name(self) -> str:
        return f"fixed-{self.size}/{self.overlap}"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """Windows over each page's words; the last window ends with the page."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        words = "\n".join(texts(self.corpus.document(page))).split()
        step = self.size - self.overlap
        for start in range(0, max(len(words) - self.overlap, 1), step):
            text = " ".join(words[start : start + self.size])
            if text:
                yield Passage(page.url, text, _indexed(page.url, text))


@dataclass(frozen=True, slots=True)
class WholePage:
    """Each page is one passage."""

    corpus: Corpus
    name: str = "whole page"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage a page that has text."""
        bodies = ((page.url, "\n".join(texts(self.corpus.document(page)))) for page in pages)
        return Passages(tuple(Passage(url, text, _indexed(url, text)) for url, text in bodies if text))


@dataclass(frozen=True, slots=True)
class Wrac:
    """wrac's own chunks by the rules planner: trail and text to the reader, the product's index entry to the search."""

    corpus: Corpus
    policy: Policy | None = None
    name: str = "wrac"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage an occurrence, in reading order."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        from wrac.chunking import chunk, entry
        from wrac.planning import plan

        document = self.corpus.document(page)
        policy = self.policy or Policy()
        for one in chunk(document, plan(document, policy), policy, page.url).chunks:
            text = _headed((document.units[unit].text for unit in one.trail), one.text)
            yield Passage(page.url, text, entry(document, one, page.url).text)


@dataclass(frozen=True, slots=True)
class Published:
    """Chunks that others published for these pages, replayed as they are."""

    path: Path
    name: str

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The published chunks of `pages`; rows for other pages are counted in the notes, never indexed."""
        known = {page.url for page in pages}
        items: list[Passage] = []
        notes: Counter[str] = Counter()
        for row in lines(self.path):
            if row.get("page") not in known:
                notes["rows of pages not in the set"] += 1
                continue
            if "plan" in row:
                notes.update(_plan_faults(row["units"], row["plan"]))
            items.extend(Passage(row["page"], text, _indexed(row["page"], text)) for text in row["chunks"])
        return Passages(tuple(items), notes)


def _plan_faults(units: Sequence[Mapping[str, str]], plan: Sequence[Sequence[str]]) -> Counter[str]:
    """What a published plan did to its units: given, dropped, repeated and unknown, in units and in words."""
    texts = {unit["id"]: unit["text"] for unit in units if any(c.isalnum() for c in unit["text"])}
    ids = {unit["id"] for unit in units}
    used = Counter(one for group in plan for one in group)
    dropped = [text for one, text in texts.items() if one not in used]
    return Counter({
        "units": len(texts),
        "units dropped": len(dropped),
        "words": sum(len(text.split()) for text in texts.values()),
        "words dropped": sum(len(text.split()) for text in dropped),
        "units in several groups": sum(1 for one in texts if used[one] > 1),
        "unknown ids": sum(1 for one in used if one not in ids),
    })  # fmt: skip


Make = Callable[[DataSet, Corpus], Chunker]
STRATEGIES: Mapping[str, Make] = {
    "wrac": lambda _, corpus: Wrac(corpus),
    "sections": lambda _, corpus: Sections(corpus),
    "fixed": lambda _, corpus: Fixed(corpus),
    "page": lambda _, corpus: WholePage(corpus),
    "agentic": lambda data, _: _replay(data, "agentic-gpt-4.1.jsonl", "agentic (published)"),
    "published": lambda data, _: _replay(data, "wrac-gpt-4.1.jsonl", "W-RAC (published)"),
}


def _replay(data: DataSet, file: str, title: str) -> Chunker:
    path = data.root / "published" / file
    if not path.is_file():
        raise InputError(str(path), "is absent", "leave the strategy out with --strategies")
    return Published(path, title)


def strategy(name: str, data: DataSet, corpus: Corpus) -> Chunker:
    """The strategy under that name. Raises ConfigError naming the known ones."""
    if name not in STRATEGIES:
        raise ConfigError(f"no strategy {name!r}; choose from {', '.join(STRATEGIES)}")
    return STRATEGIES[name](data, corpus)
