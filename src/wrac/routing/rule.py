"""Passages or the whole document: a rule of few thresholds, learned by `wrac eval DATA --route`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from wrac.core.answers import Route, Way
from wrac.routing.signals import Signals

Cost: TypeAlias = Callable[[int], float | None]
"""USD of an answer to so many tokens of evidence, None where no price is known."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When the whole document is read: where the passages hold nearly all of it, or a good part of it and the question
    is about the document as a whole, which is to say that `hits` of its results lie within `gap` of the best score, or
    that focus is in `sections` of its sections.

    `nearly` and `part` are shares of the document's tokens.
    """

    nearly: float = 0.9
    part: float = 0.4
    hits: int = 4
    gap: float = 0.15
    sections: int = 12

    def why(self, signals: Signals) -> str:
        """Why the whole document is to be read; empty where it is not."""
        near = signals.near(self.gap)
        if signals.held >= self.nearly:
            return f"the passages hold {signals.held:.0%} of the document"
        if signals.held >= self.part and near >= self.hits:
            return f"{near} results of one document score alike, and the passages hold {signals.held:.0%} of it"
        if signals.held >= self.part and signals.sections >= self.sections:
            return f"{signals.sections} sections of one document answer, and the passages hold {signals.held:.0%} of it"
        return ""


RULE: Final = Rule()
"""Thresholds learned from data; see docs/design/0019-routing.md."""


def route(
    signals: Signals, cost: Cost, *, window: int | None = None, most: float | None = None, rule: Rule = RULE
) -> Route:
    """Passages, or the document where the rule says so and it breaks neither the window nor the price.

    `window` is the tokens of evidence that the model has room for, `most` the USD that the answer may cost; None is no
    limit. Where no price is known the document is never held to be within `most`.
    """
    passages = Way(signals.passages, cost(signals.passages))
    if not signals.page:
        return Route("passages", "nothing was found", passages)
    document = Way(signals.document, cost(signals.document))
    why = rule.why(signals)
    but = _but(document, window, most) if why else ""
    few = f"few results of one document score alike, and the passages hold {signals.held:.0%} of it"
    reason = "; ".join(part for part in (why or few, but) if part)
    return Route("document" if why and not but else "passages", reason, passages, document, page=signals.page)


def _but(document: Way, window: int | None, most: float | None) -> str:
    """Why the document cannot be read whole; empty where it can."""
    if window is not None and document.tokens > window:
        return f"but its {document.tokens:,} tokens do not fit the window of {window:,}"
    if most is not None and document.cost is None:
        return "but its price is not known"
    if most is not None and document.cost is not None and document.cost > most:
        return f"but it would cost ${document.cost:.4f}, the most is ${most:.4f}"
    return ""
