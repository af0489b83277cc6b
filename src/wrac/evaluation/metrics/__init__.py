"""How rankings and answers are scored, and whether a difference is real."""

from wrac.evaluation.metrics.blocks import BlockJudge
from wrac.evaluation.metrics.intervals import Difference, Spread, bootstrap, less_is_better, spread, verdict
from wrac.evaluation.metrics.spans import SpanJudge
from wrac.evaluation.values import DataSet, Judge

__all__ = [
    "BlockJudge",
    "Difference",
    "SpanJudge",
    "Spread",
    "bootstrap",
    "judge",
    "less_is_better",
    "spread",
    "verdict",
]


def judge(data: DataSet) -> Judge:
    """The judge for a data set's kind of gold."""
    return SpanJudge() if data.spans else BlockJudge()
