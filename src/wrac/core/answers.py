"""What a question is answered from, and the answer: values as those of `types`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from wrac.core.types import Usage

Choice: TypeAlias = Literal["passages", "document", "corpus"]


class Way(NamedTuple):
    """What a model would read one way: tokens of input, and USD of the answer, None where no price is known."""

    tokens: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """What a question is answered from, why, and what each way would take.

    `reason` is one line with the figures that decided. `page` is the URL of the whole document that stands against the
    passages, empty where there is none; a way that was not weighed is None.
    """

    choice: Choice
    reason: str
    passages: Way
    document: Way | None = None
    corpus: Way | None = None
    page: str = ""


class Citation(NamedTuple):
    """A unit that an answer rests on. `mark` is how the answer's text writes it, `quote` what it quotes from it.

    `heading` is the headings above the unit on one line, the outermost first.
    """

    mark: str
    unit: str
    url: str
    name: str
    link: str
    quote: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, checked against what was sent.

    `citations` name only units that were sent. `uncited` are the code points `[start, end)` of sentences of `text` that
    cite nothing that was sent, `misquoted` of quotations that stand in no unit cited. `refused`: the evidence does not
    answer. `whole` is False where the answer broke off, for what `problem` says. `model` is empty where none was asked:
    `text` is the best units themselves then. `cached`: the answer was known, and `usage` is nothing. `run` names the
    answer and its search in the event log; `confidence` is that of the best passage, as in a `Result`.
    """

    text: str
    citations: tuple[Citation, ...]
    route: Route
    usage: Usage = Usage()  # noqa: RUF009 - a frozen value
    model: str = ""
    refused: bool = False
    whole: bool = True
    cached: bool = False
    uncited: tuple[tuple[int, int], ...] = ()
    misquoted: tuple[tuple[int, int], ...] = ()
    problem: str = ""
    run: str = ""
    confidence: float = 0.0
