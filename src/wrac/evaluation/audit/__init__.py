"""The fidelity audit: what a strategy loses, tears apart, repeats and adds, counted against the DOM."""

from wrac.evaluation.audit.audit import audit
from wrac.evaluation.audit.cuts import theirs
from wrac.evaluation.audit.figures import BY_KEY, FIGURES, Figure

__all__ = ["BY_KEY", "FIGURES", "Figure", "audit", "theirs"]
