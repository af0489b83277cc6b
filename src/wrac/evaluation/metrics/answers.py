"""How good an answer is, and what finding it cost: for routing and for answers written by a model."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from string import punctuation

from wrac.evaluation.metrics.blocks import distinct
from wrac.evaluation.metrics.words import CHARACTER, LETTERS
from wrac.evaluation.values import Passage, Query
from wrac.text.tokens import counter

_WORD = re.compile(f"{CHARACTER}|{LETTERS}")
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
