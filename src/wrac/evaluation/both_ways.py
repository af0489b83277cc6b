"""Passages against the whole on the user's own questions: a model's answers over several runs, or gold that is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

from wrac import catalog
from wrac.core.answers import Answer, Choice
from wrac.core.errors import ConfigError, InputError
from wrac.core.types import Event
from wrac.evaluation.datasets.jsonl import numbered
from wrac.evaluation.metrics.answers import exact_match, rouge_l, token_f1, unmarked
from wrac.evaluation.metrics.blocks import covered
from wrac.evaluation.metrics.words import content_terms
from wrac.flow.answerers import recalled
from wrac.flow.ask import Wanted, answer
from wrac.flow.gather import Pages
from wrac.flow.kept import Kept
from wrac.flow.measures import Corpus
from wrac.flow.search import Ask
from wrac.flow.sent import Sender
from wrac.flow.talk import Talk
from wrac.flow.workspace import Workspace
from wrac.llm.ledger import Spent
from wrac.retrieval import FAINT, NEAR
from wrac.routing.advice import number
from wrac.text.sentences import ends

BUDGET: Final = 2000
"""Tokens of passages, as `wrac ask` takes."""
LOGGED: Final = 20
"""Questions of the log at most, the last ones."""
SHAPE: Final = 'a line is {"query": "…"}, with an "answer" or the gold "text" where they are known'


class Question(NamedTuple):
    """A question, the answers that are right, and the texts that hold one."""

    query: str
    answers: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()


class Spread(NamedTuple):
    """The mean over runs, and the lowest and highest run."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """That of some runs."""
        return cls(fmean(values), min(values), max(values))

    @property
    def text(self) -> str:
        """`0.61 (0.58 to 0.64)`, or the one value."""
        mean, low, high = map(number, self)
        return mean if low == high else f"{mean} ({low} to {high})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Figures of each way by name. `agreement` is the token F1 of both ways' answers, None where no model was asked.

    `note` says why the whole is not the corpus.
    """

    questions: int
    runs: int
    model: str
    ways: Mapping[Choice, Mapping[str, Spread]]
    agreement: Spread | None = None
    note: str = ""

    def row(self) -> dict[str, Any]:
        """All of it as JSON."""
        ways = {way: {name: one._asdict() for name, one in figures.items()} for way, figures in self.ways.items()}
        agreement = self.agreement._asdict() if self.agreement else None
        told = {"questions": self.questions, "runs": self.runs, "model": self.model}
        return {**told, "ways": ways, "agreement": agreement, "note": self.note}


def read(file: Path) -> list[Question]:
    """The questions of a JSON lines file. Raises InputError, with the line, for one that is none."""
    found = [Question(_query(file, number, row), *_texts(file, number, row)) for number, row in numbered(file)]
    if not found:
        raise InputError(str(file), "holds no question", SHAPE)
    return found


def _query(file: Path, number: int, row: Mapping[str, Any]) -> str:
    query = row.get("query")
    if not isinstance(query, str) or not any(map(str.isalnum, query)):
        raise InputError(f"{file}:{number}", "lacks a 'query' with a word", SHAPE)
    return query


def _texts(file: Path, number: int, row: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name in ("answer", "text"):
        value = row.get(name, [])
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in texts):
            raise InputError(f"{file}:{number}", f"{name!r} is neither a text nor a list of texts", SHAPE)
        yield tuple(texts)


def logged(events: Iterable[Event], most: int = LOGGED) -> list[Question]:
    """The last distinct questions of a log. Raises ConfigError where there is none."""
    asked = [str(one.fields.get("query", "")) for one in events if one.name in ("query", "ask")]
    last = list(dict.fromkeys(query for query in reversed(asked) if any(map(str.isalnum, query))))[:most]
    if not last:
        raise ConfigError("no question was asked yet; give --questions FILE.jsonl")
    return [Question(query) for query in reversed(last)]


