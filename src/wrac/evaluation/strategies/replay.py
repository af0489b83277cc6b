"""An LLM's published plans as a model's answers to wrac's own questions: what the LLM planner makes of them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from wrac.core.errors import WracError
from wrac.core.types import Document, Page, Plan, Policy, Usage
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import chunks
from wrac.evaluation.strategies.published import Row, faults, letters, rows
from wrac.evaluation.values import Passage, Passages
from wrac.llm.asking import Question, Reply
from wrac.llm.ledger import total
from wrac.planning.answers import write
from wrac.planning.cascade import THRESHOLD
from wrac.planning.llm import Asked, LlmPlanner
from wrac.planning.outline import Segment, segments
from wrac.planning.rules import RulesPlanner, streams
from wrac.text.tokens import counter

MODEL: Final = "recorded:gpt-4.1"
REACH: Final = 400
SURE: Final = 24
"""Letters and digits that may be skipped to find a unit's text, and the length from which it is found anywhere."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What `llm` chunks are worth: wrac's LLM planner, answered as the published plans group the page.

    What a plan repeats (headings most often) stands where it is said first and is trail elsewhere; what it dropped
    goes to its neighbours in the rules planner's plan, which also plans pages that have no published plan. With a
    `threshold` it is the cascade: the rules plan the segments they are sure of.
    """

    corpus: Corpus
    path: Path
    threshold: float | None = None

    @property
    def name(self) -> str:
        """`llm`, or `cascade`, with its threshold where it is not the default."""
        if self.threshold is None:
            return "llm"
        return "cascade" if self.threshold == THRESHOLD else f"cascade:{self.threshold:g}"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks of all pages; notes count what the plans did and what was mended.

        Usage is what wrac would send and be answered in o200k tokens, counted, without seconds.
        """
        found, notes = rows(self.path, pages)
        by_page = {row["page"]: row for row in found}
        rules, usages, items = rules_planner(), [Usage()], list[Passage]()
        for page in pages:
            document = self.corpus.document(page)
            if row := by_page.get(page.url):
                made, asked = answered(document, row, rules, self.threshold)
                notes.update(_counts(document, row, asked))
                usages.append(asked.usage)
            else:
                made = rules.plan(document)
                notes["pages without a published plan"] += 1
            items.extend(chunks(self.corpus, page, made))
        return Passages(tuple(items), notes, total(usages))


def rules_planner() -> RulesPlanner:
    """The rules planner of the default policy."""
    policy = Policy()
    return RulesPlanner(policy, counter(policy.tokenizer))


def answered(document: Document, row: Row, rules: RulesPlanner, threshold: float | None = None) -> tuple[Plan, Asked]:
    """The plan that wrac's LLM planner makes of a page when it is answered as published, and what it took."""
    return LlmPlanner(rules, Recorded(document, row, rules), {}, threshold=threshold).ask(document)


class Recorded:
    """A model that answers wrac's questions about one page by its published plan: its groups, in our numbers.

    It repeats units as the plan does, or with `once` says each where the plan says it first. Usage is counted in o200k
    tokens; seconds are not known.
    """

    name = MODEL

    def __init__(self, document: Document, row: Row, rules: RulesPlanner, *, once: bool = False) -> None:
        self._groups = list(_groups(located(document, row["units"]), row["plan"], once=once))
        omitted = dict(rules.plan(document).omitted)
        self._segments = [
            segment
            for stream in streams(document, omitted)
            for segment in segments(document, stream, rules.counter.count)
        ]

    def ask(self, question: Question) -> Reply:
        """What the plan says of the segments in a question, in JSON. Raises WracError for another page's question."""
        said = [write([group]) for group in self._said(question.data)]
        text = json.dumps({"groups": said}, separators=(",", ":"))
        count = counter("o200k").count
        return Reply(text, Usage(count(question.instructions) + count(question.data), 0, count(text), 1))

    def _said(self, outline: str) -> Iterator[list[int]]:
        lines = [line for line in outline.split("\n") if line]
        read = before = 0
        for segment in self._segments:
            shown = list(segment.shown(before))
            if lines[read : read + len(shown)] != shown:
                continue  # not asked about, or decided by the rules
            yield from _numbers(segment, before, self._groups)
            read += len(shown)
            before += len(segment.ordinals)
        if read < len(lines):
            raise WracError(f"{self.name} was asked about another page: {lines[read]}")


def _groups(homes: Mapping[int, str], plan: Sequence[Sequence[str]], *, once: bool) -> Iterator[list[int]]:
    """The plan's groups as ordinals."""
    holds: dict[str, list[int]] = {}
    for ordinal, unit in homes.items():
        holds.setdefault(unit, []).append(ordinal)
    said: set[str] = set()
    for group in plan:
        units = [unit for unit in dict.fromkeys(group) if not (once and unit in said)]
        said.update(units)
        yield [ordinal for unit in units for ordinal in holds.get(unit, ())]


def _numbers(segment: Segment, before: int, groups: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """What of the groups is in a segment, in the question's numbers; the segment's own begin after `before`."""
    number = {ordinal: before + place for place, ordinal in enumerate(segment.ordinals, 1)}
    for group in groups:
        if own := [number[ordinal] for ordinal in group if ordinal in number]:
            yield own


def _counts(document: Document, row: Row, asked: Asked) -> Counter[str]:
    """What a published plan did wrong, what was mended, and how much of the page was asked about, by name."""
    counted = faults(row["units"], row["plan"])
    counted.update({f"places {what}": count for what, count in asked.repairs._asdict().items()})
    counted["places found in no published unit"] = len(document.places) - len(located(document, row["units"]))
    counted.update({"pages asked about": int(asked.usage.calls > 0), "segments asked about": asked.segments})
    return counted


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
