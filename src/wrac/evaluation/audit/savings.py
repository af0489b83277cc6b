"""What wrac alone can say of a site: conservation, what is stored once, what is left out and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from wrac.core.types import Page
from wrac.evaluation.audit.cuts import Cut
from wrac.evaluation.audit.judging import count
from wrac.evaluation.wording import words
from wrac.parsing.conservation import account


@dataclass(slots=True)
class Savings:
    """Sums over the pages of a site."""

    pages: int = 0
    balanced: int = 0
    unbalanced: list[str] = field(default_factory=list)
    stood: Counter[str] = field(default_factory=Counter)
    stored: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    omitted: Counter[str] = field(default_factory=Counter)
    _units: set[str] = field(default_factory=set)
    _entries: set[str] = field(default_factory=set)

    def add(self, page: Page, cut: Cut) -> None:
        """Adds a page."""
        if cut.made is None:
            return
        document, plan, _ = cut.made
        self.pages += 1
        fair = account(page, document).balanced
        self.balanced += fair
        if not fair:
            self.unbalanced.append(page.url)
        for place in document.places:
            text = document.text(place.ordinal)
            size = Counter(units=1, bytes=len(text.encode()), tokens=count(text))
            self._book(size, self._units, place.unit)
            if place.ordinal in plan.omitted:
                self.omitted[plan.omitted[place.ordinal]] += len(words(text))
        for piece in cut.pieces:
            self._book(Counter(vectors=1), self._entries, f"{piece.key} {piece.indexed}")
        for loss in document.losses:
            self.lost[loss.reason] += loss.chars

    def _book(self, size: Counter[str], known: set[str], name: str) -> None:
        self.stood.update(size)
        if name not in known:
            known.add(name)
            self.stored.update(size)

    def row(self) -> dict[str, Any]:
        """The public shape: of units, bytes, tokens and vectors how many stand on the pages and how many are stored."""
        return {
            "pages": self.pages,
            "balanced": self.balanced,
            "unbalanced": self.unbalanced,
            "repetition": {name: {"stand": self.stood[name], "stored": self.stored[name]} for name in self.stood},
            "losses": dict(self.lost.most_common()),
            "omitted": dict(self.omitted.most_common()),
        }
