"""Texts to vectors, by model name. The default model ships inside the package and needs no network."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from wrac.core.errors import ConfigError
from wrac.embedding.minilm import SHIPPED, MiniLM

__all__ = ["MiniLM", "load"]


def load(name: str = "minilm") -> MiniLM:
    """The embedder called `name`, one for each process: "minilm", or a model's folder.

    The folder holds model.onnx, tokenizer.json and card.json. onnxruntime is imported with the first text. Raises
    ConfigError when there is no such model or its files are not those of its card.
    """
    if name == "minilm":
        return _open(SHIPPED)
    folder = Path(name)
    if not folder.is_dir():
        raise ConfigError(f'no embedding model is called {name!r}; use "minilm" or the path of a model\'s folder')
    return _open(folder.resolve())


@lru_cache(maxsize=8)
def _open(folder: Path) -> MiniLM:
    return MiniLM(folder)
