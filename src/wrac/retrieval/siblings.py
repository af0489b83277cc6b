"""Passages about a product that was not asked about: a query that names one of several siblings is not about others.

Phones one, pro and ultra have pages that say nearly the same. What a passage is about stands above it: its page's
title, its label, its headings. Names in the same place that share a word and a heading below, or nearly all words of a
text, are of one family. A query that says what only one of them has in its name beats those it says nothing else of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import Final, NamedTuple, TypeAlias

from wrac.retrieval.fusion import Scored
from wrac.text.analysis import analyse, query_terms
from wrac.text.characters import UNSPACED

DEMOTED: Final = 0.5
"""What is left of the score of a passage that is about a sibling."""
ALIKE: Final = 0.5
"""The share of common words from which on two texts say the same of two things."""
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_LETTERS: Final = f"[^\\W{UNSPACED}]+"
_WORD: Final = re.compile(f"[{UNSPACED}]+|{_LETTERS}(?:[-.]{_LETTERS})*")
_OPENING: Final = re.compile(r"(?:^|[.?!:]\s)[\s\"'“”‘’«»„¿¡(]*$")
_NEAR: Final = 40  # characters before a word that tell whether it opens a sentence
_CACHED: Final = 1 << 14
_PAGES: Final = ("",)  # no title: one is never empty where something stands below it

Terms: TypeAlias = frozenset[str]
_NOTHING: Final[tuple[Terms, Terms]] = (frozenset(), frozenset())


class Stands(NamedTuple):
    """A passage, and what stands above it, outermost first: its page's title, its label, its headings."""

    path: tuple[str, ...]
    text: str
    language: str = ""


@lru_cache(maxsize=_CACHED)
def path(prefix: str, label: str = "") -> tuple[str, ...]:
    """What stands above a passage, by the prefix it was embedded under and its signature in one line.

    A label stands last in a prefix; here it stands under the title, since headings come back under each label.

    >>> path("Phones > Battery / Charging > Orion", "text: Orion, leaflet")
    ('Phones', 'Orion', 'Battery', 'Charging')
    """
    title, *parts = prefix.split(" > ")
    named = _words(label.partition(": ")[2] or label)
    labels = [parts.pop()] if parts and _words(parts[-1]) <= named else []
    return (title, *labels, *chain.from_iterable(part.split(" / ") for part in parts))


def strangers(query: str, passages: Mapping[str, Stands]) -> frozenset[str]:
    """Those of the passages, by their keys, that are about siblings of what the query names.

    A passage whose text says by itself what the query names is none of them.
    """
    texts = " ".join(passage.text for passage in passages.values()).replace("\n", " ")
    reading = lru_cache(None)(lambda language: _Reading(query, language, texts))
    found: set[str] = set()
    for above, members in _groups(passages).items():
        below = {name: [(key, passages[key]) for key in keys] for name, keys in members.items()}
        if not any(reading(own[0][1].language).names(name) for name, own in below.items()):
            continue
        for one, other, apart in _beaten([_name(reading, name, len(above), own) for name, own in below.items()]):
            spelled = [reading(one.language).spelled[term] for term in apart]
            found.update(key for key, passage in other.below if not spelled or not _says(passage.text, spelled))
    return frozenset(found)


def demote(ranked: Sequence[Scored], strange: frozenset[str]) -> list[Scored]:
    """The entries anew, the `strange` ones by DEMOTED of their score; equal scores stand in the order of their ids."""
    scores = ((entry, round(score * DEMOTED, 9) if entry in strange else score) for entry, score in ranked)
    return sorted(scores, key=lambda pair: (-pair[1], pair[0])) if strange else list(ranked)


