"""Who plans a workspace's pages, and how a language model is asked: chosen once, remembered, opened for each run."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Protocol, Self, TypeAlias, get_args
from urllib.parse import urlsplit

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.types import Document, Plan, Policy
from wrac.flow.endpoints import endpoint, refuse
from wrac.llm.asking import Model, Question, Reply
from wrac.llm.ledger import Answers, Spent
from wrac.llm.prices import Price
from wrac.planning import RulesPlanner
from wrac.planning.answers import Form
from wrac.planning.cascade import THRESHOLD
from wrac.planning.llm import Asked, LlmPlanner
from wrac.text.tokens import counter

if TYPE_CHECKING:
    from wrac.llm.providers import Endpoint

Who: TypeAlias = Literal["rules", "llm", "cascade"]
PLANNERS: Final[tuple[Who, ...]] = get_args(Who)


@dataclass(frozen=True, slots=True)
class Planning:
    """Who plans: `rules`; `llm`, a language model; or `cascade`, the model where the rules are unsure.

    `model` is `provider:name`, with a `base_url` of OpenAI's protocol a name alone. `most` is what one run may cost in
    USD, `price` what the model costs, `parallel` how many pages are asked about at once. With `fallback` the rules plan
    what the model does not answer; without, its error ends the run. Raises ConfigError for what makes no sense.
    """

    who: Who = "rules"
    model: str = ""
    base_url: str = ""
    form: Form = "ranges"
    price: Price | None = None
    most: float | None = None
    parallel: int = 4
    fallback: bool = True

    def __post_init__(self) -> None:
        if self.who == "rules":
            if given := [one.name for one in fields(self) if getattr(self, one.name) != one.default]:
                raise ConfigError(f"{_option(given[0])} is for a language model; add --planner llm or cascade")
        elif not self.model:
            raise ConfigError(
                f"--planner {self.who} needs --model, such as openai:gpt-4.1, or --base-url URL --model NAME"
            )
        refuse(self.model, self.base_url)

    @property
    def text(self) -> str:
        """All of it as JSON: what `read_planning` reads."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def endpoint(self) -> Endpoint:
        """Where the model is; a key for a `base_url` is read from the environment."""
        return endpoint(self.model, self.base_url, self.price, self.parallel)

    def name(self, policy: Policy) -> str:
        """What plans of this planner under a policy are called."""
        rules = RulesPlanner(policy, counter(policy.tokenizer))
        return rules.name if self.who == "rules" else self.planner(rules, Silent(self.endpoint.name), {}).name

    def planner(self, rules: RulesPlanner, model: Model, known: Answers) -> LlmPlanner:
        """The planner that asks the model."""
        return LlmPlanner(rules, model, known, self.form, THRESHOLD if self.who == "cascade" else None, self.fallback)


RULES: Final = Planning()


def read_planning(text: str) -> Planning:
    """The planning that `Planning.text` gave."""
    value = json.loads(text)
    return Planning(**{**value, "price": value["price"] and Price(*value["price"])})


class Memory(Protocol):
    """Where answers and accounts are kept. Threads may call at the same time."""

    def recall(self, key: str) -> str | None:
        """The answer under a key; None when there is none."""
        ...

    def keep(self, model: str, found: Mapping[str, str], spent: Sequence[Spent]) -> None:
        """Keep a model's answers and what they cost, all or nothing."""
        ...


class Passing:
    """A memory that ends with the process."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}
        self.spent: list[Spent] = []

    def recall(self, key: str) -> str | None:
        return self.answers.get(key)

    def keep(self, model: str, found: Mapping[str, str], spent: Sequence[Spent]) -> None:  # noqa: ARG002 - the seam
        self.answers.update(found)
        self.spent += spent


class Account:
    """A model as one page asks it, and the answers known to it: an answer and its cost are kept together."""

    def __init__(self, model: Model, memory: Memory, url: str, purpose: str = "plan") -> None:
        self.name = model.name
        self._model, self._memory, self._url, self._purpose = model, memory, url, purpose
        self._due: list[Spent] = []

    def ask(self, question: Question) -> Reply:
        reply = self._model.ask(question)
        self._due.append(Spent(time.time(), self._purpose, site(self._url), self._url, self.name, reply.usage))
        return reply

    def get(self, key: str) -> str | None:
        return self._memory.recall(key)

    def update(self, found: Mapping[str, str]) -> None:
        due, self._due = self._due, []
        if found or due:
            self._memory.keep(self.name, found, due)


class Silent:
    """A model that is not asked, and says why."""

    def __init__(self, name: str, reason: str = "") -> None:
        self.name, self._reason = name, reason

    def ask(self, question: Question) -> Reply:  # noqa: ARG002 - the seam
        raise RemoteError(self.name, self._reason)


class Asking:
    """A model that is open for a run; with a `silence` it is not asked, for that reason, and known answers are used.

    Threads may plan at the same time.

    Raises ConfigError for a budget without a known price, MissingExtraError without the package that asks.
    """

    def __init__(self, planning: Planning, memory: Memory, silence: str = "") -> None:
        if find_spec("pydantic_ai") is None:
            raise MissingExtraError("llm", "asking a language model")
        from wrac.llm.budget import Budget
        from wrac.llm.providers import Provider

        self.planning = planning
        self._provider = Provider(planning.endpoint)
        self._model: Model = Budget(self._provider, planning.most)
        if silence:
            self._model = Silent(self._provider.name, silence)
        self._memory = memory
        # More questions than that would wait behind one another, each with its share of the budget.
        self._free = threading.BoundedSemaphore(planning.parallel)

    def plan(self, url: str, document: Document, policy: Policy) -> tuple[Plan, Asked]:
        """The plan of a page and what was asked for it. Raises as `LlmPlanner.ask`."""
        account = Account(self._model, self._memory, url)
        rules = RulesPlanner(policy, counter(policy.tokenizer))
        with self._free:
            try:
                return self.planning.planner(rules, account, account).ask(document)
            finally:
                account.update({})  # of an answer that says nothing the cost remains

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the questions under way."""
        self._provider.close()


def site(url: str) -> str:
    """The host of a URL, or the first folder of a path; "-" where there is none.

    >>> site("https://docs.example.com/a"), site("site/de/a.html"), site("a.html")
    ('docs.example.com', 'site', '-')
    """
    host = urlsplit(url).netloc.rpartition("@")[2] if "://" in url else ""
    return host or (url.strip("/").partition("/")[0] if "/" in url.strip("/") else "-")


def _option(name: str) -> str:
    """The option that says a field."""
    return {"most": "--max-cost", "fallback": "--no-fallback"}.get(name, f"--{name.replace('_', '-')}")
