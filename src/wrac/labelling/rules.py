"""Labels without a model: from chains of words on a long page, from its title and headings on a short one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from wrac.core.structure import numbers, trails
from wrac.core.types import Document, Label
from wrac.labelling.categories import category
from wrac.labelling.chains import Chain, chains, covering, may_have_chains
from wrac.labelling.labeller import Passages
from wrac.labelling.terms import Term, terms
from wrac.text.entities import entities

VERSION: Final = "labels@2"
NOUNS: Final = 2
"""Nouns of a label, each a word or two."""
TOPICS: Final = 4
"""Chains that nouns are made of."""
SIDE: Final = 4
"""Mentions before a passage, and as many after it, that show how a topic is written which goes on over it."""
_LOOKED: Final = 40
_SIDES: Final = re.compile(r"\s+[|–—·»>-]\s+|:\s")
_JOINT: Final = frozenset((" ", "-", "\u00a0"))


class _Topic(NamedTuple):
    """A stem that a passage is about, and where to take its writing from: the passage's own places, or, where it does
    not say the word, those before it and those after it. What is written otherwise there may be another topic.
    """

    stem: str
    sides: tuple[list[int], ...]


class _Page(NamedTuple):
    """What the passages of one page share."""

    document: Document
    found: list[list[Term]]
    over: list[list[Chain]]
    above: Sequence[Sequence[int]]
    ordered: Mapping[int, int]
    heads: Mapping[int, Label]
    title: Label


@dataclass(frozen=True, slots=True)
class RulesLabeller:
    """Labels by rules. They depend on the page alone, so a page that joins a site changes no other page's."""

    @property
    def name(self) -> str:
        """`labels@2`."""
        return VERSION

    def labels(self, document: Document, passages: Passages, page: str = "", language: str = "") -> tuple[Label, ...]:
        """A label for each passage: the topics it lies on, else what its headings and the page's title name."""
        known = self._page(document, page, language)
        result: list[Label] = []
        for ordinals in passages:
            made = _signature(known, ordinals)
            before = result[-1] if result else None
            goes_on = before is not None and (made.nouns, made.model) == (before.nouns, before.model)
            result.append(Label(made.category, made.nouns, made.model, goes_on and bool(made.nouns or made.model)))
        return tuple(result)

    def _page(self, document: Document, page: str, language: str) -> _Page:
        found = terms(document, language) if may_have_chains(document) else [[] for _ in document.places]
        over = covering(chains(document, found), len(document.places))
        tag = document.language or language
        heads = {
            place.ordinal: _named(document.text(place.ordinal), tag)
            for place in document.places
            if document.units[place.unit].kind == "heading"
        }
        return _Page(
            document, found, over, trails(document), numbers(document), heads, _titled(document, heads, page, tag)
        )


def _signature(page: _Page, ordinals: Sequence[int]) -> Label:
    """What one passage is about."""
    kind = category(page.document, ordinals, page.ordered)
    nouns = _phrases(page, _topics(page, ordinals))
    nearest = [page.heads[o] for o in _headings(page, ordinals) if o in page.heads]
    model = next((head.model for head in nearest if head.model), "")
    if not nouns:
        return Label(kind, page.title.nouns, model or page.title.model)
    return Label(kind, nouns, model or next(filter(_modelled, nouns), page.title.model))


def _topics(page: _Page, ordinals: Sequence[int]) -> list[_Topic]:
    """The heaviest chains of a passage, each counted by how much of the passage lies on it."""
    weights: defaultdict[str, float] = defaultdict(float)
    last: dict[str, Chain] = {}
    for ordinal in ordinals:
        size = 1 + len(page.document.text(ordinal))
        for one in page.over[ordinal]:
            weights[one.stem] += one.weight * size
            last[one.stem] = one
    best = sorted(weights, key=lambda stem: (-weights[stem], stem))[:TOPICS]
    return [_Topic(stem, _evidence(last[stem], ordinals)) for stem in best]


