"""An embedder whose calls are spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wrac import telemetry
from wrac.core.seams import Embedder
from wrac.telemetry import names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Watched:
    """The embedder with all it has, its `embed` in a span."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the embedder has
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """As the embedder's own."""
        said: dict[str, telemetry.Value] = {
            names.OPERATION: names.EMBEDDINGS,
            names.MODEL: self._embedder.name,
            names.DIMENSIONS: self._embedder.dimensions,
            names.SPAN_KIND: names.EMBEDDING,
            names.EMBEDDING_MODEL: self._embedder.name,
            names.TEXTS: len(texts),
        }
        with telemetry.span(f"{names.EMBEDDINGS} {self._embedder.name}", said):
            return self._embedder.embed(texts, query=query)
