"""How rankings and answers are scored, and whether a difference is real."""

from wrac.evaluation.metrics.blocks import BlockJudge
from wrac.evaluation.metrics.intervals import Difference, bootstrap
from wrac.evaluation.values import DataSet, Judge

__all__ = ["BlockJudge", "Difference", "bootstrap", "judge"]


def judge(data: DataSet) -> Judge:
    """The judge for a data set's kind of gold."""
    from wrac.evaluation.metrics.spans import SpanJudge  # each run needs one of the two

    return SpanJudge() if data.spans else BlockJudge()
