"""Models behind endpoints, through pydantic-ai: any provider it knows, any address that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.types import Usage
from wrac.llm.asking import Question, Reply
from wrac.llm.prices import Price, price

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as PydanticModel

Shape: TypeAlias = Literal["auto", "grammar", "schema", "text"]
"""How an answer's form is forced: by a grammar (llama.cpp), a JSON schema, or by words alone. `auto`: a schema, and
words where the endpoint refuses schemas."""

LONGEST_WAIT: Final = 60.0
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is and how it is asked. `model` is `provider:name`; with a `base_url` a name alone.

    `key` is sent to a `base_url`; providers of their own read their usual environment variables. `timeout` in seconds,
    `attempts` in all, `parallel` questions at once. `price` is what it costs, None for the list price.
    """

    model: str
    base_url: str = ""
    key: str = ""
    shape: Shape = "auto"
    timeout: float = 60.0
    attempts: int = 4
    pause: float = 0.5
    parallel: int = 4
    price: Price | None = None


class Provider:
    """A model at an endpoint: retries with growing pauses, a limit on questions at once, usage with its price.

    Threads may ask at the same time. When an endpoint stays out of reach, later questions fail at once with the same
    error: a run of a thousand pages does not wait a thousand times.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._shape: Shape = endpoint.shape
        self._down: RemoteError | None = None
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._free = threading.BoundedSemaphore(endpoint.parallel)

    @property
    def name(self) -> str:
        """Provider and model."""
        return self.endpoint.model if not self.endpoint.base_url else f"openai-compatible:{self.endpoint.model}"

    @cached_property
    def priced(self) -> bool:
        """Whether what it costs is known: given, or a list price. A model at an address of one's own has none."""
        if self.endpoint.price is None and not self.endpoint.base_url:
            try:
                price(Usage(calls=1), self.endpoint.model)
            except ConfigError:
                return False
        return self.endpoint.price is not None or not self.endpoint.base_url

    def ask(self, question: Question) -> Reply:
        """The answer; its usage costs 0 where no price is known.

        Raises ConfigError for a wrong key, model or size of question, RemoteError where the endpoint does not answer.
        """
        with self._free:
            started = time.monotonic()
            response = self._insistently(question)
            return self._reply(response, time.monotonic() - started)

    def close(self) -> None:
        """Ends the connection."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop = None

    # -- asking

    def _insistently(self, question: Question) -> ModelResponse:
        for attempt in range(1, self.endpoint.attempts + 1):
            if self._down is not None:
                raise self._down
            try:
                return self._run(self._once(question))
            except _errors().transient as error:
                if attempt == self.endpoint.attempts:
                    self._down = self._remote(f"gave no answer in {attempt} attempts ({_line(error)})")
                    raise self._down from error
                time.sleep(self._wait(error, attempt))
            except _errors().rejected as error:
                if self._shape == "auto" and type(error) is _errors().rejected:
                    self._shape = "text"  # an endpoint without JSON schemas says so by refusing them
                    continue
                raise ConfigError(
                    f"{self.name}: {_line(error)}; check the model's name, the key and the address"
                ) from error
            except _errors().other as error:
                raise self._remote(_line(error)) from error
        raise self._remote("refuses questions of every form")

    async def _once(self, question: Question) -> ModelResponse:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, ModelRequestPart, SystemPromptPart, UserPromptPart

        parts: list[ModelRequestPart] = [SystemPromptPart(question.instructions), UserPromptPart(question.data)]
        settings: Any = {
            "temperature": 0.0, "max_tokens": question.most, "timeout": self.endpoint.timeout, "max_retries": 0,
        }  # fmt: skip
        if self._shape == "grammar" and question.grammar:
            settings["extra_body"] = {"grammar": question.grammar}
        return await model_request(
            self._model,
            [ModelRequest(parts)],
            model_settings=settings,
            model_request_parameters=self._parameters(question),
        )

    def _parameters(self, question: Question) -> Any:  # noqa: ANN401 - imported lazily
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition

        if self._shape not in ("auto", "schema") or not question.schema:
            return ModelRequestParameters()
        wanted = OutputObjectDefinition(json_schema=dict(question.schema), name="answer", strict=True)
        return ModelRequestParameters(output_mode="native", output_object=wanted)

    def _wait(self, error: Exception, attempt: int) -> float:
        """Seconds until the next attempt: as long as the endpoint asks for, else twice as long each time."""
        asked = (getattr(error, "headers", None) or {}).get("retry-after", "")
        seconds = float(asked) if asked.replace(".", "", 1).isdigit() else self.endpoint.pause * 2 ** (attempt - 1)
        return min(seconds, LONGEST_WAIT)

    def _reply(self, response: ModelResponse, seconds: float) -> Reply:
        text = "".join(getattr(part, "content", "") for part in response.parts if part.part_kind == "text")
        used = response.usage
        usage = Usage(used.input_tokens, used.cache_read_tokens, used.output_tokens, 1, round(seconds, 3))
        return Reply(text, replace(usage, cost=self._cost(usage)), whole=response.finish_reason != "length")

    def _cost(self, usage: Usage) -> float:
        if not self.priced:
            return 0.0
        return self.endpoint.price.of(usage) if self.endpoint.price else price(usage, self.endpoint.model)

    def _remote(self, problem: str) -> RemoteError:
        return RemoteError(self.endpoint.base_url or self.name, problem, "try again later, or plan by rules")

    # -- the connection

    @cached_property
    def _model(self) -> PydanticModel:
        try:
            from pydantic_ai.exceptions import UserError
            from pydantic_ai.models import infer_model
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider
        except ImportError as error:
            raise MissingExtraError("llm", "asking a language model") from error
        if self.endpoint.base_url:
            provider = OpenAIProvider(base_url=self.endpoint.base_url, api_key=self.endpoint.key or "none")
            return OpenAIChatModel(self.endpoint.model, provider=provider)
        try:
            return infer_model(self.endpoint.model)
        except (UserError, ImportError, ValueError) as error:
            raise ConfigError(f"{self.endpoint.model}: {_line(error)}") from error

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """The result of a coroutine run on the connection's own loop; an interrupted wait ends the request."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name="wrac-llm", daemon=True)
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


class _Errors:
    """pydantic-ai's errors by what to do about them."""

    def __init__(self) -> None:
        from pydantic_ai import exceptions as known

        self.transient = (
            known.ModelRateLimitError, known.ModelServerError, known.ModelConnectionError, known.ModelUnavailableError,
        )  # fmt: skip
        self.rejected = known.ModelRequestRejectedError
        self.other = (known.ModelAPIError, known.UnexpectedModelBehavior)


@cache
def _errors() -> _Errors:
    return _Errors()


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
