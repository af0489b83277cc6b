"""What of a label goes beside a passage before it is embedded and analysed: only what is not said there already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Final

from wrac.core.types import Label

SEPARATOR: Final = " > "
"""What stands between the parts of a prefix, as in chunking."""


def beside(prefixes: Sequence[str], labels: Sequence[Label]) -> tuple[str, ...]:
    """Each prefix of a page with the nouns and the model of its label that tell the passage from its neighbours.

    What most passages of the page are labelled with does not, nor what the prefix says already, word by word, whatever
    the case. The category stays out: it is no word of the page, and many passages share it.

    >>> beside(["Loans > Fees", "Loans > Rates"], [Label("prices", ("gold", "fees")), Label("prices", ("gold coin",))])
    ('Loans > Fees > gold', 'Loans > Rates > gold coin')
    """
    shared = Counter(part for label in labels for part in _parts(label))
    common = {part for part, count in shared.items() if count > max(1, len(labels) // 2)}
    pairs = zip(prefixes, labels, strict=True)
    return tuple(SEPARATOR.join(filter(None, (prefix, _new(prefix, label, common)))) for prefix, label in pairs)


def _parts(label: Label) -> dict[str, None]:
    """The model and the nouns, each once, in this order."""
    return dict.fromkeys(filter(None, (label.model, *label.nouns)))


def _new(prefix: str, label: Label, common: Container[str]) -> str:
    said = set(prefix.casefold().split())
    kept: list[str] = []
    for part in _parts(label):
        words = part.casefold().split()
        if part not in common and not said.issuperset(words):
            kept.append(part)
            said.update(words)
    return " ".join(kept)
