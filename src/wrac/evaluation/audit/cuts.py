"""What a strategy makes of one page, and what it took: the pieces that are judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from wrac.chunking import Chunked, chunk, entry
from wrac.core.errors import WracError
from wrac.core.types import Document, Page, Plan, Policy
from wrac.evaluation.strategies import Corpus, strategy
from wrac.evaluation.strategies.peers import Peer
from wrac.evaluation.values import Chunker, DataSet
from wrac.flow.rows import trail_texts
from wrac.parsing import parse
from wrac.planning import plan

T = TypeVar("T")
WARM = Page("warm-up.html", b"<title>a</title><h1>b</h1><p>c</p><table><tr><th>d<tr><td>e</table><pre>f</pre>")
"""A page to start with."""


class Piece(NamedTuple):
    """One passage: its `text`, the same with its metadata (`context`), as a reader gets it (`shown`) and as it is
    embedded (`indexed`). Passages of one `key` are stored once.
    """

    text: str
    context: str
    shown: str
    indexed: str
    key: str


class Made(NamedTuple):
    """What wrac made of a page on the way to its pieces."""

    document: Document
    plan: Plan
    chunked: Chunked


@dataclass(frozen=True, slots=True)
class Cut:
    """The pieces of one page in order, and processor and wall seconds; `failed` says why there are none.

    `made` is wrac's alone.
    """

    pieces: tuple[Piece, ...] = ()
    cpu: float = 0.0
    wall: float = 0.0
    failed: str = ""
    made: Made | None = field(default=None, repr=False)


class Cutter(Protocol):
    """A strategy that cuts one page at a time."""

    @property
    def name(self) -> str: ...

    def cut(self, page: Page) -> Cut:
        """The page's pieces; a page that cannot be cut says why."""
        ...


@dataclass(frozen=True, slots=True)
class Ours:
    """wrac: parse, plan, chunk, and the rendering that a search result is read as."""

    policy: Policy
    name: str = "wrac"

    def cut(self, page: Page) -> Cut:
        """A piece an occurrence. Its context is the trail and its text; it is shown as Markdown under its trail."""
        made, cut = clocked(lambda: self._make(page), WracError)
        if made is None:
            return cut
        return replace(cut, pieces=tuple(_pieces(made, page.url)), made=made)

    def _make(self, page: Page) -> Made:
        document = parse(page)
        planned = plan(document, self.policy)
        return Made(document, planned, chunk(document, planned, self.policy, page.url))


def _pieces(made: Made, url: str) -> list[Piece]:
    document, result = made.document, []
    for one, occurrence in zip(made.chunked.chunks, made.chunked.occurrences, strict=True):
        heads = trail_texts(document, one)
        context = "\n".join([*heads, one.text])
        shown = f"{' > '.join(heads)}\n{occurrence.markdown}" if heads else occurrence.markdown
        result.append(Piece(one.text, context, shown, entry(document, one, url).text, one.id))
    return result


@dataclass(frozen=True, slots=True)
class Theirs:
    """A strategy of the evaluation, one page at a time. What it indexes counts as text and metadata."""

    chunker: Chunker

    @property
    def name(self) -> str:
        return self.chunker.name

    def cut(self, page: Page) -> Cut:
        """A piece a passage; empty ones are left out. Others' code may raise anything: such a page counts as failed."""
        if isinstance(self.chunker, Peer):
            with suppress(WracError):  # a page that cannot be read fails below, as any other
                self.chunker.corpus.document(page)  # which tells the encoding: no part of a peer's time
        made, cut = clocked(lambda: self.chunker.passages([page]), Exception)
        if made is None:
            return cut
        found = [one for one in made.items if one.text.strip()]
        pieces = (Piece(one.text, one.indexed, one.text, one.text, f"{page.url} {i}") for i, one in enumerate(found))
        return replace(cut, pieces=tuple(pieces))


def clocked(work: Callable[[], T], faults: type[Exception]) -> tuple[T | None, Cut]:
    """What the work gave and its seconds; None and the reason where it raised one of these faults."""
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        result = work()
    except faults as error:
        return None, Cut(failed=str(error) if isinstance(error, WracError) else f"{type(error).__name__}: {error}")
    return result, Cut(cpu=time.process_time() - cpu, wall=time.perf_counter() - wall)


def theirs(named: str | Chunker) -> Theirs:
    """A strategy or the one under that name, warmed up: what it needs is there, and imports are no part of its time.

    Raises ConfigError for an unknown name, MissingExtraError for a peer that is not installed, InputError for one that
    only replays what others published.
    """
    chunker = strategy(named, DataSet("audit", Path(), (), ()), Corpus()) if isinstance(named, str) else named
    chunker.passages([WARM])
    return Theirs(chunker)
