"""The planner that asks a model: an outline out, numbers in; what is wrong with the numbers is mended by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from wrac.core.ids import content_id
from wrac.core.types import Document, Plan, Usage
from wrac.llm.asking import Model, Question
from wrac.llm.ledger import Answers, total
from wrac.planning.answers import SAID, Form, grammar, read, schema, write
from wrac.planning.outline import WINDOW, Segment, segments
from wrac.planning.repair import Repairs, repair
from wrac.planning.rules import RulesPlanner, streams

VERSION: Final = "llm@1"
PROMPT: Final = "plan-1"
_NOWHERE: Final = -1  # an ordinal of no page
LINE: Final = 6
"""Tokens a group or a part of one takes in an answer, at most."""


@dataclass(slots=True)
class Asked:
    """What it took to plan one page: for people who want to know why, and for the ledger."""

    usage: Usage = field(default_factory=Usage)
    answers: list[str] = field(default_factory=list)
    segments: int = 0
    remembered: int = 0
    malformed: int = 0
    repairs: Repairs = field(default_factory=Repairs)


class _Task(NamedTuple):
    """A segment to be asked, and the key its answer is kept under."""

    segment: Segment
    key: str


@dataclass(frozen=True, slots=True)
class LlmPlanner:
    """Plans by a model's answers under a policy; `rules` plans what the model leaves open.

    `answers` are recorded answers by segment: a page that did not change asks nothing, one that did asks for the
    segments that did. Equal documents and equal answers give equal plans.
    """

    rules: RulesPlanner
    model: Model
    answers: Answers
    form: Form = "ranges"

    @property
    def name(self) -> str:
        """`llm@1`, the prompt, the form, the model, and the rules' own name."""
        return f"{VERSION}+{PROMPT}+{self.form}+{self.model.name}+{self.rules.name}"

    def plan(self, document: Document) -> Plan:
        """A plan that uses each ordinal exactly once. Raises RemoteError when the model cannot be reached."""
        return self.ask(document)[0]

    def ask(self, document: Document, wanted: frozenset[int] | None = None) -> tuple[Plan, Asked]:
        """The plan, and what was asked for it; of `wanted` ordinals alone where given, rules for the others."""
        fallback, asked = self.rules.plan(document), Asked()
        tasks = [
            task for task in self._tasks(document, fallback) if wanted is None or wanted & {*task.segment.ordinals}
        ]
        known = {task.key: self.answers.get(task.key) for task in tasks}
        asked.segments, asked.remembered = len(tasks), sum(known[task.key] is not None for task in tasks)
        unknown = {task.key: task for task in tasks if known[task.key] is None}
        beyond = [group for window in _windows([*unknown.values()]) for group in self._window(window, known, asked)]
        groups = [group for task in tasks for group in _ordinals(task.segment, known[task.key] or "")]
        plan, asked.repairs = repair(document, [*groups, *beyond], fallback, planner=self.name, usage=asked.usage)
        return plan, asked

    def _tasks(self, document: Document, fallback: Plan) -> Iterator[_Task]:
        """The segments of a page that there is something to decide about."""
        for stream in streams(document, dict(fallback.omitted)):
            for segment in segments(document, stream, self.rules.counter.count):
                if len(segment.ordinals) > 1:
                    yield _Task(segment, self._key(segment))

    def _key(self, segment: Segment) -> str:
        policy = self.rules.policy
        parts = (VERSION, PROMPT, self.form, self.model.name, str(policy.target), str(policy.maximum))
        return content_id("a1", [*parts, *segment.shown(0)])

    def _window(self, window: Sequence[_Task], known: dict[str, str | None], asked: Asked) -> list[tuple[int, ...]]:
        """Asks about some segments, notes what is answered of each, and gives back what was said of no unit at all."""
        size = sum(len(task.segment.ordinals) for task in window)
        reply = self.model.ask(self._question(window, size))
        asked.usage = total((asked.usage, reply.usage))
        asked.answers.append(reply.text)
        found = read(reply.text, self.form, size)
        asked.malformed += found.malformed + (not reply.whole)
        before = 0
        for segment, key in window:
            known[key] = write(_within(found.groups, before, len(segment.ordinals)))
            before += len(segment.ordinals)
            if reply.whole:
                self.answers[key] = known[key] or ""
        return [tuple(_NOWHERE for number in group if not 1 <= number <= size) for group in found.groups]

    def _question(self, window: Sequence[_Task], size: int) -> Question:
        lines: list[str] = []
        before = 0
        for segment, _ in window:
            lines += segment.shown(before)
            before += len(segment.ordinals)
        policy = self.rules.policy
        told = prompt().format(target=policy.target, maximum=policy.maximum, form=SAID[self.form])
        return Question(told, "\n".join(lines), grammar(self.form, size), schema(self.form, size), LINE * size + 64)


@cache
def prompt() -> str:
    """The instructions, with places for the policy's sizes and the form of the answer."""
    return files("wrac.planning").joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8").strip()


def _windows(tasks: Sequence[_Task]) -> Iterator[list[_Task]]:
    """Segments packed into questions of at most WINDOW units."""
    window: list[_Task] = []
    size = 0
    for task in tasks:
        if window and size + len(task.segment.ordinals) > WINDOW:
            yield window
            window, size = [], 0
        window.append(task)
        size += len(task.segment.ordinals)
    if window:
        yield window


def _within(groups: Sequence[Sequence[int]], before: int, size: int) -> list[tuple[int, ...]]:
    """The parts of groups that are of one segment, counted from 1; a group never joins two segments."""
    own = (tuple(number - before for number in group if before < number <= before + size) for group in groups)
    return [group for group in own if group]


def _ordinals(segment: Segment, answer: str) -> list[tuple[int, ...]]:
    """What was answered of a segment as groups of ordinals."""
    size = len(segment.ordinals)
    return [tuple(segment.ordinals[number - 1] for number in group) for group in read(answer, "ranges", size).groups]
