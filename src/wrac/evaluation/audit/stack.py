"""Texts searched together: which of them hold a text, found in one pass of the interpreter's own search."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

_APART = "\0"  # no parser lets it through


class Stack:
    """Several texts, searched as one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._joined = _APART.join(self.texts)
        self._starts = [0, *accumulate(len(text) + 1 for text in self.texts)]

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and text in self._joined

    def where(self, text: str) -> Iterator[int]:
        """The indexes of the texts that hold a text, ascending.

        >>> list(Stack(["a b", "c", "b a"]).where("a"))
        [0, 2]
        """
        at = self._joined.find(text) if self.texts else -1
        while at >= 0:
            index = bisect_right(self._starts, at) - 1
            yield index
            if index + 1 >= len(self.texts):
                return
            at = self._joined.find(text, self._starts[index + 1])

    def in_order(self, parts: Sequence[str]) -> Iterator[int]:
        """The indexes of the texts in which all parts stand one after the other."""
        rarest = max(parts, key=len, default="")
        return (index for index in self.where(rarest) if _in_order(parts, self.texts[index]))


def _in_order(parts: Sequence[str], text: str) -> bool:
    position = 0
    for part in parts:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True
