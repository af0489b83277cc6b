"""What a model is sent to answer from: the passages that fit, the document of the best one, or all there is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from sqlalchemy import Connection

from wrac.answering.asking import question
from wrac.answering.evidence import Evidence, Passage, evidence
from wrac.core.answers import Choice, Route, Way
from wrac.core.errors import ConfigError
from wrac.flow import route as routes
from wrac.flow.evidence import of_blocks, of_pages
from wrac.flow.gather import Gathered, Pages, assemble
from wrac.flow.search import Ask, Ranking
from wrac.flow.talk import AIR, Talk
from wrac.llm.asking import Question
from wrac.routing import Signals
from wrac.routing import route as routed

Wish: TypeAlias = Choice | Literal["auto"]
WAYS: Final[tuple[Wish, ...]] = ("auto", *get_args(Choice))

_SHRINK: Final = 0.97
"""How much less than what would fit is tried next: sizes of texts do not add up exactly."""
_NOT_WHOLE: Final = "ask without --whole"
_UNKNOWN: Final = "how much {} reads is not known; give --window TOKENS"


class Given(NamedTuple):
    """Evidence, the question that has it, and the question's tokens."""

    evidence: Evidence
    question: Question
    tokens: int


@dataclass(frozen=True, slots=True)
class Sent:
    """What a model is asked `first`, and why that; `then` is the other way, for where the first does not answer."""

    route: Route
    first: Given
    then: Given | None = None


