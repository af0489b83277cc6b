"""Law 2, partition: a plan uses each ordinal of its document exactly once."""

from __future__ import annotations

from collections import Counter

from wrac.core.errors import PlanError, WracError
from wrac.core.types import Document, Plan


def check(document: Document, plan: Plan) -> None:
    """Nothing, when groups and omissions use each ordinal exactly once, no group is empty, no reason is.

    Raises PlanError naming the ordinals that are missing, used twice, or unknown; WracError when the plan was made
    for another document, holds an empty group, or omits without a reason.
    """
    if plan.document != document.id:
        raise WracError(f"the plan is for {plan.document}, the document is {document.id}; plan this document")
    if not all(plan.groups):
        raise WracError(f"{plan.planner} made an empty group for {document.id}; choose another planner")
    if not all(plan.omitted.values()):
        raise WracError(f"{plan.planner} omits units of {document.id} without a reason; choose another planner")
    used = [ordinal for group in plan.groups for ordinal in group]
    used.extend(plan.omitted)
    size = len(document.places)
    if len(used) == size and set(used) == set(range(size)):
        return
    counts = Counter(used)
    raise PlanError(
        plan.planner,
        document.id,
        missing=[ordinal for ordinal in range(size) if ordinal not in counts],
        twice=sorted(ordinal for ordinal, times in counts.items() if times > 1),
        unknown=sorted(ordinal for ordinal in counts if not 0 <= ordinal < size),
    )
