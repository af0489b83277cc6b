"""Passages, a whole document or the whole corpus: which one answers a question, and which architecture a corpus."""

from wrac.routing.rule import RULE, Cost, Rule, route
from wrac.routing.signals import FIRST, Seen, Signals, signals

__all__ = ["FIRST", "RULE", "Cost", "Rule", "Seen", "Signals", "route", "signals"]
