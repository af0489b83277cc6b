"""A question to an answer: what it is answered from, who answers, and what of the answer holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple
from uuid import uuid4

from sqlalchemy import Connection

from wrac import catalog
from wrac.answering.asking import explained, refused
from wrac.answering.check import check
from wrac.answering.evidence import Evidence, evidence
from wrac.answering.extract import extract
from wrac.core.answers import Answer, Route, Way
from wrac.core.errors import ConfigError, WorkspaceError
from wrac.core.types import Event, Usage
from wrac.flow.answerers import Answerer
from wrac.flow.evidence import citations, of_blocks
from wrac.flow.gather import Gathered, Pages, assemble
from wrac.flow.search import Answered, Ask, rank, refuse_empty
from wrac.flow.sent import WAYS, Given, Sender, Sent, Wish
from wrac.flow.shelf import Shelf, unknown
from wrac.flow.talk import Talk, talking
from wrac.flow.watched import answering
from wrac.indexing import ALL
from wrac.llm.ledger import total
from wrac.observing import EventLog, event
from wrac.text.detection import detect

ASKED: Final = "ask"


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a question is to be answered: from what, for how many USD at most; `tell` is told the answer as it comes.

    Raises ConfigError for a way that there is not.
    """

    ask: Ask
    way: Wish = "auto"
    most: float | None = None
    tell: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise ConfigError(f"{self.way!r} is no way to answer; give one of {', '.join(WAYS)}")

    def limit(self, talk: Talk) -> float | None:
        """USD that the answer may cost: as said, or as its model's."""
        return talk.answerer.most if self.most is None else self.most


class _Found(NamedTuple):
    """What was found for a question: pages, passages where they were searched for, what a model is sent, and else the
    passages as evidence. All that is needed later is read.
    """

    pages: Pages
    gathered: Gathered | None = None
    sent: Sent | None = None
    evidence: Evidence | None = None

    @property
    def searched(self) -> Answered | None:
        """The search."""
        return self.gathered.answered if self.gathered is not None else None


def ask(shelf: Shelf, log: EventLog, told: Answerer | None, wanted: Wanted) -> Answer:
    """The answer of who was told, or else of who is remembered. Raises as `answer` does."""
    with talking(shelf.database, told) as talk:
        return answer(shelf, log, talk, wanted)


@answering
def answer(shelf: Shelf, log: EventLog, talk: Talk | None, wanted: Wanted) -> Answer:
    """The answer, which the log knows of. Raises ConfigError for what cannot be asked so, and what a model raises."""
    started = time.perf_counter()
    refuse_empty(wanted.ask.query)
    with shelf.database.read() as connection:
        found = _find(connection, shelf, talk, wanted, started)
    if found.sent is not None and talk is not None:
        made = _said(talk, found.pages, found.sent, wanted)
    else:
        made = _extracted(found, talk)
    run, confidence, events = uuid4().hex[:12], 0.0, list[Event]()
    if (searched := found.searched) is not None:
        run, events = searched.run, [*searched.events()]
        confidence = max((hit.confidence for hit in searched.results), default=0.0)
    made = replace(made, run=run, confidence=confidence)
    log.write([*events, _event(wanted.ask.query, made, time.perf_counter() - started)])
    return made


def _find(connection: Connection, shelf: Shelf, talk: Talk | None, wanted: Wanted, started: float) -> _Found:
    """What there is to answer from."""
    pages = Pages(connection)
    sender = _sender(connection, pages, talk, wanted)
    if wanted.way == "corpus" and sender is not None:
        return _Found(pages, sent=_whole(connection, shelf, sender, wanted))
    index = shelf.search(connection)
    ranking = rank(index, shelf.embedder, wanted.ask)
    fits = sender is not None and wanted.way != "document"  # which need not have room for passages, too
    gathered = (
        sender.fitted(ranking, started)
        if sender is not None and fits
        else assemble(connection, ranking, wanted.ask, started, pages)
    )
    if not gathered.context.blocks:
        unknown(index, wanted.ask.filters)
        return _Found(pages, gathered)
    if sender is None:
        return _Found(pages, gathered, evidence=evidence(of_blocks(pages, gathered.context.blocks)))
    return _Found(pages, gathered, sender.chosen(wanted.way, ranking, gathered))


