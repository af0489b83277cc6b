"""What a question is answered from, measured: how much of its gold a model would see each way, for how many tokens."""

from wrac.evaluation.routing.observing import BUDGETS, Observed, observe
from wrac.evaluation.routing.report import report, results
from wrac.evaluation.routing.strangers import Asked, strangers

__all__ = ["BUDGETS", "Asked", "Observed", "observe", "report", "results", "strangers"]
