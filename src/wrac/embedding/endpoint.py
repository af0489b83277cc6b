"""Embeddings from a server that speaks OpenAI's protocol: OpenAI, llama.cpp, vLLM, Ollama, text-embeddings-inference.

The vectors are the server's: whether a text has the same bits on every call is up to it. A workspace asks for each text
once and keeps the answer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import ConfigError, RemoteError
from wrac.embedding.fitting import fitting
from wrac.embedding.prefixes import prefixes
from wrac.llm.faults import connecting, sendable
from wrac.text.tokens import counter

OPENAI: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
BATCH: Final = 64
ATTEMPTS: Final = 4
LONGEST_WAIT: Final = 60.0
_TIMEOUT = httpx2.Timeout(120.0, connect=10.0)
_SAFE = 384
"""Tokens of o200k that fit a window of 512 of any usual tokenizer: a server does not say which one it has."""
_KNOWN = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


class Endpoint:
    """The embedder `model` of a server. The key in OPENAI_API_KEY is sent to it where there is one."""

    def __init__(self, model: str, base_url: str = "", *, pause: float = 0.5) -> None:
        """Asks nothing yet; `base_url` ends where `/embeddings` follows, `pause` is the first wait before a retry.

        Raises ConfigError without a model, without a key for OpenAI itself, for one that no header can hold, or for an
        address that is none.
        """
        self.model, self.base_url, self.pause = model, (base_url or OPENAI).rstrip("/"), pause
        self._key = os.environ.get(KEY, "")
        self._dimensions = _KNOWN.get(model, 0)
        self._prefixes = prefixes(model)
        self._counter = counter("cl100k" if model in _KNOWN else "o200k")
        if not model:
            raise ConfigError("the embedder openai: has no model; write openai:MODEL or openai:MODEL@URL")
        _refuse(self.base_url)
        if self.base_url == OPENAI and not self._key:
            raise ConfigError(f"openai:{model} needs a key: set {KEY}")
        if not sendable(self._key):
            raise ConfigError(f"{KEY} holds characters that no key has; set the key alone")

    @property
    def name(self) -> str:
        """The model; not its address: a server may move."""
        return f"openai:{self.model}"

    @property
    def dimensions(self) -> int:
        """Length of a vector; the server is asked once where nobody knows."""
        if not self._dimensions:
            self._ask(["dimensions"])
        return self._dimensions

    @property
    def window(self) -> int:
        """Longest input, in `tokens`."""
        return 8191 if self.model in _KNOWN else _SAFE

    def tokens(self, text: str) -> int:
        """Tokens of `text`: OpenAI's own for its models, else an estimate that `window` leaves room for."""
        return self._counter.count(text)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """float32 (n, dimensions), rows of unit length, asked for in batches.

        A query longer than the window is cut to its first words; any other text beyond it is an InputError. Raises
        ConfigError where the server refuses key, model or input, RemoteError where it does not answer as it should.
        """
        prefix = self._prefixes.query if query else self._prefixes.passage
        # Some servers refuse an empty text; all read a space as nothing.
        inputs = [prefix + text or " " for text in fitting(self, texts, query=query)]
        parts = [self._ask(inputs[start : start + BATCH]) for start in range(0, len(inputs), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), np.float32)

    def _ask(self, inputs: Sequence[str]) -> NDArray[np.float32]:
        answer = self._answer({"model": self.model, "input": inputs, "encoding_format": "float"})
        try:
            data = sorted(answer["data"], key=lambda one: int(one["index"]))
            rows = np.array([one["embedding"] for one in data], np.float64)
            lengths = np.linalg.norm(rows, axis=1)
        except (KeyError, TypeError, ValueError) as error:
            raise self._broken("is no list of embeddings") from error
        if rows.shape != (len(inputs), self._dimensions or rows.shape[1]) or not np.isfinite(rows).all():
            wanted = f"{len(inputs)} of {self._dimensions or 'equal'} dimensions"
            raise self._broken(f"has embeddings of shape {rows.shape}, not {wanted}")
        if not lengths.all():
            raise self._broken("has an embedding that is all zeros")
        self._dimensions = rows.shape[1]
        return np.asarray(rows / lengths[:, None], np.float32)

    def _answer(self, body: dict[str, object]) -> dict[str, Any]:
        """The answer to a request, tried again with growing pauses while the server is busy or away."""
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        with connecting():
            client = httpx2.Client(timeout=_TIMEOUT, headers=headers)
        with client:
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    response = client.post(f"{self.base_url}/embeddings", json=body)
                except httpx2.TransportError as error:
                    problem, wait = str(error) or type(error).__name__, ""
                else:
                    if response.status_code < 400:
                        return self._read(response)
                    if response.status_code not in (408, 409, 425, 429) and response.status_code < 500:
                        raise self._refused(response)
                    problem, wait = _told(response), response.headers.get("retry-after", "")
                if attempt < ATTEMPTS:
                    time.sleep(_pause(wait, self.pause * 2 ** (attempt - 1)))
        raise RemoteError(self.base_url, f"gave no embeddings in {ATTEMPTS} attempts ({problem})", "try again later")

    def _read(self, response: httpx2.Response) -> dict[str, Any]:
        try:
            answer = response.json()
        except ValueError as error:
            raise self._broken("is no JSON") from error
        if not isinstance(answer, dict):
            raise self._broken("is no list of embeddings")
        return answer

    def _refused(self, response: httpx2.Response) -> ConfigError:
        if response.status_code in (401, 403):
            return ConfigError(f"{self.base_url}: the server refuses the key; set {KEY}")
        return ConfigError(f"{self.base_url}: {_told(response)}; check the model's name and the address")

    def _broken(self, problem: str) -> RemoteError:
        return RemoteError(self.base_url, f"the answer {problem}", "check that it is a server of embeddings")


def _refuse(address: str) -> None:
    """Nothing for the address of a server. Raises ConfigError, which repeats no password, for anything else."""
    try:
        parts = urlsplit(address)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.query or parts.fragment:
        shown = address.partition("?")[0].rpartition("@")[2]
        raise ConfigError(f"{shown}: no address of a server; write openai:MODEL@http://HOST:PORT/v1")
    if "@" in parts.netloc:
        raise ConfigError(f"the embedder's address holds a password, and would be remembered; put the key into {KEY}")


def _told(response: httpx2.Response) -> str:
    """What a server says is wrong, in one line."""
    text = " ".join(response.text.split())
    try:
        error = response.json()["error"]
        text = str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        pass  # its own words, whatever they are
    return f"{response.status_code} {text[:200]}".rstrip()


def _pause(asked: str, otherwise: float) -> float:
    """Seconds to wait: as long as the server asks for, within reason."""
    return min(float(asked) if asked.replace(".", "", 1).isdigit() else otherwise, LONGEST_WAIT)
