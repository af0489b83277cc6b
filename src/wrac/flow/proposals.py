"""Pages whose chunks serve searches badly, what another policy for the page would change, and the change made.

A fault is seen in the log alone: searches that found a table or a list in pieces, passages that answer several
questions or were found bad, searches that found three and more passages of one section. What is proposed for it is
planned before it is said: a policy that changes no chunk is no proposal.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from wrac import catalog
from wrac.catalog import Record
from wrac.core.errors import NotFoundError
from wrac.core.types import Chunk, Span
from wrac.flow.page import Cut, Scope, preview, ruled, stored
from wrac.flow.remembered import Wish
from wrac.flow.report import ReplanReport
from wrac.flow.rows import language_of, trail_texts
from wrac.observing.columns import Events
from wrac.observing.statistics import counted, same, standing
from wrac.planning.compare import Change
from wrac.planning.policies import Policies, Rule
from wrac.text.analysis import analyse, query_terms
from wrac.text.bm25 import idf, saturation

if TYPE_CHECKING:
    from wrac.flow.workspace import Workspace

Fault: TypeAlias = Literal["table", "list", "questions", "coarse", "fine"]
PAGES: Final = 40
"""Pages that are looked at: those found bad, then those found most often."""
OFTEN: Final = 3
"""Searches that show a fault by themselves; one verdict "bad" does too."""
QUERIES: Final = 25
"""Queries that a preview answers: those asked most often."""
_LEAST: Final = 40  # tokens of a target, at least


class Seen(NamedTuple):
    """A fault of a page: in which chunks, counted from 0, and the searches that show it, by the number of their run."""

    fault: Fault
    chunks: frozenset[int]
    runs: frozenset[int]
    bad: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """What may be wrong with a page, in one line, and the fields of its policy that would mend it.

    `chunks` are the ids of those that show it, `searches` how many found them, of which `bad` were found bad.
    """

    url: str
    title: str
    fault: Fault
    said: str
    changes: Mapping[str, Any]
    chunks: tuple[str, ...]
    searches: int
    bad: int


class First(NamedTuple):
    """The passage that a query finds first on a page, and the share of the query's terms in it; None for none."""

    chunk: Chunk
    held: float


class Answer(NamedTuple):
    """A logged query, how often it was asked, and what it finds first on the page before and after."""

    query: str
    searches: int
    before: First | None
    after: First | None


@dataclass(frozen=True, slots=True)
class Preview:
    """A page as it is and as it would be: the boundaries that differ, chunks that stay, what logged queries find."""

    before: Cut
    after: Cut
    changes: tuple[Change, ...]
    kept: int
    answers: tuple[Answer, ...]

    @property
    def tokens(self) -> tuple[float, float]:
        """Tokens of the passage that is found first, on average over the searches, before and after."""
        return self._mean(lambda one: float(one.chunk.tokens))

    @property
    def held(self) -> tuple[float, float]:
        """The share of a query's terms in it, likewise."""
        return self._mean(lambda one: one.held)

    def _mean(self, figure: Callable[[First], float]) -> tuple[float, float]:
        """The figure before and after, over the searches of queries that find something both times."""
        both = [(one.searches, one.before, one.after) for one in self.answers if one.before and one.after]
        weight = sum(searches for searches, *_ in both) or 1
        old = sum(searches * figure(before) for searches, before, _ in both)
        return old / weight, sum(searches * figure(after) for searches, _, after in both) / weight


def proposals(workspace: Workspace, events: Events) -> list[Proposal]:
    """What events say of how pages are cut: the most serious first."""
    found: list[Proposal] = []
    with workspace.database.read() as connection:
        stored_now = set(catalog.urls(connection))
    ranked = sorted(counted(events, "url"), key=lambda one: (-one.bad, -one.hits, one.name))
    for page in [one for one in ranked if one.name in stored_now][:PAGES]:
        record = workspace.record(page.name)
        made = (_proposal(workspace, record, seen) for seen in _seen(record, events))
        found += (one for one in made if one is not None)
    return sorted(found, key=lambda one: (-one.bad, -one.searches, one.url, one.fault))


def look(workspace: Workspace, record: Record, changes: Mapping[str, Any], events: Events) -> Preview:
    """The page under a policy with some fields changed, and what queries that found the page would find in it.

    Raises ConfigError for a policy that makes no sense.
    """
    before = stored(record)
    after = preview(workspace, record, Wish(_changed(workspace, record, changes, "page")))
    kept = {one.id for one in before.chunks} & {one.id for one in after.chunks}
    answers = _answers(record, before, after, _queries(events, record.page.url))
    return Preview(before, after, before.changes(after), len(kept), tuple(answers))


