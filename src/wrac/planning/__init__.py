"""Document -> Plan: which units of a page belong together."""

from __future__ import annotations

from typing import Final

from wrac.core.types import Document, Plan, Policy
from wrac.planning.check import check
from wrac.planning.rules import RulesPlanner
from wrac.text.tokens import counter

__all__ = ["RulesPlanner", "check", "plan"]

DEFAULT: Final = Policy()


def plan(document: Document, policy: Policy = DEFAULT) -> Plan:
    """A checked plan of the page by rules, at no cost.

    Raises ConfigError when the policy's sizes make no sense or no tokenizer has its name.
    """
    made = RulesPlanner(policy, counter(policy.tokenizer)).plan(document)
    check(document, made)
    return made
