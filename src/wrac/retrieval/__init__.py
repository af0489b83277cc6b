"""From a store's two lists to hits: fused, each text once, cut to size, or read as one text. Pure functions, no store.

Every store is asked for its best DEPTH entries by BM25 and by cosine; all that follows is here, so stores differ in
speed and never in order.
"""

from __future__ import annotations

from wrac.retrieval.focus import focus, rarity
from wrac.retrieval.fusion import DEPTH, DOUBT, FUSION, KNOWN, STRANGE, Fusion, Scored, fuse, trust
from wrac.retrieval.results import Found, cut, distinct

__all__ = [
    "DEPTH",
    "DOUBT",
    "FUSION",
    "KNOWN",
    "STRANGE",
    "Found",
    "Fusion",
    "Scored",
    "cut",
    "distinct",
    "focus",
    "fuse",
    "rarity",
    "trust",
]
