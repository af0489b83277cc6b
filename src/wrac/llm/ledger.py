"""What is kept of what models said and cost: answers by key, a line an account. `catalog` stores both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Protocol

from wrac.core.types import Usage


class Answers(Protocol):
    """What models answered before, by key. A plain dict is one."""

    def get(self, key: str, /) -> str | None: ...

    def update(self, found: Mapping[str, str], /) -> None:
        """Keep all that one reply said, or, where the process ends, none of it."""
        ...


@dataclass(frozen=True, slots=True)
class Spent:
    """What was paid for one page or query: `purpose` is plan, label or answer; `at` in seconds since 1970."""

    at: float
    purpose: str
    site: str
    page: str
    model: str
    usage: Usage


class Ledger(Protocol):
    """Where accounts are kept. A list's `append` is one."""

    def __call__(self, spent: Spent, /) -> object: ...


def total(usages: Iterable[Usage]) -> Usage:
    """The sum of usages."""
    found = list(usages)
    return Usage(*(sum(getattr(one, part.name) for one in found) for part in fields(Usage)))
