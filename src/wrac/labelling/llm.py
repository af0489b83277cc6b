"""Labels by a model that reads the first words of each passage: what it names must stand on the page."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError
from wrac.core.ids import content_id
from wrac.core.structure import trails
from wrac.core.types import Document, Label, Usage
from wrac.labelling.categories import CATEGORIES
from wrac.labelling.labeller import Passages
from wrac.labelling.rules import NOUNS, RulesLabeller
from wrac.llm.asking import Model, Question
from wrac.llm.ledger import Answers, Ledger, Spent, total

VERSION: Final = "llm-labels@1"
PROMPT: Final = "label-1"
WINDOW: Final = 24
"""Passages of one question."""
SHOWN: Final = 240
"""Characters of a passage that the model reads."""
_TOKENS: Final = 48  # of one label in an answer, at most
_TOLD: Final = 60  # characters of an answer that is no use
_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(slots=True)
class Told:
    """What labelling one page took. `refused` counts what a model said and the page does not; `missing` the passages
    that no answer labels, which have the rules' label; `failed` says why a question was not answered.
    """

    usage: Usage = field(default_factory=Usage)
    answers: list[str] = field(default_factory=list)
    remembered: int = 0
    refused: int = 0
    missing: int = 0
    failed: str = ""


class _Window(NamedTuple):
    """Some passages of a page as the model sees them, and the key their answer is kept under."""

    first: int
    lines: list[str]
    before: str
    key: str


@dataclass(frozen=True, slots=True)
class LlmLabeller:
    """Labels by a model's answers; what it leaves open, or makes up, is by `rules`.

    `answers` are recorded by window of passages: a page that did not change asks nothing. What the model does not
    answer has the rules' label. `ledger` is told what was paid; `site` gives the site of a page's URL.
    """

    model: Model
    answers: Answers
    rules: RulesLabeller = RulesLabeller()  # noqa: RUF009 - a frozen value
    ledger: Ledger | None = None
    site: Callable[[str], str] = str

    @property
    def name(self) -> str:
        """`llm-labels@1`, the prompt, the model, and the rules' own name."""
        return f"{VERSION}+{PROMPT}+{self.model.name}+{self.rules.name}"

    def labels(self, document: Document, passages: Passages, page: str = "", language: str = "") -> tuple[Label, ...]:
        """A label for each passage."""
        return self.ask(document, passages, page, language)[0]

    def ask(
        self, document: Document, passages: Passages, page: str = "", language: str = ""
    ) -> tuple[tuple[Label, ...], Told]:
        """The labels, and what was asked for them. Raises MissingExtraError without the package that asks."""
        fallback, told = self.rules.labels(document, passages, page, language), Told()
        said = _Said(document)
        made: list[Label] = []
        for window in self._windows(document, passages):
            parts = _read(self._answer(window, page, told))
            for number in range(len(window.lines)):
                part = parts[number] if number < len(parts) else None
                made.append(_label(part, made[-1] if made else None, fallback[len(made)], said, told))
        return tuple(made), told

    def _windows(self, document: Document, passages: Passages) -> Iterator[_Window]:
        above = trails(document)
        lines = [_line(document, ordinals, above) for ordinals in passages]
        for first in range(0, len(lines), WINDOW):
            some, before = lines[first : first + WINDOW], lines[first - 1] if first else ""
            yield _Window(first, some, before, content_id("l1", [VERSION, PROMPT, self.model.name, before, *some]))

    def _answer(self, window: _Window, page: str, told: Told) -> str:
        """The recorded answer about a window, else the model's, recorded when it labels most of it; "" for none."""
        known = self.answers.get(window.key)
        if known is not None:
            told.remembered += 1
            return str(json.loads(known)["text"])
        try:
            reply = self.model.ask(_question(window))
        except MissingExtraError:
            raise
        except (RemoteError, ConfigError) as error:
            told.failed = told.failed or str(error)
            return ""
        told.usage = total((told.usage, reply.usage))
        told.answers.append(reply.text)
        if self.ledger is not None:
            self.ledger(Spent(time.time(), "label", self.site(page), page, self.model.name, reply.usage))
        if reply.whole and 2 * len(_read(reply.text)) >= len(window.lines):
            self.answers.update({window.key: json.dumps({"text": reply.text, "pages": [page]})})
        else:
            said = " ".join(reply.text.split())[:_TOLD]
            told.failed = told.failed or f"{self.model.name}: answered {said!r}, which labels few of the passages"
        return reply.text


