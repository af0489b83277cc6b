"""A search as a form and an address say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from wrac.core.errors import ConfigError, LimitError
from wrac.core.types import Kind, Role
from wrac.flow import Workspace
from wrac.flow.report import Result

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
ROLES: Final[tuple[Role, ...]] = get_args(Role)
USUAL: Final = 10
MOST: Final = 50
LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for, and how. `meta` is metadata that must be equal, `key=value` with commas between."""

    q: str = ""
    k: int = USUAL
    url: str = ""
    kind: str = ""
    role: str = ""
    language: str = ""
    since: str = ""
    until: str = ""
    meta: str = ""
    least: float = 0.0
    rerank: bool = False

    @property
    def where(self) -> dict[str, str | list[str]]:
        """The filters by name. Raises ConfigError for metadata that is not written so."""
        names = ("url", "kind", "role", "language", "since", "until")
        found: dict[str, str | list[str]] = {name: value for name in names if (value := getattr(self, name))}
        for part in filter(None, (one.strip() for one in self.meta.split(","))):
            name, equals, value = part.partition("=")
            if not equals or not name.strip() or name.strip() in names:
                raise ConfigError(f"metadata {part!r}: write key=value, with commas between several")
            found[name.strip()] = value.strip()
        return found

    @property
    def filtered(self) -> bool:
        """Whether anything but the words says what is found."""
        return bool(self.where or self.least or self.rerank or self.k != USUAL)

    @property
    def said(self) -> dict[str, Any]:
        """The search in an address: what `read` reads, without what is as it always is."""
        found: dict[str, Any] = {"q": self.q, "k": None if self.k == USUAL else self.k, "meta": self.meta}
        found |= {name: value for name, value in self.where.items() if name not in found and hasattr(self, name)}
        return {**found, "least": self.least or None, "rerank": 1 if self.rerank else None}

    def run(self, workspace: Workspace) -> list[Result]:
        """The hits, each with what its score is made of; none where nothing is asked. Raises as the search does."""
        if not self.q.strip():
            return []
        return workspace.search(
            self.q, k=self.k, where=self.where, rerank=self.rerank, confidence=self.least, explain=True
        )


def read(query: Mapping[str, str]) -> Query:
    """The search that an address says. Raises ConfigError for what is no number, LimitError for too long a query."""
    texts = {
        name: query.get(name, "").strip() for name in ("url", "kind", "role", "language", "since", "until", "meta")
    }
    if any("\0" in text for text in query.values()):
        raise ConfigError("the search holds what is no text: NUL")
    if len(query.get("q", "")) > LONGEST:
        raise LimitError("the query", "length", LONGEST, len(query["q"]), "ask for less at once")
    found = Query(
        q=query.get("q", ""),
        k=int(_number("passages", query.get("k", ""), USUAL, 1, MOST)),
        least=_number("confidence", query.get("least", ""), 0.0, 0, 1),
        rerank=query.get("rerank", "") not in ("", "0"),
        **texts,
    )
    _ = found.where  # says now what is wrong with it
    return found


def _number(name: str, text: str, usual: float, low: float, high: float) -> float:
    if not text.strip():
        return usual
    try:
        value = float(text)
    except ValueError:
        value = high + 1
    if not low <= value <= high:
        raise ConfigError(f"{name}: {text[:20]!r} is no number from {low:g} to {high:g}")
    return value
