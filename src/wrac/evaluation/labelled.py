"""Do labels help? The same chunks with and without them, over a site's pages joined to one long page without titles."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final, NamedTuple

import numpy as np

from wrac.chunking import chunk, prefixes
from wrac.core.structure import trails
from wrac.core.types import Document, Label, Page
from wrac.evaluation.datasets.concatenated import Concatenated
from wrac.evaluation.metrics.blocks import METRICS as BLOCKS
from wrac.evaluation.metrics.blocks import BlockJudge
from wrac.evaluation.metrics.words import length
from wrac.evaluation.search import Prepare, Search
from wrac.evaluation.strategies.baselines import Tokens
from wrac.evaluation.strategies.corpus import Corpus, headed
from wrac.evaluation.strategies.semantic import Semantic
from wrac.evaluation.values import Gold, Passage, Query
from wrac.evaluation.vectors import VectorCache
from wrac.labelling import Labeller, beside
from wrac.planning import plan

WORDS: Final = 375
"""Words of a chunk of 500 tokens: what is read of the others too for `Hit in 375 words`."""
HITS: Final = (1, 3, 5, 10)
BUDGETED: Final = [i for i, metric in enumerate(BLOCKS) if metric.startswith("B@")]
METRICS: Final = (
    *(f"Hit@{k}" for k in HITS), f"Hit in {WORDS} words", "MRR", "nDCG@10", *(BLOCKS[i] for i in BUDGETED),
)  # fmt: skip
KINDS: Final = ("fixed-500/100", "semantic", "sections", "wrac")


class Piece(NamedTuple):
    """A chunk of the long page: the places under it, what a reader is given, what is indexed before a label joins."""

    ordinals: tuple[int, ...]
    text: str
    prefix: str
    body: str


class Measured(NamedTuple):
    """Figures of one way to cut, without and with labels: means over all queries, and how many chunks a label of
    another page's words.
    """

    plain: tuple[float, ...]
    labelled: tuple[float, ...]
    chunks: int
    named: int
    strange: int


class _Traced(Corpus):
    """One document, cut by whoever cuts texts; passages tell their range in the text that was cut."""

    def __init__(self, document: Document, vectors: Callable[[], VectorCache] | None) -> None:
        super().__init__(vectors)
        self._one = document

    def document(self, page: Page) -> Document:  # noqa: ARG002 - there is one
        return self._one

    def cut(self, page: Page, ranges: object) -> Iterator[Passage]:
        text = self.text(page)
        for start, end in ranges:  # type: ignore[attr-defined]
            if part := text[start:end].strip():
                yield Passage(page.url, part, part, ((start, end),))


def pieces(kind: str, site: Concatenated, vectors: Callable[[], VectorCache] | None = None) -> list[Piece]:
    """The chunks of a site's long page by one of KINDS."""
    if kind == "wrac":
        return list(_ours(site))
    if kind == "sections":
        return list(_sections(site.document))
    corpus = _Traced(site.document, vectors)
    cutter = Semantic(corpus) if kind == "semantic" else Tokens(corpus, 500, 100)
    ordinals = [
        place.ordinal
        for place in site.document.places
        if place.role != "data" and site.document.unit(place.ordinal).kind != "image"
    ]
    starts = np.cumsum([0, *(len(site.document.text(o)) + 1 for o in ordinals)]).tolist()
    found = []
    for passage in cutter.passages([site.page]).items:
        ((start, end),) = passage.ranges
        under = tuple(ordinals[bisect_right(starts, start) - 1 : bisect_left(starts, end)])
        found.append(Piece(under, passage.text, "", passage.text))
    return found


def _ours(site: Concatenated) -> Iterator[Piece]:
    document = site.document
    made = chunk(document, plan(document))
    for one, occurrence, prefix in zip(made.chunks, made.occurrences, prefixes(document, made.chunks), strict=True):
        yield Piece(
            occurrence.ordinals, headed((document.units[u].text for u in one.trail), one.text), prefix, one.text
        )


def _sections(document: Document) -> Iterator[Piece]:
    above, groups = trails(document), list[list[int]]()
    for place in document.places:
        if not groups or document.units[place.unit].kind == "heading":
            groups.append([])
        groups[-1].append(place.ordinal)
    for group in groups:
        opens = document.unit(group[0]).kind == "heading"
        body = "\n".join(document.text(o) for o in group[opens:])
        if body:
            text = headed((document.text(o) for o in (*above[group[0]], *group[:opens])), body)
            yield Piece(tuple(group), text, "", text)


