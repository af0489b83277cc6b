"""Fakes of the seams: small, deterministic, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import Usage
from wrac.llm.asking import Question, Reply


class FakeEmbedder:
    """Hashed bags of words: texts that share words are near, equal texts are equal. Counts the texts it embedded."""

    def __init__(self, dimensions: int = 64, window: int = 256) -> None:
        self.name = f"bag-of-words-{dimensions}@1"
        self.dimensions = dimensions
        self.window = window
        self.embedded: list[str] = []

    def tokens(self, text: str) -> int:
        return len(_words(text)) + 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """float32 (n, dimensions), unit rows. Raises ValueError beyond the window, as the real one refuses it."""
        if not query:
            for text in texts:
                if self.tokens(text) > self.window:
                    raise ValueError(f"{self.tokens(text)} tokens, the window is {self.window}")
            self.embedded.extend(texts)
        rows = np.array([self._row(text) for text in texts], dtype=np.float64).reshape(len(texts), self.dimensions)
        return np.asarray(rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True)), dtype=np.float32)

    def _row(self, text: str) -> NDArray[np.float64]:
        row = np.full(self.dimensions, 1e-3)
        for word in _words(text):
            digest = blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            row[int.from_bytes(digest, "big") % self.dimensions] += 1
        return row


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


Answer: TypeAlias = str | Exception | Callable[[Question], str]


class FakeModel:
    """Answers with what it was given, in order, the last one for ever; keeps what it was asked.

    An answer is a text, a function of the question, or an exception that is raised.
    """

    name = "fake:model"
    priced = True

    def __init__(self, *answers: Answer, usage: Usage | None = None, whole: bool = True) -> None:
        self.asked: list[Question] = []
        self._answers, self._usage, self._whole = list(answers), usage or Usage(100, 0, 10, 1), whole

    def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer if isinstance(answer, str) else answer(question), self._usage, self._whole)

    def stream(self, question: Question) -> Generator[str, None, Reply]:
        """The same, word by word."""
        reply = self.ask(question)
        yield from re.findall(r"\S+\s*|\s+", reply.text)
        return reply


def units(question: Question) -> int:
    """How many units an outline shows."""
    return int(question.data.rsplit("\n", 1)[-1].split(" ", 1)[0].rpartition("-")[2])


def everything(question: Question) -> str:
    """The answer that puts all units into one group."""
    return f"1-{units(question)}"
