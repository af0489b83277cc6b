"""Models behind endpoints: what is told when there is none, what they cost, how much they may, and their batches."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.endpoint import BatchWire, Wire, says
from tests.fakes import FakeModel, everything

from wrac.core.errors import ConfigError, RemoteError
from wrac.core.types import Document, Page, Policy, Usage
from wrac.llm.asking import Question, Reply
from wrac.llm.batch import LARGEST, MOST, Batches, State, packed
from wrac.llm.budget import Budget
from wrac.llm.prices import Price
from wrac.llm.providers import THINKING, Endpoint, Provider
from wrac.parsing import parse
from wrac.planning import check
from wrac.planning.llm import UNANSWERED, LlmPlanner
from wrac.planning.rules import RulesPlanner
from wrac.text.tokens import counter

QUESTION = Question("Group.", "1 p 3 Text")
RULES = RulesPlanner(Policy(), counter("o200k"))
NO_PROVIDER = "no such provider; name the model as PROVIDER:NAME, such as openai:gpt-4.1, or give --base-url"


# -- no model


def test_an_endpoint_that_is_not_there_is_told_once_and_then_at_once() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        provider = Provider(Endpoint("any", address, attempts=2, pause=0.01, timeout=5))
        with closing(provider):
            with pytest.raises(RemoteError) as first:
                provider.ask(QUESTION)
            with pytest.raises(RemoteError) as second:
                provider.ask(QUESTION)
    wanted = "gave no answer in 2 attempts (Connection error.); try again later, or plan by rules"
    assert str(first.value) == f"{address}: {wanted}"
    assert second.value is first.value
    assert provider.name == "openai-compatible:any"


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("nobody:model", NO_PROVIDER),
        ("gpt", NO_PROVIDER),
        ("openai:gpt-4.1", "no key or address; set OPENAI_API_KEY"),
        ("cohere:command", 'its provider needs a package: pip install "pydantic-ai-slim[cohere]"'),
    ],
)
def test_a_model_that_cannot_be_asked_is_one_line(model: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with closing(Provider(Endpoint(model))) as provider, pytest.raises(ConfigError) as told:
        provider.ask(QUESTION)
    assert str(told.value) == f"{model}: {line}"


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("gpt-4.1", {"temperature": 0.0, "max_completion_tokens": 1024}),
        ("gpt-5", {"reasoning_effort": "minimal", "max_completion_tokens": 1024 + THINKING}),
    ],
)
def test_a_model_that_thinks_is_to_think_little_and_has_room_for_it(
    model: str, wanted: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Wire(says("1")) as wire:
        monkeypatch.setenv("OPENAI_BASE_URL", wire.address)
        with closing(Provider(Endpoint(f"openai-chat:{model}"))) as provider:
            assert provider.ask(QUESTION).usage.cost == Endpoint(f"openai:{model}").cost(Usage(100, 40, 10, 1))
    with BatchWire(lambda _: "1") as batch:
        monkeypatch.setenv("OPENAI_BASE_URL", batch.address)
        with closing(Batches(Endpoint(f"openai:{model}"))) as together:
            list(together.submit({"q1:1": QUESTION}))
    for body in (wire.requests[0], batch.batches["batch-1"].lines[0]["body"]):
        assert body["model"] == model
        assert {name: body.get(name) for name in wanted} == wanted
        assert ("temperature" in body) == ("temperature" in wanted)


@pytest.mark.parametrize("package", ["pydantic_ai", "openai"])
@pytest.mark.parametrize(
    "way", ["Provider(Endpoint('m', 'http://127.0.0.1:9/v1')).ask(Q)", "list(Batches(E).submit({'q': Q}))"]
)
def test_a_missing_package_is_told(package: str, way: str) -> None:
    program = f"""
import sys
sys.modules[{package!r}] = None
from wrac.core.errors import MissingExtraError
from wrac.llm.asking import Question
from wrac.llm.batch import Batches
from wrac.llm.providers import Endpoint, Provider
E, Q = Endpoint('m', 'http://127.0.0.1:9/v1', attempts=1), Question('', '')
try:
    {way}
except MissingExtraError as error:
    print(error)
