"""What pages and a workspace's past show of the factors of an advice: sizes, questions, changes, prices paid."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Final

from sqlalchemy import Connection, select

from wrac.catalog import Database
from wrac.catalog.ledger import sums
from wrac.catalog.records import renderings
from wrac.catalog.schema import visits
from wrac.core.errors import ConfigError, InputError
from wrac.core.types import NOTHING, Event, Page
from wrac.fetching import READABLE, Skip
from wrac.flow.prepare import prepare_or_why
from wrac.flow.report import Progress, Skipped
from wrac.llm.tariffs import input_price
from wrac.planning.policies import Policies
from wrac.routing.economics import Origin, Source
from wrac.text.tokens import counter

DAY, WEEK, MONTH = 86_400.0, 7 * 86_400.0, 30 * 86_400.0
LEAST: Final = 20
"""Questions that were routed before their share is taken for a measure."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A number and whence it is."""

    value: float
    origin: Origin


def measure(value: float, note: str, source: Source = "measured") -> Measure:
    """A number that was measured."""
    return Measure(value, Origin(source, note))


@dataclass(frozen=True, slots=True)
class Corpus:
    """Tokens (o200k) of each document as its passages are rendered, by URL, and of all passages with what is above.

    `skipped` are sources that are no page.
    """

    documents: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    passages: int = 0
    passage_tokens: int = 0
    skipped: tuple[Skipped, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of all documents."""
        return sum(self.documents.values())

    @property
    def median(self) -> float:
        """Tokens of the document in the middle."""
        return median(self.documents.values()) if self.documents else 0.0

    @property
    def largest(self) -> tuple[str, int]:
        """The largest document and its tokens."""
        return max(self.documents.items(), key=lambda one: one[1], default=("", 0))

    def fitting(self, room: float) -> int:
        """How many documents are no larger than that."""
        return sum(tokens <= room for tokens in self.documents.values())

    def measures(self) -> dict[str, Measure]:
        """The factors that it shows."""
        if not self.tokens:
            return {}
        url, most = self.largest
        found = {
            "corpus_tokens": measure(self.tokens, f"{_plural(len(self.documents), 'document')} as rendered"),
            "document_tokens": measure(self.tokens / len(self.documents), f"mean; largest {most:,}: {url}"),
        }
        if self.passages:
            found["passage_tokens"] = measure(self.passage_tokens / self.passages, _plural(self.passages, "passage"))
        return found


def corpus_of(connection: Connection, progress: Progress) -> Corpus:
    """The corpus of a workspace."""
    return _corpus(renderings(connection), progress)


def corpus_at(found: Iterable[Page | Skip], progress: Progress) -> Corpus:
    """The corpus of pages, parsed, planned by rules and cut here. Raises InputError where there is no page."""
    skipped: list[Skipped] = []
    made = _corpus(_rendered(found, skipped), progress)
    if not made.documents:
        why = f": {skipped[0].reason}" if skipped else ""
        raise InputError("no page was found", f"nothing to count tokens of{why}", f"give {READABLE}")
    return Corpus(made.documents, made.passages, made.passage_tokens, tuple(skipped))


def _rendered(found: Iterable[Page | Skip], skipped: list[Skipped]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    policies = Policies()
    for page in found:
        made = page.reason if isinstance(page, Skip) else prepare_or_why(page, policies)
        if isinstance(made, str):
            skipped.append(Skipped(page.url, made))
        else:
            yield page.url, [(above, one.markdown) for above, one in zip(made.prefixes, made.occurrences, strict=True)]


def _corpus(found: Iterable[tuple[str, list[tuple[str, str]]]], progress: Progress) -> Corpus:
    count = counter("o200k").count
    documents: dict[str, int] = {}
    passages = above = 0
    for done, (url, parts) in enumerate(found, 1):
        documents[url] = sum(count(text) for _, text in parts) + max(len(parts) - 1, 0)  # a line end between two
        passages += len(parts)
        above += sum(count(prefix) for prefix, _ in parts)
        progress("count", done, None, url)
    return Corpus(documents, passages, sum(documents.values()) + above)


# -- what happened


def shown(database: Database, events: Iterable[Event], corpus: Corpus, now: float | None = None) -> dict[str, Measure]:
    """The factors that a workspace's past shows; what it has too little of is left out."""
    moment = time.time() if now is None else now
    past = [one for one in events if one.name in ("query", "ask", "plan")]  # hits are ten times as many
    with database.read() as connection:
        found = {**_asked(past, moment), **_changed(connection, past, moment), **_answered(connection)}
    if corpus.tokens:
        size = database.size()
        found["bytes_per_token"] = measure(size / corpus.tokens, f"{size:,} bytes of workspace")
    return found


def _asked(past: Iterable[Event], now: float) -> dict[str, Measure]:
    """Questions a day of the last 30 days, or since the first; their size, and how many wanted a whole document."""
    runs: dict[str, tuple[float, str]] = {}
    choices = []
    for one in past:
        if one.name in ("query", "ask") and now - one.at <= MONTH:
            runs.setdefault(one.run, (one.at, str(one.fields.get("query", ""))))
            choices += [one.fields["choice"]] if "choice" in one.fields else []
    if not runs:
        return {}
    count = counter("o200k").count
    told = _plural(len(runs), "question")
    found = {"question_tokens": measure(fmean(count(text) for _, text in runs.values()), f"the mean of {told}")}
    days = (now - min(at for at, _ in runs.values())) / DAY
    if days >= 1:
        found["queries_per_day"] = measure(len(runs) / days, f"{told} in {days:.0f} days, by the event log")
    if len(choices) >= LEAST:
        whole = sum(choice == "document" for choice in choices)
        found["whole_share"] = measure(whole / len(choices), f"{whole} of {_plural(len(choices), 'answer')}")
    return found


def _changed(connection: Connection, past: Iterable[Event], now: float) -> dict[str, Measure]:
    """Documents a week that were changed or new.

    Changes of crawled pages are those of their visits, of others those that were made anew by the log.
    """
    visited = list(connection.execute(select(visits)))
    crawled = {row.url for row in visited}
    changes = sum(row.changes for row in visited)
    since: dict[str, float] = {row.url: row.changed for row in visited if not row.changes}
    last: dict[str, str] = {}
    for one in past:
        if one.name == "plan" and "document" in one.fields:
            url, document = str(one.fields.get("url", "")), one.fields["document"]
            changes += url not in crawled and last.get(url, document) != document
            last[url] = document
            since[url] = min(one.at, since.get(url, one.at))
    end = now if last.keys() - crawled or not visited else max(row.checked for row in visited)
    first = min(since.values(), default=end)
    if end - first < DAY:
        return {}
    new = sum(at - first >= DAY for at in since.values())
    told = (
        f"{_plural(changes, 'change')}, {new:,} new of {len(crawled | last.keys()):,}, {(end - first) / DAY:.0f} days"
    )
    return {"changes_per_week": measure((changes + new) * WEEK / (end - first), told)}


def _answered(connection: Connection) -> dict[str, Measure]:
    """How long answers are, by the ledger."""
    paid = sums(connection, "purpose").get("answer")
    if paid is None or not paid.calls or not paid.output:
        return {}
    return {"output_tokens": measure(paid.output / paid.calls, f"the mean of {_plural(paid.calls, 'answer')}")}


# -- what is paid


def planning(database: Database, corpus: Corpus) -> dict[str, Measure]:
    """What planning was paid a million tokens of corpus, where a model planned, by the ledger.

    Raises ConfigError where nobody knows what it was paid.
    """
    with database.read() as connection:
        paid = sums(connection, "purpose").get("plan")
    if paid is None or not paid.calls or not corpus.tokens:
        return {}
    if not paid.cost:
        raise ConfigError(
            "a model of unknown price planned the pages; give --set plan-price=USD of a million tokens, 0 for your own"
        )
    return {"plan_price": measure(paid.cost * 1e6 / corpus.tokens, f"{paid.cost:.2f} USD, by the ledger")}


def embedding(name: str) -> Measure:
    """The price of an embedder by the name it was told by. Raises ConfigError where it is paid and nobody knows it."""
    kind = name.partition(":")[0]
    if kind != "openai":
        return measure(0.0, f"{kind} runs here" if kind.isidentifier() else "it runs here")
    name, elsewhere, _ = name.partition("@")
    listed = 0.0 if elsewhere else input_price(name)
    if not listed:
        raise ConfigError(
            f"no price is known for the embedder {name}; give --set embed-price=USD of a million tokens, 0 for your own"
        )
    return measure(listed, name, "listed")


def _plural(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"
