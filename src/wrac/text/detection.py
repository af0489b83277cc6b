"""Which language is a text in? By its script, else by py3langid, checked against the function words that are known."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

from wrac.core.types import Document
from wrac.text.characters import HANGUL, IDEOGRAPHS, KANA
from wrac.text.languages import STOPWORDS, primary

SAMPLE = 20_000
SURE = 0.5
"""Probability from which the library is believed: code and lists of names are in no language."""
LONGEST = 4000
NONE = "zxx"  # no linguistic content
LEAST = 40
"""Letters below which a text is too short for the library."""
CLEAR = 12
"""One word in so many, at least, is a function word in a text of a language; shorter texts cannot tell."""

# Scripts that tell the language, in this order: Japanese has ideographs too.
_WRITTEN = {
    "ja": re.compile(f"[{KANA}]"), "ko": re.compile(f"[{HANGUL}]"), "zh": re.compile(f"[{IDEOGRAPHS}]"),
    "th": re.compile("[\u0e01-\u0e4e]"), "he": re.compile("[\u05d0-\u05ea]"),
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")


def detect(text: str) -> str:
    """The language's primary tag (ISO 639-1), "" where nobody can tell. A query is too short for it."""
    sample = text[:SAMPLE].casefold()
    for tag, letters in _WRITTEN.items():
        if len(letters.findall(sample)) * 8 > len(sample):
            return tag
    words = _WORD.findall(sample)
    if sum(map(len, words)) < LEAST:
        return ""
    language, probability = _library()(sample)
    return language if language != NONE and probability >= SURE and _speaks(words, language) else ""


def _speaks(words: Sequence[str], language: str) -> bool:
    """Whether words are a language's, as far as its function words are known: code and lists of names are not."""
    known = STOPWORDS.get(language)
    return known is None or sum(word in known for word in words) * CLEAR >= len(words)


@cache
def _library() -> Callable[[str], tuple[str, float]]:
    from py3langid import langid  # type: ignore[import-untyped]  # a third of a second, for the few pages that need it

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)

    def classify(text: str) -> tuple[str, float]:
        language, probability = identifier.classify(text[:LONGEST])
        return str(language), float(probability)

    return classify


def page_language(document: Document) -> str:
    """The language a page declares, else the one its content is in."""
    return document.language or detect("\n".join(_content(document)))


def languages(document: Document) -> list[str]:
    """The language of each place: as an element around it declares, else the page's, unless plainly in another."""
    page = page_language(document)
    own = (place.language if place.language != document.language else "" for place in document.places)
    return [declared or _other(document.text(ordinal), page) or page for ordinal, declared in enumerate(own)]


def _other(text: str, page: str) -> str:
    """Another language that a text of some length is in, "" where it may well be the page's."""
    words = _WORD.findall(text[:2000].casefold())
    if len(words) < CLEAR and text.isascii():
        return ""
    return "" if _speaks(words, primary(page)) and primary(page) in STOPWORDS and len(words) >= CLEAR else detect(text)


def _content(document: Document) -> list[str]:
    main = [document.text(place.ordinal) for place in document.places if place.role == "main"]
    return main or [document.text(place.ordinal) for place in document.places]


def direction(text: str) -> str:
    """ "rtl" where the first letter with a direction is of a script written from right to left, else "ltr"."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"