except Exception as error:
    print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    needs_all = package == "openai" or "Provider" in way
    wanted = 'asking a language model needs an extra: pip install "wrac[llm]"' if needs_all else "RemoteError"
    assert done.stdout.strip() == wanted


def test_what_a_provider_is_to_keep_costs_what_it_asks_for_that() -> None:
    usage = Usage(100_000, 0, 0, 1)
    for model, kept in (("anthropic:claude-sonnet-4-5", 0.375), ("openai:gpt-4.1", 0.2)):
        endpoint = Endpoint(model)
        assert endpoint.cost(usage, written=100_000) == pytest.approx(kept)
        assert endpoint.cost(usage) <= endpoint.cost(usage, written=100_000)


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(Endpoint("small", "http://127.0.0.1:1/v1", key="secret"))


@pytest.mark.parametrize("key", ["sk-pw\nmore", "sk-pw\u00e9"])
def test_a_key_of_a_provider_that_cannot_be_sent_is_told_after_one_question(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Wire(says("1")) as wire:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        monkeypatch.setenv("OPENAI_BASE_URL", wire.address)
        with closing(Provider(Endpoint("openai:gpt-4.1"))) as provider, pytest.raises(ConfigError) as error:
            provider.ask(QUESTION)
    assert str(error.value) == "openai:gpt-4.1: the key holds characters that no key has; set the key alone"
    assert wire.requests == []


CHECK = "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY and SSL_CERT_FILE"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTP_PROXY", "http://me:pw@host:port"),
        ("HTTPS_PROXY", "gopher://me:pw@host"),
        ("SSL_CERT_FILE", "/no/such/file"),
    ],
)
def test_an_environment_of_no_use_is_told_without_its_passwords(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    for endpoint in (Endpoint("small", "http://127.0.0.1:1/v1"), Endpoint("openai:gpt-4.1", key="k")):
        with closing(Provider(endpoint)) as provider, pytest.raises(ConfigError) as error:
            provider.ask(QUESTION)
        assert str(error.value) == f"no connection can be made by what the environment says; {CHECK}"
        with closing(Batches(endpoint)) as batches, pytest.raises(ConfigError, match="no connection can be made"):
            batches.state("batch_1")


# -- prices


def test_prices_are_given_or_from_the_list_or_unknown() -> None:
    used = Usage(1_000_000, 500_000, 100_000, 1)
    assert Endpoint("x", "http://127.0.0.1:1", price=Price(2, 8, 0.5)).cost(used) == pytest.approx(2.05)
    assert Price(2, 8).of(used) == pytest.approx(2.8)
    listed, unknown, local = (
        Endpoint("openai:gpt-4.1"),
        Endpoint("openai:nothing-9"),
        Endpoint("x", "http://127.0.0.1:1"),
    )
    assert listed.cost(Usage(1_000_000, 0, 0, 1)) == pytest.approx(2)
    assert (listed.priced, unknown.priced, local.priced) == (True, False, False)
    assert (unknown.cost(used), local.cost(used)) == (0, 0)


@pytest.mark.parametrize("text", ["", "2", "2/8/1/1", "a/b", "-1/2", "nan/1", "inf/1", "2,5/8"])
def test_what_is_no_price_is_told(text: str) -> None:
    with pytest.raises(ConfigError, match="is no price; write IN/OUT"):
        Price.read(text)


# -- budgets


@given(
    costs=st.lists(st.floats(0, 1, allow_subnormal=False), max_size=30),
    most=st.none() | st.floats(0, 5, allow_subnormal=False),
)
def test_a_budget_is_exceeded_by_one_question_at_most_and_only_by_one_dearer_than_all_before(
    costs: list[float], most: float | None
) -> None:
    budget = Budget(Costly(costs), most)
    asked = 0
    for _ in costs:
        try:
            budget.ask(QUESTION)
            asked += 1
        except ConfigError as error:
            assert "raise --max-cost" in str(error)
    assert budget.spent == pytest.approx(sum(costs[:asked]))
    assert budget.refused == len(costs) - asked
    if most is None:
        assert budget.refused == 0
    elif budget.spent > most + 1e-6:
        assert costs[asked - 1] > max(costs[: asked - 1], default=0)


class Costly:
    """A model whose replies cost what it was told, in order."""

    name, priced = "fake:costly", True

    def __init__(self, costs: list[float]) -> None:
        self._costs = iter(costs)

    def ask(self, _: Question) -> Reply:
        return Reply("1", Usage(1, 0, 1, 1, 0.0, next(self._costs)))


def test_threads_share_a_budget() -> None:
    model = FakeModel("1", usage=Usage(1, 0, 1, 1, 0.0, 0.25))
    budget = Budget(model, 2)
    budget.ask(QUESTION)

    def work() -> None:
        for _ in range(5):
            try:
                budget.ask(QUESTION)
            except ConfigError:
                return

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert budget.spent <= 2
    assert budget.spent == 0.25 * len(model.asked)
    assert budget.spent >= 1


def test_a_budget_needs_a_price() -> None:
    with Wire(says("1")) as wire, closing(Provider(Endpoint("small", wire.address))) as provider:
        assert not Budget(provider).priced
        with pytest.raises(ConfigError) as told:
            Budget(provider, 1.0)
    wanted = "no price is known for openai-compatible:small; give --price IN/OUT in USD per million tokens"
    assert str(told.value) == wanted
    with pytest.raises(ConfigError, match="a budget of -1 USD makes no sense"):
        Budget(FakeModel("1"), -1)


def test_when_the_budget_is_spent_the_rules_plan_the_rest() -> None:
    model = FakeModel(everything, usage=Usage(100, 0, 10, 1, 0.0, 0.6))
    planner = LlmPlanner(RULES, Budget(model, 1.0), {})
    first, second = (planner.ask(page(name)) for name in "ab")
    assert first[0].planner == planner.name
    assert second[0].planner == RULES.name + UNANSWERED
    assert second[1].failed == "fake:model: the budget of 1 USD is spent (0.6000); raise --max-cost"
    assert len(model.asked) == 1


# -- batches


def page(name: str) -> Document:
    return parse(Page(f"{name}.html", f"<main><h1>{name}</h1><p>One of {name}.</p><p>Two.</p></main>".encode()))


PAGES = [page(name) for name in "abcdef"]
SILENT = FakeModel(RemoteError("fake:model", "must not be asked"))


def batches(wire: BatchWire | Wire) -> closing[Batches]:
    return closing(Batches(Endpoint("small", wire.address, price=Price(2, 8), attempts=2, pause=0.01)))


def collected(wire: BatchWire) -> tuple[LlmPlanner, State, dict[str, Reply | str]]:
    """The pages planned by one batch: the planner, the batch's end, and what it said."""
    planner = LlmPlanner(RULES, SILENT, {})
    windows = {window.key: window for document in PAGES for window in planner.questions(document)}
    with batches(wire) as provider:
        ((batch, keys),) = provider.submit({key: window.question for key, window in windows.items()})
        assert keys == list(windows)
        state = provider.wait(batch, pause=0)
        replies = provider.replies(batch)
    for key, reply in replies.items():
        if isinstance(reply, Reply):
            planner.learn(windows[key].parts, reply)
    return planner, state, replies


def test_pages_are_planned_by_a_batch_at_half_the_price() -> None:
    with BatchWire(everything) as wire:
        planner, state, replies = collected(wire)
    assert state == State("completed", 6, 0, 6)
    for document in PAGES:
        made, asked = planner.ask(document)
        check(document, made)
        assert made.groups == ((0, 1, 2),)
        assert made.planner == planner.name
        assert (asked.segments, asked.remembered, asked.usage) == (1, 1, Usage())
    half = (100 * 2 + 10 * 8) / 1e6 / 2
    assert [reply.usage for reply in replies.values() if isinstance(reply, Reply)] == [
        Usage(100, 40, 10, 1, 0, half)
    ] * 6


def test_a_question_in_a_batch_is_the_one_that_is_asked_at_once() -> None:
    with BatchWire(everything) as wire:
        collected(wire)
        lines = wire.batches["batch-1"].lines
    with Wire(says(everything)) as live, closing(Provider(Endpoint("small", live.address))) as provider:
        LlmPlanner(RULES, provider, {}).ask(PAGES[0])
        (asked,) = live.requests
    body = lines[0]["body"]
    assert {key: body[key] for key in ("model", "messages", "temperature", "max_tokens")} == {
        key: asked[key] for key in ("model", "messages", "temperature", "max_tokens")
    }
    assert body["response_format"]["json_schema"] == asked["response_format"]["json_schema"]


def test_what_a_batch_leaves_out_the_rules_plan() -> None:
    with BatchWire(everything, expires=4) as wire:
        keys = [window.key for document in PAGES for window in LlmPlanner(RULES, SILENT, {}).questions(document)]
        wire.broken = (keys[1],)
        planner, state, replies = collected(wire)
    assert state == State("expired", 3, 3, 6)
    told = {key: reply for key, reply in replies.items() if isinstance(reply, str)}
    late = "This request could not be executed before it expired."
    assert told == {keys[1]: "The server had an error", keys[4]: late, keys[5]: late}
    plans = [planner.ask(document)[0] for document in PAGES]
    answered = [made.planner == planner.name for made in plans]
    assert answered == [True, False, True, True, False, False]
    assert all(made.planner.endswith(UNANSWERED) for made, known in zip(plans, answered, strict=True) if not known)


def test_a_batch_that_is_refused_says_why() -> None:
    with BatchWire(everything, problem="Line 3: no such model") as wire:
        _, state, replies = collected(wire)
    assert (state.ended, state.status, state.problem) == (True, "failed", "Line 3: no such model")
    assert replies == {}


def test_a_batch_goes_on_without_the_process_that_handed_it_in() -> None:
    question = {"q1:1": QUESTION}
    with BatchWire(lambda _: "1") as wire:
        with batches(wire) as first:
            ((batch, _),) = first.submit(question)
            with pytest.raises(RemoteError) as told:
                first.wait(batch, pause=0.01, longest=0)
        assert str(told.value) == f"{wire.address}: {batch} is in_progress after 0 seconds; run again to collect it"
        with batches(wire) as second:
            seen: list[str] = []
            second.wait(batch, pause=0, tell=lambda state: seen.append(state.status))
            assert seen == ["in_progress", "finalizing"]
            (reply,) = second.replies(batch).values()
            assert isinstance(reply, Reply)
            assert (reply.text, reply.whole) == ("1", True)


def test_a_batch_can_be_ended() -> None:
    with BatchWire(lambda _: "1") as wire, batches(wire) as provider:
        ((batch, _),) = provider.submit({"q1:1": QUESTION})
        provider.cancel(batch)
        assert provider.wait(batch, pause=0).status == "cancelled"
        assert provider.replies(batch) == {}


@pytest.mark.parametrize(
    ("status", "line", "code"),
    [
        (401, "the key is refused (status 401); check the key", 2),
        (404, "no batches there (status 404); leave out --batch", 2),
        (400, "the batch is refused (status 400); leave out --batch, or choose another model", 2),
        (429, "took no batch (status 429); try again later", 69),
        (500, "took no batch (status 500); try again later", 69),
    ],
)
def test_an_endpoint_that_takes_no_batches_is_one_line(status: int, line: str, code: int) -> None:
    class Refusing(BatchWire):
        def post(self, path: str, body: bytes, media: str) -> tuple[int, bytes]:  # noqa: ARG002
            return status, json.dumps({"error": {"message": "no"}}).encode()

    with Refusing(everything) as wire, batches(wire) as provider:
        with pytest.raises((ConfigError, RemoteError)) as told:
            list(provider.submit({"q1:1": QUESTION}))
        assert str(told.value) == f"{wire.address}: {line}"
        assert told.value.exit_code == code


def test_batches_are_of_one_protocol() -> None:
    wanted = "no batch API is known of anthropic:claude; use openai:MODEL, --base-url, or no --batch"
    with pytest.raises(ConfigError) as told:
        Batches(Endpoint("anthropic:claude"))
    assert str(told.value) == wanted


def test_more_questions_than_a_batch_takes_go_into_the_next() -> None:
    lines = [(str(number), b"x") for number in range(MOST + 1)]
    assert [len(keys) for keys, _ in packed(lines)] == [MOST, 1]
    large = b"x" * (LARGEST // 2)
    assert [keys for keys, _ in packed([("a", large), ("b", large), ("c", large)])] == [["a", "b"], ["c"]]