def _sender(connection: Connection, pages: Pages, talk: Talk | None, wanted: Wanted) -> Sender | None:
    """Who chooses what a model is sent; None where there is none. Raises ConfigError where one is needed."""
    if talk is not None:
        sender = Sender(connection, pages, talk, wanted.ask, wanted.limit(talk))
        sender.refuse_long()
        return sender
    if wanted.way in ("document", "corpus"):
        option = "--whole" if wanted.way == "corpus" else "--way document"
        raise ConfigError(f"{option} needs a model to read it; give --model, such as openai:gpt-4.1")
    return None


def _whole(connection: Connection, shelf: Shelf, sender: Sender, wanted: Wanted) -> Sent:
    if wanted.ask.filters != ALL:
        raise ConfigError("--whole sends all pages; leave out --where")
    urls = catalog.urls(connection)
    if not urls:
        raise WorkspaceError(shelf.database.place, "it holds no page", "run `wrac index` first")
    return sender.corpus(urls)


# -- answers


def _extracted(found: _Found, talk: Talk | None) -> Answer:
    """The best units themselves; where there are none, nobody is asked and nothing is answered."""
    gathered = found.gathered
    if gathered is None or found.evidence is None:
        route = Route("passages", "nothing was found", Way(0))
        return Answer("", (), route, model=talk.name if talk else "", refused=True)
    best = ((hit.url, (one.unit for one in hit.focus)) for hit in gathered.answered.results)
    text, cited = extract(best, found.evidence)
    route = Route("passages", "no model is set", Way(gathered.context.tokens))
    return Answer(text, citations(found.pages, cited), route)


def _said(talk: Talk, pages: Pages, sent: Sent, wanted: Wanted) -> Answer:
    """What the model says; where it says that what it was sent does not answer, what it says the other way, once."""
    first = _heard(talk, pages, sent.first, sent.route, wanted)
    if not first.refused or sent.then is None:
        return first
    most, cost = wanted.limit(talk), talk.cost(sent.then.tokens)
    if most is not None and first.usage.cost + (cost or 0.0) > most:
        return first
    passages = sent.route.choice == "passages"
    why = f"the model says that the {'passages do' if passages else 'document does'} not answer"
    route = replace(sent.route, choice="document" if passages else "passages", reason=why)
    second = _heard(talk, pages, sent.then, route, wanted)
    return replace(second, usage=total((first.usage, second.usage)), cached=first.cached and second.cached)


def _heard(talk: Talk, pages: Pages, given: Given, route: Route, wanted: Wanted) -> Answer:
    """A reply as an answer: what of it holds."""
    sources = given.evidence.sources
    urls = {source.url for source in sources.values()}
    reply, known = talk.say(given.question, urls, wanted.tell or (lambda _: None))
    checked = check(reply.text, given.evidence, detect(reply.text))
    usage = Usage() if known else reply.usage
    if refused(reply.text, cites=bool(checked.cited)):
        text = explained(reply.text)
        return Answer(text, (), route, usage, talk.name, refused=True, cached=known)
    return Answer(
        reply.text, citations(pages, checked.cited), route, usage, talk.name, whole=reply.whole, cached=known,
        uncited=checked.uncited, misquoted=checked.misquoted, problem=reply.problem,
    )  # fmt: skip


def _event(query: str, answer: Answer, seconds: float) -> Event:
    """What the log should know of an answer; `cited` are units."""
    route = answer.route
    ways = {"passages": route.passages, "document": route.document, "corpus": route.corpus}
    weighed = {name: way._asdict() for name, way in ways.items() if way is not None}
    fields = {
        "query": query, "choice": route.choice, "reason": route.reason, "ways": weighed, "page": route.page,
        "model": answer.model, "refused": answer.refused, "whole": answer.whole, "cached": answer.cached,
        "cited": [one.unit for one in answer.citations], "cost": answer.usage.cost, "seconds": round(seconds, 4),
    }  # fmt: skip
    return event(ASKED, answer.run, fields)
