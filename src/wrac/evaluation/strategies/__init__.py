"""Chunking strategies under test. A Chunker turns pages into Passages; search and scoring are the same for all.

Passages and not Chunks: what is compared here overlaps, cuts inside units or rewrites. Page-reading baselines read the
same parsed units as wrac does, so a row's difference is chunking and never parsing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wrac.core.errors import ConfigError, InputError
from wrac.evaluation.strategies.baselines import Fixed, Sections, WholePage
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import Wrac
from wrac.evaluation.strategies.published import Published
from wrac.evaluation.values import Chunker, DataSet

__all__ = ["STRATEGIES", "Corpus", "strategy"]

Make = Callable[[DataSet, Corpus], Chunker]
STRATEGIES: Mapping[str, Make] = {
    "wrac": lambda _, corpus: Wrac(corpus),
    "sections": lambda _, corpus: Sections(corpus),
    "fixed": lambda _, corpus: Fixed(corpus),
    "page": lambda _, corpus: WholePage(corpus),
    "agentic": lambda data, _: _replay(data, "agentic-gpt-4.1.jsonl", "agentic (published)"),
    "published": lambda data, _: _replay(data, "wrac-gpt-4.1.jsonl", "W-RAC (published)"),
}


def _replay(data: DataSet, file: str, title: str) -> Chunker:
    path = data.root / "published" / file
    if not path.is_file():
        raise InputError(str(path), "is absent", "leave the strategy out with --strategies")
    return Published(path, title)


def strategy(name: str, data: DataSet, corpus: Corpus) -> Chunker:
    """The strategy under that name. Raises ConfigError naming the known ones."""
    if name not in STRATEGIES:
        raise ConfigError(f"no strategy {name!r}; choose from {', '.join(STRATEGIES)}")
    return STRATEGIES[name](data, corpus)
