"""What an answer says against what was sent: marks, quotations, sentences that cite nothing."""

from __future__ import annotations

from typing import NamedTuple

from wrac.answering.evidence import Source


class Cited(NamedTuple):
    """A unit that an answer cites, and what it quotes from it."""

    source: Source
    quote: str = ""
