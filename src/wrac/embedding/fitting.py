"""What an embedder does with texts beyond its window: a passage is refused, a query is cut to its first words."""

from __future__ import annotations

from collections.abc import Sequence

from wrac.core.errors import InputError
from wrac.core.seams import Embedder
from wrac.text.characters import scalar
from wrac.text.sentences import split

_LONGEST_TOKEN = 16


def fitting(embedder: Embedder, texts: Sequence[str], *, query: bool) -> list[str]:
    """The texts as compiled code takes them, each within the window.

    Raises InputError for a passage beyond it: what is embedded is never less than what is stored.
    """
    return [_fitting(embedder, scalar(text).replace("\0", "\ufffd"), query) for text in texts]


def _fitting(embedder: Embedder, text: str, query: bool) -> str:
    window = embedder.window
    if query:
        text = text[: window * _LONGEST_TOKEN]  # what is behind is not even counted
    size = embedder.tokens(text)
    if size <= window:
        return text
    if not query:
        raise too_long(embedder, text, size)
    first, end = split(text, lambda piece: embedder.tokens(piece) <= window)[0]
    return text[first:end]


def too_long(embedder: Embedder, text: str, size: int) -> InputError:
    """The error for a passage of `size` tokens beyond the window."""
    start = text[:40].replace("\n", " ")
    problem = f"{size} tokens, the window of {embedder.name} is {embedder.window}"
    return InputError(f'text "{start}…"', problem, "split it first")
