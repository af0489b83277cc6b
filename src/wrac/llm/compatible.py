"""Models behind addresses that speak OpenAI's protocol more or less; imported with pydantic-ai, where one is asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider


class CompatibleModel(OpenAIChatModel):
    """A chat model whose replies count for what they say, whatever is missing around it."""

    def __init__(self, model: str, base_url: str, key: str) -> None:
        provider = OpenAIProvider(base_url=base_url, api_key=key or "none")
        # `max_tokens` is the older field, which every server knows.
        super().__init__(
            model,
            provider=provider,
            profile=OpenAIModelProfile(
                openai_chat_supports_max_completion_tokens=False,
                openai_chat_streaming_requires_finish_reason=True,  # else an answer that breaks off seems whole
            ),
        )

    def _process_response(self, response: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - passed
        """The answer. Raises UnexpectedModelBehavior for what is none."""
        if not (isinstance(response, ChatCompletion) and _listed(response.choices, "message", ChatCompletionMessage)):
            raise UnexpectedModelBehavior("answered with no chat completion")
        return super()._process_response(response, *given, **named)

    def _validate_completion(self, response: Any) -> Any:  # noqa: ANN401 - unvalidated
        """The completion with what small servers leave out. Raises UnexpectedModelBehavior where there is no answer."""
        if not response.choices or response.choices[0].message is None:
            error = (response.model_extra or {}).get("error")
            said = error.get("message") if isinstance(error, dict) else error
            raise UnexpectedModelBehavior(str(said) if said else "answered with no chat completion")
        response.id, response.model = response.id or "", response.model or self.model_name
        response.object = "chat.completion"
        for index, choice in enumerate(response.choices):
            choice.index, choice.message.role = index, "assistant"
        return super()._validate_completion(response)

    async def _process_streamed_response(self, response: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - passed
        """The answer piece by piece. Raises UnexpectedModelBehavior at what is no piece of one."""
        return await super()._process_streamed_response(_Pieces(response), *given, **named)  # type: ignore[arg-type]


class _Pieces:
    """A stream as it comes, of pieces of answers alone: what makes them of JSON takes it in any shape."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 - of openai
        self._stream = stream
        self._pieces: AsyncIterator[Any] = aiter(stream)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:  # noqa: ANN401 - a piece
        piece = await anext(self._pieces)
        if not _sound(piece):
            raise UnexpectedModelBehavior("answered with what is no piece of an answer")
        return piece

    async def close(self) -> None:
        """Ends the connection."""
        await self._stream.close()


def _sound(piece: Any) -> bool:  # noqa: ANN401 - unvalidated
    """Whether all that is read of a piece has the shape in which it is read; anything may be missing."""
    if not isinstance(piece, ChatCompletionChunk) or not isinstance(piece.usage, CompletionUsage | None):
        return False
    return _listed(piece.choices, "delta", ChoiceDelta)


def _listed(choices: Any, part: str, kind: type) -> bool:  # noqa: ANN401 - unvalidated
    """Whether choices, where there are any, are a list of what has a part of a kind, or None for it."""
    return isinstance(choices or [], list) and all(
        hasattr(one, "finish_reason") and isinstance(getattr(one, part), kind | None) for one in choices or []
    )