class _Said:
    """What a page says, white space and case folded."""

    def __init__(self, document: Document) -> None:
        self._text = "\n".join(_folded(document.text(place.ordinal)) for place in document.places)

    def __contains__(self, words: str) -> bool:
        return bool(words.strip()) and "\n" not in words and _folded(words) in self._text


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _line(document: Document, ordinals: Sequence[int], above: Sequence[Sequence[int]]) -> str:
    """A passage in one line: its headings, then its first words, nothing in it that could end the line or hide."""
    heads = [document.text(o) for o in above[ordinals[0]]] if ordinals else []
    text = " ".join(document.text(o) for o in ordinals)
    line = f"{' > '.join(heads)} | {text[: 2 * SHOWN]}"
    return " ".join("".join(c if c.isprintable() else " " for c in line).split())[: SHOWN + 80]


def _question(window: _Window) -> Question:
    count = len(window.lines)
    numbered = [f"{number} {line}" for number, line in enumerate(window.lines, 1)]
    data = "\n".join([f"0 {window.before}", *numbered] if window.before else numbered)
    told = _prompt().format(categories=", ".join(CATEGORIES), count=count)
    return Question(told, data, _grammar(count), _schema(count), _TOKENS * count + 32)


@cache
def _prompt() -> str:
    return files("wrac.labelling").joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8").strip()


def _grammar(count: int) -> str:
    """The answer's grammar (GBNF), without white space: some models loop on it."""
    labels = ' "," '.join(["label"] * count)
    kinds = " | ".join(f'"\\"{name}\\""' for name in CATEGORIES)
    return (
        f'root ::= "{{\\"labels\\":[" {labels} "]}}"\n'
        'label ::= "{\\"same\\":true}" | "{\\"same\\":false,\\"category\\":" kind ",\\"nouns\\":[" word ("," word)? '
        '"],\\"model\\":" word "}"\n'
        f'kind ::= {kinds}\nword ::= "\\"" [^"\\\\\\x00-\\x1f]{{0,60}} "\\""'
    )


def _schema(count: int) -> Mapping[str, Any]:
    """The answer's JSON schema, for endpoints without grammars."""
    properties: dict[str, Any] = {
        "same": {"type": "boolean"},
        "category": {"type": "string", "enum": list(CATEGORIES)},
        "nouns": {"type": "array", "items": {"type": "string"}},
        "model": {"type": "string"},
    }
    one = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    many = {"type": "array", "items": one, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {"labels": many}, "required": ["labels"], "additionalProperties": False}


def _read(answer: str) -> list[Any]:
    """The labels of an answer; none of one that is no such object."""
    found = _OBJECT.search(answer)
    try:
        value = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        return []
    labels = value.get("labels") if isinstance(value, dict) else None
    return labels if isinstance(labels, list) else []


def _label(part: object, before: Label | None, rules: Label, said: _Said, told: Told) -> Label:
    """What was answered of one passage, as far as it can be believed."""
    if not isinstance(part, Mapping):
        told.missing += 1
        return rules
    if part.get("same") is True and before is not None:
        return Label(before.category, before.nouns, before.model, inherited=True)
    nouns, model, kind = part.get("nouns"), part.get("model"), part.get("category")
    wanted = [noun for noun in nouns if isinstance(noun, str)] if isinstance(nouns, list) else []
    kept = tuple(" ".join(noun.split()) for noun in wanted if noun in said)[:NOUNS]
    named = " ".join(model.split()) if isinstance(model, str) and model in said else ""
    told.refused += len(wanted[:NOUNS]) - len(kept) + (isinstance(model, str) and bool(model) and not named)
    told.refused += kind not in CATEGORIES
    if not kept and not named:
        return rules
    return Label(str(kind) if kind in CATEGORIES else rules.category, kept, named)
