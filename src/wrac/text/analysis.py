"""From text to search terms: the same text gives the same terms, whether it stands in a page or in a query.

Words are runs of letters, digits and marks, folded (NFKC, case, then accents) and stemmed. A word is stemmed by the
text's language when it is written in that language's script, else by its script's usual language (Latin: English,
Cyrillic: Russian, Greek, Arabic, Devanagari: Hindi), so "databases" in a Russian page meets "database" in a query. No
language means exactly that default. Composed names give a joined term and their parts: `json.dumps` is `jsondump json
dump`, `utf-8` is `utf8 utf 8`, `v3.11.4` is `3.11.4 3.11`, `16GB` is `16gb 16 gb`, `C++` is `c++`. Compounds written
as one word do so too (`text/compounds.py`): `Rechnungsstellung` is `rechnungsstell rechnung stellung`; so do Hebrew and
Arabic words whose first letters may be particles. Scripts written without spaces give pairs of neighbouring characters,
a lone character itself. Nothing is left out of the index; `query_terms` leaves function words out of a query unless
nothing else is in it.
"""

from __future__ import annotations

import re
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, pairwise
from types import ModuleType
from typing import Protocol

from wrac.text.characters import MARKS, UNSPACED, clusters
from wrac.text.compounds import parts as compound_parts
from wrac.text.languages import STEMMERS, STOPWORDS, primary

_ASCII = re.compile(r"[a-z0-9]+(?:(?:[.'\-]|_+)[a-z0-9]+|,[0-9]{3}(?![0-9]))*(?:\+\+|#)?")
_LETTERS = f"(?:[^\\W_{UNSPACED}]++[{MARKS}]*+)++"
_UNICODE = re.compile(
    f"(?:[{UNSPACED}][{MARKS}]*)+|{_LETTERS}(?:(?:[.'\\-]|_+){_LETTERS}|,[0-9]{{3}}(?![0-9]))*(?:\\+\\+|#)?"
)
_PAIRED = re.compile(f"[{UNSPACED}]")
_SEPARATORS = re.compile(r"[.'\-_,]+")
_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)+)")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
_MEASURE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([a-zµ]{1,3})")
_ELIDED = frozenset("l d j m n s t c qu un dell all nell sull".split())  # l'eau, qu'il, dell'arte
_PUNCTUATION = str.maketrans(
    {"’": "'", "ʼ": "'", "`": " ", "‐": "-", "‑": "-", "−": "-", "\u00ad": None, "\u2060": None, "\ufeff": None,
     "\u200b": " ", "\u200c": None, "\u200d": None, "\u200e": None, "\u200f": None}
)  # fmt: skip
_CACHED_WORDS = 1 << 16
_FIRST_UNSPACED = "\u0e00"  # runs of unspaced scripts are phrases that hardly come twice: not worth remembering
_LONGEST_WORD = 64  # a longer run is data, not a word: kept whole, unstemmed

# The first code point of each script's block, the language that stems it, whether accents are only decoration there.
_SCRIPTS = (
    (0x0000, "en", True), (0x0370, "el", True), (0x0400, "ru", False), (0x0530, "hy", False), (0x0590, "yi", True),
    (0x0600, "ar", True), (0x0900, "hi", False), (0x0980, "", False), (0x0B80, "ta", False), (0x0C00, "", False),
    (0x1E00, "en", True), (0x1F00, "el", True), (0x2000, "en", True), (0x2C80, "", False),
)  # fmt: skip


_JOINED = {0x0590: ("והבלכמש", 2), 0x0600: ("وف", 1)}  # particles written as a word's first letters, and how many
_ARTICLE = re.compile("(?:ال)?[أإآ](ل.{3,})")  # without its sign it is spelled as with the article, which is taken off
_PLAIN = str.maketrans(
    {"æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŋ": "n"}
)  # what has no accent to take off, as keyboards without it write it
_FIRST_JOINED, _LEAST_JOINED = "\u0590", 3


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - snowballstemmer's name


def analyser() -> str:
    """The name and version of these rules; an index made by another one must be made again."""
    return f"terms@3+snowball{version('snowballstemmer')}"


def analyse(text: str, language: str = "") -> list[str]:
    """The search terms of `text`, in order; a composed word's joined term stands before its parts.

    `language` is a BCP 47 tag or empty.

    >>> analyse("Refunds via json.dumps() take 5 days", "en")
    ['refund', 'via', 'jsondump', 'json', 'dump', 'take', '5', 'day']
    """
    tag = primary(language)
    if tag in ("tr", "az"):
        text = text.replace("I", "ı").replace("İ", "i")
    if text.isascii():
        words = _ASCII.findall(text.lower())
    else:
        folded = unicodedata.normalize("NFKC", text.translate(_PUNCTUATION)).casefold().translate(_PUNCTUATION)
        words = _UNICODE.findall(unicodedata.normalize("NFC", folded))
    tag = tag if tag in STEMMERS and tag != "en" else ""  # English is what no language means
    known = _terms_in(tag)
    return list(
        chain.from_iterable(
            known(word) if word < _FIRST_UNSPACED and len(word) <= _LONGEST_WORD else _terms(tag, word)
            for word in words
        )
    )


def query_terms(text: str, languages: Iterable[str] = ("",)) -> list[str]:
    """The distinct terms of a query read in each of the collection's languages, function words left out.

    A term of a function word stays where nothing else would: "who is who" must still find something.

    >>> query_terms("How are the refunds calculated?", ["en"])
    ['refund', 'calcul']
    """
    tags = list(dict.fromkeys(map(primary, languages))) or [""]
    found = dict.fromkeys(chain.from_iterable(analyse(text, tag) for tag in tags))
    stop = frozenset[str]().union(*(_stop_terms(tag or "en") for tag in tags))
    return [term for term in found if term not in stop] or list(found)