class _Reading:
    """A query read in one language. `words` are its terms without function words, `written` those that it writes as
    names, `spelled` what stands in the query for each; `texts` show how else a word is written.
    """

    def __init__(self, query: str, language: str, texts: str) -> None:
        self.language = language
        self.pairs = frozenset(pairwise(analyse(query, language)))
        self.words = frozenset(query_terms(query, [language]))
        self.written: set[str] = set()
        self.spelled: defaultdict[str, set[str]] = defaultdict(set)
        self._texts = texts
        self._names: dict[str, bool] = {}
        self._said: dict[tuple[str, ...], tuple[Terms, Terms]] = {}
        for match in _WORD.finditer(query):
            word, opens = match[0], _OPENING.search(query, max(0, match.start() - _NEAR), match.start())
            terms = analyse(word, language)
            for term in terms:
                self.spelled[term].add(term if _UNSPACED.match(word) else word)
            if any(map(str.isdigit, word)) or word[1:] != word[1:].lower() or (word[0].isupper() and not opens):
                self.written.update(terms)

    def names(self, name: str) -> bool:
        """Whether the query says a term of a name as a name."""
        return bool(self.said(_terms(name, self.language)[0])[1])

    def said(self, name: tuple[str, ...]) -> tuple[Terms, Terms]:
        """The terms of a name that the query says, function words only beside others; those it says as a name.

        It does so with a capital or a digit; or side by side as the name does, where the texts have capitals.
        """
        if name not in self._said:
            self._said[name] = _NOTHING if self.words.isdisjoint(name) else self._say(name)
        return self._said[name]

    def _say(self, name: tuple[str, ...]) -> tuple[Terms, Terms]:
        joint = self.pairs.intersection(pairwise(name))
        said = self.words.intersection(name).union(*joint)
        solid = frozenset[str]().union(*(pair for pair in joint if self.words.issuperset(pair)))
        return said, (said & self.written).union(filter(self._name, solid - self.written))

    def _name(self, term: str) -> bool:
        if term not in self._names:
            self._names[term] = self._capital(term)
        return self._names[term]

    def _capital(self, term: str) -> bool:
        """Whether the texts write a term's words more often with a capital than without, or in a script without any."""
        words = {word.lower() for word in self.spelled[term]}
        small = sum(self._texts.count(f" {word} ") for word in words)
        large = sum(self._texts.count(f" {form} ") for word in words for form in {word.title(), word.upper()} - {word})
        return large > small or any(word == word.upper() for word in words)


@dataclass(frozen=True)
class _Name:
    """A title, label or heading, and the passages below it.

    `sequence` are its terms in order, `plain` those without function words, `said` those in the query, names above it
    counted too; `named` those that it says as a name, `written` of these those with a capital or a digit. `heads` are
    the terms of the headings below, its own left out.
    """

    below: Sequence[tuple[str, Stands]]
    language: str
    sequence: tuple[str, ...]
    terms: Terms
    plain: Terms
    said: Terms
    named: Terms
    written: Terms
    heads: frozenset[Terms]


def _groups(passages: Mapping[str, Stands]) -> dict[tuple[str, ...], dict[str, list[str]]]:
    """By what stands above them the names in one place, each with the passages below it; only where there are more.

    Where all of a page stands under one heading, that is a name of the page beside its title.
    """
    groups: defaultdict[tuple[str, ...], dict[str, list[str]]] = defaultdict(dict)
    for key, one in passages.items():
        for depth, segment in enumerate(one.path):
            groups[one.path[:depth]].setdefault(segment, []).append(key)
    for above, members in list(groups.items()):
        if len(above) == 1 and len(members) == 1:
            for heading, keys in members.items():
                groups[_PAGES].setdefault(heading, []).extend(keys)
    return {above: members for above, members in groups.items() if len(members) > 1}


def _name(reading: Callable[[str], _Reading], name: str, depth: int, below: Sequence[tuple[str, Stands]]) -> _Name:
    language = below[0][1].language
    asked, (sequence, plain) = reading(language), _terms(name, language)
    said, named = asked.said(sequence)
    above = {head for _, one in below for head in one.path[:depth]}
    said = said.union(*(asked.said(_terms(head, language)[0])[0] for head in above))
    terms = frozenset(sequence)
    heads = {_terms(head, language)[1] - terms for _, one in below for head in one.path[depth + 1 :]} - {frozenset()}
    return _Name(below, language, sequence, terms, plain, said, named, named & asked.written, frozenset(heads))


