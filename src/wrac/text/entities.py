"""Names, dates, amounts, versions and codes in a text: by patterns and small lists, without a model.

Capitals tell names only where a language and a place in the sentence let them: not at its start, not in German nouns,
not in titles and lines of capitals. What a site writes as a name in the middle of sentences (`known`) is one anywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import Final, Literal, NamedTuple

from wrac.text.characters import UNSPACED
from wrac.text.entities_numbers import numbered
from wrac.text.entities_words import COUNTED, DAYS, MONTHS, OPENERS, PARTICLES
from wrac.text.languages import STOPWORDS, primary


class Entity(NamedTuple):
    """A span of a text, `text[start:end]`, and what it is."""

    kind: Literal["name", "date", "amount", "version", "code"]
    text: str
    start: int
    end: int


_UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽΆΈΉΊΌΎΏΑ-ΩЀ-Я"


def _token(word: str, small: str, upper: str) -> re.Pattern[str]:
    """A word with a capital or a digit in it, its joined parts, and what closes it: AT&T, Node.js, X-SERIES, C++."""
    return re.compile(
        f"(?<!{word})(?={small}*+[{upper}0-9]){word}++"
        f"(?:(?:[-&/+_‑]|['’](?=[{upper}])|\\.(?=[a-z\\d]|[A-Z](?:\\.|[A-Z])))+{word}++)*+"
        "(?:\\+\\+|#|\\.(?<=[A-Z]\\.[A-Z]\\.))?"
    )


_TOKEN: Final = _token(f"[^\\W_{UNSPACED}]", f"[^\\W\\d_{UNSPACED}{_UPPER}]", _UPPER)
_ASCII_TOKEN: Final = _token("[A-Za-z0-9]", "[a-z]", "A-Z")
_SKIPPED: Final = re.compile(r"(?:https?://|www\.|mailto:)\S+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_DIGIT: Final = re.compile(r"\d")
_KATAKANA: Final = re.compile("[ァ-ヴー]{2,}(?:[・＝][ァ-ヴー]{2,})+")
_OPENING: Final = re.compile(r"(?:^|[.!?:;…。！？：；•|\n\t]|\s[-–—*])[\s\"'“”„«»‘’(\[]*$")
_TRIED: Final = 12
_LONGEST: Final = 12
_STOPS: Final = frozenset(".!?;。！？…")
_GERMAN: Final = frozenset(("de", "lb"))
_NONE: Final = frozenset[str]()
_WHOLE: Final = 0.6
"""From this share of capitalised words on a text is a title, and its capitals say nothing."""


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def entities(text: str, language: str = "", known: Container[str] = _NONE) -> tuple[Entity, ...]:
    """The entities of a text, ascending and disjoint; `text[start:end]` is each one's text.

    `language` is a BCP 47 tag; `known` holds names, as written, that need no other evidence. Time is linear.

    >>> [(one.kind, one.text) for one in entities("The Airbus A350 flew to Paris on 5 May 2024 for $1.2 million.")]
    [('name', 'Airbus A350'), ('name', 'Paris'), ('date', '5 May 2024'), ('amount', '$1.2 million')]
    """
    found = [Entity(kind, text[start:end], start, end) for kind, start, end in numbered(text)]
    if not found and known is _NONE and text[1:].islower() and not _DIGIT.search(text):
        return ()  # one capital, which opens the sentence
    names = list(_names(text, primary(language), known, found))
    return tuple(sorted((*found, *names), key=lambda one: one.start)) if names else tuple(found)


def known_names(texts: Iterable[str], language: str = "", least: int = 2) -> frozenset[str]:
    """The names that at least so many of a site's texts write as such: what `entities` may take for one anywhere.

    >>> sorted(known_names(["We asked Zia.", "Then Zia answered.", "Zia is here."]))
    ['Zia']
    """
    counts = Counter(one for text in texts for one in {e.text for e in entities(text, language) if e.kind == "name"})
    return frozenset(name for name, count in counts.items() if count >= least)


def _names(text: str, tag: str, known: Container[str], taken: list[Entity]) -> Iterator[Entity]:
    """Names and codes outside the spans that are taken."""
    tokens = _free(text, taken)
    evident = not _title(text, tokens)
    for run in _runs(text, tokens):
        kept = _trimmed(text, run, tag)
        if kept and (one := _entity(text, kept, tag, known, evident)):
            yield one
    if tag in ("ja", ""):
        yield from (
            Entity("name", one[0], one.start(), one.end())
            for one in _KATAKANA.finditer(text)
            if not any(other.start < one.end() and one.start() < other.end for other in taken)
        )


def _free(text: str, taken: list[Entity]) -> list[_Token]:
    """The tokens that touch no span that is taken, no address and no URL."""
    spans = [(one.start, one.end) for one in taken]
    if "@" in text or "://" in text or "www." in text:
        spans = sorted([*spans, *(one.span() for one in _SKIPPED.finditer(text))])
    tokens, at = [], 0
    for match in (_ASCII_TOKEN if text.isascii() else _TOKEN).finditer(text):
        start, end = match.span()
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        if at == len(spans) or spans[at][0] >= end:
            tokens.append(_Token(match[0], start, end))
    return tokens


def _title(text: str, tokens: list[_Token]) -> bool:
    """Whether a text is no sentence and written with capitals throughout."""
    if text.rstrip()[-1:] in _STOPS:
        return False
    words = [word for word in text.split() if word[:1].isalpha() and len(word) > 3]
    return len(words) > 2 and sum(word[:1].isupper() for word in words) >= _WHOLE * len(words) and bool(tokens)


def _runs(text: str, tokens: list[_Token]) -> Iterator[list[_Token]]:
    """Tokens that stand together: a space apart, or with a small word between two capitalised ones."""
    run: list[_Token] = []
    for token in tokens:
        if run and (len(run) == _LONGEST or not _joined(text[run[-1].end : token.start], run[-1], token)):
            yield run
            run = []
        run.append(token)
    if run:
        yield run


def _joined(gap: str, before: _Token, after: _Token) -> bool:
    if gap in (" ", "\u00a0"):
        return not after.text.isdigit() or before.text.casefold() not in COUNTED
    words = gap.split(" ")
    small = len(words) in (3, 4) and not words[0] and not words[-1] and all(word in PARTICLES for word in words[1:-1])
    return small and not before.text[0].isdigit() and after.text[0].isupper()


def _trimmed(text: str, run: list[_Token], tag: str) -> list[_Token]:
    """A run without what is capitalised for another reason: function words, openers, days, bare numbers."""
    stop = STOPWORDS.get(tag or "en", frozenset())
    opens = bool(_OPENING.search(text, max(0, run[0].start - _TRIED), run[0].start))
    start, end = 0, len(run)
    while start < end and _empty(run[start].text, stop, opens and start == 0):
        start += 1
    while start < end and (_empty(run[end - 1].text, stop, False) or (end - start == 1 and run[start].text.isdigit())):
        end -= 1
    return run[start:end]


def _empty(word: str, stop: frozenset[str], first: bool) -> bool:
    """Whether a capitalised word says nothing at an end of a run."""
    if word.isupper() and len(word) > 1:
        return False
    folded = word.casefold()
    return folded in stop or folded in DAYS or folded in MONTHS or folded in COUNTED or (first and folded in OPENERS)


def _entity(text: str, run: list[_Token], tag: str, known: Container[str], evident: bool) -> Entity | None:
    """The run as a name or a code, where there is evidence that it is one."""
    start, end = run[0].start, run[-1].end
    written = text[start:end]
    if len(run) == 1 and _code(written):
        return Entity("code", written, start, end)
    shaped = any(_shaped(token.text) for token in run)
    opens = bool(_OPENING.search(text, max(0, start - _TRIED), start))
    alone = len(run) == 1
    if shaped or written in known:
        return Entity("name", written, start, end)
    if not evident or (alone and (opens or tag in _GERMAN or len(written) < 2)):
        return None
    return Entity("name", written, start, end)


def _code(word: str) -> bool:
    """Whether a word is an identifier: letters with digits, or capitals joined by hyphens or underscores."""
    if any(map(str.isdigit, word)):
        return any(map(str.isalpha, word)) and len(word) > 1
    return word.isupper() and ("-" in word or "_" in word)


def _shaped(word: str) -> bool:
    """Whether a word's own letters say it is a name: camel case, capitals, letters with digits."""
    if word.isupper():
        return len(word) > 1 and not word.isdigit()
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return mixed or (not word[1:].islower() and word[1:].isalpha())
