"""Chunking strategies under test. A Chunker turns pages into Passages; search and scoring are the same for all.

Passages and not Chunks: what is compared here overlaps, cuts inside units or rewrites. Page-reading baselines read the
same parsed units as wrac does, so a row's difference is chunking and never parsing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path

from wrac.core.errors import ConfigError
from wrac.evaluation.strategies.agentic import AgenticLive, WracLive
from wrac.evaluation.strategies.baselines import Sections, Tokens, WholePage, Words
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import Wrac, policy
from wrac.evaluation.strategies.peers import PEERS, Peer
from wrac.evaluation.strategies.published import Published
from wrac.evaluation.strategies.recursive import Recursive
from wrac.evaluation.strategies.replay import Replayed
from wrac.evaluation.strategies.semantic import Semantic
from wrac.evaluation.values import Chunker, DataSet
from wrac.planning.cascade import THRESHOLD

__all__ = ["BUILT_IN", "STRATEGIES", "Corpus", "available", "strategy"]

Make = Callable[[DataSet, Corpus], Chunker]
_FILES: Mapping[str, str] = {
    "agentic": "agentic-gpt-4.1.jsonl",
    "published": "wrac-gpt-4.1.jsonl",
    "llm": "wrac-gpt-4.1.jsonl",
    "cascade": "wrac-gpt-4.1.jsonl",
}
_SIZED: Mapping[str, Callable[[Corpus, int, int], Chunker]] = {"fixed": Tokens, "words": Words, "recursive": Recursive}
_SIZES = re.compile(r"([a-z]+)-(\d{1,6})/(\d{1,6})")


def _sized(name: str) -> Make:
    """A maker of the strategy called KIND-SIZE/OVERLAP. Raises ConfigError where there is no such kind or size."""
    found = _SIZES.fullmatch(name)
    if found is None or found[1] not in _SIZED:
        kinds = ", ".join(
            ("wrac:target=N,maximum=N", "cascade:THRESHOLD", *(f"{kind}-SIZE/OVERLAP" for kind in _SIZED))
        )
        raise ConfigError(f"no strategy {name!r}; choose from {', '.join(STRATEGIES)}, or {kinds}")
    size, overlap = int(found[2]), int(found[3])
    if not overlap < size:
        raise ConfigError(f"{name}: the overlap must be smaller than the size")
    return lambda _, corpus: _SIZED[found[1]](corpus, size, overlap)


def _peer(name: str) -> Make:
    return lambda _, corpus: Peer(corpus, name)


_BUILT_IN: Mapping[str, Make] = {
    "wrac": lambda _, corpus: Wrac(corpus),
    "sections": lambda _, corpus: Sections(corpus),
    "page": lambda _, corpus: WholePage(corpus),
    **{
        name: _sized(name)
        for name in (
            *("fixed-500/100", "fixed-250/125", "fixed-200/0", "words-375/75"),
            *("recursive-512/0", "recursive-250/125", "recursive-200/0"),
        )
    },
    "semantic": lambda _, corpus: Semantic(corpus),
}
STRATEGIES: Mapping[str, Make] = {
    **_BUILT_IN,
    "wrac-unlabelled": lambda _, corpus: Wrac(corpus, labelled=False),
    "agentic": lambda data, corpus: Published(corpus, _published(data, "agentic"), "agentic"),
    "published": lambda data, corpus: Published(corpus, _published(data, "published"), "published"),
    "llm": lambda data, corpus: Replayed(corpus, _published(data, "llm")),
    "cascade": lambda data, corpus: Replayed(corpus, _published(data, "cascade"), THRESHOLD),
    "agentic-live": lambda _, corpus: AgenticLive(corpus),
    "wrac-live": lambda _, corpus: WracLive(corpus),
    **{name: _peer(name) for name in PEERS},
}
"""Every strategy by name; those of one kind and other sizes are made by `strategy` too."""
BUILT_IN: tuple[str, ...] = tuple(_BUILT_IN)
"""Those that need no extra, no published chunks and no model."""


def _threshold(text: str) -> float:
    """The threshold that a cascade's name tells. Raises ConfigError where it is no number from 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < inf:
        raise ConfigError(f"cascade:{text}: write the doubt from which a model is asked, as cascade:2")
    return value


def _published(data: DataSet, name: str) -> Path:
    return data.root / "published" / _FILES[name]


def available(data: DataSet) -> list[str]:
    """The names of those that can run on the data set as it is: built in, and published beside it."""
    return [*BUILT_IN, *(name for name in _FILES if _published(data, name).is_file())]


def strategy(name: str, data: DataSet, corpus: Corpus) -> Chunker:
    """The strategy under that name; `wrac:target=N,...` has that policy, `cascade:N` that threshold.

    Raises ConfigError naming the known ones, and for a live one in a run without a model.
    """
    kind, colon, settings = name.partition(":")
    if kind == "wrac" and colon:
        return Wrac(corpus, policy(settings))
    if kind == "cascade" and colon:
        return Replayed(corpus, _published(data, "cascade"), _threshold(settings))
    return (STRATEGIES.get(name) or _sized(name))(data, corpus)
