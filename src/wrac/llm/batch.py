"""Questions handed in together and answered within a day at half the price: OpenAI's batch protocol."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.types import Usage
from wrac.llm.asking import Question, Reply
from wrac.llm.faults import connectable
from wrac.llm.providers import THINKING, Endpoint

if TYPE_CHECKING:
    from openai import OpenAI

SHARE: Final = 0.5
"""What an answer costs in a batch, of its price when asked at once."""
MOST: Final = 50_000
LARGEST: Final = 100_000_000
"""Questions, and bytes, that one batch takes; what is more goes into the next."""
DAY: Final = 86_400.0
ENDED: Final = frozenset(("completed", "failed", "expired", "cancelled"))
PROVIDER: Final = "openai:"


class State(NamedTuple):
    """How far a batch is: the provider's word for it, questions done, failed and in all, and what is wrong."""

    status: str
    done: int = 0
    failed: int = 0
    total: int = 0
    problem: str = ""

    @property
    def ended(self) -> bool:
        """Whether nothing more will be answered."""
        return self.status in ENDED


class Batches:
    """The batches of an endpoint: OpenAI's own, or of an address that speaks its protocol.

    A batch has an id and lives at the provider, so that one process may hand it in and another collect its answers.
    Methods raise RemoteError where the endpoint does not answer, ConfigError where it refuses key, model or batch.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        if not endpoint.base_url and not endpoint.model.startswith(PROVIDER):
            raise ConfigError(f"no batch API is known of {endpoint.model}; use openai:MODEL, --base-url, or no --batch")
        self.endpoint = endpoint

    @property
    def name(self) -> str:
        """Provider and model, as of the endpoint asked at once: answers are the same."""
        return self.endpoint.name

    def submit(self, questions: Mapping[str, Question]) -> Iterator[tuple[str, list[str]]]:
        """Hands questions in, and gives each batch's id and its questions' keys as soon as the provider has it."""
        for keys, lines in packed((key, self._line(key, question)) for key, question in questions.items()):
            with self._asking() as client:
                sent = client.files.create(file=("questions.jsonl", b"".join(lines)), purpose="batch")
                made = client.batches.create(
                    input_file_id=sent.id, endpoint="/v1/chat/completions", completion_window="24h"
                )
            yield made.id, keys

    def state(self, batch: str) -> State:
        """How far a batch is."""
        with self._asking() as client:
            found = client.batches.retrieve(batch)
        counts = found.request_counts
        errors = (found.errors and found.errors.data) or []
        problem = "; ".join(" ".join((error.message or error.code or "").split()) for error in errors[:3])
        done = (counts.completed, counts.failed, counts.total) if counts else (0, 0, 0)
        return State(found.status, *done, problem)

    def wait(
        self, batch: str, pause: float = 30.0, longest: float = DAY, tell: Callable[[State], object] = lambda _: None
    ) -> State:
        """A batch's last state, looked at every `pause` seconds. Raises RemoteError when `longest` seconds are over."""
        until = time.monotonic() + longest
        while not (state := self.state(batch)).ended:
            tell(state)
            if time.monotonic() + pause > until:
                raise self._remote(f"{batch} is {state.status} after {longest:g} seconds; run again to collect it")
            time.sleep(pause)
        return state

    def replies(self, batch: str) -> dict[str, Reply | str]:
        """What an ended batch says by key: a reply, or why there is none. Keys it says nothing of were not answered."""
        found: dict[str, Reply | str] = {}
        with self._asking() as client:
            made = client.batches.retrieve(batch)
            for file in filter(None, (made.error_file_id, made.output_file_id)):
                found.update(self._read(client.files.content(file).text))
        return found

    def cancel(self, batch: str) -> None:
        """Ends a batch; what is answered already can be collected."""
        with self._asking() as client:
            client.batches.cancel(batch)

    def close(self) -> None:
        """Ends the connection."""
        if "_client" in self.__dict__:
            self._client.close()

    # -- lines

    def _line(self, key: str, question: Question) -> bytes:
        """A question as a line of the file that is handed in."""
        roles = ("system", question.instructions), ("user", question.data)
        body: dict[str, Any] = {
            "messages": [{"role": role, "content": content} for role, content in roles],
            **(self._compatible(question) if self.endpoint.base_url else self._own(question)),
        }
        if self.endpoint.shape == "grammar":
            body["grammar"] = question.grammar
        elif self.endpoint.shape != "text" and question.schema:
            wanted = {"name": "answer", "strict": True, "schema": dict(question.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        line = {"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"

    def _compatible(self, question: Question) -> dict[str, Any]:
        return {"model": self.endpoint.model, "temperature": 0.0, "max_tokens": question.most}

    def _own(self, question: Question) -> dict[str, Any]:
        """What OpenAI's models take: one that thinks gets no temperature, and is to think as little as it can."""
        from pydantic_ai.profiles.openai import openai_model_profile

        model = self.endpoint.model.removeprefix(PROVIDER)
        profile = openai_model_profile(model)
        if not profile.get("thinking_always_enabled"):
            return {"model": model, "temperature": 0.0, "max_completion_tokens": question.most}
        efforts: Any = profile.get("openai_reasoning_efforts") or ()
        thinking = [{"reasoning_effort": effort} for effort in ("minimal", "low") if effort in efforts]
        return {"model": model, "max_completion_tokens": question.most + THINKING, **(thinking or [{}])[0]}

    def _read(self, text: str) -> Iterator[tuple[str, Reply | str]]:
        """The replies in a file of results; a line that is cut off says nothing."""
        for line in filter(str.strip, text.split("\n")):
            try:
                result = json.loads(line)
            except ValueError:
                continue
            response, error = result.get("response") or {}, result.get("error")
            body = response.get("body") or {}
            if response.get("status_code") == 200 and body.get("choices"):
                yield result["custom_id"], self._reply(body)
            else:
                problem = error or body.get("error") or {}
                yield result["custom_id"], str(problem.get("message") or problem.get("code") or "no answer in it")

    def _reply(self, body: Mapping[str, Any]) -> Reply:
        choice, used = body["choices"][0], body.get("usage") or {}
        cached = (used.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        usage = Usage(used.get("prompt_tokens", 0), cached, used.get("completion_tokens", 0), 1)
        cost = self.endpoint.cost(usage) * SHARE
        text = choice["message"].get("content") or ""
        priced = Usage(usage.input, usage.cached, usage.output, 1, 0.0, cost)
        return Reply(text, priced, whole=choice.get("finish_reason") != "length")

    # -- the connection

    @cached_property
    def _client(self) -> OpenAI:
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("llm", "asking a language model") from error
        connectable()
        endpoint = self.endpoint
        key = endpoint.key or ("none" if endpoint.base_url else None)
        try:
            return openai.OpenAI(
                base_url=endpoint.base_url or None,
                api_key=key,
                timeout=endpoint.timeout,
                max_retries=endpoint.attempts - 1,
            )
        except openai.OpenAIError as error:
            raise ConfigError(f"{self.name}: no key; set OPENAI_API_KEY") from error

    @contextmanager
    def _asking(self) -> Iterator[OpenAI]:
        """The client, whose errors are told as wrac's."""
        client = self._client
        import openai

        try:
            yield client
        except openai.APIStatusError as error:
            if isinstance(error, openai.RateLimitError) or error.status_code >= 500:
                raise self._remote(f"took no batch (status {error.status_code}); try again later") from error
            raise ConfigError(f"{self._where}: {_refusal(error.status_code)}") from error
        except openai.OpenAIError as error:
            raise self._remote(f"gave no answer ({' '.join(str(error).split())}); try again later") from error

    @property
    def _where(self) -> str:
        return self.endpoint.base_url or self.name

    def _remote(self, problem: str) -> RemoteError:
        return RemoteError(self._where, problem)


def _refusal(status: int) -> str:
    """What a refused batch means."""
    if status in (401, 403):
        return f"the key is refused (status {status}); check the key"
    if status == 404:
        return "no batches there (status 404); leave out --batch"
    return f"the batch is refused (status {status}); leave out --batch, or choose another model"


def packed(lines: Iterable[tuple[str, bytes]]) -> Iterator[tuple[list[str], list[bytes]]]:
    """Lines and their keys in batches that a provider takes."""
    keys: list[str] = []
    batch: list[bytes] = []
    size = 0
    for key, line in lines:
        if keys and (len(keys) == MOST or size + len(line) > LARGEST):
            yield keys, batch
            keys, batch, size = [], [], 0
        keys.append(key)
        batch.append(line)
        size += len(line)
    if keys:
        yield keys, batch
