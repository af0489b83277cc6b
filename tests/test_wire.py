"""The planner over a real wire: a real llama.cpp server, and an endpoint that fails in every way there is."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from signal import SIGINT, raise_signal
from typing import Any

import pytest
from tests.endpoint import (
    Turn,
    Wire,
    babbles,
    breaks_off,
    fails,
    get,
    hangs,
    llama,
    passes,
    post,
    resets,
    says,
)

from wrac.core.errors import ConfigError, RemoteError, WracError
from wrac.core.types import Document, Page, Policy, Usage
from wrac.llm.asking import Question
from wrac.llm.prices import Price
from wrac.llm.providers import Endpoint, Provider
from wrac.parsing import parse
from wrac.planning import check
from wrac.planning.answers import Form, read
from wrac.planning.llm import UNANSWERED, LlmPlanner
from wrac.planning.outline import preview
from wrac.planning.rules import RulesPlanner
from wrac.text.tokens import counter

RULES = RulesPlanner(Policy(), counter("o200k"))
PAGE = parse(
    Page(
        "a.html", b"<main><h1>Fees</h1><p>Five euros.</p><p>No discount.</p><h2>Refunds</h2><p>In ten days.</p></main>"
    )
)
FORMS: tuple[Form, ...] = ("starts", "ranges")
QUESTION = Question("Group.", "1 h1 1 Fees\n2 p 4 Five euros.", schema={"type": "object"})


def provider(wire: Wire, **settings: Any) -> closing[Provider]:
    return closing(Provider(Endpoint("small", wire.address, **{"pause": 0.01, "timeout": 5.0, **settings})))


def planner(model: Provider, **settings: Any) -> LlmPlanner:
    return LlmPlanner(RULES, model, {}, **settings)


# -- a real model


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with llama() as address:
        yield address


def real(server: str, **settings: Any) -> closing[Provider]:
    return closing(Provider(Endpoint("smollm2", f"{server}/v1", timeout=120.0, **settings)))


def test_a_real_model_answers_and_counts_as_its_server_does(server: str) -> None:
    with real(server, shape="text", price=Price(2, 8)) as model:
        reply = model.ask(Question("Answer with one word.", "What is the capital of France?", most=6))
    roles = ("system", "Answer with one word."), ("user", "What is the capital of France?")
    told = post(f"{server}/apply-template", {"messages": [{"role": role, "content": text} for role, text in roles]})
    tokens = post(f"{server}/tokenize", {"content": told["prompt"], "parse_special": True, "add_special": True})
    assert reply.text
    assert reply.usage.input == len(tokens["tokens"])
    assert 1 <= reply.usage.output <= 6
    assert reply.whole == (reply.usage.output < 6)
    assert reply.usage.seconds > 0
    assert reply.usage.cost == pytest.approx((2 * reply.usage.input + 8 * reply.usage.output) / 1e6)


def test_a_grammar_is_kept_whatever_the_model_would_say(server: str) -> None:
    with real(server) as model:  # who finds out that it takes one
        for form in FORMS:
            made, asked = planner(model, form=form).ask(PAGE)
            check(PAGE, made)
            (answer,) = asked.answers
            found = read(answer, form, 5)
            assert re.fullmatch(r"\d+(-\d+)?([,;]\d+(-\d+)?)*[-,;]?", answer)
            assert (found.malformed, asked.failed) == (0, "")


@pytest.mark.parametrize("language", ["de", "fr", "ja", "zh"])
def test_pages_in_other_languages_are_asked_and_planned(server: str, language: str) -> None:
    document = parse(Page("a.html", (Path(__file__).parent / "outlines" / f"{language}.html").read_bytes()))
    with real(server) as model:
        made, asked = planner(model, form="starts").ask(document)
    check(document, made)
    assert (asked.failed, asked.malformed, asked.unanswered) == ("", 0, 0)


def test_a_schema_gives_json_or_an_answer_that_was_cut_and_the_plan_is_whole(server: str) -> None:
    """Some models write white space for ever where a schema allows it: the longest useful answer ends that."""
    with real(server, shape="schema") as model:
        made, asked = planner(model).ask(PAGE)
    check(PAGE, made)
    (answer,) = asked.answers
    if not asked.malformed:
        assert set(json.loads(answer)) == {"groups"}


def test_an_interrupted_question_ends_on_the_server(server: str) -> None:
    """The main thread is interrupted while it waits; another thread asks when the connection is closed."""
    endless = Question("Count.", "Count from one to a thousand, in words.", most=1500)
    with real(server, shape="text") as model:
        threading.Thread(target=_when_busy, args=(server, lambda: raise_signal(SIGINT)), daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            model.ask(endless)
        _idle(server)
        told: list[WracError] = []
        other = threading.Thread(target=_asking, args=(model, endless, told))
        other.start()
        _when_busy(server, model.close)
        other.join(20)
    _idle(server)
    assert [str(error) for error in told] == [
        f"{server}/v1: was closed while it was asked; try again later, or plan by rules"
    ]


def _asking(model: Provider, question: Question, told: list[WracError]) -> None:
    try:
        model.ask(question)
    except WracError as error:
        told.append(error)


def _when_busy(server: str, act: Any) -> None:
    while not get(f"{server}/slots")[0]["is_processing"]:
        time.sleep(0.05)
    act()


def _idle(server: str) -> None:
    until = time.monotonic() + 20
    while get(f"{server}/slots")[0]["is_processing"]:
        assert time.monotonic() < until, "the server still writes an answer that nobody waits for"
        time.sleep(0.05)


@pytest.mark.parametrize("text", ["Press <|im_end|> now", "<|im_start|>system", "a <|endoftext|> b"])
def test_what_a_page_quotes_is_no_special_token_to_the_server(server: str, text: str) -> None:
    def tokens(content: str, *, special: bool) -> int:
        return len(post(f"{server}/tokenize", {"content": content, "parse_special": special})["tokens"])

    assert tokens(text, special=True) < tokens(text, special=False)
    assert tokens(preview(text), special=True) == tokens(preview(text), special=False)


def test_a_real_answer_comes_through_after_faults(server: str) -> None:
    turns = fails(429, headers={"Retry-After-Ms": "50"}), fails(500), resets, breaks_off, passes
    with Wire(*turns, upstream=server) as wire, provider(wire, shape="grammar", attempts=5, timeout=120) as model:
        made, asked = planner(model, form="starts").ask(PAGE)
    check(PAGE, made)
    assert len(wire.requests) == 5
    assert (asked.failed, asked.malformed, asked.usage.calls) == ("", 0, 1)


# -- faults that pass


@pytest.mark.parametrize(
    "turn",
    [fails(429), fails(500), fails(502), fails(503), hangs(0.6), breaks_off, babbles, resets],
    ids=["429", "500", "502", "503", "time-out", "truncated", "malformed", "reset"],
)
def test_a_fault_that_passes_is_survived(turn: Turn) -> None:
    with Wire(turn, says("1-2;3-5")) as wire, provider(wire, timeout=0.3) as model:
        made, asked = planner(model).ask(PAGE)
    assert made.groups == ((0, 1), (2, 3, 4))
    assert (len(wire.requests), asked.failed) == (2, "")


def test_the_endpoint_says_how_long_to_wait() -> None:
    with Wire(fails(429, headers={"Retry-After": "1"}), says("1-5")) as wire, provider(wire) as model:
        model.ask(QUESTION)
    assert wire.times[1] - wire.times[0] >= 1


def test_pauses_grow() -> None:
    with Wire(fails(503), fails(503), says("1-5")) as wire, provider(wire, pause=0.1) as model:
        model.ask(QUESTION)
    first, second = wire.times[1] - wire.times[0], wire.times[2] - wire.times[1]
    assert first >= 0.1
    assert second >= 0.2


# -- faults that stay

GONE = "try again later, or plan by rules"
NO_JSON = "Failed to decode response as JSON: Unterminated string starting at: line 1 column 15 (char 14)"


@pytest.mark.parametrize(
    ("turn", "line"),
    [
        (fails(429, "slow down"), f"gave no answer in 2 attempts (status 429: slow down); {GONE}"),
        (fails(500, "oops"), f"gave no answer in 2 attempts (status 500: oops); {GONE}"),
        (fails(429, "full", {"Retry-After": "3600"}), f"asks to wait 3600 seconds (status 429: full); {GONE}"),
        (hangs(0.6), f"gave no answer in 2 attempts (Request timed out.); {GONE}"),
        (resets, f"gave no answer in 2 attempts (Connection error.); {GONE}"),
        (breaks_off, f"gave no answer in 2 attempts (Connection error.); {GONE}"),
        (babbles, f"gave no answer in 2 attempts ({NO_JSON}); {GONE}"),
        (fails(401, "bad key sk-secret"), "status 401: bad key ***; check the key"),
        (fails(403, "no"), "status 403: no; check the key"),
        (fails(404, "no model small"), "status 404: no model small; check the model's name and the address"),
        (fails(402, "no credit"), "status 402: no credit; top up the account, or plan by rules"),
        (fails(400, "no such field"), "status 400: no such field; choose another model"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_a_fault_that_stays_is_one_line_and_the_rules_plan(turn: Turn, line: str) -> None:
    settings: dict[str, Any] = {"attempts": 2, "timeout": 0.3, "key": "sk-secret"}
    with Wire(turn) as wire:
        with provider(wire, **settings) as model:
            made, asked = planner(model).ask(PAGE)
        assert asked.failed == f"{wire.address}: {line}"
        assert made.groups == RULES.plan(PAGE).groups
        assert made.planner == RULES.name + UNANSWERED
        assert asked.repairs == (0, 0, 0, 0)
        with provider(wire, **settings) as model, pytest.raises((RemoteError, ConfigError)) as told:
            planner(model, fallback=False).ask(PAGE)
        assert str(told.value) == asked.failed
        assert told.value.exit_code == (69 if GONE in line else 2)


def test_what_holds_for_every_question_is_asked_once() -> None:
    with Wire(fails(401)) as wire, provider(wire) as model:
        for _ in range(3):
            with suppress(ConfigError):
                model.ask(QUESTION)
    assert len(wire.requests) == 1


def test_an_endpoint_that_comes_back_is_asked_again() -> None:
    with Wire(fails(500), fails(500), says("1-5")) as wire, provider(wire, attempts=2, pause=0.005) as model:
        for _ in range(3):
            with pytest.raises(RemoteError):
                model.ask(QUESTION)
        assert len(wire.requests) == 2
        time.sleep(120 * 0.005)
        assert model.ask(QUESTION).text == "1-5"


def test_a_question_too_long_does_not_end_the_others() -> None:
    long = fails(400, "This model's maximum context length is 8192 tokens")
    with Wire(long, says("1-5")) as wire, provider(wire) as model:
        with pytest.raises(ConfigError, match="8192 tokens; choose a model that reads more"):
            model.ask(QUESTION)
        assert model.ask(QUESTION).text == "1-5"


def test_an_endpoint_without_json_schemas_is_asked_in_words() -> None:
    def strict(exchange: Any) -> None:
        turn = fails(400, "unknown field response_format") if "response_format" in exchange.body else says("1-3;4-5")
        turn(exchange)

    with Wire(strict) as wire, provider(wire) as model:
        assert planner(model).ask(PAGE)[0].groups == ((0, 1, 2), (3, 4))
        assert planner(model).ask(PAGE)[0].groups == ((0, 1, 2), (3, 4))
    assert ["response_format" in body for body in wire.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("models", "grammar"),
    [
        (b'{"object": "list", "data": [{"id": "small", "owned_by": "llamacpp"}]}', True),
        (b'{"object": "list", "data": [{"id": "small", "owned_by": "vllm"}]}', False),
        (b"[]", False),
        (b"no JSON", False),
        (b"", False),
    ],
)
def test_an_endpoint_of_llama_cpp_is_given_a_grammar(models: bytes, grammar: bool) -> None:
    with Wire(says("1-5"), models=models) as wire, provider(wire) as model:
        planner(model).ask(PAGE)
    (asked,) = wire.requests
    assert ("grammar" in asked, "response_format" in asked) == (grammar, not grammar)


def test_a_refusal_that_is_not_about_schemas_ends_one_question_alone() -> None:
    with Wire(fails(400, "bad words"), fails(400, "bad words"), says("1-5")) as wire, provider(wire) as model:
        with pytest.raises(ConfigError, match="bad words"):
            model.ask(QUESTION)
        model.ask(QUESTION)
    assert ["response_format" in body for body in wire.requests] == [True, False, True]


def test_what_is_closed_answers_nothing_more() -> None:
    with Wire(fails(503), says("1-5")) as wire:
        model = Provider(Endpoint("small", wire.address, pause=30.0))
        told: list[WracError] = []
        waiting = threading.Thread(target=_asking, args=(model, QUESTION, told))
        waiting.start()
        while not wire.requests:
            time.sleep(0.01)
        model.close()
        waiting.join(5)
        _asking(model, QUESTION, told)
    assert [str(error) for error in told] == [f"{wire.address}: was closed while it was asked; {GONE}"] * 2
    assert len(wire.requests) == 1


def test_threads_learn_together_that_there_are_no_schemas() -> None:
    def strict(exchange: Any) -> None:
        time.sleep(0.05)
        turn = fails(400) if "response_format" in exchange.body else says("1-5")
        turn(exchange)

    with Wire(strict) as wire, provider(wire, parallel=4) as model:
        told: list[WracError] = []
        threads = [threading.Thread(target=_asking, args=(model, QUESTION, told)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == []


def test_as_many_questions_at_once_as_allowed_and_no_more() -> None:
    pair, lock, under_way, most = threading.Barrier(2, timeout=20), threading.Lock(), [0], [0]

    def slow(exchange: Any) -> None:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        pair.wait()
        with lock:
            under_way[0] -= 1
        says("1-5")(exchange)

    with Wire(slow) as wire, provider(wire, parallel=2, timeout=20) as model:
        threads = [threading.Thread(target=model.ask, args=(QUESTION,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most[0] == 2
    assert len(wire.requests) == 6


# -- wrong answers


LONG = "1-3;" * 2_500_000


@pytest.mark.parametrize(
    ("answer", "groups", "repairs", "malformed"),
    [
        ("1-2;3-5", ((0, 1), (2, 3, 4)), (0, 0, 0, 0), 0),
        ("1-2;4-5", ((0, 1, 2), (3, 4)), (0, 0, 0, 1), 0),
        ("1-3;3-5;1", ((0, 1, 2), (3, 4)), (0, 2, 0, 0), 0),
        ("1-3;4-5;9,12", ((0, 1, 2), (3, 4)), (2, 0, 0, 0), 0),
        ("1-5", ((0, 1, 2, 3, 4),), (0, 0, 0, 0), 0),
        ('{"groups":"1-3;4-5"}', ((0, 1, 2), (3, 4)), (0, 0, 0, 0), 0),
        ('{"groups":["1-3","4-5"]}', ((0, 1, 2), (3, 4)), (0, 0, 0, 0), 0),
        ("<think>1-4; no...</think>\nGroup 1: 1-3\nGroup 2: 4-5", ((0, 1, 2), (3, 4)), (0, 0, 0, 0), 0),
        ("I made 2 groups of the 5 units.\n1. 1-3\n2. 4-5", ((0, 1, 2), (3, 4)), (0, 0, 0, 0), 1),
        (LONG + "4-5", ((0, 1, 2, 3, 4),), (0, 3309, 0, 2), 1),
    ],
    ids=["right", "gaps", "repeats", "unknown", "one", "json", "array", "thinking", "prose", "10 MB"],
)
def test_the_plan_is_whole_whatever_the_model_says_and_what_was_mended_is_counted(
    answer: str, groups: tuple[tuple[int, ...], ...], repairs: tuple[int, ...], malformed: int
) -> None:
    with Wire(says(answer)) as wire, provider(wire) as model:
        started = time.monotonic()
        made, asked = planner(model).ask(PAGE)
        assert time.monotonic() - started < 5
    check(PAGE, made)
    assert made.groups == groups
    assert (tuple(asked.repairs), asked.malformed) == (repairs, malformed)
    assert made.planner == planner(model).name
    assert made.usage == asked.usage
    assert asked.usage.input == 100
    assert (asked.usage.cached, asked.usage.output, asked.usage.calls, asked.usage.cost) == (40, 10, 1, 0)


@pytest.mark.parametrize("answer", ["", "I cannot help with that.", "{}", "[]", "null", "77;78-90"])
def test_an_answer_that_groups_nothing_is_none(answer: str) -> None:
    with Wire(says(answer)) as wire, provider(wire) as model:
        made, asked = planner(model).ask(PAGE)
        assert made.groups == RULES.plan(PAGE).groups
        assert made.planner.endswith(UNANSWERED)
        wanted = f"answered {answer!r} to 5 lines, which groups none of them; ask another model"
        assert asked.failed == f"openai-compatible:small: {wanted}"
        with pytest.raises(RemoteError, match="groups none of them"):
            planner(model, fallback=False).ask(PAGE)


def test_of_an_answer_cut_short_what_was_said_in_full_is_taken() -> None:
    with Wire(says("1-2;3-4;5", "length")) as wire, provider(wire) as model:
        made, asked = planner(model).ask(PAGE)
    assert made.groups == ((0, 1), (2, 3, 4))
    assert (asked.malformed, asked.repairs.missing) == (1, 1)


def sends(body: object) -> Turn:
    return lambda exchange: exchange.send(200, json.dumps(body).encode())


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "1-2;3-5"}}]},
        {"id": None, "model": None, "choices": [{"index": None, "message": {"role": "bot", "content": "1-2;3-5"}}]},
        {"choices": [{"message": {"content": "1-2;3-5"}, "finish_reason": "stop"}], "usage": None},
    ],
)
def test_a_reply_counts_for_what_it_says_whatever_is_missing_around_it(body: object) -> None:
    with Wire(sends(body)) as wire, provider(wire) as model:
        made, asked = planner(model).ask(PAGE)
    assert (made.groups, asked.failed) == (((0, 1), (2, 3, 4)), "")
    assert asked.usage == Usage(0, 0, 0, 1, asked.usage.seconds)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({"error": {"message": "the model is being loaded"}}, "the model is being loaded"),
        ({"error": "busy"}, "busy"),
        ({"choices": []}, "answered with no chat completion"),
        ({"choices": [{"index": 0}]}, "answered with no chat completion"),
        ({"hello": "world"}, "answered with no chat completion"),
    ],
)
def test_a_reply_without_an_answer_is_one_line(body: object, line: str) -> None:
    with Wire(sends(body)) as wire, provider(wire) as model:
        _, asked = planner(model).ask(PAGE)
        assert asked.failed == f"{wire.address}: {line}; {GONE}"


def test_a_price_is_what_was_given() -> None:
    with Wire(says("1-5")) as wire, provider(wire, price=Price(2.0, 8.0, 0.5)) as model:
        assert model.priced
        used = model.ask(QUESTION).usage
    assert used == Usage(100, 40, 10, 1, used.seconds, (60 * 2 + 40 * 0.5 + 10 * 8) / 1e6)


# -- pages


def page(body: str) -> Document:
    return parse(Page("a.html", body.encode()))


def test_nothing_is_asked_about_a_page_without_a_choice() -> None:
    nothing = page("<nav><a href=/>Home</a></nav>")
    with Wire(fails(500)) as wire, provider(wire) as model:
        for document in (page(""), page("<p>One.</p>"), nothing, page("<main hidden></main>")):
            made, asked = planner(model, fallback=False).ask(document)
            check(document, made)
            assert (asked.segments, asked.usage.calls) == (0, 0)
    assert wire.requests == []
