"""Lexical chains: a word that comes back often enough, and never far away, is what that stretch of a page is about.

After Morris and Hirst (1991). A passage lies on a chain when the word stands in it, or before and after it within
reach; so a label crosses a change of topic only where the topic's own word does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import log
from typing import Final, NamedTuple

from wrac.core.types import Document
from wrac.labelling.terms import LONGEST_BLOCK, Term, blocks

REACH: Final = 100
"""Content words between two mentions of a word at most; beyond, the topic has changed."""
LEAST: Final = 3
"""Blocks that a chain goes through at least."""
COMMON: Final = 0.2
"""A word in a larger share of the page's blocks tells none of them from its neighbours."""
SMALLEST: Final = 40
"""Blocks of the smallest page that has chains: a shorter one has one subject, which its title names."""


class Chain(NamedTuple):
    """A word's mentions from place to place: its stem, the ordinals that mention it, and its weight as a topic."""

    stem: str
    places: tuple[int, ...]
    weight: float

    @property
    def first(self) -> int:
        return self.places[0]

    @property
    def last(self) -> int:
        return self.places[-1]


def may_have_chains(document: Document) -> bool:
    """Whether a page can have SMALLEST blocks, by its headings and its length: most pages end here."""
    headings = sum(document.units[place.unit].kind == "heading" for place in document.places)
    characters = sum(len(document.units[place.unit].text) for place in document.places)
    return headings + characters // (2 * LONGEST_BLOCK) >= SMALLEST - 1


def chains(document: Document, found: list[list[Term]]) -> list[Chain]:
    """The chains of a page, by stem and position. Time is linear in the page.

    A chain weighs more the fewer blocks of the page hold its word, the more blocks it goes through, and when the word
    is written as a name.
    """
    block = blocks(document, found)
    total = block[-1] + 1 if block else 0
    if total < SMALLEST:
        return []
    held = _holders(found, block)
    names = _named(found)
    before = list(accumulate((len(own) for own in found), initial=0))
    result = []
    for stem, places in _places(found).items():
        if not LEAST <= len(held[stem]) <= COMMON * total:
            continue
        rarity = log(total / len(held[stem])) * (1 + names[stem])
        for run in _runs(places, before):
            through = len({block[ordinal] for ordinal in run})
            if through >= LEAST:
                result.append(Chain(stem, tuple(run), rarity * log(1 + through)))
    return result


def covering(chains: Sequence[Chain], count: int) -> list[list[Chain]]:
    """For each of `count` places the chains that it lies on."""
    over: list[list[Chain]] = [[] for _ in range(count)]
    for one in chains:
        for ordinal in range(one.first, one.last + 1):
            over[ordinal].append(one)
    return over


def _holders(found: list[list[Term]], block: Sequence[int]) -> Mapping[str, set[int]]:
    held: defaultdict[str, set[int]] = defaultdict(set)
    for own, number in zip(found, block, strict=True):
        for term in own:
            held[term.stem].add(number)
    return held


def _named(found: list[list[Term]]) -> Mapping[str, float]:
    """The share of each stem's mentions that a capital marks as a name."""
    mentions = Counter(term.stem for own in found for term in own)
    named = Counter(term.stem for own in found for term in own if term.named)
    return {stem: named[stem] / count for stem, count in mentions.items()}


def _places(found: list[list[Term]]) -> Mapping[str, list[int]]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for ordinal, own in enumerate(found):
        for stem in dict.fromkeys(term.stem for term in own):
            places[stem].append(ordinal)
    return places


def _runs(places: Sequence[int], before: Sequence[int]) -> Iterator[list[int]]:
    """Mentions in runs, a new one where the next mention is out of reach."""
    run = [places[0]]
    for ordinal in places[1:]:
        if before[ordinal] - before[run[-1]] > REACH:
            yield run
            run = []
        run.append(ordinal)
    yield run