def _beaten(names: Sequence[_Name]) -> Iterator[tuple[_Name, _Name, Terms]]:
    """Each name that the query says, with each sibling it says nothing else of, and what tells the two apart."""
    families = _families(names)
    shared = _shared(names, families)
    for one, family in zip(names, families, strict=True):
        own, whole = one.named - shared, one.plain <= one.named
        if not own and whole and _alone(one.named, names):
            own = one.named
        for other, other_family in zip(names, families, strict=True):
            apart = (one.named if whole and _begins(other, one) else own) - other.terms
            if not apart and not (one.terms <= one.written and _begins(one, other)):
                continue
            if _same(one, other) or not other.said <= one.terms | one.said:
                continue
            if family == other_family or _alike(one, other):
                yield one, other, apart


def _begins(one: _Name, other: _Name) -> bool:
    """Whether a name is a shorter form of another, as Nova of Nova Pro."""
    return len(one.sequence) < len(other.sequence) and other.sequence[: len(one.sequence)] == one.sequence


def _same(one: _Name, other: _Name) -> bool:
    """Whether one of two names has but something in front, as Acme Nova: a maker makes no other product of it."""
    size = min(len(one.sequence), len(other.sequence))
    return one.sequence[-size:] == other.sequence[-size:]


def _alone(said: Terms, names: Sequence[_Name]) -> bool:
    """Whether one name alone has all these terms, or longer forms of it."""
    return _nested([name.terms for name in names if said <= name.terms], len(names))


def _shared(names: Sequence[_Name], families: Sequence[int]) -> Terms:
    """The terms that do not tell the names of some family apart: several hold them, and are no longer forms of one."""
    holders: defaultdict[tuple[str, int], list[Terms]] = defaultdict(list)
    for name, family in zip(names, families, strict=True):
        for term in name.terms:
            holders[term, family].append(name.terms)
    sizes = Counter(families)
    return frozenset(
        term for (term, family), held in holders.items() if len(held) > 1 and not _nested(held, sizes[family])
    )


def _nested(held: Sequence[Terms], total: int) -> bool:
    shortest = min(held, key=len)
    return len(held) < total and all(shortest <= one for one in held)


def _families(names: Sequence[_Name]) -> list[int]:
    """For each name the number of its family: names that share a word of theirs and a heading below, through others."""
    family = list(range(len(names)))

    def root(number: int) -> int:
        while family[number] != number:
            number = family[number]
        return number

    first: dict[tuple[Terms, str], int] = {}
    for number, name in enumerate(names):
        for shared in product(name.heads, name.plain):
            family[root(number)] = root(first.setdefault(shared, number))
    return [root(number) for number in range(len(names))]


def _alike(one: _Name, other: _Name) -> bool:
    """Whether two names that share a word, one of them without headings below, stand above nearly the same text."""
    if (one.heads and other.heads) or one.plain.isdisjoint(other.plain):
        return False
    texts = ([_words(passage.text) for _, passage in name.below] for name in (one, other))
    return any(len(a & b) >= ALIKE * len(a | b) for a, b in product(*texts))


def _says(text: str, spelled: Iterable[Collection[str]]) -> bool:
    """Whether a text has of each term one of the spellings, as a name: "one metre" is not about a phone called One."""
    named = _capitals(text)
    return all(any(word.casefold() in named for word in words) for words in spelled)


@lru_cache(maxsize=_CACHED >> 4)
def _capitals(text: str) -> frozenset[str]:
    """The words that a text writes as names, and those of scripts without capitals."""
    return frozenset(
        word.casefold() for word in _WORD.findall(text) if word != word.lower() or word.upper() == word.lower()
    )


@lru_cache(maxsize=_CACHED >> 4)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


@lru_cache(maxsize=_CACHED)
def _terms(text: str, language: str) -> tuple[tuple[str, ...], Terms]:
    """The terms of a name in order, and without its function words."""
    return tuple(analyse(text, language)), frozenset(query_terms(text, [language]))
