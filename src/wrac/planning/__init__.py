"""Document -> Plan: which units of a page belong together."""

from __future__ import annotations

from wrac.core.types import Document, Plan, Policy
from wrac.planning.check import check
from wrac.planning.rules import RulesPlanner
from wrac.text.tokens import counter

__all__ = ["RulesPlanner", "check", "plan"]


def plan(document: Document, policy: Policy = Policy()) -> Plan:
    """A checked plan of the page by rules, at no cost.

    Raises ConfigError when the policy makes no sense.
    """
    made = RulesPlanner(policy, counter(policy.tokenizer)).plan(document)
    check(document, made)
    return made
