"""Where the rules are in doubt: what a model is worth asking about."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Final

from wrac.core.types import Document
from wrac.planning.rules import RulesPlanner
from wrac.planning.why import why

THRESHOLD: Final = 2.5
"""The doubt from which a segment is asked: as of two or three boundaries that the rules do not mind."""
STEEP: Final = 2.0


def doubts(rules: RulesPlanner, document: Document) -> Mapping[int, float]:
    """How much the rules doubt the boundary before each ordinal: 1 where they could as well decide otherwise, next to
    nothing from a margin of two cuts between paragraphs on.
    """
    return {boundary.ordinal: exp(-STEEP * boundary.margin) for boundary in why(rules, document)}