class _Anew:
    """A memory that knows no answer, so that every run asks; what is paid goes into the ledger."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def recall(self, key: str) -> str | None:  # noqa: ARG002 - the seam
        return None

    def keep(self, model: str, found: Mapping[str, str], spent: Sequence[Spent]) -> None:  # noqa: ARG002 - the seam
        self._kept.keep(model, {}, spent)


@dataclass(frozen=True, slots=True)
class Task:
    """What is compared: questions over a corpus, in so many runs, for `most` USD in all; `tell` hears how far it is."""

    questions: Sequence[Question]
    corpus: Corpus
    runs: int = 3
    most: float | None = None
    tell: Callable[[str], None] = lambda _: None


def compare(workspace: Workspace, task: Task) -> Comparison:
    """Both ways by the model that the workspace was told of; without one, the gold in what would be read.

    The workspace's log should be off: what is asked here is no use of it. Raises ConfigError where there is neither a
    model nor gold, and where asking would cost more than it may; and what asking raises.
    """
    answerer = recalled(workspace.database)
    if not answerer.model:
        return by_gold(workspace, task)
    from wrac.llm.providers import Provider

    with closing(Provider(answerer.endpoint)) as provider:
        return by_model(workspace, task, Talk(answerer, provider, _Anew(Kept(workspace.database))))


def by_model(workspace: Workspace, task: Task, talk: Talk) -> Comparison:
    """Passages against the corpus, or where that does not fit against the document of the best passage."""
    whole, note = _whole(workspace, task, talk)
    ways: tuple[Choice, Choice] = ("passages", whole)
    runs: list[dict[Choice, list[Answer]]] = []
    for run in range(task.runs):
        runs.append({way: [] for way in ways})
        for at, one in enumerate(task.questions):
            task.tell(f"run {run + 1} of {task.runs}, question {at + 1} of {len(task.questions)}")
            for way in ways:
                runs[-1][way].append(answer(workspace.shelf, workspace.log, talk, Wanted(_ask(one), way)))
    figures = {way: _spread([_figures(task.questions, said[way]) for said in runs]) for way in ways}
    alike = [fmean(token_f1(_said(a), [_said(b)]) for a, b in zip(*said.values(), strict=True)) for said in runs]
    return Comparison(len(task.questions), task.runs, talk.name, figures, Spread.of(alike), note)


def _ask(one: Question) -> Ask:
    return Ask(one.query, None, BUDGET, confidence=FAINT, near=NEAR)


def _whole(workspace: Workspace, task: Task, talk: Talk) -> tuple[Choice, str]:
    """What stands against passages and why not the corpus, once it was told what all of it may cost.

    Raises ConfigError for too much, and where nobody knows the window.
    """
    talk.afford(task.most)
    if talk.window is None:
        raise ConfigError(f"how much {talk.name} reads is not known; give `wrac ask --window TOKENS` once")
    way: Choice = "corpus"
    note = ""
    with workspace.database.read() as connection:
        sender = Sender(connection, Pages(connection), talk, _ask(task.questions[0]), None)
        try:
            tokens = sender.corpus(catalog.urls(connection)).first.tokens
        except ConfigError as error:  # it does not fit, and says by how much
            way, note, tokens = "document", str(error).partition(";")[0], task.corpus.largest[1]
    cost = talk.cost(tokens + BUDGET)
    if cost is not None:
        whole = cost * len(task.questions) * task.runs
        asked = f"{_plural(len(task.questions), 'question')} both ways in {_plural(task.runs, 'run')}"
        told = f"{asked} may cost {whole:,.2f} USD"
        if task.most is not None and whole > task.most:
            raise ConfigError(f"{told}; raise --max-cost, or give fewer questions or --runs")
        task.tell(told)
    return way, note


def _plural(count: int, one: str) -> str:
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def _spread(runs: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    return {name: Spread.of([one[name] for one in runs]) for name in runs[0]}


def _figures(questions: Sequence[Question], said: Sequence[Answer]) -> dict[str, float]:
    """The means of one way in a run."""
    known = [(one, a) for one, a in zip(questions, said, strict=True) if one.answers]
    answered = [a for a in said if not a.refused and a.text]
    found = {"answered": len(answered) / len(said)}
    for name, metric in (("exact match", exact_match), ("token F1", token_f1), ("ROUGE-L", rouge_l)):
        if known:
            found[name] = fmean(metric(_said(a), one.answers) for one, a in known)
    found["cited sentences"] = fmean(map(_cited, answered)) if answered else 0.0
    for name, part in (
        ("tokens read", "input"),
        ("of these cached", "cached"),
        ("USD", "cost"),
        ("seconds", "seconds"),
    ):
        found[name] = fmean(float(getattr(a.usage, part)) for a in said)
    return found


def _said(one: Answer) -> str:
    """An answer without its marks; nothing of one that refuses."""
    return "" if one.refused else unmarked(one.text)


def _cited(one: Answer) -> float:
    """The share of an answer's sentences that cite something that was sent."""
    return 1 - len(one.uncited) / max(len(ends(one.text)), len(one.uncited), 1)


# -- without a model


def by_gold(workspace: Workspace, task: Task) -> Comparison:
    """The share of the gold texts in what each way would read. Raises ConfigError where there is no gold."""
    questions = [one for one in task.questions if one.gold]
    if not questions:
        raise ConfigError(
            "answers need a model: tell the workspace one with `wrac ask --model`; or give questions with gold, "
            '{"query": "…", "text": "…"}'
        )
    pages, sizes = _words_of(workspace), task.corpus.documents
    found = [workspace.context(one.query, budget=BUDGET) for one in questions]
    best = [max(chain(*got.sources), key=lambda hit: -hit.rank).url if got.sources else "" for got in found]
    blocks = [[_words(" ".join(hit.text for hit in block)) for block in got.sources] for got in found]
    ways: dict[Choice, Mapping[str, Spread]] = {
        "passages": _gold(questions, blocks, [got.context.tokens for got in found]),
        "document": _gold(questions, [[pages.get(url, _NONE)] for url in best], [sizes.get(url, 0) for url in best]),
        "corpus": _gold(questions, [list(pages.values())] * len(questions), [task.corpus.tokens]),
    }
    return Comparison(len(questions), 1, "", ways)


_NONE: Final[frozenset[str]] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


def _words_of(workspace: Workspace) -> dict[str, frozenset[str]]:
    """The content words of each page's chunks."""
    with workspace.database.read() as connection:
        urls = catalog.urls(connection)
    return {url: _words(" ".join(chunk.text for chunk in workspace.record(url).chunks)) for url in urls}


def _gold(
    questions: Sequence[Question], read_by: Sequence[Sequence[frozenset[str]]], tokens: Sequence[int]
) -> dict[str, Spread]:
    """The share of the gold whose content words stand in one of the texts read, as `B@w` counts them."""
    shares = [
        fmean(any(covered(_words(gold), text) for text in texts) for gold in one.gold)
        for one, texts in zip(questions, read_by, strict=True)
    ]
    return _spread([{"gold read": fmean(shares), "tokens read": fmean(tokens)}])
