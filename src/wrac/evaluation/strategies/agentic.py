"""Chunking by a live model: one that rewrites the page, and beside it wrac's planner asking the same model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from wrac.core.errors import ConfigError
from wrac.core.types import Document, Page, Usage
from wrac.evaluation.cost import pace
from wrac.evaluation.metrics.altered import altered
from wrac.evaluation.strategies.corpus import Corpus, indexed
from wrac.evaluation.strategies.ours import chunks
from wrac.evaluation.strategies.replay import rules_planner
from wrac.evaluation.values import Passage, Passages
from wrac.llm.asking import Model, Question
from wrac.llm.ledger import total
from wrac.planning.llm import LlmPlanner
from wrac.text.render import markdown
from wrac.text.tokens import counter

PROMPT: Final = "agentic-1"
WINDOW: Final = 4000
"""Tokens of a page in one question; a longer page is cut between blocks."""
LONGER: Final = 2
"""How much longer than its window an answer may be: chunks repeat the headings above them, and JSON escapes."""
_GRAMMAR: Final = (
    'root ::= "{\\"chunks\\":[" text ("," text)* "]}"\n'
    'text ::= "\\"" ([^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" hex hex hex hex))* "\\""\n'
    "hex ::= [0-9a-fA-F]"
)
_SCHEMA: Final = {
    "type": "object",
    "properties": {"chunks": {"type": "array", "items": {"type": "string"}}},
    "required": ["chunks"],
    "additionalProperties": False,
}

Made: TypeAlias = tuple[list[Passage], Usage, Counter[str]]
"""A page's passages, what was paid for them, and what there is to note."""


def model_of(corpus: Corpus, name: str) -> Model:
    """The run's model. Raises ConfigError where the run has none."""
    if corpus.model is None:
        raise ConfigError(f"{name} asks a model; name it with --model PROVIDER:MODEL, or --model and --base-url")
    return corpus.model


@dataclass(frozen=True, slots=True)
class AgenticLive:
    """A model writes the chunks: it is given a page as Markdown and gives back the text of every chunk.

    What it writes has no place in the source. The published baseline's own prompt is not public.
    """

    corpus: Corpus
    name: str = "agentic-live"
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", model_of(self.corpus, self.name))

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks as written. Raises RemoteError or ConfigError where the model does not answer."""
        return _all(self.corpus, pages, self._page)

    def _page(self, page: Page) -> Made:
        document = self.corpus.document(page)
        usages, items, notes = [Usage()], list[Passage](), Counter[str]()
        for window in windows(markdown(document, kept(document))):
            reply = self.model.ask(question(window))
            usages.append(reply.usage)
            texts = written(reply.text)
            notes["answers that hold no chunk"] += not texts
            notes["answers cut short"] += not reply.whole
            items += [Passage(page.url, text, indexed(page.url, text)) for text in texts]
        return items, total(usages), notes


@dataclass(frozen=True, slots=True)
class WracLive:
    """wrac's LLM planner asking the run's model about every page; the rules plan what an answer leaves out."""

    corpus: Corpus
    name: str = "wrac-live"
    model: Model = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", model_of(self.corpus, self.name))

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The chunks of the plans. Raises RemoteError or ConfigError where the model does not answer."""
        planner = LlmPlanner(rules_planner(), self.model, {})
        return _all(self.corpus, pages, lambda page: self._page(page, planner))

    def _page(self, page: Page, planner: LlmPlanner) -> Made:
        document = self.corpus.document(page)
        plan, asked = planner.ask(document)
        if asked.failed and not asked.answers:
            plan, asked = replace(planner, fallback=False).ask(document)  # raises what kept the model from answering
        notes = Counter({f"places {what}": count for what, count in asked.repairs._asdict().items()})
        notes["parts of answers that are no group"] = asked.malformed
        notes["segments left to the rules"] = asked.unanswered
        return list(chunks(self.corpus, page, plan)), asked.usage, notes


def _all(corpus: Corpus, pages: Sequence[Page], make: Callable[[Page], Made]) -> Passages:
    """What a model made of the pages; notes say how it changed their words and how long a page took."""
    items: list[Passage] = []
    usages, notes = [Usage()], Counter[str]()
    for page in pages:
        made, usage, noted = make(page)
        document = corpus.document(page)
        changed = altered(blocks(document), (one.text for one in made))
        notes.update({f"words {what}" if what != "words" else what: count for what, count in changed._asdict().items()})
        notes.update(noted)
        usages.append(usage)
        items += made
    return Passages(tuple(items), {**notes, **pace([usage.seconds for usage in usages[1:]])}, total(usages))


def kept(document: Document) -> list[int]:
    """The ordinals of a page that are cut: what wrac's own planners keep."""
    omitted = rules_planner().plan(document).omitted
    return [place.ordinal for place in document.places if place.ordinal not in omitted]


def blocks(document: Document) -> list[str]:
    """The texts of a page that chunks should hold, in reading order."""
    return [document.text(ordinal) for ordinal in kept(document) if document.unit(ordinal).kind != "image"]


def windows(text: str) -> Iterator[str]:
    """A page's Markdown in parts of at most WINDOW tokens, cut between blocks; a block beyond that is a part alone."""
    count, part, size = counter("o200k").count, list[str](), 0
    for block in text.split("\n\n") if text else ():
        length = count(block) + 1
        if part and size + length > WINDOW:
            yield "\n\n".join(part)
            part, size = [], 0
        part.append(block)
        size += length
    if part:
        yield "\n\n".join(part)


def question(window: str) -> Question:
    """What the model is asked about a part of a page."""
    most = LONGER * counter("o200k").count(window) + 256
    return Question(instructions(), window, _GRAMMAR, _SCHEMA, most)


@cache
def instructions() -> str:
    """The instructions to rewrite."""
    return files("wrac.evaluation.strategies").joinpath(f"prompts/{PROMPT}.txt").read_text("utf-8").strip()


def written(answer: str) -> list[str]:
    """The chunks of an answer; none where it is not the JSON that was asked for."""
    start, end = answer.find("{"), answer.rfind("}")
    try:
        value: Any = json.loads(answer[start : end + 1])
    except (ValueError, RecursionError):
        return []
    found: Iterable[Any] = value.get("chunks", ()) if isinstance(value, dict) else ()
    return [text for text in found if isinstance(text, str) and text.strip()] if isinstance(found, list) else []
