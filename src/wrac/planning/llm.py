"""The planner that asks a model: an outline out, numbers in; what is wrong with the numbers is mended by the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.ids import content_id
from wrac.core.types import Document, Plan, Policy, Usage
from wrac.llm.asking import Model, Question, Reply
from wrac.llm.ledger import Answers, total
from wrac.planning.answers import SAID, Form, grammar, read, schema, write
from wrac.planning.cascade import doubts
from wrac.planning.outline import WINDOW, Segment, preview, segments
from wrac.planning.repair import Repairs, repair
from wrac.planning.rules import RulesPlanner, streams

VERSION: Final = "llm@1"
CASCADE: Final = "cascade@1"
PROMPT: Final = "plan-1"
UNANSWERED: Final = "+unanswered"
"""How the planner of a plan ends when the rules had to plan what the model was asked: the next run asks again."""
LINE: Final = 6
"""Tokens a group or a part of one takes in an answer, at most."""
WISHES: Final = {
    "whole_tables": "Never part a table.",
    "whole_lists": "Never part a list.",
    "one_question": "Start a group at every question.",
    "chunks_per_h2": "Make at most {} groups of an h2 and what stands under it.",
}
"""What a model is told of each field of a policy that is set."""
_NOWHERE: Final = -1  # an ordinal of no page


@dataclass(slots=True)
class Asked:
    """What it took to plan one page: for people who want to know why, and for the ledger.

    `segments` were to be decided by the model, `remembered` of them were known, `unanswered` were left to the rules
    for what `failed` says in one line. `answers` are as the model wrote them; `malformed` counts what was no group.
    """

    usage: Usage = field(default_factory=Usage)
    answers: list[str] = field(default_factory=list)
    segments: int = 0
    remembered: int = 0
    unanswered: int = 0
    malformed: int = 0
    repairs: Repairs = field(default_factory=Repairs)
    failed: str = ""


class Part(NamedTuple):
    """A segment in a question: the key its answer is kept under, and how many units it has."""

    key: str
    size: int


class Window(NamedTuple):
    """One question, and the segments it is about, in their order."""

    question: Question
    parts: tuple[Part, ...]

    @property
    def key(self) -> str:
        """What tells the question from others."""
        return content_id("q1", [part.key for part in self.parts])


class Heard(NamedTuple):
    """What an answer said: of which segments, how many parts of it were no group, and what it put into no segment."""

    answered: int
    malformed: int
    beyond: list[tuple[int, ...]]


class _Task(NamedTuple):
    """A segment to be asked, and the key its answer is kept under."""

    segment: Segment
    key: str


@dataclass(frozen=True, slots=True)
class LlmPlanner:
    """Plans by a model's answers under a policy; `rules` plans what the model leaves open.

    `answers` are recorded answers by segment: a page that did not change asks nothing, one that did asks for the
    segments that did. Equal documents and equal answers give equal plans. With a `threshold` it is a cascade: only
    segments are asked whose boundaries the rules doubt as much, in all. With `fallback` the rules plan what the model
    does not answer, and the plan's planner says so.
    """

    rules: RulesPlanner
    model: Model
    answers: Answers
    form: Form = "ranges"
    threshold: float | None = None
    fallback: bool = True

    @property
    def name(self) -> str:
        """`llm@1`, or `cascade@1` and its threshold, the prompt, the form, the model, and the rules' own name."""
        version = VERSION if self.threshold is None else f"{CASCADE}:{self.threshold:g}"
        return f"{version}+{PROMPT}+{self.form}+{self.model.name}+{self.rules.name}"

    def plan(self, document: Document) -> Plan:
        """A plan that uses each ordinal exactly once; raises as `ask` does."""
        return self.ask(document)[0]

    def ask(self, document: Document, wanted: frozenset[int] | None = None) -> tuple[Plan, Asked]:
        """The plan, and what was asked for it; where given, only of segments with a boundary before a `wanted` ordinal.

        Without `fallback` raises RemoteError where the model does not answer, ConfigError for a wrong key or model, and
        for a budget that is spent. Raises MissingExtraError without the package that asks.
        """
        rules, asked = self.rules.plan(document), Asked()
        tasks = self._tasks(document, rules, wanted)
        known = {task.key: self.answers.get(task.key) for task in tasks}
        asked.segments, asked.remembered = len(tasks), sum(known[task.key] is not None for task in tasks)
        beyond = [group for window in self._windows(tasks, known) for group in self._window(window, known, asked)]
        groups = [group for task in tasks for group in _ordinals(task.segment, known[task.key] or "")]
        asked.unanswered = sum(known[task.key] is None for task in tasks)
        planner = self.name
        if asked.unanswered:
            planner = (planner if asked.unanswered < len(tasks) else rules.planner) + UNANSWERED
        plan, repairs = repair(document, [*groups, *beyond], rules, planner=planner, usage=asked.usage)
        decided = sum(len(task.segment.ordinals) for task in tasks if known[task.key] is not None)
        undecided = sum(map(len, rules.groups)) - decided  # nobody said anything of those, and nothing was wrong
        asked.repairs = repairs._replace(missing=repairs.missing - undecided)
        return plan, asked

    def questions(self, document: Document, wanted: frozenset[int] | None = None) -> list[Window]:
        """What `ask` would ask about a page now: for those who ask many pages at once. `learn` takes the answers."""
        tasks = self._tasks(document, self.rules.plan(document), wanted)
        return list(self._windows(tasks, {task.key: self.answers.get(task.key) for task in tasks}))

    def learn(self, parts: Sequence[Part], reply: Reply) -> Heard:
        """Keeps what a reply says of the segments it was asked about.

        One it names no unit of stays unanswered, unless it was written to its end and groups most units: then it left
        that one out, and would again.
        """
        size = sum(part.size for part in parts)
        found = read(reply.text if reply.whole else _finished(reply.text), self.form, size)
        named = {number for group in found.groups for number in group if 1 <= number <= size}
        earnest = reply.whole and 2 * len(named) >= size
        kept: dict[str, str] = {}
        before = 0
        for part in parts:
            own = _within(found.groups, before, part.size)
            if own or earnest:
                kept[part.key] = write(own)
            before += part.size
        self.answers.update(kept)
        beyond = [tuple(_NOWHERE for number in group if not 1 <= number <= size) for group in found.groups]
        return Heard(len(kept), found.malformed + (not reply.whole), beyond)

    def _tasks(self, document: Document, rules: Plan, wanted: frozenset[int] | None) -> list[_Task]:
        """The segments of a page that the model is to decide about."""
        doubt = None if self.threshold is None else doubts(self.rules, document)
        found: list[_Task] = []
        for stream in streams(document, dict(rules.omitted)):
            for segment in segments(document, stream, self.rules.counter.count):
                inner = segment.ordinals[1:]
                due = wanted is None or not wanted.isdisjoint(inner)
                if doubt is not None and self.threshold is not None:
                    due = due and sum(doubt[ordinal] for ordinal in inner) >= self.threshold
                if inner and due:
                    found.append(_Task(segment, self._key(segment)))
        return found

    def _key(self, segment: Segment) -> str:
        policy = self.rules.policy
        parts = (VERSION, PROMPT, self.form, self.model.name, str(policy.target), str(policy.maximum), wishes(policy))
        return content_id("a1", [*parts, *segment.shown(0)])

    def _windows(self, tasks: Sequence[_Task], known: dict[str, str | None]) -> Iterator[Window]:
        """The segments nobody answered yet, each once, packed into questions of at most WINDOW units."""
        window: list[_Task] = []
        size = 0
        for task in {task.key: task for task in tasks if known[task.key] is None}.values():
            if window and size + len(task.segment.ordinals) > WINDOW:
                yield self._asking(window)
                window, size = [], 0
            window.append(task)
            size += len(task.segment.ordinals)
        if window:
            yield self._asking(window)

    def _asking(self, tasks: Sequence[_Task]) -> Window:
        """The question about some segments, an empty line between them; their units are numbered on."""
        blocks: list[str] = []
        size = 0
        for segment, _ in tasks:
            blocks.append("\n".join(segment.shown(size)))
            size += len(segment.ordinals)
        policy = self.rules.policy
        form = wishes(policy) + SAID[self.form]
        told = prompt().format(target=policy.target, maximum=policy.maximum, form=form)
        shape = grammar(self.form, size), schema(self.form, size)
        question = Question(told, "\n\n".join(blocks), *shape, most=LINE * size + 64)
        return Window(question, tuple(Part(task.key, len(task.segment.ordinals)) for task in tasks))

    def _window(self, window: Window, known: dict[str, str | None], asked: Asked) -> list[tuple[int, ...]]:
        """Asks one question, notes what is answered of each segment, gives back what was said of no unit at all."""
        try:
            reply = self.model.ask(window.question)
        except MissingExtraError:
            raise
        except (RemoteError, ConfigError) as error:
            self._fail(error, asked)
            return []
        asked.usage = total((asked.usage, reply.usage))
        asked.answers.append(reply.text)
        heard = self.learn(window.parts, reply)
        asked.malformed += heard.malformed
        known.update((part.key, self.answers.get(part.key)) for part in window.parts)
        if heard.answered < len(window.parts):
            self._fail(RemoteError(self.model.name, _silence(window, reply, heard), "ask another model"), asked)
        return heard.beyond

    def _fail(self, error: RemoteError | ConfigError, asked: Asked) -> None:
        """Notes why the model decided nothing; without a fallback, raises it."""
        if not self.fallback:
            raise error
        asked.failed = asked.failed or str(error)


