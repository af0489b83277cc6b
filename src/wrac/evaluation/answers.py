"""Answers measured: what `wrac ask` says to a data set's questions, each way, over several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wrac.core.answers import Answer, Route, Way
from wrac.core.errors import ConfigError
from wrac.core.seams import Embedder
from wrac.evaluation.machine import machine
from wrac.evaluation.metrics.answers import Vectors, bert_score, exact_match, rouge_l, token_f1, unmarked
from wrac.evaluation.metrics.blocks import covered
from wrac.evaluation.metrics.intervals import bootstrap, spread, verdict
from wrac.evaluation.metrics.words import content_terms
from wrac.evaluation.routing.observing import fold, folds
from wrac.evaluation.values import DataSet, Query
from wrac.evaluation.vectors import Tell, VectorCache, pieces
from wrac.evaluation.workspaces import held, veiled
from wrac.flow.ask import Wanted, answer
from wrac.flow.gather import Pages
from wrac.flow.search import Ask
from wrac.flow.sent import Wish
from wrac.flow.talk import Talk
from wrac.flow.workspace import Workspace
from wrac.llm.ledger import Spent
from wrac.retrieval import DOUBTFUL, FAINT, NEAR

Results = dict[str, Any]
Floats: TypeAlias = NDArray[np.float64]
BUDGET: Final = 2000
"""Tokens of passages, as `wrac ask` takes."""
WAYS: Final[tuple[Wish, ...]] = ("passages", "document", "auto")
"""What a model's answers are compared for; `auto` is the mixture. Without a model only passages are read."""
METRICS: Final = ("F1", "EM", "ROUGE-L", "BERTScore", "cited right", "gold cited")
SPENT: Final = ("refused", "whole page", "tokens", "USD")


class Forgetting:
    """A memory that knows no answer, so that every run asks; what is paid is in the answers."""

    def recall(self, key: str) -> str | None:  # noqa: ARG002 - the seam
        return None

    def keep(self, model: str, found: Mapping[str, str], spent: Sequence[Spent]) -> None:
        """Keeps nothing."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is measured: a data set's questions, in its workspace, by a model or by nobody, in so many runs."""

    data: DataSet
    made: Workspace
    vectors: VectorCache
    talk: Talk | None = None
    runs: int = 3
    tell: Tell = lambda _: None

    @property
    def ways(self) -> tuple[Wish, ...]:
        return WAYS if self.talk is not None else WAYS[:1]

    @property
    def times(self) -> int:
        """Runs that can differ: without a model one says it all."""
        return self.runs if self.talk is not None else 1


class Told(NamedTuple):
    """The figures of one answer, in the order of METRICS and SPENT."""

    metrics: tuple[float, ...]
    spent: tuple[float, ...]


def answers(task: Task) -> Results:
    """All figures.

    Keys: `data`, `machine`, `model` (empty: the best units themselves), `runs`, `metrics`, `references` (how many
    questions have answers of their own; the others are held against their gold), `apart` (BERTScore of an answer and
    the reference of another question), `ways` and `unanswerable`. Of a way `mean`, `low` and `high` over the runs by
    figure, `differences` of F1 to passages, `queries` (means over the runs, by id). Raises what asking a model raises.
    """
    judge = _Judge(task)
    told = {way: [judge.run(way, number) for number in range(task.times)] for way in task.ways}
    base = _f1(told[task.ways[0]])
    return {
        "data": {"name": task.data.name, "pages": len(task.data.pages), "queries": len(task.data.queries)},
        "machine": machine(),
        "model": task.talk.name if task.talk is not None else "",
        "runs": task.times,
        "metrics": [*METRICS, *SPENT],
        "embedder": task.vectors.embedder.name if judge.reads else "",
        "references": sum(bool(query.answers) for query in task.data.queries),
        "apart": judge.apart(),
        "ways": [_way(way, runs, base, task.data.queries) for way, runs in told.items()],
        "unanswerable": [_refusals(task, way) for way in task.ways],
    }


def _f1(runs: Sequence[Sequence[Told]]) -> Floats:
    """The F1 of each question, the mean over the runs."""
    values = np.array([[one.metrics[0] for one in run] for run in runs], np.float64)
    return np.asarray(values.mean(axis=0), np.float64)


def _way(way: str, runs: Sequence[Sequence[Told]], base: Floats, queries: Sequence[Query]) -> Results:
    names, parts = (*METRICS, *SPENT), ("mean", "low", "high")
    values = np.array([[(*one.metrics, *one.spent) for one in run] for run in runs], np.float64)
    over = [spread(values[:, :, column].mean(axis=1)) for column in range(len(names))]
    difference = bootstrap(_f1(runs), base)
    return {
        "way": way,
        **{part: {name: getattr(one, part) for name, one in zip(names, over, strict=True)} for part in parts},
        "difference": {**difference._asdict(), "verdict": verdict(difference, within=over[0])},
        "queries": {q.id: np.round(mean, 4).tolist() for q, mean in zip(queries, values.mean(axis=0), strict=True)},
    }


