"""A model with a limit on what it may cost: once the money is spent, nothing more is asked."""

from __future__ import annotations

import threading
from typing import Final, Protocol

from wrac.core.errors import ConfigError
from wrac.llm.asking import Model, Question, Reply

SMALLEST: Final = 1e-9


class Priced(Model, Protocol):
    """A model that says whether the `cost` of its replies is known; where it is not, they say 0."""

    @property
    def priced(self) -> bool: ...


class Budget:
    """A model that may cost `most` USD in all, None for any sum. Threads may ask at the same time.

    A question is refused when what is spent, and the dearest reply so far for it and for each question under way, would
    exceed the budget: only a question dearer than all before it can go beyond, and only by itself.
    """

    def __init__(self, model: Priced, most: float | None = None) -> None:
        if most is not None and not most >= 0:
            raise ConfigError(f"a budget of {most} USD makes no sense; give --max-cost a number from 0")
        if most is not None and not model.priced:
            raise ConfigError(f"no price is known for {model.name}; give --price IN/OUT in USD per million tokens")
        self.most = most
        self.spent = 0.0
        self.refused = 0
        self._model = model
        self._dearest = 0.0
        self._open = 0
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's own: a budget changes no answer."""
        return self._model.name

    @property
    def priced(self) -> bool:
        """Whether `spent` is what was spent."""
        return self._model.priced

    def ask(self, question: Question) -> Reply:
        """The model's answer. Raises ConfigError once the budget is spent, and what the model raises."""
        self._reserve()
        cost = 0.0
        try:
            reply = self._model.ask(question)
            cost = reply.usage.cost
            return reply
        finally:
            self._settle(cost)

    def _reserve(self) -> None:
        with self._lock:
            if self.most is not None:
                due = self.spent + self._dearest * (self._open + 1)
                if self.spent >= self.most or due > self.most + SMALLEST:
                    self.refused += 1
                    raise ConfigError(
                        f"{self.name}: the budget of {self.most:g} USD is spent ({self.spent:.4f}); raise --max-cost"
                    )
            self._open += 1

    def _settle(self, cost: float) -> None:
        with self._lock:
            self._open -= 1
            self.spent += cost
            self._dearest = max(self._dearest, cost)
