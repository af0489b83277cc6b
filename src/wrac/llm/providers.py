"""Models behind endpoints, through pydantic-ai: any provider it knows, any address that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, cast

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.types import Usage
from wrac.llm.asking import Question, Reply
from wrac.llm.faults import LONGEST_TOLD, advice, connectable, illegal, known, unusable
from wrac.llm.prices import Price, price
from wrac.llm.streaming import Flow
from wrac.llm.watched import asking, streaming

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as PydanticModel
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.usage import RequestUsage

Shape: TypeAlias = Literal["auto", "grammar", "schema", "text"]
"""How an answer's form is forced: by a grammar, a JSON schema, or words alone. `auto`: a grammar for llama.cpp, else a
schema, and words where it is refused."""

LONGEST_WAIT: Final = 60.0
"""Seconds an endpoint may ask to wait before the next attempt; one that asks for more is given up."""
REST: Final = 120.0
"""Pauses for which an endpoint that gave no answer is left alone: a minute, by default."""
GLANCE: Final = 5.0
"""Seconds that an endpoint has to say which models it serves."""
THINKING: Final = 4096
"""Tokens that a model which thinks before it answers may take for that."""
LOUDEST: Final = 64
"""Characters of an answer for each token that it may have: who says more does not keep to it."""
CUT: Final = frozenset(("length", "content_filter", "error"))
"""How a reply ends that is not whole."""
MOST: Final = 10**9
"""Tokens from which on what an endpoint says it took is not believed."""
CLOSED: Final = "was closed while it was asked"
_Result = TypeVar("_Result")
_Refusal = TypeVar("_Refusal", RemoteError, ConfigError)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is and how it is asked. `model` is `provider:name`; with a `base_url` a name alone.

    `key` is sent to a `base_url`; providers of their own read their usual environment variables. `timeout` in seconds,
    `attempts` in all, `parallel` questions at once. `price` is what it costs, None for the list price; `instead` what
    errors advise to do without it.
    """

    model: str
    base_url: str = ""
    key: str = field(default="", repr=False)
    shape: Shape = "auto"
    timeout: float = 60.0
    attempts: int = 4
    pause: float = 0.5
    parallel: int = 4
    price: Price | None = None
    instead: str = "plan by rules"

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"openai-compatible:{self.model}" if self.base_url else self.model

    @property
    def priced(self) -> bool:
        """Whether what it costs is known: given, or a list price. A model at an address of one's own has none."""
        if self.price is not None or self.base_url:
            return self.price is not None
        try:
            price(Usage(calls=1), self.model)
        except MissingExtraError:
            raise
        except ConfigError:
            return False
        return True

    def cost(self, usage: Usage, written: int = 0) -> float:
        """USD of a usage, of which so many tokens were written into a cache; 0 where no price is known."""
        if self.price is not None:
            return self.price.of(usage)
        return price(usage, self.model, written=written) if self.priced else 0.0