@cache
def prompt() -> str:
    """The instructions, with places for the policy's sizes and the form of the answer."""
    return files("wrac.planning").joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8").strip()


def wishes(policy: Policy) -> str:
    """What a policy asks for beside sizes, as the model is told it."""
    asked = {part.name: getattr(policy, part.name) for part in fields(policy)}
    return "".join(f"{said.format(asked[name])} " for name, said in WISHES.items() if asked.get(name))


def _silence(window: Window, reply: Reply, heard: Heard) -> str:
    """What is wrong with an answer that left segments out."""
    size = sum(part.size for part in window.parts)
    whole = "" if reply.whole else ", and was cut short"
    if heard.answered:
        return f"grouped {heard.answered} of {len(window.parts)} parts of the outline{whole}"
    return f"answered {preview(reply.text)!r} to {size} lines, which groups none of them{whole}"


def _finished(answer: str) -> str:
    """An answer that was cut short, without what may be the beginning of a number."""
    return answer[: max(map(answer.rfind, ",;\n")) + 1]


def _within(groups: Sequence[Sequence[int]], before: int, size: int) -> list[tuple[int, ...]]:
    """The parts of groups that are of one segment, counted from 1; a group never joins two segments."""
    own = (tuple(number - before for number in group if before < number <= before + size) for group in groups)
    return [group for group in own if group]


def _ordinals(segment: Segment, answer: str) -> list[tuple[int, ...]]:
    """What was answered of a segment as groups of ordinals."""
    size = len(segment.ordinals)
    return [tuple(segment.ordinals[number - 1] for number in group) for group in read(answer, "ranges", size).groups]
