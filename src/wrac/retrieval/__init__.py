"""From a store's two lists to hits: fused, each text once, cut to size, or read as one text. Pure functions, no store.

Every store is asked for its best DEPTH entries by BM25 and by cosine; all that follows is here, so stores differ in
speed and never in order.
"""

from __future__ import annotations

from wrac.retrieval.assembly import EMPTY, NEAR, SPARE, SURE, Block, Context, Part, Stand, Texts, context
from wrac.retrieval.explaining import Parts, parts, reread
from wrac.retrieval.focusing import focus, rarity
from wrac.retrieval.fusion import DEPTH, DOUBT, FUSION, KNOWN, STRANGE, Fusion, Scored, fuse, trust
from wrac.retrieval.reranking import HEAD, WEIGHT, closeness, rerank
from wrac.retrieval.results import DOUBTFUL, FAINT, Found, confidence, cut, distinct
from wrac.retrieval.siblings import DEMOTED, Stands, demote, path, strangers

__all__ = [
    "DEMOTED",
    "DEPTH",
    "DOUBT",
    "DOUBTFUL",
    "EMPTY",
    "FAINT",
    "FUSION",
    "HEAD",
    "KNOWN",
    "NEAR",
    "SPARE",
    "STRANGE",
    "SURE",
    "WEIGHT",
    "Block",
    "Context",
    "Found",
    "Fusion",
    "Part",
    "Parts",
    "Scored",
    "Stand",
    "Stands",
    "Texts",
    "closeness",
    "confidence",
    "context",
    "cut",
    "demote",
    "distinct",
    "focus",
    "fuse",
    "parts",
    "path",
    "rarity",
    "rerank",
    "reread",
    "strangers",
    "trust",
]
