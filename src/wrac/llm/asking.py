"""The seam to language models: a question in, a reply out. Its fakes stand in `tests/fakes.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from wrac.core.types import NOTHING, Usage


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: fixed instructions first (providers cache a repeated beginning), then the data.

    `grammar` (GBNF) and `schema` (JSON schema) describe the same answer; an endpoint is given the one it takes. `most`
    is the longest useful answer in tokens.
    """

    instructions: str
    data: str
    grammar: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    most: int = 1024


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, and what it took; `whole` is False when the answer was cut at its longest."""

    text: str
    usage: Usage = Usage()  # noqa: RUF009 - a frozen value
    whole: bool = True


class Model(Protocol):
    """Who answers. `name` is provider and model, such as `openai:gpt-4.1`; answers of another name are never reused."""

    @property
    def name(self) -> str: ...

    def ask(self, question: Question) -> Reply:
        """The answer. Raises RemoteError where there is none to be had, ConfigError for a wrong key or model."""
        ...
