"""What of a label goes beside a passage before it is embedded and analysed: only what is not said there already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from wrac.core.types import Label

SEPARATOR: Final = " > "
"""What stands between the parts of a prefix, as in chunking."""


def beside(prefixes: Sequence[str], labels: Iterable[Label]) -> tuple[str, ...]:
    """Each prefix with the nouns and the model of its label that it does not hold, word by word, whatever the case.

    The category stays out: it is no word of the page, and many passages share it.

    >>> beside(["Loans > Fees"], [Label("prices", ("gold", "fees"), "")])
    ('Loans > Fees > gold',)
    """
    return tuple(
        SEPARATOR.join(filter(None, (prefix, _new(prefix, label))))
        for prefix, label in zip(prefixes, labels, strict=True)
    )


def _new(prefix: str, label: Label) -> str:
    said = set(prefix.casefold().split())
    kept: list[str] = []
    for part in dict.fromkeys((label.model, *label.nouns)):
        words = part.casefold().split()
        if words and not said.issuperset(words):
            kept.append(part)
            said.update(words)
    return " ".join(kept)
