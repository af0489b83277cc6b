"""From a store's two lists to hits: fused, lifted by their page, each text once, cut to size. Pure functions, no store.

Every store is asked for its best DEPTH entries by BM25 and by cosine; all that follows is here, so stores differ in
speed and never in order. Equal scores stand in the order of their ids.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from wrac.core.types import Chunk, Focus
from wrac.text.bm25 import idf, saturation
from wrac.text.characters import MARKS, UNSPACED

Scored: TypeAlias = tuple[str, float]
"""An entry's id and its score; a list of them is best first."""

DEPTH = 200
KNOWN, STRANGE, DOUBT = 2.0, 4.0, 0.3

_UNSPACED = re.compile(f"[{UNSPACED}]")
_RUN = re.compile(f"(?:[^\\W_{UNSPACED}][{MARKS}]*)+")
_SIGN = re.compile(f"[^\\w\\s{MARKS}]|_")


@dataclass(frozen=True, slots=True)
class Fusion:
    """Weights beside BM25's 1: `dense` of the cosine's list, `page` of the entry's page.

    The defaults won when each company of RAG-Multi-Corpus was left out in turn; see docs/design/0005-retrieval.md.
    """

    dense: float = 0.5
    page: float = 0.5


FUSION = Fusion()


class Found(NamedTuple):
    """A distinct result: the best entry with this text, and every page the text was found on, the entry's own first."""

    entry: str
    score: float
    pages: tuple[str, ...]


def fuse(
    lexical: Sequence[Scored],
    dense: Sequence[Scored],
    pages: Mapping[str, str],
    fusion: Fusion = FUSION,
    *,
    trust: float = 1.0,
) -> list[Scored]:
    """The entries of both lists by one score in 0..1, best first.

    A BM25 score counts as a share of the best one, a cosine by its place between the last and the best of its list:
    BM25 has a true zero, cosines do not. A page is as good as its best entry. `pages` names the page of each entry;
    one that is missing there has no page to lift it. `trust` in 0..1 scales the dense part. Lists longer than DEPTH
    are read to DEPTH, so the order does not depend on how deep a store looked.
    """
    weight = fusion.dense * trust
    own = dict.fromkeys((entry for entry, _ in (*lexical[:DEPTH], *dense[:DEPTH])), 0.0)
    for entry, score in _shares(lexical[:DEPTH], floor=0.0):
        own[entry] += score
    for entry, score in _shares(dense[:DEPTH], floor=min((s for _, s in dense[:DEPTH]), default=0.0)):
        own[entry] += weight * score
    lift = _page_lift(own, pages)
    total = 1.0 + weight + fusion.page
    for entry, score in own.items():
        # Rounded: two sums that are equal but for the order of their terms are a tie.
        own[entry] = round((score + fusion.page * lift.get(pages.get(entry, ""), 0.0)) / total, 9)
    return sorted(own.items(), key=lambda pair: (-pair[1], pair[0]))


def trust(text: str, pieces: int) -> float:
    """How far an embedder that reads `text` in `pieces` tokens, special ones left out, can be believed about it: 0..1.

    A model reads its own languages in little more than a piece a word, and related ones in two; other scripts,
    identifiers and codes fall to splinters, and their vectors say little. 1 up to KNOWN pieces a word, then down to
    DOUBT at STRANGE. Scripts without spaces have no words: a model that knows one reads several characters at once, so
    a quarter of a word is counted for each.
    """
    words = len(_RUN.findall(text)) + len(_UNSPACED.findall(text)) / 4
    each = (pieces - len(_SIGN.findall(text))) / words if words else KNOWN
    return 1.0 - (1.0 - DOUBT) * min(max((each - KNOWN) / (STRANGE - KNOWN), 0.0), 1.0)


def _shares(ranked: Sequence[Scored], floor: float) -> list[Scored]:
    """Scores as shares of the best one above `floor`; where all are equal each is best."""
    best = max((score for _, score in ranked), default=0.0)
    height = best - floor
    return [(entry, (score - floor) / height if height > 0 else 1.0) for entry, score in ranked]


def _page_lift(own: Mapping[str, float], pages: Mapping[str, str]) -> dict[str, float]:
    """For each page its best entry's score as a share of the best entry's of all."""
    best = max(own.values(), default=0.0)
    lift: dict[str, float] = {}
    for entry, score in own.items():
        page = pages.get(entry)
        if page is not None and best > 0:
            lift[page] = max(lift.get(page, 0.0), score / best)
    return lift


def distinct(ranked: Iterable[Scored], chunks: Mapping[str, Chunk], pages: Mapping[str, Sequence[str]]) -> list[Found]:
    """Each text once, at the rank of its best entry, with all the pages its entries stand on.

    Entries of one chunk, chunks that differ only in their trail, and equal texts of several pages are one result.
    """
    order: dict[str, Scored] = {}
    places: dict[str, dict[str, None]] = {}
    for entry, score in ranked:
        text = " ".join(chunks[entry].text.split())
        order.setdefault(text, (entry, score))
        places.setdefault(text, {}).update(dict.fromkeys(pages.get(entry, ())))
    return [Found(entry, score, tuple(places[text])) for text, (entry, score) in order.items()]


def cut(
    found: Sequence[Found], tokens: Mapping[str, int], *, k: int | None = None, budget: int | None = None
) -> list[Found]:
    """The first `k`, or those that fit `budget` tokens taken in order; what does not fit is passed over for what does.

    `tokens` is the size of each entry as it will be rendered. Both limits hold where both are given.
    """
    kept: list[Found] = []
    left = budget
    for one in found:
        if k is not None and len(kept) >= k:
            break
        size = tokens[one.entry] if left is not None else 0
        if left is not None and size > left:
            continue
        left = left - size if left is not None else None
        kept.append(one)
    return kept


def rarity(units: Iterable[Sequence[str]]) -> dict[str, float]:
    """The IDF of each term over `units` (their terms): what is in every unit hardly tells one from another."""
    counted = Counter(term for terms in (set(unit) for unit in units) for term in terms | {""})
    total = counted.pop("", 0)
    return {term: idf(total, count) for term, count in counted.items()}


def focus(
    query: Sequence[str], units: Sequence[tuple[str, str, Sequence[str]]], rare: Mapping[str, float], *, most: int = 3
) -> tuple[Focus, ...]:
    """The units of one hit that answer the query's terms, best first, at most `most`; none that holds no query term.

    `units` are (id, text, terms) in reading order, best without headings, which match a query and answer nothing;
    `rare` is `rarity` over the units of all hits. A score is the weight of the query terms found in the unit as a
    share of all query terms' weight, long units damped as BM25 does.
    """
    wanted = {term: rare.get(term, 0.0) for term in query}
    total = sum(wanted.values())
    average = sum(len(terms) for _, _, terms in units) / len(units) if units else 0.0
    scored = []
    for unit, text, terms in units:
        counts = Counter(term for term in terms if term in wanted)
        raw = sum(wanted[term] * saturation(count, len(terms), average) for term, count in counts.items())
        if raw > 0:
            scored.append(Focus(unit, text, min(raw / total, 1.0)))
    return tuple(sorted(scored, key=lambda one: -one.score)[:most])
