"""The seam: what is each passage of a page about, and does the topic go on from the passage before?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from wrac.core.types import Document, Label

Passages: TypeAlias = Sequence[Sequence[int]]
"""The ordinals of each passage of a page, in reading order: chunks of any kind."""


class Labeller(Protocol):
    """Whose labels? `name` carries a version: labels of another name are made anew."""

    @property
    def name(self) -> str: ...

    def labels(self, document: Document, passages: Passages, page: str = "", language: str = "") -> tuple[Label, ...]:
        """A label for each passage. `page` is the page's URL or path, `language` a tag where the page declares none."""
        ...
