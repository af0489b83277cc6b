"""Sentence vectors by a BERT-like ONNX model on the processor: mean of the token vectors, unit length.

The vectors of a dynamically quantized model depend on whatever else is in the batch. So each text is run alone, in a
session of one thread, and several Python threads share the session: the same text gives the same bits in any order, on
any number of threads. Weights of seven bits keep the integer sums exact on every processor.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wrac.core.errors import ConfigError, InputError
from wrac.text.characters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

SHIPPED = Path(__file__).parent / "data" / "minilm"
"""The folder of the model inside the package."""

_THREADS = 8


class _Session(Protocol):
    def run(self, names: None, given: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]: ...


@dataclass(frozen=True, slots=True)
class Card:
    """What a model's folder says about it; `files` maps a name to its size in bytes and its SHA-256."""

    name: str
    dimensions: int
    window: int
    files: dict[str, tuple[int, str]]


def read_card(folder: Path) -> Card:
    """The card of the model in `folder`.

    Raises ConfigError when it is missing or malformed, or when a file is absent or not of the size it names.
    """
    try:
        data = json.loads((folder / "card.json").read_text("utf-8"))
        files = {str(name): (int(facts["bytes"]), str(facts["sha256"])) for name, facts in data["files"].items()}
        card = Card(str(data["name"]), int(data["dimensions"]), int(data["window"]), files)
        missing = {"model.onnx", "tokenizer.json"} - files.keys()
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"{folder}: no readable card.json ({error!r}); install or copy the model again") from error
    if missing:
        raise ConfigError(f"{folder}: card.json does not list {', '.join(sorted(missing))}; make the card again")
    for name, (size, _) in files.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != size:
            raise ConfigError(f"{path}: missing or not {size} bytes long; install or copy the model again")
    return card


class MiniLM:
    """The embedder of one model folder. Safe to use from several threads, and in a process forked before or after."""

    def __init__(self, folder: str | Path | None = None, threads: int | None = None) -> None:
        """Reads the card only; `threads` is how many texts run at once (default: one for each processor, at most 8)."""
        self._folder = SHIPPED if folder is None else Path(folder)
        self._card = read_card(self._folder)
        self._threads = threads or min(os.cpu_count() or 1, _THREADS)
        self._lock = threading.Lock()
        self._owner = 0
        self._session_: _Session | None = None
        self._tokenizer_: Tokenizer | None = None

    @property
    def name(self) -> str:
        """Model and the first eight digits of its hash: vectors of another name are never compared."""
        return f"{self._card.name}@{self._card.files['model.onnx'][1][:8]}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._card.dimensions

    @property
    def window(self) -> int:
        """Longest input, in `tokens`."""
        return self._card.window

    def prepare(self) -> None:
        """Load the model now, not with the first text; a thread that does leaves the interpreter to others."""
        self._session()

    def tokens(self, text: str) -> int:
        """Tokens of `text` for this model, the two special ones included.

        A word it has no pieces for is one token of no meaning, however long: it counts as many as it has letters.
        """
        found, unknown = self._encoded(text), self._tokenizer().token_to_id("[UNK]")
        more = (end - start - 1 for id_, (start, end) in zip(found.ids, found.offsets, strict=True) if id_ == unknown)
        return len(found.ids) + sum(more)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """float32 (n, dimensions), rows of unit length, the same bits for the same text on every call.

        A query longer than the window is cut to it: its first words are the best that can be asked. Raises InputError
        for any other text beyond the window, before the first one is run.
        """
        inputs = [self._input(text, query) for text in texts]
        if len(inputs) < 2 or self._threads < 2:
            rows = [self._vector(ids) for ids in inputs]
        else:
            self._session()
            with ThreadPoolExecutor(self._threads, "wrac-embed") as pool:
                rows = list(pool.map(self._vector, inputs))
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    def token_vectors(self, text: str, *, query: bool = False) -> NDArray[np.float32]:
        """float32 (tokens, dimensions), a unit row for each token but the special ones, for late interaction.

        Raises InputError as `embed` does.
        """
        return _unit(self._hidden(self._input(text, query))[1:-1]).astype(np.float32)

    def verify(self) -> None:
        """Re-computes the hash of every file. Raises ConfigError naming the first that differs from the card."""
        for name, (_, expected) in self._card.files.items():
            path = self._folder / name
            if sha256(path.read_bytes()).hexdigest() != expected:
                raise ConfigError(f"{path}: not the file its card describes; install or copy the model again")

    def _input(self, text: str, query: bool) -> list[int]:
        ids = self._ids(text)
        if len(ids) <= self.window:
            return ids
        if not query:
            start = text[:40].replace("\n", " ")
            raise InputError(
                f'text "{start}…"', f"{len(ids)} tokens, the window of {self.name} is {self.window}", "split it first"
            )
        return [*ids[: self.window - 1], ids[-1]]

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._encoded(text).ids
        return ids

    def _encoded(self, text: str) -> Encoding:
        # One text a call: the tokenizer's own batches start threads that do not survive a fork.
        return self._tokenizer().encode(scalar(text))

    def _vector(self, ids: list[int]) -> NDArray[np.float64]:
        return _unit(self._hidden(ids).mean(axis=0, dtype=np.float64))

    def _hidden(self, ids: list[int]) -> NDArray[np.float32]:
        row = np.array([ids], dtype=np.int64)
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        hidden: NDArray[np.float32] = self._session().run(None, given)[0][0]  # (tokens, dimensions)
        return hidden

    def _tokenizer(self) -> Tokenizer:
        if self._tokenizer_ is None:
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            self._tokenizer_ = tokenizer
        return self._tokenizer_

    def _session(self) -> _Session:
        """The process's session: one made before a fork is not used after it."""
        with self._lock:
            if self._session_ is None or self._owner != os.getpid():
                self._session_, self._owner = _start(self._folder / "model.onnx"), os.getpid()
            return self._session_


def _start(model: Path) -> _Session:
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    session: _Session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return session


def _unit(vectors: NDArray[Any]) -> NDArray[np.float64]:
    """Rows of unit length, in double precision; a sum of squares, not BLAS, so that threads and builds agree."""
    wide = vectors.astype(np.float64)
    return np.asarray(wide / np.sqrt((wide * wide).sum(axis=-1, keepdims=True)))
