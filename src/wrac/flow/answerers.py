"""Who answers a workspace's questions: a language model, told once and remembered."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Final

from wrac.catalog import Database
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import ConfigError
from wrac.flow.endpoints import endpoint, refuse
from wrac.llm.prices import Price

if TYPE_CHECKING:
    from wrac.llm.providers import Endpoint

ANSWERER: Final = "answerer"
PATIENCE: Final = 180.0
"""Seconds until the first piece of an answer, and between two: a model on a small machine reads long."""
ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class Answerer:
    """The model that answers; without a `model` nobody does, and the best units themselves are the answer.

    `model` is `provider:name`, with a `base_url` of OpenAI's protocol a name alone. `price` is what it costs, `window`
    how many tokens it reads and writes, both None for what is known of it. `most` is what an answer may cost in USD.
    Raises ConfigError for what makes no sense.
    """

    model: str = ""
    base_url: str = ""
    price: Price | None = None
    window: int | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        if not self.model and (given := [one.name for one in fields(self) if getattr(self, one.name) != one.default]):
            option = {"most": "--max-cost"}.get(given[0], f"--{given[0].replace('_', '-')}")
            raise ConfigError(f"{option} is for a language model; add --model, such as openai:gpt-4.1")
        if self.window is not None and self.window < 1:
            raise ConfigError(f"--window {self.window} makes no sense; give the tokens that the model reads and writes")
        if self.most is not None and not self.most >= 0:
            raise ConfigError(f"--max-cost {self.most} makes no sense; give USD from 0")
        refuse(self.model, self.base_url)

    @property
    def endpoint(self) -> Endpoint:
        """Where the model is; a key for a `base_url` is read from the environment."""
        found = endpoint(self.model, self.base_url, self.price)
        return replace(found, timeout=PATIENCE, attempts=ATTEMPTS, instead="read the passages: `wrac search`")


NOBODY: Final = Answerer()


def recalled(database: Database) -> Answerer:
    """Who was told last. Raises ConfigError where the workspace remembers what this version cannot read."""
    with database.read() as connection:
        text = remembered(connection, ANSWERER)
    return _read(text) if text else NOBODY


def keep(database: Database, told: Answerer) -> None:
    """Remember who answers from now on."""
    said = json.dumps(asdict(told), sort_keys=True)
    with database.read() as connection:
        known = remembered(connection, ANSWERER) == said
    if not known:
        with database.write() as connection:
            remember(connection, ANSWERER, said)


def _read(text: str) -> Answerer:
    try:
        value = json.loads(text)
        return Answerer(**{**value, "price": value["price"] and Price(*value["price"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError("who answers here was written by another version of wrac; give --model anew") from error
