"""Questions that an index cannot answer: those of another company, or of pages that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wrac.evaluation.routing.observing import fold, folds
from wrac.evaluation.values import DataSet
from wrac.evaluation.vectors import Tell, VectorCache
from wrac.evaluation.workspaces import held
from wrac.flow.search import Ask, rank
from wrac.flow.workspace import Workspace
from wrac.indexing import Searched
from wrac.routing import FIRST


class Asked(NamedTuple):
    """A question asked of the index of one fold: whether its gold is there, and how sure the search was."""

    fold: str
    own: bool
    confidence: float


def strangers(data: DataSet, made: Workspace, vectors: VectorCache, tell: Tell) -> list[Asked]:
    """Every question asked of an index of each fold's pages alone; none where there is one fold."""
    owners = folds(data)
    names = sorted(set(owners.values()))
    found = []
    for name in names if len(names) > 1 else ():
        tell(f"asking {name} what others are asked")
        index = held(made, vectors, data, lambda url, name=name: owners.get(url) == name)  # type: ignore[misc]
        for query in data.queries:
            own = fold(query, owners) == name
            found.append(Asked(name, own, _confidence(index, made, query.text)))
    return found


def _confidence(index: Searched, made: Workspace, text: str) -> float:
    """That of the best result."""
    ranking = rank(index, made.embedder, Ask(text, None))
    return max((ranking.sure(one.entry) for one in ranking.found[:FIRST]), default=0.0)


def area(asked: Sequence[Asked]) -> float:
    """The area under the ROC curve of confidence: how often a question of the index's own is surer than a stranger."""
    own = sorted(one.confidence for one in asked if one.own)
    other = sorted(one.confidence for one in asked if not one.own)
    if not own or not other:
        return 1.0
    wins = sum((a > b) + 0.5 * (a == b) for a in own for b in other)
    return wins / (len(own) * len(other))


def kept(asked: Sequence[Asked], least: float) -> tuple[float, float]:
    """The share of an index's own questions at or above a confidence, and of strangers below it."""
    own = [one.confidence >= least for one in asked if one.own]
    other = [one.confidence < least for one in asked if not one.own]
    return sum(own) / max(len(own), 1), sum(other) / max(len(other), 1)


def learned(asked: Sequence[Asked], share: float = 0.99) -> float:
    """The highest confidence, in steps of .05, at which that share of an index's own questions stays."""
    steps = [step / 20 for step in range(20)]
    return max((step for step in steps if kept(asked, step)[0] >= share), default=0.0)
