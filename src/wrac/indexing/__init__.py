"""What can be searched: the `Index` seam, its rows and its filters. An index is derived and disposable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import NOTHING

Vector = NDArray[np.float32]
DIGITS = 6
"""Digits of a score. The last bits of a sum depend on its order; rounded scores tie in every store alike."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry on a page. It says all a stranger needs to use it alone: text, origin, section, metadata.

    `text` is the whole chunk's; `[start, end)` the code points of it that this entry stands for, all when `end` is -1.

    `terms` are analysed and in order; `key` is the vector's key in the vector cache. Both are what the row is found by,
    and are not given back.
    """

    entry: str
    chunk: str
    page: str
    position: int
    text: str
    prefix: str = ""
    start: int = 0
    end: int = -1
    units: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()
    anchor: str = ""
    link: str = ""
    tokens: int = 0
    planner: str = ""
    language: str = ""
    kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    terms: tuple[str, ...] = ()
    key: bytes = b""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which rows may be found. Empty fields allow all; several values of a field are alternatives.

    `url` are prefixes of the page's URL, `language` of its language (`de` allows `de-AT`); a row is of a kind or role
    when one of its units is; metadata must be equal.
    """

    url: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    meta: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, where: Mapping[str, str | Sequence[str]]) -> Filters:
        """Filters from names and values; a name that is no field of a row is one of its metadata.

        >>> Filters.of({"url": "docs/", "product": ["a", "b"]})
        Filters(url=('docs/',), kind=(), role=(), language=(), meta=(('product', ('a', 'b')),))
        """
        values = {name: (value,) if isinstance(value, str) else tuple(value) for name, value in where.items()}
        fields: dict[str, Any] = {name: values.pop(name, ()) for name in ("url", "kind", "role", "language")}
        return cls(meta=tuple(sorted(values.items())), **fields)

    def allow(self, row: Row) -> bool:
        """Whether a row may be found."""
        return (
            (not self.url or row.page.startswith(self.url))
            and (not self.kind or not set(self.kind).isdisjoint(row.kinds))
            and (not self.role or not set(self.role).isdisjoint(row.roles))
            and (not self.language or any(speaks(row.language, wanted) for wanted in self.language))
            and all(row.meta.get(name) in values for name, values in self.meta)
        )


def speaks(language: str, wanted: str) -> bool:
    """Whether a language tag is the wanted one or a variety of it, in any case."""
    return f"{language}-".lower().startswith(f"{wanted}-".lower())


ALL = Filters()


class Index(Protocol):
    """Rows in, ranked entries out. Scores are exact to `DIGITS`; equal ones stand in the order of their ids."""

    def put(self, page: str, rows: Sequence[Row]) -> None:
        """The page's rows are these, in place of what they were."""
        ...

    def remove(self, page: str) -> None:
        """The page has no rows; entries that stand on no other page are gone."""
        ...

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by BM25 with their scores, above zero, rounded; counts are over the whole index."""
        ...

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product with a float32 vector of unit length, rounded."""
        ...

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        ...

    def check(self) -> list[str]:
        """What is wrong with the index itself; empty when nothing is."""
        ...
