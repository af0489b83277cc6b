"""An answer without a model: the best units themselves, each behind its mark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from wrac.answering.check import Cited
from wrac.answering.evidence import Evidence, Source

MOST: Final = 3
"""Passages that an answer without a model is made of."""


def extract(found: Iterable[tuple[str, Iterable[str]]], evidence: Evidence) -> tuple[str, tuple[Cited, ...]]:
    """The text and what it cites: of the first passages, given as URL and best units, the units that were sent."""
    sources: dict[str, Source] = {}
    for url, units in [*found][:MOST]:
        sent = [source for unit in units if (source := evidence.of(url, unit)) is not None]
        sources.update((source.mark, source) for source in sorted(sent, key=lambda source: source.said.ordinal))
    if not sources:  # the best units are headings, which have no mark
        sources = dict([*evidence.sources.items()][:1])
    text = "\n\n".join(f"{source.said.text} [{mark}]" for mark, source in sources.items())
    return text, tuple(Cited(source, source.said.text) for source in sources.values())
