"""Models behind addresses that speak OpenAI's protocol more or less; imported with pydantic-ai, where one is asked."""

from __future__ import annotations

from typing import Any

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