class Provider:
    """A model at an endpoint: retries with growing pauses, a limit on questions at once, usage with its price.

    Threads may ask at the same time. When an endpoint stays out of reach, questions fail at once with the same error
    for `REST` pauses; when it refuses the key or the model, for good: a run of a thousand pages does not wait for each.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._shape: Shape = endpoint.shape
        self._down: RemoteError | ConfigError | None = None
        self._until = 0.0
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = threading.Event()
        self._free = threading.BoundedSemaphore(endpoint.parallel)

    @property
    def name(self) -> str:
        """Provider and model."""
        return self.endpoint.name

    @cached_property
    def priced(self) -> bool:
        """Whether the cost of its replies is known."""
        return self.endpoint.priced

    @asking
    def ask(self, question: Question) -> Reply:
        """The answer; its usage costs 0 where no price is known.

        Raises ConfigError for a wrong key, model or size of question, RemoteError where the endpoint does not answer,
        MissingExtraError without the package that asks.
        """
        self._refuse()
        _ = self._model  # tells what cannot be asked at all
        with self._free:
            started = time.monotonic()
            response = self._insistently(question, lambda shape: self._wait(self._submit(self._once(question, shape))))
            text = "".join(getattr(part, "content", "") for part in response.parts if part.part_kind == "text")
            return self._reply(text, response.usage, response.finish_reason, time.monotonic() - started)

    @streaming
    def stream(self, question: Question) -> Generator[str, None, Reply]:
        """The answer in pieces, as they come, and at the end the reply; where it breaks off, what there is of it.

        Raises what `ask` raises, before the first piece.
        """
        self._refuse()
        _ = self._model
        with self._free:
            started, pieces = time.monotonic(), list[str]()
            flow = self._insistently(question, lambda shape: self._begun(question, shape))
            finish: str | None = "error"
            problem, said = "", 0
            try:
                for piece in flow:
                    pieces.append(piece)
                    yield piece
                    said += len(piece)
                    if said > LOUDEST * question.most:
                        problem = "broke off (says more than it may)"
                        break
                else:
                    finish = self._wait(flow.future).finish_reason
            except (known().any, known().unexpected, *known().transport) as error:
                problem = f"broke off ({self._told(error)})"
            finally:
                flow.future.cancel()
            return self._reply("".join(pieces), flow.used, finish, time.monotonic() - started, problem)

    def close(self) -> None:
        """Ends the connection and the questions under way, which then fail, as later ones do."""
        self._closed.set()
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop = None

    # -- asking

    def _insistently(self, question: Question, ask: Callable[[Shape], _Result]) -> _Result:
        """What asking gives, again and again as far as that may help."""
        free = not (question.grammar or question.schema)
        shape, attempt = "text" if free else self._shape if self._shape != "auto" else self._taken(), 1
        while True:
            self._refuse()
            try:
                found = ask(shape)
            except known().hopeless as error:
                raise self._end_with(self._config(error, advice(error, self.endpoint.instead))) from error
            except known().rejected as error:
                if self.endpoint.shape != "auto" or shape == "text" or isinstance(error, known().too_long):
                    raise self._config(error, advice(error, self.endpoint.instead)) from error
                shape = "text"  # an endpoint without JSON schemas says so by refusing them
            except UnicodeEncodeError as error:
                raise self._unsendable() from error
            except (known().any, *known().transport) as error:
                if illegal(error):
                    raise self._unsendable() from error
                self._pause(error, attempt)
                attempt += 1
            except known().unexpected as error:
                raise self._remote(self._told(error)) from error
            else:
                self._shape = self._shape if free else shape
                return found

    def _taken(self) -> Shape:
        """The form that the endpoint takes, found out once: llama.cpp says who it is in its list of models."""
        self._shape = "grammar" if self.endpoint.base_url and self._wait(self._submit(self._is_llama())) else "schema"
        return self._shape

    async def _is_llama(self) -> bool:
        from openai import OpenAIError

        client = cast("OpenAIChatModel", self._model).client.with_options(max_retries=0, timeout=GLANCE)
        try:
            return '"llamacpp"' in json.dumps(await client.get("/models", cast_to=object))
        except (OpenAIError, ValueError):
            return False  # what is wrong, the question will tell

    async def _once(self, question: Question, shape: Shape) -> ModelResponse:
        from pydantic_ai.direct import model_request

        return await model_request(self._model, **self._request(question, shape))

    def _begun(self, question: Question, shape: Shape) -> Flow:
        """An answer of which the first piece is there, or the end. Raises what ends it before."""
        from pydantic_ai.direct import model_request_stream

        flow = Flow()
        future = self._submit(flow.pump(model_request_stream(self._model, **self._request(question, shape))))
        try:
            flow.begin(future)
        except BaseException:
            future.cancel()
            raise
        if flow.empty:
            self._wait(flow.future)
        return flow

    def _request(self, question: Question, shape: Shape) -> dict[str, Any]:
        from pydantic_ai.messages import ModelRequest, ModelRequestPart, SystemPromptPart, UserPromptPart

        data = _content(question, plain=bool(self.endpoint.base_url))
        parts: list[ModelRequestPart] = [SystemPromptPart(question.instructions), UserPromptPart(data)]
        return {
            "messages": [ModelRequest(parts)],
            "model_settings": self._settings(question, shape),
            "model_request_parameters": _parameters(question, shape),
        }

    def _settings(self, question: Question, shape: Shape) -> Any:  # noqa: ANN401 - imported lazily
        """How the model answers: the likeliest words, no more than useful, with as little thinking as it can."""
        settings: dict[str, Any] = {"max_tokens": question.most, "timeout": self.endpoint.timeout, "max_retries": 0}
        profile = self._model.profile
        if profile.get("supports_thinking"):
            settings |= {"thinking": False, "max_tokens": question.most + THINKING}
        if not profile.get("thinking_always_enabled"):
            settings["temperature"] = 0.0
        if shape == "grammar" and question.grammar:
            settings["extra_body"] = {"grammar": question.grammar}
        return settings

    def _pause(self, error: Exception, attempt: int) -> None:
        """Waits as long as the endpoint asks for, else twice as long each time. Raises RemoteError to give up."""
        asked = getattr(error, "retry_after", None)
        seconds = self.endpoint.pause * 2 ** (attempt - 1) if asked is None else float(asked)
        problem = ""
        if attempt >= self.endpoint.attempts:
            problem = f"gave no answer in {attempt} attempts"
        elif seconds > LONGEST_WAIT:
            problem = f"asks to wait {seconds:.0f} seconds"
        if problem:
            rest = max(REST * self.endpoint.pause, asked or 0.0)
            raise self._end_with(self._remote(f"{problem} ({self._told(error)})"), rest) from error
        self._closed.wait(seconds)

    def _end_with(self, error: _Refusal, seconds: float = inf) -> _Refusal:
        """The error, which answers later questions, too, for some time."""
        self._down, self._until = error, time.monotonic() + seconds
        return error

    def _refuse(self) -> None:
        """Raises what the endpoint's last question failed with, while it is not worth another."""
        if self._closed.is_set():
            raise self._remote(CLOSED)
        if self._down is not None and time.monotonic() < self._until:
            raise self._down

    def _reply(
        self, text: str, used: RequestUsage | None, finish: str | None, seconds: float, problem: str = ""
    ) -> Reply:
        """A reply with what the endpoint said it took; one that broke off may have taken more."""
        told = (used.input_tokens, used.cache_read_tokens, used.output_tokens) if used else (0, 0, 0)
        read, cached, written = told if all(0 <= tokens < MOST for tokens in told) else (0, 0, 0)
        usage = Usage(read, cached, written, 1, round(seconds, 3))
        cost = self.endpoint.cost(usage, used.cache_write_tokens if used else 0) if self.priced else 0.0
        return Reply(text, replace(usage, cost=cost), whole=finish not in CUT, problem=problem)

    def _remote(self, problem: str) -> RemoteError:
        return RemoteError(self.endpoint.base_url or self.name, problem, f"try again later, or {self.endpoint.instead}")

    def _config(self, error: Exception, advice: str) -> ConfigError:
        return ConfigError(f"{self.endpoint.base_url or self.name}: {self._told(error)}; {advice}")

    def _unsendable(self) -> ConfigError:
        """Why nothing is sent: what a header cannot hold never leaves the machine."""
        where = self.endpoint.base_url or self.name
        return self._end_with(ConfigError(f"{where}: the key holds characters that no key has; set the key alone"))

    def _told(self, error: Exception) -> str:
        """What an endpoint says is wrong, in one line without the key."""
        body, status = getattr(error, "body", None), getattr(error, "status_code", None)
        said = body.get("message") if isinstance(body, dict) else None
        text = " ".join(str(said or (f"status {status}" if status else error)).split())[:LONGEST_TOLD]
        text = text.replace(self.endpoint.key, "***") if self.endpoint.key else text
        return f"status {status}: {text}" if said and status else text

    # -- the connection

    @cached_property
    def _model(self) -> PydanticModel:
        try:
            from pydantic_ai.exceptions import UserError
            from pydantic_ai.models import infer_model

            from wrac.llm.compatible import CompatibleModel
        except ImportError as error:
            raise MissingExtraError("llm", "asking a language model") from error
        connectable()
        if self.endpoint.base_url:
            return CompatibleModel(self.endpoint.model, self.endpoint.base_url, self.endpoint.key)
        try:
            return infer_model(self.endpoint.model)
        except (UserError, ImportError, ValueError) as error:
            raise self._end_with(ConfigError(f"{self.endpoint.model}: {unusable(str(error))}")) from error

    def _submit(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        """A coroutine that runs on the connection's own loop."""
        with self._lock:  # what is begun before the end is ended by it
            if self._closed.is_set():
                work.close()
                raise self._remote(CLOSED)
            return asyncio.run_coroutine_threadsafe(work, self._running())

    def _wait(self, future: Future[_Result]) -> _Result:
        """What comes of it; an interrupted wait ends the request."""
        try:
            return future.result()
        except CancelledError as error:
            raise self._remote(CLOSED) from error
        except BaseException:
            future.cancel()
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="wrac-llm", daemon=True)
            self._thread.start()
        return self._loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.run_forever()
        loop.run_until_complete(self._end())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()

    async def _end(self) -> None:
        """Ends what is under way, and the connections."""
        if left := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in left:
                task.cancel()
            await asyncio.wait(left)
        if "_model" in self.__dict__:
            async with self._model:
                pass  # leaving it closes its client


def _content(question: Question, *, plain: bool) -> Any:  # noqa: ANN401 - imported lazily
    """The data, with a point up to which a provider is told to keep it; `plain` for servers that know no such point."""
    from pydantic_ai.messages import CachePoint

    if plain or not question.shared:
        return question.data
    return [question.shared, CachePoint(), question.data.removeprefix(question.shared)]


def _parameters(question: Question, shape: Shape) -> Any:  # noqa: ANN401 - imported lazily
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if shape != "schema" or not question.schema:
        return ModelRequestParameters()
    wanted = OutputObjectDefinition(json_schema=dict(question.schema), name="answer", strict=True)
    return ModelRequestParameters(output_mode="native", output_object=wanted)
