"""What the judge takes for a word: what spaces part, and where a script writes none, two characters.

The figures of English are those of the data sets' own scorers; without the rule for scripts without spaces a Japanese
page would be one word, in every budget, and its gold found only where a passage has the very same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from wrac.text.characters import MARKS, RUNNING

CHARACTER = f"[{RUNNING}][{MARKS}]*"
"""A pattern of one character of a script without spaces, with its marks."""
LETTERS = f"[^\\W_{RUNNING}]+(?:[{MARKS}]+[^\\W_{RUNNING}]*)*"
"""A pattern of a run of letters and digits, with their marks, of any other script."""

_ENGLISH = re.compile(r"[^\W_]+")
_RUN = re.compile(f"(?:{CHARACTER})+|{LETTERS}")
_RUNNING = re.compile(f"[{RUNNING}]")
_CHARACTER = re.compile(CHARACTER)
# A pair of characters with the punctuation beside it, or what stands between spaces.
_SIGN = f"[^\\w\\s{RUNNING}]"
_READ = re.compile(f"{_SIGN}*+(?:{CHARACTER}){{1,2}}(?:{_SIGN}*+(?!{CHARACTER}))?|[^\\s{RUNNING}]+")
_SIGNS = dict.fromkeys((0xFE0E, 0xFE0F, 0x20E3))
"""What makes a letter or a digit an emoji: marks that no word is told by."""
_SUFFIXES = ("ing", "edly", "ed", "es", "s", "ly")
_STOP = frozenset(
    "a an the of in on at for to from by with and or as is are was were be been being it its this that these "
    "those which who whom whose what when where how why do does did has have had can could may might will "
    "would should shall must not no yes there their they them he she his her you your we our i if then than so "
    "such also into over under between among about per each any all both more most other some including "
    "include includes included through via within while during across up out off only same very just like one "
    "two".split()
)


def content_terms(text: str) -> list[str]:
    """The content words of a text in order: lower case, stop words left out, a common English suffix cut.

    Of scripts without spaces each pair of neighbouring characters, a lone character itself.

    >>> content_terms("Refunds are paid within 24 hours"), content_terms("返金は5日")
    (['refund', 'paid', '24', 'hour'], ['返金', '金は', '5', '日'])
    """
    if text.isascii():
        return [_stem(word) for word in _ENGLISH.findall(text.lower()) if word not in _STOP]
    return [term for run in _RUN.findall(text.lower().translate(_SIGNS)) for term in _terms(run)]


def _terms(run: str) -> Iterator[str]:
    if _RUNNING.match(run):
        characters = _CHARACTER.findall(run)
        yield from map("".join, pairwise(characters)) if len(characters) > 1 else characters
    elif run not in _STOP:
        yield _stem(run)


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word[: -len(suffix)]
    return word


def length(text: str) -> int:
    """How many words a reader reads.

    >>> length("two words"), length("返金は5日以内です。")
    (2, 6)
    """
    return len(_READ.findall(text)) if _RUNNING.search(text) else len(text.split())


def opening(text: str, budget: int, size: Callable[[str], int]) -> str:
    """The first words whose sizes, each with the space before it, add up to at most the budget."""
    end = 0
    for word in _READ.finditer(text):
        spaced = not word.start() or text[word.start() - 1].isspace()
        budget -= size(f" {word.group()}" if spaced else word.group())
        if budget < 0:
            break
        end = word.end()
    return text[:end]
