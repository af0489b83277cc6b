"""The words of a page that can be its topics: content words by stem, as written, unit by unit."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import NamedTuple

from wrac.core.types import Document
from wrac.text.analysis import analyse
from wrac.text.characters import IDEOGRAPHS, MARKS, UNSPACED
from wrac.text.languages import STOPWORDS, primary

LONGEST_BLOCK = 120
"""Content words after which text without headings is another block."""
_SHORTEST = 3
_LETTERS = f"(?:[^\\W_{UNSPACED}][{MARKS}]*)+"
_WORD = re.compile(f"[{IDEOGRAPHS}]{{2,8}}|[ァ-ヴー]{{3,}}|[가-힣]{{2,}}|{_LETTERS}(?:[-'’]{_LETTERS})*")


class Term(NamedTuple):
    """A content word: its stem, its writing, where in its unit it starts, and whether a capital tells of a name."""

    stem: str
    form: str
    start: int
    named: bool


def terms(document: Document, language: str = "") -> list[list[Term]]:
    """The content words of each place, in order."""
    page = document.language or language
    return [_terms(document.text(place.ordinal), primary(place.language or page)) for place in document.places]


def blocks(document: Document, found: list[list[Term]]) -> list[int]:
    """For each place the number of its block: what stands under one heading, or a stretch of text without any."""
    numbers: list[int] = []
    number, size = -1, 0
    for place, own in zip(document.places, found, strict=True):
        if number < 0 or size > LONGEST_BLOCK or document.units[place.unit].kind == "heading":
            number, size = number + 1, 0
        numbers.append(number)
        size += len(own)
    return numbers


def _terms(text: str, tag: str) -> list[Term]:
    stem = _stems(tag)
    found = ((match, stem(match[0])) for match in _WORD.finditer(text))
    return [
        Term(root, match[0], match.start(), match.start() > 0 and match[0][0].isupper())
        for match, root in found
        if root
    ]


@cache
def _stems(tag: str) -> Callable[[str], str]:
    """The stem of a word of a language, "" of one that is no topic."""
    stop = frozenset(chain.from_iterable(analyse(word, tag) for word in STOPWORDS.get(tag or "en", ())))
    known: dict[str, str] = {}

    def stem(word: str) -> str:
        if word not in known:
            if len(known) > 1 << 16:
                known.clear()
            known[word] = _stem(word, tag, stop)
        return known[word]

    return stem


def _stem(word: str, tag: str, stop: frozenset[str]) -> str:
    if word.isdigit() or (len(word) < _SHORTEST and word.isascii() and not any(map(str.isdigit, word))):
        return ""
    found = analyse(word, tag)
    return "" if not found or found[0] in stop else found[0] if word.isascii() or len(found) == 1 else word
