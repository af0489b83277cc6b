"""Any model of the sentence-transformers library, by its name on the hub or by the path of its folder."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import ConfigError, MissingExtraError
from wrac.embedding.fitting import fitting
from wrac.embedding.prefixes import Prefixes, prefixes
from wrac.text.characters import scalar

_LOOKED_AT = 1024
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class SentenceModel:
    """The embedder; the library, a second or two, and the weights are loaded with the first use.

    Texts go one by one, so that padding to a neighbour's length cannot change a bit.
    """

    def __init__(self, model: str) -> None:
        """`model` is a name such as `BAAI/bge-m3`, or a folder."""
        self.model = model
        self._lock = threading.Lock()

    @cached_property
    def name(self) -> str:
        """The model's name and a digest of its weights."""
        return f"sentence-transformers:{Path(self.model).name}@{_digest(self._loaded)}"

    @cached_property
    def dimensions(self) -> int:
        """Length of a vector."""
        return len(self._loaded.encode("", show_progress_bar=False))

    @property
    def window(self) -> int:
        """Longest input, in `tokens`."""
        return int(self._loaded.max_seq_length or 512)

    def tokens(self, text: str) -> int:
        """Tokens of `text` as a passage for this model, its prefix and special ones included."""
        with self._lock:
            return len(self._loaded.tokenizer(self._prefixes.passage + scalar(text), verbose=False)["input_ids"])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """float32 (n, dimensions), rows of unit length, the same bits for the same text on every call.

        A query longer than the window is cut to its first words. Raises InputError for any other text beyond it.
        """
        prefix = self._prefixes.query if query else self._prefixes.passage
        inputs = [prefix + text for text in fitting(self, texts, query=query)]
        with self._lock:
            rows = [self._loaded.encode(text, prompt="", show_progress_bar=False) for text in inputs]
        wide = np.array(rows, np.float64).reshape(len(rows), self.dimensions)
        return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True), np.float32)

    @cached_property
    def _prefixes(self) -> Prefixes:
        """What the model's own files say, else what is known of its name."""
        told = {name: text for name, text in self._loaded.prompts.items() if text}
        if not told:
            return prefixes(self.model)
        return Prefixes(told.get("query", ""), next((told[name] for name in _PASSAGE_PROMPTS if name in told), ""))

    @cached_property
    def _loaded(self) -> Any:  # noqa: ANN401 - a class of an extra
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError("sentence-transformers", f"the embedder {self.model}") from error
        try:
            return SentenceTransformer(self.model)
        except (OSError, ValueError) as error:
            line = " ".join(str(error).split())[:200]
            raise ConfigError(f"{self.model}: no model of sentence-transformers ({line}); check its name") from error


def _digest(model: Any) -> str:  # noqa: ANN401 - a class of an extra
    """Eight digits over names, shapes and first values of the weights: another training gives others."""
    digest = blake2b(digest_size=4)
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)}".encode())
        digest.update(tensor.flatten()[:_LOOKED_AT].float().cpu().numpy().tobytes())
    return digest.hexdigest()