def _evidence(chain: Chain, ordinals: Sequence[int]) -> tuple[list[int], ...]:
    """The places of a passage that mention the chain's word, else the nearest before it and the nearest after it."""
    inside = frozenset(ordinals)
    if own := [o for o in chain.places if o in inside]:
        return (own,)
    at = bisect_left(chain.places, ordinals[0])
    return list(chain.places[max(at - SIDE, 0) : at]), list(chain.places[at : at + SIDE])


def _phrases(page: _Page, topics: Sequence[_Topic]) -> tuple[str, ...]:
    """The first NOUNS topics as they are written; two that stand side by side are one phrase."""
    nouns: list[str] = []
    left = list(topics)
    while left and len(nouns) < NOUNS:
        first = left.pop(0)
        joined = next(((phrase, two) for two in left if (phrase := _side_by_side(page, first, two))), None)
        if joined is not None:
            left.remove(joined[1])
        nouns += filter(None, [joined[0] if joined is not None else _written(page, first)])
    return tuple(nouns)


def _side_by_side(page: _Page, one: _Topic, two: _Topic) -> str:
    """Two topics as one phrase, "" where they do not stand side by side in the passage, or on both sides of it."""
    if len(one.sides) != len(two.sides):
        return ""
    found = [
        Counter(_pairs(page, sorted({*a} & {*b}), {one.stem, two.stem}))
        for a, b in zip(one.sides, two.sides, strict=True)
    ]
    return _common(found, first=True)


def _pairs(page: _Page, ordinals: Sequence[int], stems: set[str]) -> Iterator[str]:
    """What is written where two words stand side by side, in order."""
    for ordinal in ordinals:
        text = page.document.text(ordinal)
        for before, after in pairwise(page.found[ordinal]):
            gap = text[before.start + len(before.form) : after.start]
            if gap in _JOINT and {before.stem, after.stem} == stems:
                yield text[before.start : after.start + len(after.form)]


def _written(page: _Page, topic: _Topic) -> str:
    """How a topic is written most often, in the passage or on both sides of it; "" where it is written otherwise."""
    return _common(
        [Counter(term.form for o in side for term in page.found[o] if term.stem == topic.stem) for side in topic.sides]
    )


def _common(found: Sequence[Counter[str]], *, first: bool = False) -> str:
    """The writing that stands in all of them, most often or `first`; case tells none from another."""
    alike = [{form.casefold() for form in forms} for forms in found]
    shared = set.intersection(*alike)
    forms = {form: n for form, n in sum(found, Counter[str]()).items() if form.casefold() in shared}
    if first:
        return next(iter(forms), "")
    return min(forms, key=lambda form: (-forms[form], form), default="")


def _headings(page: _Page, ordinals: Sequence[int]) -> list[int]:
    """The passage's own headings and those above it, the nearest first."""
    own = [o for o in ordinals if o in page.heads]
    return [*own, *reversed(page.above[ordinals[0]])] if ordinals else []


def _named(text: str, language: str) -> Label:
    """The name and the model in a heading or title."""
    model = next((one.text for one in entities(text, language) if _modelled(one.text)), "")
    return Label(nouns=(text,) if text else (), model=model)


def _modelled(text: str) -> bool:
    """Whether a name says a model: letters with digits, or capitals joined by a hyphen."""
    digits = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    return len(text) <= _LOOKED and "/" not in text and (digits or (text.isupper() and "-" in text))


def _titled(document: Document, heads: Mapping[int, Label], page: str, language: str) -> Label:
    """What the page's first top heading, its title, the end of its breadcrumb or its file name names."""
    top = next((o for o in heads if document.places[o].level == 1), None)
    crumb = next((document.text(p.ordinal) for p in reversed(document.places) if p.role == "breadcrumb"), "")
    said = document.text(top) if top is not None else document.title or crumb
    subject = " ".join(_SIDES.split(" ".join(said.split()))[0].split())
    named = _named(subject, language)
    called = page.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    model = named.model or next((m for m in (_named(called, language).model,) if m and _said(document, m)), "")
    return Label(nouns=named.nouns, model=model)


def _said(document: Document, words: str) -> bool:
    """Whether the page itself says the words: nothing else may become a label."""
    return any(words in unit.text for unit in document.units.values())