class _Judge:
    """Asks, and holds answers against references and gold."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._vectors = cache(_reader(task.vectors.embedder))
        self.reads = getattr(task.vectors.embedder, "token_vectors", None) is not None
        self._said: list[str] = []

    def run(self, way: Wish, number: int) -> list[Told]:
        """The figures of every question, asked once."""
        queries, found = self._task.data.queries, []
        for at, query in enumerate(queries):
            self._task.tell(f"embedding {way}, run {number + 1} of {self._task.times}, {at + 1}/{len(queries)}")
            found.append(self._told(query, asked(self._task, way, query.text)))
        return found

    def apart(self) -> float:
        """BERTScore of the first run's answers and the references of the question after each: what chance gives."""
        references = [_references(query)[0] for query in self._task.data.queries]
        pairs = zip(self._said, [*references[1:], *references[:1]], strict=False)
        return fmean(self._close(said, [other]) for said, other in pairs) if self.reads and len(references) > 1 else 0.0

    def _told(self, query: Query, found: Answer) -> Told:
        said, references = "" if found.refused else unmarked(found.text), _references(query)
        self._said.append(said)
        measured = [metric(said, references) for metric in (token_f1, exact_match, rouge_l)]
        right, cited = _cited(self._task.made, query, found)
        whole = float(found.route.choice == "document")
        spent = (
            float(_refused(self._task, found)),
            whole,
            float(found.usage.input or found.route.passages.tokens),
            found.usage.cost,
        )
        return Told((*measured, self._close(said, references), right, cited), spent)

    def _close(self, said: str, references: Sequence[str]) -> float:
        """BERTScore's F1 by the nearest reference; 0 with an embedder that has no vectors of tokens."""
        if not self.reads:
            return 0.0
        return max(bert_score(self._vectors(said), self._vectors(one)).f1 for one in references)


def asked(task: Task, way: Wish, query: str) -> Answer:
    """The answer to a question, as `wrac ask` gives it, and anew each time.

    A document that is larger than the window is not sent: nothing is answered then.
    """
    ask = Ask(query, None, BUDGET, confidence=FAINT, near=NEAR)
    try:
        return answer(task.made.shelf, task.made.log, task.talk, Wanted(ask, way))
    except ConfigError as error:
        if way != "document":
            raise
        return Answer("", (), Route(way, str(error), Way(0)), refused=True)


def _refused(task: Task, found: Answer) -> bool:
    """Whether an answer says that there is none; without a model, whether nothing found matches well enough."""
    return found.refused or (task.talk is None and found.confidence < DOUBTFUL)


def _references(query: Query) -> tuple[str, ...]:
    """The right answers; without any the gold blocks, as one extract."""
    return query.answers or ("\n".join(one.text for one in query.gold),)


def _reader(embedder: Embedder) -> Callable[[str], Vectors]:
    """Vectors of a text's tokens, a long text in parts; none of an empty one."""
    read = getattr(embedder, "token_vectors", None)

    def vectors(text: str) -> Vectors:
        if read is None or not text.strip():
            return np.zeros((0, embedder.dimensions), np.float32)
        return np.concatenate([read(part) for part in pieces(text, embedder)])

    return vectors


def _cited(made: Workspace, query: Query, found: Answer) -> tuple[float, float]:
    """The share of cited units that are of gold, and the share of gold blocks that cited units hold.

    A unit is of gold where 85 % of its content words are in one gold block of its page, or of that block's in it.
    """
    units = list(_units(made, found))
    gold = [(one.pages, _words(one.text)) for one in query.gold]
    right = [any(url in pages and _of(words, block) for pages, block in gold) for url, words in units]
    held = [covered(block, frozenset().union(*(w for url, w in units if url in pages))) for pages, block in gold]
    return fmean(right) if right else 0.0, fmean(held)


def _of(unit: frozenset[str], block: frozenset[str]) -> bool:
    return bool(unit) and (covered(unit, block) or covered(block, unit))


def _units(made: Workspace, found: Answer) -> Iterator[tuple[str, frozenset[str]]]:
    """The page and the content words of each unit cited."""
    with made.database.read() as connection:
        pages = Pages(connection)
        for url, unit in dict.fromkeys((one.url, one.unit) for one in found.citations):
            yield url, _words(pages.record(url).document.units[unit].text)


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(content_terms(text))


def _refusals(task: Task, way: Wish) -> Results:
    """How many answers are refused to questions that the index cannot answer: those of other folds."""
    owners = folds(task.data)
    names = sorted(set(owners.values()))
    shelf, refused = task.made.shelf, list[bool]()
    for name in names if len(names) > 1 else ():
        index = held(task.made, task.vectors, task.data, lambda url, name=name: owners.get(url) == name)  # type: ignore[misc]
        task.made.shelf = veiled(task.made, index)
        others = [query for query in task.data.queries if fold(query, owners) != name]
        for query in others[names.index(name) :: len(names)]:
            task.tell(f"embedding {way}, what {name} does not know, {len(refused) + 1}")
            refused.append(_refused(task, asked(task, way, query.text)))
    task.made.shelf = shelf
    return {"way": way, "asked": len(refused), "refused": fmean(refused) if refused else 0.0}
