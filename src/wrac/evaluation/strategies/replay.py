"""An LLM's published plans under wrac's own rules: their units found in ours, their groups mended, then chunked."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from wrac.core.types import Document, Page, Plan
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import chunks
from wrac.evaluation.strategies.published import Row, account, faults, letters, rows
from wrac.evaluation.values import Passage, Passages

REACH: Final = 400
SURE: Final = 24
"""Letters and digits that may be skipped to find a unit's text, and the length from which it is found anywhere."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What `llm` chunks are worth: the published plans, each a partition again before it is resolved.

    What a plan repeats (headings most often) stands where it is said first and is trail elsewhere; what it dropped
    goes to its neighbours in the rules planner's plan, which also plans pages that have no published plan.
    """

    corpus: Corpus
    path: Path
    name: str = "llm"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks of all pages; notes count what the plans did and what was mended, usage is the published one."""
        from wrac.planning import plan

        found, notes = rows(self.path, pages)
        by_page = {row["page"]: row for row in found}
        items: list[Passage] = []
        for page in pages:
            document = self.corpus.document(page)
            made = plan(document)
            if row := by_page.get(page.url):
                made, counted = replayed(document, row, made)
                notes.update(counted)
            else:
                notes["pages without a published plan"] += 1
            items.extend(chunks(self.corpus, page, made))
        return Passages(tuple(items), notes, account(found))


def replayed(document: Document, row: Row, fallback: Plan) -> tuple[Plan, Counter[str]]:
    """The published plan of a page as a plan of its document, and what it did wrong, by name."""
    from wrac.planning.repair import repair

    homes = located(document, row["units"])
    holds: dict[str, list[int]] = {}
    for ordinal, unit in homes.items():
        holds.setdefault(unit, []).append(ordinal)
    groups = [[ordinal for unit in dict.fromkeys(group) for ordinal in holds.get(unit, ())] for group in row["plan"]]
    plan, repairs = repair(document, groups, fallback, planner="published+repaired")
    counted = faults(row["units"], row["plan"])
    counted.update({f"places {what}": count for what, count in repairs._asdict().items()})
    counted["places found in no published unit"] = len(document.places) - len(homes)
    return plan, counted


def located(document: Document, units: Sequence[Mapping[str, str]]) -> dict[int, str]:
    """The id of the published unit each place stands in, by ordinal; places that are in none are left out.

    Both are read in order as letters and digits alone, so white space, list numbers and Markdown do not matter.
    """
    texts = [letters(unit["text"]) for unit in units]
    ends, whole = list(accumulate(map(len, texts))), "".join(texts)
    found: dict[int, str] = {}
    at = 0
    for place in document.places:
        wanted = letters(document.text(place.ordinal))
        start = whole.find(wanted, at) if wanted else -1
        if start < 0 or (start - at > REACH and len(wanted) < SURE):
            continue
        found[place.ordinal] = units[bisect_right(ends, start)]["id"]
        at = start + len(wanted)
    return found
