"""A model that answers: what it has room for, what an answer may cost, and what it said before."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from wrac.answering.asking import key, listen
from wrac.catalog import Database
from wrac.core.errors import ConfigError, MissingExtraError, WracError
from wrac.core.types import Usage
from wrac.flow.answerers import Answerer, keep, recalled
from wrac.flow.kept import Kept
from wrac.llm.asking import Question, Reply, Streaming
from wrac.llm.ledger import Spent
from wrac.llm.tariffs import tariff
from wrac.text.tokens import counter

if TYPE_CHECKING:
    from wrac.flow.planners import Memory

LONGEST: Final = 1024
"""Tokens of an answer at most; in a small window a quarter of it."""
AIR: Final = 1.15
"""Tokens are counted as `o200k`; a model may take so many times as many for the same text."""
PURPOSE: Final = "answer"


class Heard(NamedTuple):
    """A reply; what was `known` cost nothing."""

    reply: Reply
    known: bool = False


class Speaker(Streaming, Protocol):
    """A model whose `cost` in USD may be `priced`."""

    @property
    def priced(self) -> bool: ...


class Talk:
    """A model, as an answerer wants it asked. `memory` keeps answers and accounts."""

    def __init__(self, answerer: Answerer, model: Speaker, memory: Memory) -> None:
        self.answerer, self._model, self._memory = answerer, model, memory

    @property
    def name(self) -> str:
        """Provider and model."""
        return self._model.name

    @cached_property
    def window(self) -> int | None:
        """Tokens that the model reads and writes: as told, or as listed; None where nobody says it."""
        if self.answerer.window is not None or self.answerer.base_url:
            return self.answerer.window
        with suppress(ConfigError):
            return tariff(self.answerer.model).window or None
        return None

    @property
    def longest(self) -> int:
        """Tokens that an answer may take."""
        return LONGEST if self.window is None else max(min(LONGEST, self.window // 4), 1)

    @property
    def room(self) -> int | None:
        """Tokens that a question may take; None where no window is known."""
        return None if self.window is None else int((self.window - self.longest) / AIR)

    def size(self, question: Question) -> int:
        """Tokens of a question."""
        count = counter("o200k").count
        return count(question.instructions) + count(question.data)

    def cost(self, tokens: int) -> float | None:
        """USD of an answer to so many tokens, were it as long as it may be; None where no price is known."""
        if not self._model.priced:
            return None
        return self.answerer.endpoint.cost(Usage(tokens, 0, self.longest, 1))

    def afford(self, most: float | None) -> None:
        """Nothing, where a limit can be kept. Raises ConfigError for one where no price is known."""
        if most is not None and not self._model.priced:
            raise ConfigError(f"no price is known for {self.name}; give --price IN/OUT in USD per million tokens")

    def say(self, question: Question, urls: Iterable[str], tell: Callable[[str], None]) -> Heard:
        """The reply to a question with evidence from these pages, told as it comes; what is known is not asked again.

        Raises what asking a model raises, before the first piece.
        """
        under = key(question, self.name)
        if (kept := self._memory.recall(under)) is not None:
            return Heard(listen(_said(json.loads(kept)["text"]), tell), known=True)
        reply = self._asked(question, tell)
        found = {under: json.dumps({"text": reply.text, "pages": sorted(set(urls))})} if reply.whole else {}
        self._memory.keep(self.name, found, [self._spent(reply.usage)])
        return Heard(reply)

    def _asked(self, question: Question, tell: Callable[[str], None]) -> Reply:
        """What the model answers, with the problem where that is not whole, or nothing."""
        started = time.monotonic()
        try:
            reply = listen(self._model.stream(question), tell)
        except WracError:
            raise
        except BaseException:  # Ctrl-C, or nobody reads on: what was begun may be paid all the same
            self._memory.keep(self.name, {}, [self._spent(Usage(0, 0, 0, 1, round(time.monotonic() - started, 3)))])
            raise
        if reply.whole and not reply.text.strip():
            return replace(reply, whole=False, problem="has no word")
        cut = "" if reply.whole or reply.problem else f"was cut after {reply.usage.output:,} tokens"
        return replace(reply, problem=reply.problem or cut)

    def _spent(self, usage: Usage) -> Spent:
        return Spent(time.time(), PURPOSE, "-", "", self.name, usage)


@contextmanager
def talking(database: Database, told: Answerer | None) -> Iterator[Talk | None]:
    """The model of who was told, or else of who is remembered, open for a question; None where nobody answers.

    Who was told is remembered once the question is answered. Raises MissingExtraError without the package that asks.
    """
    answerer = recalled(database) if told is None else told
    if answerer.model:
        if find_spec("pydantic_ai") is None:
            raise MissingExtraError("llm", "asking a language model")
        from wrac.llm.providers import Provider

        with closing(Provider(answerer.endpoint)) as provider:
            yield Talk(answerer, provider, Kept(database))
    else:
        yield None
    if told is not None:
        keep(database, told)


def _said(text: str) -> Generator[str, None, Reply]:
    """An answer that is known, in one piece."""
    if text:
        yield text
    return Reply(text)
