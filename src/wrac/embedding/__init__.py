"""Texts to vectors, by model name. The default model ships inside the package and needs no network."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal, overload

from wrac import telemetry
from wrac.core.errors import ConfigError
from wrac.core.seams import Embedder
from wrac.embedding.minilm import SHIPPED, MiniLM

__all__ = ["NAMES", "MiniLM", "load"]

NAMES = "minilm, e5, openai:MODEL, openai:MODEL@URL, sentence-transformers:MODEL or the path of a model's folder"
"""What `load` knows, as a help text says it."""


@overload
def load(name: Literal["minilm"] = "minilm") -> MiniLM: ...
@overload
def load(name: str) -> Embedder: ...


def load(name: str = "minilm") -> Embedder:
    """The embedder called `name`, one for each process; its model is read with the first text.

    `minilm` reads English and is in the package; `e5` reads a hundred languages and is an extra; `openai:MODEL@URL` is
    any server that speaks OpenAI's protocol, without a URL OpenAI itself; `sentence-transformers:MODEL` any model of
    that library. A folder holds model.onnx, tokenizer.json and card.json, or a model of sentence-transformers.

    Raises ConfigError when there is no such model, MissingExtraError when it needs an extra.
    """
    found = _found(name)
    if telemetry.on():
        from wrac.embedding.watched import Watched

        return Watched(found)
    return found


def _found(name: str) -> Embedder:
    kind, colon, _ = name.partition(":")
    if name in ("minilm", "e5") or (colon and kind in ("openai", "sentence-transformers")):
        return _called(name)
    if not Path(name).is_dir():
        raise ConfigError(f"no embedder is called {name!r}; use {NAMES}")
    return _in(Path(name).resolve())


@lru_cache(maxsize=8)
def _called(name: str) -> Embedder:
    if name == "minilm":
        return MiniLM(SHIPPED)
    if name == "e5":
        from wrac.embedding.e5 import MultilingualE5

        return MultilingualE5()
    kind, _, model = name.partition(":")
    if kind == "openai":
        from wrac.embedding.endpoint import Endpoint

        model, _, url = model.partition("@")
        return Endpoint(model, url)
    from wrac.embedding.sentence import SentenceModel

    return SentenceModel(model)


@lru_cache(maxsize=8)
def _in(folder: Path) -> Embedder:
    if (folder / "modules.json").is_file() and not (folder / "card.json").is_file():
        from wrac.embedding.sentence import SentenceModel

        return SentenceModel(str(folder))
    return MiniLM(folder)
