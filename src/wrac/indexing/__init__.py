"""What can be searched: the `Index` seam, its rows and its filters. An index is derived and disposable.

The embedded index is in `sqlite`, stores outside the workspace in a module each; `stores.open_index` opens one by URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from wrac.core.errors import ConfigError
from wrac.core.types import NOTHING, Kind, Role

Vector = NDArray[np.float32]
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
DIGITS = 6
"""Digits of a score. The last bits of a sum depend on its order; rounded scores tie in every store alike."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry on a page. It says all a stranger needs to use it alone: text, origin, section, metadata.

    `text` is the whole chunk's; `[start, end)` the code points of it that this entry stands for, all when `end` is -1.

    `date` is the page's own (`2026-11-30`) or empty, `label` its signature in one line. `terms` are analysed and in
    order; `key` is the vector's key in the vector cache. Both are what the row is found by, and are not given back.
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
    label: str = ""
    date: str = ""
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    terms: tuple[str, ...] = ()
    key: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What stands on a page from now on, in place of what did; without rows the page is gone.

    `vectors` are float32 (rows, d), rows of unit length, in the order of the rows; an index that reads the vector cache
    needs none.
    """

    page: str
    rows: tuple[Row, ...] = ()
    vectors: Vector | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Which rows may be found. Empty fields allow all; several values of a field are alternatives.

    `url` are prefixes of the page's URL, `language` of its language (`de` allows `de-AT`); a row is of a kind or role
    when one of its units is; metadata must be equal. `since` and `until` are ISO dates, both included; a row without a
    date is on neither side of one. All must hold of one row: a text that stands on pages of two tenants is found for
    each through its own page.
    """

    url: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    role: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    meta: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, where: Mapping[str, str | Sequence[str]]) -> Filters:
        """Filters from names and values; a name that is no field of a row is one of its metadata.

        Raises ConfigError for a kind, role or date that is none, and for what is no text.

        >>> filters = Filters.of({"url": "docs/", "product": ["a", "b"]})
        >>> filters.url, filters.meta
        (('docs/',), (('product', ('a', 'b')),))
        """
        values = {name: _texts(name, value) for name, value in where.items()}
        fields: dict[str, Any] = {name: values.pop(name, ()) for name in ("url", "kind", "role", "language")}
        for name, known in (("kind", get_args(Kind)), ("role", get_args(Role))):
            if unknown := [value for value in fields[name] if value not in known]:
                raise ConfigError(f"--where {name}={unknown[0]}: no {name}; take one of {', '.join(known)}")
        fields |= {name: _date(name, values.pop(name, ())) for name in ("since", "until")}
        return cls(meta=tuple(sorted(values.items())), **fields)

    def allow(self, row: Row) -> bool:
        """Whether a row may be found."""
        return (
            (not self.url or row.page.startswith(self.url))
            and (not self.kind or not set(self.kind).isdisjoint(row.kinds))
            and (not self.role or not set(self.role).isdisjoint(row.roles))
            and (not self.language or any(speaks(row.language, wanted) for wanted in self.language))
            and (not self.since or self.since <= row.date)
            and (not self.until or "" < row.date <= self.until)
            and all(row.meta.get(name) in values for name, values in self.meta)
        )


def _texts(name: str, value: str | Sequence[str]) -> tuple[str, ...]:
    """The values of a filter. Raises ConfigError for what no store could be asked for: it is in no page."""
    found = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    for one in (name, *found):
        if not isinstance(one, str):
            raise ConfigError(f"--where {name!a}={one!a}: no text; give text, or several")
        if _NO_TEXT.search(one):
            raise ConfigError(f"--where {name!a}={one!a}: no text; leave out NUL and halves of characters")
    return found


def _date(name: str, values: tuple[str, ...]) -> str:
    """The one ISO date that is given, or nothing. Raises ConfigError for anything else."""
    if not values:
        return ""
    try:
        (value,) = values
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise ConfigError(f"--where {name}={','.join(values)}: no date; write it as 2026-11-30") from None


def speaks(language: str, wanted: str) -> bool:
    """Whether a language tag is the wanted one or a variety of it, in any case."""
    return f"{language}-".lower().startswith(f"{wanted}-".lower())


ALL = Filters()


@dataclass(frozen=True, slots=True)
class Traits:
    """What a store can be relied on for.

    `lexical` and `dense` say that the ranking is the exact one, by BM25 over the whole index and by the inner product;
    where it is not, a store ranks by its own BM25 or asks an approximate index of vectors. `shared` allows several
    processes to write. `proven` says what the tests ran it against, `not run against a server` where nothing real.
    """

    name: str
    lexical: bool
    dense: bool
    shared: bool
    proven: str


@dataclass(frozen=True, slots=True)
class Space:
    """Whose vectors an index holds, and how many numbers one has. Those of another embedder cannot be compared."""

    embedder: str
    dimensions: int


class Searched(Protocol):
    """Ranked entries and where they stand. Scores are rounded to `DIGITS`; equal ones stand in the order of their ids.

    An entry may stand on several pages: it is ranked once, and found where any of its rows is allowed.
    """

    def lexical(self, terms: Sequence[str], k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by BM25 with their scores, above zero; counts are over the whole index."""
        ...

    def dense(self, vector: Vector, k: int, filters: Filters = ALL) -> list[tuple[str, float]]:
        """The best `k` entries by the inner product with a float32 vector of unit length."""
        ...

    def rows(self, entries: Sequence[str], filters: Filters = ALL) -> dict[str, list[Row]]:
        """Where the entries stand, in order of page and position, as far as the filters allow."""
        ...

    def languages(self) -> list[str]:
        """The languages of the pages, most pages first."""
        ...

    def fields(self) -> list[str]:
        """The names of metadata that a row has, in order."""
        ...


class Index(Searched, Protocol):
    """Rows in, ranked entries out."""

    @property
    def traits(self) -> Traits: ...

    def write(self, changes: Sequence[Change]) -> None:
        """The pages are as the changes say, of one page the last; writing the same again changes nothing.

        All is visible to the next search. Killed in the middle, each page is as before or as said, or is absent.
        """
        ...

    def vectors(self, entries: Sequence[str]) -> dict[str, Vector]:
        """The float32 vectors of those of the entries that have one."""
        ...

    def contents(self) -> Iterable[tuple[str, int, str]]:
        """Page, position and entry of every row, in no order."""
        ...

    def size(self) -> int:
        """How many entries there are."""
        ...

    def check(self) -> list[str]:
        """What is wrong with the index itself; empty when nothing is."""
        ...

    def close(self) -> None:
        """Bring up to date what searches are helped by, and let go of connections and files."""
        ...
