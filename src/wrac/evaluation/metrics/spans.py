"""Recall, precision and IoU by character, as Chroma's chunking evaluation counts them."""

from __future__ import annotations

from collections.abc import Sequence

from wrac.evaluation.values import Passage, Query

RETRIEVED = 5


class SpanJudge:
    """Scores the first five passages against gold spans of the pages' sources, by character."""

    metrics = ("recall", "precision", "precision-omega", "IoU")

    def score(self, query: Query, hits: Sequence[Passage]) -> tuple[float, ...]:
        """Recall, precision, precision-omega and IoU of the first passages."""
        raise NotImplementedError
