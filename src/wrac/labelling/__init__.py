"""Labels: what a passage is about where its own words and the headings above it do not say it (CHOP's signature)."""

from wrac.labelling.beside import beside
from wrac.labelling.categories import CATEGORIES
from wrac.labelling.labeller import Labeller, Passages
from wrac.labelling.llm import LlmLabeller, Told
from wrac.labelling.rules import RulesLabeller

__all__ = ["CATEGORIES", "Labeller", "LlmLabeller", "Passages", "RulesLabeller", "Told", "beside"]
