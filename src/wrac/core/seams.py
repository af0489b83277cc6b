"""The seams: one-method protocols that stages are written against. Their fakes stand in `tests/fakes.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from wrac.core.types import Document, Plan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TokenCounter(Protocol):
    """How long is a text?"""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        ...


class Embedder(Protocol):
    """Texts to vectors. `name` carries model and version: vectors of another name are never compared.

    `window` is the longest input in the embedder's own tokens; `tokens` counts them as the model would see them.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def window(self) -> int: ...

    def tokens(self, text: str) -> int:
        """Tokens of `text` for this model, special tokens included."""
        ...

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """float32 (n, dimensions), rows of unit length, the same bits for the same text on every call."""
        ...


class Planner(Protocol):
    """Which units belong together?"""

    @property
    def name(self) -> str: ...

    def plan(self, document: Document) -> Plan:
        """A plan that uses each ordinal exactly once."""
        ...