def adjust(
    workspace: Workspace, record: Record, changes: Mapping[str, Any], *, scope: Scope = "page", wait: float = 60.0
) -> ReplanReport:
    """Give the page, or all of its type, a policy with some fields changed, and plan these pages anew.

    Raises ConfigError for a policy that makes no sense, BusyError when another process writes for `wait` seconds.
    """
    pages = [record.page.url] if scope == "page" else []
    policies = _changed(workspace, record, changes, scope)
    return workspace.replan(policy=policies, pages=pages, workers=0 if pages else None, wait=wait)


def take_back(workspace: Workspace, url: str, *, wait: float = 60.0) -> ReplanReport:
    """Plan a page as if it had no rule of its own.

    Raises NotFoundError where it has none, BusyError as `adjust` does.
    """
    policies = workspace.remembered().policies or Policies()
    rest = replace(policies, sites=tuple(rule for rule in policies.sites if rule.match != url))
    if rest == policies:
        raise NotFoundError(workspace.place, f"no policy is for {url} alone", "see the pages that have one")
    return workspace.replan(policy=rest, pages=[url], workers=0, wait=wait)


def own_rules(policies: Policies | None) -> tuple[Rule, ...]:
    """The rules that are for one page each."""
    return tuple(rule for rule in policies.sites if "*" not in rule.match) if policies else ()


def _changed(workspace: Workspace, record: Record, changes: Mapping[str, Any], scope: Scope) -> Policies:
    policies = workspace.remembered().policies or Policies()
    url, document = record.page.url, record.document
    return ruled(policies, document, url, replace(policies.of(url, document), **changes), scope)


# -- faults -----------------------------------------------------------------------------------------------------------


def _seen(record: Record, events: Events) -> list[Seen]:
    """The faults that searches show on a page."""
    cut, found = stored(record), _found(record, events)
    judged = _judged(record, events)
    spans = chain(_pieces(cut, "table", "table"), _pieces(cut, "list", "list"))
    suspects: list[tuple[Fault, frozenset[int], int]] = [
        *((fault, pieces, 2) for fault, pieces in spans),
        *(("questions", frozenset({at}), 1) for at in _asking(cut)),
        *(("coarse", frozenset({at}), 1) for at, one in enumerate(cut.chunks) if one.tokens > record.policy.target),
        *(("fine", section, 3) for section in _sections(cut)),
    ]
    seen = []
    for fault, chunks, least in suspects:
        bad = sum(judged[at] for at in chunks)
        runs = frozenset(run for run, hits in found.items() if len(hits & chunks) >= least)
        if bad or (len(runs) >= OFTEN and fault != "coarse"):
            seen.append(Seen(fault, chunks, runs, bad))
    return _merged(seen)


def _merged(seen: Iterable[Seen]) -> list[Seen]:
    """One of each fault."""
    by: defaultdict[Fault, list[Seen]] = defaultdict(list)
    for one in seen:
        by[one.fault].append(one)
    return [
        Seen(
            fault,
            frozenset(chain.from_iterable(one.chunks for one in of)),
            frozenset(chain.from_iterable(one.runs for one in of)),
            sum(one.bad for one in of),
        )
        for fault, of in by.items()
    ]


def _found(record: Record, events: Events) -> Mapping[int, frozenset[int]]:
    """For each search that found chunks of the page as it is cut now which these are, counted from 0."""
    positions = {events.number(one.id): at for at, one in enumerate(record.chunks)}
    rows = events["hit"][events["hit"]["url"] == events.number(record.page.url)]
    found: defaultdict[int, set[int]] = defaultdict(set)
    for run, chunk in zip(rows["run"].tolist(), rows["chunk"].tolist(), strict=True):
        if chunk in positions:
            found[run].add(positions[chunk])
    return {run: frozenset(hits) for run, hits in found.items()}


def _judged(record: Record, events: Events) -> Counter[int]:
    """How many verdicts on each chunk of the page are bad."""
    rows = standing(events)
    bad = Counter(rows["chunk"][rows["verdict"] < 0].tolist())
    return Counter({at: bad[events.number(one.id)] for at, one in enumerate(record.chunks)})


def _pieces(cut: Cut, fault: Fault, kind: str) -> Iterator[tuple[Fault, frozenset[int]]]:
    """The chunks of each outermost span of a kind that is in several."""
    for span in cut.document.spans:
        if span.kind == kind and not _inside(cut.document.spans, span, kind):
            pieces = frozenset(at for ordinal in range(span.first, span.last + 1) for at in cut.of.get(ordinal, ()))
            if len(pieces) > 1:
                yield fault, pieces


def _inside(spans: Sequence[Span], span: Span, kind: str) -> bool:
    """Whether a span is in another of the kind."""
    while span.parent >= 0:
        span = spans[span.parent]
        if span.kind == kind:
            return True
    return False


