"""How sites are crawled, as values that a workspace remembers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection

from wrac.catalog.memory import remembered
from wrac.core.types import NOTHING

Shown: TypeAlias = Literal["never", "auto", "always"]


@dataclass(frozen=True, slots=True)
class Site:
    """How a site is crawled; the workspace remembers it by the site's start.

    Globs go over the path with its query. `pause` in seconds, `grace` is how many crawls in a row a page may be missing
    before it goes. `headers` are sent to the site's own host and are never stored.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    depth: int | None = None
    pages: int | None = None
    parallel: int = 4
    pause: float = 0.0
    private: bool = False
    robots: bool = True
    browser: Shown = "never"
    state: str = ""
    login: str = ""
    grace: int = 2
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    headers: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def text(self) -> str:
        """What is remembered, as JSON."""
        kept = {**asdict(replace(self, meta=dict(self.meta), headers={}))}
        del kept["headers"]
        return json.dumps(kept, sort_keys=True)


def read_site(text: str) -> Site:
    """The site of a text that `Site.text` made."""
    said = json.loads(text)
    known = {one.name for one in fields(Site)}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in said.items() if name in known
    }
    return Site(**values)


def sites(connection: Connection, starts: Iterable[str]) -> dict[str, Site]:
    """The remembered sites among some sources, by their start."""
    found = ((start, remembered(connection, f"site:{start}")) for start in starts)
    return {start: read_site(text) for start, text in found if text is not None}


@dataclass(frozen=True, slots=True)
class Given:
    """A source as it was given: its name, where it is published, the metadata of its pages."""

    source: str
    base: str = ""
    meta: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def text(self) -> str:
        """What is remembered, as JSON."""
        return json.dumps({"source": self.source, "base": self.base, "meta": dict(self.meta)}, sort_keys=True)


def read_given(text: str) -> Given:
    """The source of a text that `Given.text` made."""
    return Given(**json.loads(text))
