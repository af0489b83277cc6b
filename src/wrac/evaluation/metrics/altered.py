"""What rewriting did to a text: words lost, added and torn from their neighbours, and words in another order."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wrac.evaluation.wording import grams, unlinked, words


class Altered(NamedTuple):
    """How many of a text's `words` are in no chunk (`lost`), and how many chunks `added` that the text has nowhere.

    `torn` counts three neighbouring words of a block that no chunk has together, `moved` those that stand behind words
    that came later. What chunks say again is no fault.
    """

    words: int = 0
    lost: int = 0
    added: int = 0
    torn: int = 0
    moved: int = 0


def altered(blocks: Iterable[str], chunks: Iterable[str]) -> Altered:
    """What the chunks of a text made of its blocks (paragraphs, list items, rows), both in reading order.

    Words are runs of letters and digits as they are written; Markdown and link targets do not count. Order is judged by
    threes of words that stand once in the text and once in the chunks: all but the longest ascending subsequence of
    their places have moved.
    """
    given, said = [words(unlinked(block)) for block in blocks], [words(unlinked(chunk)) for chunk in chunks]
    before, after = (Counter(word for part in parts for word in part) for parts in (given, said))
    old, new = ([gram for part in parts for gram in grams(part)] for parts in (given, said))
    held, known = Counter(new), Counter(old)
    place = {gram: position for position, gram in enumerate(old) if known[gram] == 1 and held[gram] == 1}
    order = [place[gram] for gram in new if gram in place]
    return Altered(
        words=before.total(),
        lost=(before - after).total(),
        added=sum(count for word, count in after.items() if word not in before),
        torn=(known - held).total(),
        moved=len(order) - _ascending(order),
    )


def _ascending(numbers: Sequence[int]) -> int:
    """The length of the longest ascending subsequence."""
    ends: list[int] = []
    for number in numbers:
        at = bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)
