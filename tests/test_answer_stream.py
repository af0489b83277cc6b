"""Answers piece by piece over a real wire: a stream that goes well, and one that ends in every way there is."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from typing import Any

import pytest
from tests.endpoint import (
    Turn,
    Wire,
    babbles,
    closes,
    complains,
    fails,
    hangs,
    resets,
    says,
    stammers,
    streams,
)

from wrac.core.errors import ConfigError, RemoteError, WracError
from wrac.core.types import Usage
from wrac.llm.asking import Question, Reply
from wrac.llm.prices import Price
from wrac.llm.providers import Endpoint, Provider

QUESTION = Question("Answer.", "How much?", most=50)
INSTEAD = "read the passages"


def provider(wire: Wire, **settings: Any) -> closing[Provider]:
    fast = {"pause": 0.01, "timeout": 5.0, "instead": INSTEAD}
    return closing(Provider(Endpoint("small", wire.address, **{**fast, **settings})))


def heard(pieces: Generator[str, None, Reply]) -> tuple[list[str], Reply]:
    """The pieces of a stream and its reply."""
    found = []
    while True:
        try:
            found.append(next(pieces))
        except StopIteration as end:
            return found, end.value


def test_pieces_come_as_they_are_sent_and_the_reply_counts_them() -> None:
    with Wire(streams("Five ", "euros.")) as wire, provider(wire, price=Price(2, 8)) as model:
        pieces, reply = heard(model.stream(QUESTION))
    assert pieces == ["Five ", "euros."]
    assert (reply.text, reply.whole, reply.problem) == ("Five euros.", True, "")
    usage = reply.usage
    assert (usage.input, usage.cached, usage.output, usage.calls) == (100, 40, 10, 1)
    assert usage.cost == pytest.approx(Price(2, 8).of(Usage(100, 40, 10)))
    (sent,) = wire.requests
    assert [message["content"] for message in sent["messages"]] == ["Answer.", "How much?"]
    assert (sent["stream"], sent["max_tokens"], sent["temperature"]) == (True, 50, 0.0)
    assert sent["stream_options"] == {"include_usage": True}


def test_the_first_piece_is_there_before_the_last_is_sent() -> None:
    with Wire(streams("a", "b", "c", "d", pause=0.2)) as wire, provider(wire) as model:
        pieces, started = model.stream(QUESTION), time.monotonic()
        next(pieces)
        first = time.monotonic() - started
        heard(pieces)
        assert time.monotonic() - started - first > 0.3


@pytest.mark.parametrize(
    ("end", "settings", "told"),
    [
        (closes, {}, "broke off (Connection error.)"),
        (resets, {}, "broke off (Connection error.)"),
        (complains, {}, "broke off (status 500: out of memory)"),
        (stammers, {}, "broke off ("),
        (hangs(2.5), {"timeout": 1.0}, "broke off (Request timed out.)"),
    ],
    ids=["closed", "reset", "error", "no json", "silence"],
)
def test_an_answer_that_breaks_off_is_what_there_is_of_it(end: Turn, settings: dict[str, Any], told: str) -> None:
    with Wire(streams("Five ", "eur", end=end)) as wire, provider(wire, **settings) as model:
        pieces, reply = heard(model.stream(QUESTION))
        assert (pieces, reply.text, reply.whole) == (["Five ", "eur"], "Five eur", False)
        assert reply.problem.startswith(told)
        assert reply.usage.calls == 1
        assert len(wire.requests) == 1  # what was said is not asked for again


@pytest.mark.parametrize(
    "turn",
    [streams(end=closes), streams(end=resets), streams(end=complains), streams(end=stammers), fails(500), fails(429)],
    ids=["closed", "reset", "error", "no json", "500", "429"],
)
def test_what_fails_before_the_first_piece_is_tried_again(turn: Turn) -> None:
    with Wire(turn, streams("ok")) as wire, provider(wire) as model:
        assert heard(model.stream(QUESTION))[1].text == "ok"
        assert len(wire.requests) == 2


def test_a_stream_without_an_end_is_not_whole_and_one_without_usage_is() -> None:
    with Wire(streams("Five", finish="")) as wire, provider(wire) as model:
        assert heard(model.stream(QUESTION))[1].whole is False
    with Wire(streams("Five", used=False)) as wire, provider(wire) as model:
        reply = heard(model.stream(QUESTION))[1]
    assert (reply.whole, reply.usage.input, reply.usage.calls) == (True, 0, 1)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_says_so(finish: str) -> None:
    with Wire(streams("Five", finish=finish)) as wire, provider(wire) as model:
        reply = heard(model.stream(QUESTION))[1]
    assert (reply.text, reply.whole, reply.problem, reply.usage.output) == ("Five", False, "", 10)


def test_who_says_more_than_is_allowed_is_not_heard_out() -> None:
    with Wire(streams(*["word " * 100] * 50)) as wire, provider(wire) as model:
        pieces, reply = heard(model.stream(QUESTION))
    assert len(pieces) == 7  # of 500 characters, where 50 tokens are allowed
    assert (reply.whole, reply.problem) == (False, "broke off (says more than it may)")


def test_an_empty_answer_is_one() -> None:
    with Wire(streams()) as wire, provider(wire) as model:
        pieces, reply = heard(model.stream(QUESTION))
    assert (pieces, reply.text, reply.whole, reply.usage.input, reply.usage.calls) == ([], "", True, 100, 1)


@pytest.mark.parametrize(
    ("turn", "kind", "line"),
    [
        (fails(401), ConfigError, "status 401: no; check the key"),
        (fails(404), ConfigError, "status 404: no; check the model's name and the address"),
        (fails(402), ConfigError, f"status 402: no; top up the account, or {INSTEAD}"),
        (fails(503), RemoteError, f"gave no answer in 2 attempts (status 503: no); try again later, or {INSTEAD}"),
        (says("no stream"), RemoteError, f"try again later, or {INSTEAD}"),
        (babbles, RemoteError, f"try again later, or {INSTEAD}"),
    ],
)
def test_what_cannot_be_answered_is_one_line(turn: Turn, kind: type[WracError], line: str) -> None:
    with Wire(turn) as wire, provider(wire, attempts=2) as model, pytest.raises(kind) as told:
        heard(model.stream(QUESTION))
    assert str(told.value).startswith(wire.address)
    assert str(told.value).endswith(line)


def test_a_listener_that_leaves_ends_the_request_and_the_model_answers_the_next() -> None:
    with Wire(streams("a", "b", pause=0.2), streams("next")) as wire, provider(wire, parallel=1) as model:
        pieces = model.stream(QUESTION)
        assert next(pieces) == "a"
        pieces.close()
        assert heard(model.stream(QUESTION))[1].text == "next"


def test_a_model_that_is_closed_meanwhile_says_so() -> None:
    with Wire(streams("a", "b", pause=1.0)) as wire, provider(wire) as model:
        pieces = model.stream(QUESTION)
        assert next(pieces) == "a"
        model.close()
        with pytest.raises(RemoteError, match="was closed while it was asked"):
            heard(pieces)


def test_what_questions_share_is_marked_for_providers_that_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of one's own is sent plain text, a provider the shared part as one of its own."""
    shared = Question("Answer.", "All pages.\n\nHow much?", shared="All pages.")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Wire(streams("5")) as wire:
        monkeypatch.setenv("OPENAI_BASE_URL", wire.address)
        with closing(Provider(Endpoint("openai-chat:gpt-4.1"))) as model:
            heard(model.stream(shared))
        with provider(wire) as model:
            heard(model.stream(shared))
    there, here = (request["messages"][1]["content"] for request in wire.requests)
    assert [part["text"] for part in there] == ["All pages.", "\n\nHow much?"]
    assert here == shared.data