@lru_cache(maxsize=64)
def _terms_in(tag: str) -> Callable[[str], tuple[str, ...]]:
    return lru_cache(maxsize=_CACHED_WORDS)(partial(_terms, tag))


@lru_cache(maxsize=64)
def _stop_terms(tag: str) -> frozenset[str]:
    return frozenset(chain.from_iterable(analyse(word, tag) for word in STOPWORDS.get(tag, ())))


def _terms(tag: str, word: str) -> tuple[str, ...]:
    """The terms of one match: pairs, a number or version with its prefixes, or a word with its parts."""
    if _PAIRED.match(word):
        return _pairs(word)
    if word.isalpha():
        return _whole(tag, word)
    if word[0].isdigit() or word[0] == "v":
        return _numbered(word) or _composed(tag, word)
    if word.endswith(("++", "#")):
        return word, *(part for part in _terms(tag, word.rstrip("+#")) if len(part) > 1)
    return _composed(tag, word)


def _numbered(word: str) -> tuple[str, ...]:
    """The terms of 1,000 (joined), of a version (with its prefixes) and of a measure; nothing for other words."""
    if _GROUPED.fullmatch(word):
        return (word.replace(",", ""),)
    if numbered := _VERSION.fullmatch(word):
        return _version(numbered[1])
    if measure := _MEASURE.fullmatch(word):
        return word, measure[1], measure[2]
    return ()


def _pairs(word: str) -> tuple[str, ...]:
    return tuple(map("".join, pairwise(clusters(word)))) or (word,)


def _version(number: str) -> tuple[str, ...]:
    parts = number.split(".")
    return tuple(".".join(parts[:size]) for size in range(len(parts), 1, -1))


def _composed(tag: str, word: str) -> tuple[str, ...]:
    parts = [part for part in _SEPARATORS.split(word) if part]
    if len(parts) == 1:
        return _whole(tag, parts[0])
    if len(word) > _LONGEST_WORD:
        return tuple(chain.from_iterable(map(_terms_in(tag), parts)))
    if "'" in word and parts[0] in _ELIDED:
        parts = parts[1:]
    elif "'" in word and len(parts) == 2 and len(parts[1]) <= 2:  # company's, don't, we'll
        return (_stem(tag, parts[0]),) if parts[1] == "s" else (_stem(tag, "".join(parts)),)
    joined = _stem(tag, "".join(parts))
    return (joined, *chain.from_iterable(_whole(tag, part) for part in parts)) if len(parts) > 1 else (joined,)


def _whole(tag: str, word: str) -> tuple[str, ...]:
    """The stem of a word without signs, then those of the words in it: a compound's, or what particles join."""
    inner = compound_parts(tag, word) if word < _FIRST_JOINED else _unjoined(word)
    return _stem(tag, word), *(_stem(tag, part) for part in inner)


def _unjoined(word: str) -> tuple[str, ...]:
    """A Hebrew or Arabic word without the particles that its first letters may be: and, the, in, to, as, from, that.

    An Arabic one that only a sign above its alif tells from one with the article: without that sign.
    """
    letters, most = _JOINED.get(_family(word), ("", 0))
    if bare := _ARTICLE.fullmatch(word):
        return (f"ا{bare[1]}",)
    joined = next((n for n, letter in enumerate(word) if letter not in letters), 0)
    return tuple(word[n:] for n in range(1, min(joined, most) + 1) if len(word) - n >= _LEAST_JOINED)


def _stem(tag: str, word: str) -> str:
    """The word's stem, accents folded where they are decoration; itself when it holds a digit or is no word."""
    if len(word) > _LONGEST_WORD or any(map(str.isdigit, word)):
        return word if word.isascii() else _fold(word)
    usual, decorated = _script(word)
    spoken = tag if tag in STEMMERS and STEMMERS[tag][1] == _family(word) else usual
    stem = _stemmed(spoken, word) if spoken in STEMMERS else word
    return _fold(stem) if decorated and not stem.isascii() else stem


def _family(word: str) -> int:
    """The start of the block of the word's script, Latin's extensions taken for Latin."""
    first = max(start for start, _, _ in _SCRIPTS if start <= ord(word[0]))
    return 0 if first in (0x1E00, 0x2000) else 0x0370 if first == 0x1F00 else first


def _script(word: str) -> tuple[str, bool]:
    return next((tag, decorated) for start, tag, decorated in reversed(_SCRIPTS) if start <= ord(word[0]))


def _fold(word: str) -> str:
    parts = unicodedata.normalize("NFD", word.translate(_PLAIN))
    return unicodedata.normalize("NFC", "".join(c for c in parts if unicodedata.category(c) != "Mn")) or word


@lru_cache(maxsize=64)
def _stemmer(tag: str) -> _Stemmer:
    name = STEMMERS[tag][0]
    module = import_module(f"{_algorithms()}.{name}_stemmer")
    stemmer: _Stemmer = getattr(module, f"{name.title()}Stemmer")()
    return stemmer


@lru_cache(maxsize=1)
def _algorithms() -> str:
    """The name of a package of snowballstemmer's modules: its own imports those of all languages before any is used."""
    package = ModuleType("_wrac_snowball")
    spec = find_spec("snowballstemmer")
    package.__path__ = list(spec.submodule_search_locations or ()) if spec else []
    sys.modules[package.__name__] = package
    return package.__name__


_stemming = threading.Lock()  # a stemmer keeps its cursor in itself


def _stemmed(tag: str, word: str) -> str:
    with _stemming:
        return _stemmer(tag).stemWord(word) or word