@dataclass(frozen=True, slots=True)
class Trial:
    """Sites, who labels, and the vectors that a chunker or a search may need."""

    sites: Sequence[Concatenated]
    labeller: Labeller
    vectors: Callable[[], VectorCache]

    def measure(self, kind: str, search: Prepare) -> Measured:
        """One way to cut under one search, labels off and on over the same chunks."""
        plain, labelled = [], []
        chunks = named = strange = 0
        for site in self.sites:
            cut = pieces(kind, site, self.vectors)
            labels = self.labeller.labels(site.document, [piece.ordinals for piece in cut])
            heads = beside([piece.prefix for piece in cut], labels)
            plain += _scores(site, cut, [piece.prefix for piece in cut], search)
            labelled += _scores(site, cut, heads, search)
            chunks += len(cut)
            named += sum(bool(label.nouns or label.model) for label in labels)
            strange += strangers(site, cut, labels)
        return Measured(_mean(plain), _mean(labelled), chunks, named, strange)


def strangers(site: Concatenated, cut: Sequence[Piece], labels: Sequence[Label]) -> int:
    """How many chunks have a label with words that none of the pages under it says: a label that crossed over."""
    said: dict[str, str] = {}
    for place, owner in zip(site.document.places, site.owners, strict=True):
        said[owner] = f"{said.get(owner, '')} {site.document.text(place.ordinal)}".casefold()
    texts = {owner: " ".join(text.split()) for owner, text in said.items()}
    found = 0
    for piece, label in zip(cut, labels, strict=True):
        own = " ".join(texts[owner] for owner in dict.fromkeys(site.owners[o] for o in piece.ordinals))
        words = [" ".join(word.casefold().split()) for word in (*label.nouns, label.model) if word]
        found += any(word not in own for word in words)
    return found


def _mean(rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
    return tuple(float(value) for value in np.array(rows).mean(axis=0))


def _scores(site: Concatenated, cut: Sequence[Piece], heads: Sequence[str], search: Prepare) -> list[tuple[float, ...]]:
    """The values of METRICS for each query of a site."""
    url = site.page.url
    passages = [
        Passage(url, piece.text, "\n".join(filter(None, (head, piece.body))))
        for piece, head in zip(cut, heads, strict=True)
    ]
    owners = [_owner(site, piece) for piece in cut]
    find, judge, sizes = search(passages), BlockJudge(), [length(piece.text) for piece in cut]
    return [_score(query, url, find, judge, passages, owners, sizes) for query in site.queries]


def _owner(site: Concatenated, piece: Piece) -> str:
    """The page that most of a chunk's text is of."""
    shares: Counter[str] = Counter()
    for ordinal in piece.ordinals:
        shares[site.owners[ordinal]] += len(site.document.text(ordinal))
    return max(shares, key=lambda owner: shares[owner])


def _score(  # noqa: PLR0913, PLR0917 - all that one query is judged by
    query: Query, url: str, find: Search, judge: BlockJudge,
    passages: Sequence[Passage], owners: Sequence[str], sizes: Sequence[int],
) -> tuple[float, ...]:  # fmt: skip
    wanted = {page for gold in query.gold for page in gold.pages}
    ranked = find(query.text)
    right = [owners[row] in wanted for row in ranked]
    first = right.index(True) + 1 if True in right else 0
    gold = tuple(Gold(one.text, frozenset((url,))) for one in query.gold)
    blocks = judge.score(Query(query.id, query.text, gold), [passages[row] for row in ranked])
    return (
        *(float(any(right[:k])) for k in HITS),
        float(any(right[: _read(ranked, sizes)])),
        1 / first if first else 0.0,
        _gain(right, sum(owner in wanted for owner in owners)),
        *(blocks[i] for i in BUDGETED),
    )


def _read(ranked: Sequence[int], sizes: Sequence[int]) -> int:
    """How many chunks a reader begins within WORDS words."""
    left = WORDS
    for count, row in enumerate(ranked):
        if left <= 0:
            return count
        left -= sizes[row]
    return len(ranked)


def _gain(right: Sequence[bool], helpful: int) -> float:
    """nDCG@10 with binary relevance: a chunk of a gold page."""
    ideal = sum(1 / log2(place + 2) for place in range(min(helpful, 10)))
    return sum(1 / log2(place + 2) for place, good in enumerate(right[:10]) if good) / ideal if ideal else 0.0
