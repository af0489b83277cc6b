"""From a store's two lists to hits: fused, each text once, cut to size, or read as one text. Pure functions, no store.

Every store is asked for its best DEPTH entries by BM25 and by cosine; all that follows is here, so stores differ in
speed and never in order.
"""

from __future__ import annotations

from wrac.retrieval.assembly import EMPTY, Block, Context, Part, Stand, Texts, context
from wrac.retrieval.focusing import focus, rarity
from wrac.retrieval.fusion import DEPTH, DOUBT, FUSION, KNOWN, STRANGE, Fusion, Scored, fuse, trust
from wrac.retrieval.reranking import HEAD, WEIGHT, closeness, rerank
from wrac.retrieval.results import DOUBTFUL, FAINT, Found, confidence, cut, distinct

__all__ = [
    "DEPTH",
    "DOUBT",
    "DOUBTFUL",
    "EMPTY",
    "FAINT",
    "FUSION",
    "HEAD",
    "KNOWN",
    "STRANGE",
    "WEIGHT",
    "Block",
    "Context",
    "Found",
    "Fusion",
    "Part",
    "Scored",
    "Stand",
    "Texts",
    "closeness",
    "confidence",
    "context",
    "cut",
    "distinct",
    "focus",
    "fuse",
    "rarity",
    "rerank",
    "trust",
]