class Sender:
    """Chooses what one question is sent with, to a model, for `most` USD."""

    def __init__(self, connection: Connection, pages: Pages, talk: Talk, ask: Ask, most: float | None) -> None:
        self._connection, self._pages, self._talk = connection, pages, talk
        self._ask, self._most = ask, most
        self._made: tuple[Gathered, Given] | None = None
        talk.afford(most)

    def refuse_long(self) -> None:
        """Nothing, where the window has room for the question and more. Raises ConfigError else."""
        frame = self._given(()).tokens
        if self._talk.room is not None and frame >= self._talk.room:
            raise ConfigError(
                f"the question takes {self._whole(frame):,} tokens with its instructions and an answer, the window of "
                f"{self._talk.name} is {self._window():,}; ask a shorter one, or choose a model that reads more"
            )

    def chosen(self, way: Wish, ranking: Ranking, gathered: Gathered) -> Sent:
        """The passages, the document of the best one, or what the search and the prices say.

        Raises ConfigError for what does not fit the window, and for what may cost too much.
        """
        passages = self._passages(gathered)
        fewer = gathered.answered.ask.budget
        note = f"; the window has room for {fewer:,} tokens of passages" if fewer != self._ask.budget else ""
        if way == "passages":
            return self._affordable(Sent(Route(way, f"as asked{note}", self._way(passages)), passages))
        if way == "document":
            page = gathered.answered.results[0].url
            document = self._given(of_pages(self._pages, [page]))
            self._fit(document, page, "ask with --way passages")
            route = Route(way, "as asked", self._way(passages), self._way(document), page=page)
            return self._affordable(Sent(route, document))
        signals = routes.read(self._pages, ranking, gathered)
        others = of_blocks(self._pages, routes.beside(gathered, signals.page))
        document = self._given([*of_pages(self._pages, [signals.page]), *others])
        return self._best(signals, passages, document, note)

    def _best(self, signals: Signals, passages: Given, document: Given, note: str) -> Sent:
        """What the search and the prices say; then the other way, where that says more."""
        sizes = replace(signals, passages=passages.tokens, document=document.tokens)
        found = routed(sizes, self._talk.cost, window=self._talk.room, most=self._most)
        if found.choice == "document" and self._talk.room is None:
            why = f"{found.reason}; but {_UNKNOWN.format(self._talk.name)}"
            found = replace(found, choice="passages", reason=why)
        if found.choice == "document":
            return Sent(found, document, passages if self._adds(passages, document) else None)
        found = replace(found, reason=found.reason + note)
        return self._affordable(Sent(found, passages, document if self._adds(document, passages) else None))

    def corpus(self, urls: Iterable[str]) -> Sent:
        """All pages, behind one beginning that all such questions share. Raises ConfigError where they do not fit."""
        listed, window, taken = list(urls), self._window(), 0
        for url in listed:
            taken += sum(chunk.tokens for chunk in self._pages.record(url).chunks)
            if taken > window:
                raise ConfigError(
                    f"the corpus is larger than the window of {self._talk.name}, {window:,} tokens; {_NOT_WHOLE}, or "
                    "choose a model that reads more"
                )
        given = self._given(of_pages(self._pages, listed), shared=True)
        self._fit(given, "the corpus", _NOT_WHOLE)
        return self._affordable(Sent(Route("corpus", "as asked", Way(0), corpus=self._way(given)), given))

    def fitted(self, ranking: Ranking, started: float) -> Gathered:
        """The passages of a ranking, fewer where the window has no room for as many as are asked for.

        Raises ConfigError where it has room for none.
        """
        gathered, room = self._assembled(ranking, self._ask.budget, started), self._talk.room
        if room is None or not gathered.context.blocks:
            return gathered
        frame = self._given(()).tokens
        while gathered.context.blocks:
            taken = self._passages(gathered).tokens
            if taken <= room:
                return gathered
            budget = int(gathered.context.tokens * (room - frame) / (taken - frame) * _SHRINK)
            gathered = self._assembled(ranking, budget, started)
        raise self._too_small(ranking, started)

    def _assembled(self, ranking: Ranking, budget: int | None, started: float) -> Gathered:
        return assemble(self._connection, ranking, replace(self._ask, budget=budget), started, self._pages)

    def _passages(self, gathered: Gathered) -> Given:
        """The passages of a context, made once."""
        if self._made is None or self._made[0] is not gathered:
            self._made = gathered, self._given(of_blocks(self._pages, gathered.context.blocks))
        return self._made[1]

    # -- limits

    def _given(self, passages: Iterable[Passage], *, shared: bool = False) -> Given:
        made = evidence(passages)
        asked = question(made, self._ask.query, self._talk.longest, shared=shared)
        return Given(made, asked, self._talk.size(asked))

    def _way(self, given: Given) -> Way:
        return Way(given.tokens, self._talk.cost(given.tokens))

    def _window(self) -> int:
        if self._talk.window is None:
            raise ConfigError(_UNKNOWN.format(self._talk.name))
        return self._talk.window

    def _fit(self, given: Given, what: str, instead: str) -> None:
        """Nothing, where it fits the window. Raises ConfigError with the figures where not, or where nobody knows."""
        window, room = self._window(), self._talk.room
        if room is not None and given.tokens > room:
            raise ConfigError(
                f"{what} takes {self._whole(given.tokens):,} tokens with the question and the answer, the window of "
                f"{self._talk.name} is {window:,}; {instead}, or choose a model that reads more"
            )

    def _too_small(self, ranking: Ranking, started: float) -> ConfigError:
        wanted = [one for one in ranking.found if one.entry not in ranking.strange]
        smallest = min(wanted, key=lambda one: ranking.rows[one.entry][0].tokens)
        gathered = self._assembled(replace(ranking, found=[smallest]), None, started)
        taken = self._whole(self._passages(gathered).tokens)
        return ConfigError(
            f"the smallest passage takes {taken:,} tokens with the question and the answer, the window of "
            f"{self._talk.name} is {self._window():,}; choose a model that reads more"
        )

    def _whole(self, tokens: int) -> int:
        """What of a window a question of so many tokens takes with its answer."""
        return int(tokens * AIR) + self._talk.longest

    def _affordable(self, sent: Sent) -> Sent:
        """What was chosen. Raises ConfigError where it may cost more than it may."""
        cost = self._talk.cost(sent.first.tokens)
        if self._most is not None and cost is not None and cost > self._most:
            raise ConfigError(
                f"an answer from {sent.first.tokens:,} tokens may cost {cost:.4f} USD, --max-cost is {self._most:g}; "
                "lower --budget or raise --max-cost"
            )
        return sent

    def _adds(self, more: Given, sent: Given) -> bool:
        """Whether something fits the window and says more than what was sent."""
        known = {(source.url, source.said.unit) for source in sent.evidence.sources.values()}
        new = any((source.url, source.said.unit) not in known for source in more.evidence.sources.values())
        return new and self._talk.room is not None and more.tokens <= self._talk.room
