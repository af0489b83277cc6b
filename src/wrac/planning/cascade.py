"""Where the rules are unsure: what a model is worth asking about."""

from __future__ import annotations

from typing import Final

from wrac.core.types import Document
from wrac.planning.rules import RulesPlanner
from wrac.planning.why import why

THRESHOLD: Final = 0.5
"""The margin below which the rules are unsure of a boundary: half a cut between two paragraphs."""


def unsure(rules: RulesPlanner, document: Document, threshold: float = THRESHOLD) -> frozenset[int]:
    """The ordinals before which the rules' plan could as well have decided otherwise, for less than a threshold."""
    return frozenset(boundary.ordinal for boundary in why(rules, document) if boundary.margin < threshold)
