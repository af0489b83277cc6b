"""The seam to language models: a question in, a reply out. Its fakes stand in `tests/fakes.py`."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from wrac.core.types import NOTHING, Usage


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: fixed instructions first (providers cache a repeated beginning), then the data.

    `grammar` (GBNF) and `schema` (JSON schema) describe the same answer; an endpoint is given the one it takes. `most`
    is the longest useful answer in tokens. `shared` is how the data begins in other questions too, for providers that
    want to be told what to keep.
    """

    instructions: str
    data: str
    grammar: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    most: int = 1024
    shared: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, and what it took; `whole` is False when the answer was cut.

    That is at its longest, by a provider's filter, or where it broke off, for what `problem` says.
    """

    text: str
    usage: Usage = Usage()  # noqa: RUF009 - a frozen value
    whole: bool = True
    problem: str = ""


class Model(Protocol):
    """Who answers. `name` is provider and model, such as `openai:gpt-4.1`; answers of another name are never reused."""

    @property
    def name(self) -> str: ...

    def ask(self, question: Question) -> Reply:
        """The answer. Raises RemoteError where there is none to be had, ConfigError for a wrong key or model."""
        ...


class Streaming(Model, Protocol):
    """Who answers piece by piece, too."""

    def stream(self, question: Question) -> Generator[str, None, Reply]:
        """The answer in pieces, none empty, as they come; at the end the reply, whose text is the pieces joined.

        Raises what `ask` raises before the first piece; where the answer breaks off later, the reply says so.
        """
        ...
