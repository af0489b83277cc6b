"""Spans around what a model is asked; its texts are told only where that is allowed."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import TypeVar

from wrac import telemetry
from wrac.llm.asking import Model, Question, Reply
from wrac.telemetry import names

_Asked = TypeVar("_Asked", bound=Model)


def asking(ask: Callable[[_Asked, Question], Reply]) -> Callable[[_Asked, Question], Reply]:
    """The same, in a span."""

    @wraps(ask)
    def watched(model: _Asked, question: Question) -> Reply:
        with telemetry.span(f"{names.CHAT} {model.name}", _asked(model, question), "client") as span:
            reply = ask(model, question)
            span.set(_replied(reply))
            return reply

    return watched


def streaming(
    stream: Callable[[_Asked, Question], Generator[str, None, Reply]],
) -> Callable[[_Asked, Question], Generator[str, None, Reply]]:
    """The same, in a span that ends with the last piece."""

    @wraps(stream)
    def watched(model: _Asked, question: Question) -> Generator[str, None, Reply]:
        with telemetry.span(f"{names.CHAT} {model.name}", _asked(model, question), "client") as span:
            reply = yield from stream(model, question)
            span.set(_replied(reply))
            if reply.problem:
                span.fail("broken_off")
            return reply

    return watched


def _asked(model: Model, question: Question) -> dict[str, telemetry.Value]:
    provider, _, name = model.name.partition(":")
    said: dict[str, telemetry.Value] = {
        names.OPERATION: names.CHAT,
        names.PROVIDER: provider,
        names.MODEL: name,
        names.SPAN_KIND: names.LLM,
        names.LLM_PROVIDER: provider,
        names.LLM_MODEL: name,
    }
    return said | ({names.INPUT: f"{question.instructions}\n\n{question.data}"} if telemetry.content() else {})


def _replied(reply: Reply) -> dict[str, telemetry.Value]:
    usage = reply.usage
    said: dict[str, telemetry.Value] = {
        names.TOKENS_IN: usage.input,
        names.TOKENS_CACHED: usage.cached,
        names.TOKENS_OUT: usage.output,
        names.LLM_IN: usage.input,
        names.LLM_OUT: usage.output,
        names.LLM_TOTAL: usage.input + usage.output,
        names.LLM_COST: usage.cost,
    }
    return said | ({names.OUTPUT: reply.text} if telemetry.content() else {})
