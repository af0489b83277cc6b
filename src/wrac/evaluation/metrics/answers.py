"""How good an answer is, and what finding it cost: for routing and for answers written by a model."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from string import punctuation
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wrac.evaluation.metrics.blocks import distinct
from wrac.evaluation.metrics.words import CHARACTER, LETTERS
from wrac.evaluation.values import Passage, Query
from wrac.text.tokens import counter

Vectors: TypeAlias = NDArray[np.float32]
_WORD = re.compile(f"{CHARACTER}|{LETTERS}")
_MARK = r"[a-z]{0,3}\d+\.\d+"
_MARKS = re.compile(rf"[ \t]*[\[【]\s*{_MARK}(?:[\s,;–-]+{_MARK})*\s*[\]】]")
_UNWRITTEN = str.maketrans("", "", f"{punctuation}’")
"""SQuAD's script drops these without a space: `U.S.` is `us`. Other punctuation parts words."""
_ARTICLES = frozenset(
    "a an the der die das den dem des ein eine einen einem einer eines le la les un une des el los las una uno il lo "
    "gli o os as um uma de het een".split()
)


def hit_at_page(query: Query, hits: Sequence[Passage], k: int = 1) -> float:
    """1 where one of the first `k` passages is of a page that gold stands on, else 0."""
    wanted = {page for gold in query.gold for page in gold.pages}
    return float(any(hit.page in wanted for hit in hits[:k]))


def tokens_spent(texts: Iterable[str]) -> int:
    """The o200k tokens of all that a model was given."""
    return sum(map(counter("o200k").count, texts))


def passage_tokens(hits: Sequence[Passage], k: int) -> int:
    """The o200k tokens of the first `k` passages, the same text of a page once."""
    return tokens_spent(hit.text for hit in distinct(hits)[:k])


def words(text: str) -> list[str]:
    """The words that answers are compared by: folded, without punctuation and articles.

    As SQuAD's script normalises English, for other languages too: compatibility forms and case are folded, and each
    character of a script without spaces is a word. A text of articles alone keeps them.

    >>> words("The U.S. dollar, 1,000"), words("退款５天")
    (['us', 'dollar', '1000'], ['退', '款', '5', '天'])
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    found = _WORD.findall(folded.translate(_UNWRITTEN))
    return [word for word in found if word not in _ARTICLES] or found


def unmarked(answer: str) -> str:
    """An answer without the marks of its citations, which no reference has.

    >>> unmarked("Refunds take five days [1.2]. Ask the store [2.1, 2.3].")
    'Refunds take five days. Ask the store.'
    """
    return _MARKS.sub("", answer)


def exact_match(answer: str, references: Iterable[str]) -> float:
    """1 where the answer's words are those of a reference, in order, else 0."""
    return _best(answer, references, lambda ours, theirs: float(ours == theirs))


def token_f1(answer: str, references: Iterable[str]) -> float:
    """F1 of the words that answer and reference share, by the nearest reference; two empty texts are alike."""
    return _best(answer, references, lambda a, b: _f1(sum((Counter(a) & Counter(b)).values()), len(a), len(b)))


def rouge_l(answer: str, references: Iterable[str]) -> float:
    """ROUGE-L: F1 of the longest common subsequence of words, by the nearest reference (Lin, 2004; beta 1)."""
    return _best(answer, references, lambda a, b: _f1(_subsequence(a, b), len(a), len(b)))


def _best(answer: str, references: Iterable[str], measure: Callable[[list[str], list[str]], float]) -> float:
    """The measure by the reference that gives most; 0 without references."""
    ours = words(answer)
    return max((measure(ours, words(reference)) for reference in references), default=0.0)


def _f1(common: int, ours: int, theirs: int) -> float:
    return 2 * common / (ours + theirs) if ours + theirs else 1.0


def _subsequence(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """The length of the longest common subsequence, a row of the table at a time."""
    row = [0] * (len(theirs) + 1)
    for word in ours:
        diagonal = 0
        for column, other in enumerate(theirs, 1):
            above = row[column]
            row[column] = diagonal + 1 if word == other else max(above, row[column - 1])
            diagonal = above
    return row[-1]


class Closeness(NamedTuple):
    """How near the tokens of an answer and of a reference are by their vectors, each to the nearest of the other."""

    precision: float
    recall: float
    f1: float


def bert_score(ours: Vectors, theirs: Vectors) -> Closeness:
    """BERTScore: greedy matching of token vectors, without importance weights (Zhang et al., 2020).

    Both are float32 (tokens, d), rows of unit length. Two texts without tokens are alike, one and none are not.
    """
    if not len(ours) or not len(theirs):
        alike = float(len(ours) == len(theirs))
        return Closeness(alike, alike, alike)
    near = ours.astype(np.float64) @ theirs.astype(np.float64).T
    precision, recall = (round(float(near.max(axis=axis).mean()), 6) for axis in (1, 0))
    total = precision + recall
    return Closeness(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)
