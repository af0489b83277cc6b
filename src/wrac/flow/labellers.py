"""Who labels a workspace's passages, and how a model is asked to: chosen once, remembered, opened for each run."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, fields, replace
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias, get_args

from wrac.catalog import Database
from wrac.catalog.memory import remember, remembered
from wrac.core.errors import ConfigError, MissingExtraError
from wrac.core.types import Document, Label
from wrac.flow.endpoints import endpoint, refuse
from wrac.flow.planners import Account, Memory, Planning, Silent
from wrac.flow.prepare import LABELLER
from wrac.labelling import LlmLabeller, Passages, Told
from wrac.llm.asking import Model
from wrac.llm.prices import Price

if TYPE_CHECKING:
    from wrac.llm.providers import Endpoint

By: TypeAlias = Literal["rules", "llm", "none"]
LABELLERS: Final[tuple[By, ...]] = get_args(By)
LABELLING: Final = "labelling"


@dataclass(frozen=True, slots=True)
class Labelling:
    """Who labels: `rules`; `llm`, a language model; or `none`.

    `model`, `base_url`, `price`, `most` and `parallel` are as for planning; without a `model` it is the planner's.
    Raises ConfigError for what makes no sense.
    """

    by: By = "rules"
    model: str = ""
    base_url: str = ""
    price: Price | None = None
    most: float | None = None
    parallel: int = 4

    def __post_init__(self) -> None:
        given = [one.name for one in fields(self)[1:] if getattr(self, one.name) != one.default]
        if given and self.by != "llm":
            raise ConfigError(f"{_option(given[0])} is for a language model; add --labels llm")
        refuse(self.model, self.base_url)

    @property
    def text(self) -> str:
        """All of it as JSON: what `recalled` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def endpoint(self) -> Endpoint:
        """Where the model is; a key for a `base_url` is read from the environment."""
        return endpoint(self.model, self.base_url, self.price, self.parallel)

    @property
    def name(self) -> str:
        """What labels of this kind are called."""
        if self.by == "llm":
            return LlmLabeller(Silent(self.endpoint.name), {}, LABELLER).name
        return LABELLER.name if self.by == "rules" else "none"


RULES: Final = Labelling()


class AskingLabels:
    """A model that is open for a run to label. Threads may ask at the same time.

    Raises ConfigError for a budget without a known price, MissingExtraError without the package that asks.
    """

    def __init__(self, labelling: Labelling, memory: Memory) -> None:
        if find_spec("pydantic_ai") is None:
            raise MissingExtraError("llm", "asking a language model")
        from wrac.llm.budget import Budget
        from wrac.llm.providers import Provider

        self._provider = Provider(labelling.endpoint)
        self._model: Model = Budget(self._provider, labelling.most)
        self._memory = memory
        self._free = threading.BoundedSemaphore(labelling.parallel)

    def labels(self, url: str, document: Document, passages: Passages, language: str) -> tuple[tuple[Label, ...], Told]:
        """A label for each passage of a page, and what was asked for them."""
        account = Account(self._model, self._memory, url, "label")
        with self._free:
            try:
                return LlmLabeller(account, account, LABELLER).ask(document, passages, url, language)
            finally:
                account.update({})  # of an answer that says nothing the cost remains

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the questions under way."""
        self._provider.close()


def settled(database: Database, told: Labelling | None, planning: Planning) -> Labelling:
    """What a run goes by: what it is told, else what the workspace remembers, else the rules.

    Raises ConfigError where the workspace remembers what this version cannot read, and for a model nobody named.
    """
    labelling = recalled(database) if told is None else told
    if labelling.by == "llm" and not labelling.model:
        labelling = replace(labelling, model=planning.model, base_url=planning.base_url, price=planning.price)
    if labelling.by == "llm" and not labelling.model:
        raise ConfigError("--labels llm needs --label-model, or a --planner that asks a model")
    return labelling


def recalled(database: Database) -> Labelling:
    """Who labels where a run is not told. Raises ConfigError where this version cannot read it."""
    with database.read() as connection:
        text = remembered(connection, LABELLING)
    if text is None:
        return RULES
    try:
        value = json.loads(text)
        return Labelling(**{**value, "price": value["price"] and Price(*value["price"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(
            "how this workspace is labelled was written by another version of wrac; give --labels"
        ) from error


def keep(database: Database, told: Labelling | None) -> None:
    """Remember who labels, for the runs to come."""
    if told is not None and told != recalled(database):
        with database.write() as connection:
            remember(connection, LABELLING, told.text)


def _option(name: str) -> str:
    """The option that says a field."""
    return {"most": "--label-max-cost", "parallel": "--parallel"}.get(name, f"--label-{name.replace('_', '-')}")
