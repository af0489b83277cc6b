"""Who chunks best: data sets, strategies, equal search, metrics with intervals, and a table."""

from wrac.evaluation.run import differences, run

__all__ = ["differences", "run"]
