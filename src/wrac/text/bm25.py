"""BM25 for every place that scores terms: the embedded index, focus, evaluation. One formula, so figures compare.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with Lucene's IDF, which stays
above zero: FTS5's own `bm25()` clamps it, and a term in more than half of the documents then stops counting at all.
"""

from __future__ import annotations

from math import log

K1 = 0.9
B = 0.6


def idf(documents: int, containing: int) -> float:
    """The weight of a term that `containing` of `documents` hold; always above zero, falling as the term gets common.

    >>> round(idf(10, 1), 3), round(idf(10, 10), 3)
    (1.992, 0.047)
    """
    return log(1.0 + (documents - containing + 0.5) / (containing + 0.5))


def saturation(frequency: float, length: float, average: float, *, k1: float = K1, b: float = B) -> float:
    """How much `frequency` appearances count in a document of `length` terms; 0 at none, below `k1 + 1` always.

    `average` is the mean length over the index; where it is 0 nothing has terms and lengths do not matter.
    """
    scale = 1.0 - b + b * length / average if average else 1.0
    return frequency * (k1 + 1.0) / (frequency + k1 * scale) if frequency else 0.0
