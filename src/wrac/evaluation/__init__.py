"""Who chunks best: data sets, strategies, equal search, metrics with intervals, and reports."""

from wrac.evaluation.run import differences, run
from wrac.evaluation.values import Chunker, DataSet, Gold, Passage, Passages, Query

__all__ = ["Chunker", "DataSet", "Gold", "Passage", "Passages", "Query", "differences", "run"]