def _asking(cut: Cut) -> Iterator[int]:
    """The chunks that answer several questions."""
    document = cut.document
    openers = {span.first for span in document.spans if span.kind == "qa"}
    for at, occurrence in enumerate(cut.occurrences):
        asked = [o for o in occurrence.ordinals if o in openers or document.unit(o).kind == "question"]
        if len(asked) > 1:
            yield at


def _sections(cut: Cut) -> Iterator[frozenset[int]]:
    """The chunks of each section that has no section in it and becomes three and more."""
    spans = cut.document.spans
    outer = {span.parent for span in spans if span.kind == "section"}
    for number, span in enumerate(spans):
        if span.kind == "section" and number not in outer:
            inside = frozenset(at for ordinal in range(span.first, span.last + 1) for at in cut.of.get(ordinal, ()))
            if len(inside) > 2:
                yield inside


_SAID: Final[Mapping[Fault, str]] = {
    "table": "A table is cut into {chunks} chunks, and searches find pieces of it.",
    "list": "A list is cut into {chunks} chunks, and searches find pieces of it.",
    "questions": "Chunks answer several questions each.",
    "coarse": "Long chunks were found bad.",
    "fine": "A section is cut into {chunks} chunks, and searches find three and more of them.",
}


def _mends(record: Record, fault: Fault) -> Mapping[str, Any]:
    """The fields of the page's policy that would mend a fault."""
    policy = record.policy
    if fault == "table":
        return {"whole_tables": True}
    if fault == "list":
        return {"whole_lists": True}
    if fault == "questions":
        return {"one_question": True}
    target = max(policy.target // 2, _LEAST) if fault == "coarse" else min(policy.target * 2, policy.maximum)
    return {"target": target, "prose": min(target, policy.prose) if fault == "coarse" else target}


def _proposal(workspace: Workspace, record: Record, seen: Seen) -> Proposal | None:
    """What would mend a fault; None where it would change no chunk."""
    changes = _mends(record, seen.fault)
    after = preview(workspace, record, Wish(_changed(workspace, record, changes, "page")))
    if [one.id for one in after.chunks] == [one.id for one in record.chunks]:
        return None
    return Proposal(
        url=record.page.url,
        title=record.document.title,
        fault=seen.fault,
        said=_SAID[seen.fault].format(chunks=len(seen.chunks)),
        changes=changes,
        chunks=tuple(record.chunks[at].id for at in sorted(seen.chunks)),
        searches=len(seen.runs),
        bad=seen.bad,
    )


# -- what queries would find ------------------------------------------------------------------------------------------


def _queries(events: Events, url: str) -> list[tuple[str, int]]:
    """The queries whose searches found a page, as they were written first, and how often; the most frequent first."""
    hits, asked = events["hit"], events["query"]
    runs = hits["run"][hits["url"] == events.number(url)]
    written: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for number in asked["query"][np.isin(asked["run"], runs)].tolist():
        counts[written.setdefault(same(events.texts[number]), events.texts[number])] += 1
    return counts.most_common(QUERIES)


def _answers(record: Record, before: Cut, after: Cut, queries: Sequence[tuple[str, int]]) -> Iterator[Answer]:
    """What each query finds first, by BM25 among the page's own chunks."""
    language = language_of(record)
    old, new = _Terms(before, language), _Terms(after, language)
    for query, searches in queries:
        wanted = query_terms(query, [language])
        yield Answer(query, searches, old.first(wanted), new.first(wanted))


class _Terms:
    """The terms of a page's chunks, each under its headings."""

    def __init__(self, cut: Cut, language: str) -> None:
        self._chunks = cut.chunks
        texts = ("\n".join((*trail_texts(cut.document, one), one.text)) for one in cut.chunks)
        self._terms = [Counter(analyse(text, language)) for text in texts]
        self._sizes = [one.total() for one in self._terms]
        self._holding = Counter(term for one in self._terms for term in one)

    def first(self, wanted: Sequence[str]) -> First | None:
        """The chunk with the highest score; None where none holds a term."""
        scores = [self._score(at, wanted) for at in range(len(self._chunks))]
        best = max(range(len(scores)), key=scores.__getitem__, default=0)
        if not scores or not scores[best]:
            return None
        terms = set(wanted)
        return First(self._chunks[best], len(terms & self._terms[best].keys()) / len(terms))

    def _score(self, at: int, wanted: Sequence[str]) -> float:
        count, terms = len(self._terms), self._terms[at]
        average = sum(self._sizes) / count
        return sum(
            idf(count, self._holding[term]) * saturation(terms[term], self._sizes[at], average)
            for term in set(wanted)
            if term in terms
        )
