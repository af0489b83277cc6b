"""Chunks and plans that others published, replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wrac.core.types import Page
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.strategies.corpus import indexed
from wrac.evaluation.values import Passage, Passages


@dataclass(frozen=True, slots=True)
class Published:
    """Chunks that others published for these pages, replayed as they are."""

    path: Path
    name: str

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The published chunks of `pages`; rows for other pages are counted in the notes, never indexed."""
        known = {page.url for page in pages}
        items: list[Passage] = []
        notes: Counter[str] = Counter()
        for row in lines(self.path):
            if row.get("page") not in known:
                notes["rows of pages not in the set"] += 1
                continue
            if "plan" in row:
                notes.update(_plan_faults(row["units"], row["plan"]))
            items.extend(Passage(row["page"], text, indexed(row["page"], text)) for text in row["chunks"])
        return Passages(tuple(items), notes)


def _plan_faults(units: Sequence[Mapping[str, str]], plan: Sequence[Sequence[str]]) -> Counter[str]:
    """What a published plan did to its units: given, dropped, repeated and unknown, in units and in words."""
    texts = {unit["id"]: unit["text"] for unit in units if any(c.isalnum() for c in unit["text"])}
    ids = {unit["id"] for unit in units}
    used = Counter(one for group in plan for one in group)
    dropped = [text for one, text in texts.items() if one not in used]
    return Counter({
        "units": len(texts),
        "units dropped": len(dropped),
        "words": sum(len(text.split()) for text in texts.values()),
        "words dropped": sum(len(text.split()) for text in dropped),
        "units in several groups": sum(1 for one in texts if used[one] > 1),
        "unknown ids": sum(1 for one in used if one not in ids),
    })  # fmt: skip
