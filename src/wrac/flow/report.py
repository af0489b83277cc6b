"""What the flows give back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from wrac.core.types import NOTHING, Focus, Usage
from wrac.retrieval import Parts


class Progress(Protocol):
    """Told how far a stage is: `total` is None while nobody knows, `detail` is the page or what is waited for."""

    def __call__(self, stage: str, done: int, total: int | None, detail: str, /) -> None: ...


def silent(stage: str, done: int, total: int | None, detail: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source that is not in the index, and why."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run found and did.

    `pages` it found usable, with their `units` (places) and `chunks`; of these `unchanged` pages needed nothing and
    `added` were not there before. A crawl asked `requests` times, for robots.txt and sitemaps too. Of the texts to
    embed `embedded` were, `reused` were known; `saved`, of a refresh, are the tokens of chunks that were not embedded
    again. `gone` are pages that vanished from their folder or site; `unanswered`
    those that the rules planned because a model did not answer, which the next run tries again. `seconds` by stage:
    read, parse and plan (over all processes), embed, write, and total.
    """

    pages: int = 0
    units: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    unchanged: int = 0
    added: int = 0
    requests: int = 0
    saved: int = 0
    gone: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unanswered: tuple[Skipped, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: Mapping[str, float] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class ReplanReport:
    """What planning anew did. Of the `pages`, `changed` have other chunks than before, `kept` the same.

    The rest is as in an IndexReport.
    """

    pages: int = 0
    chunks: int = 0
    changed: int = 0
    kept: int = 0
    embedded: int = 0
    reused: int = 0
    skipped: tuple[Skipped, ...] = ()
    unanswered: tuple[Skipped, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: Mapping[str, float] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Result:
    """A found passage. `link` opens its page at the passage; `tokens` is the size of `markdown` under its trail.

    `score` ranks within one search, which `run` names in the event log; `parts` is what it is made of, where that was
    asked for. `confidence` in 0..1 compares across searches: how well the passage matches.
    """

    rank: int
    score: float
    chunk: str
    url: str
    link: str
    trail: tuple[str, ...]
    text: str
    markdown: str
    focus: tuple[Focus, ...]
    tokens: int
    pages: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    confidence: float = 0.0
    label: str = ""
    run: str = field(default="", compare=False)
    parts: Parts | None = None


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A unit of a shown chunk: `start` and `end` are the part of it that is in the chunk."""

    id: str
    kind: str
    name: str
    text: str
    start: int
    end: int
    address: Any


@dataclass(frozen=True, slots=True)
class Shown:
    """A chunk where it stands first, and every page it stands on."""

    chunk: str
    text: str
    markdown: str
    trail: tuple[str, ...]
    tokens: int
    url: str
    anchor: str
    link: str
    planner: str
    units: tuple[ShownUnit, ...]
    pages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at, what is wrong (nothing, when the workspace is sound), and the digest if it was asked for."""

    pages: int
    units: int
    chunks: int
    vectors: int
    problems: tuple[str, ...] = ()
    digest: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems
