"""Stores outside the workspace: an index by URL, and what their modules share.

    lancedb:///folder  lancedb+s3://bucket/path     LanceDB
    postgresql://user@host/database                 PostgreSQL with pgvector
    qdrant://host:6333  qdrant+https://host         Qdrant
    opensearch://host:9200  opensearch+https://…    OpenSearch
    weaviate://host:8080  weaviate+https://…        Weaviate

`?index=NAME` names the table, collection or class; `wrac` without it. A password may stand in the URL or in
WRAC_STORE_PASSWORD; neither it nor a parameter that is named like a secret is ever shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from wrac.core.environment import STORE_PASSWORD
from wrac.core.errors import ConfigError, MissingExtraError, RemoteError, WorkspaceError
from wrac.core.ids import content_id
from wrac.indexing import DIGITS, Change, Index, Row, Space

_MODULES = {
    "lancedb": ("lancedb", "lancedb"),
    "postgresql": ("pgvector", "postgres"),
    "qdrant": ("qdrant", "qdrant"),
    "opensearch": ("opensearch", "opensearch"),
    "weaviate": ("weaviate", "weaviate"),
}
"""Of each scheme the module here, which has `connect(address, space, *, create, anew) -> Index`, and the extra."""
_SECRET = re.compile("pass|secret|token|key|credential|sas|signature", re.IGNORECASE)
"""In the name of a parameter that is passed to the store and nowhere else."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A store's URL in parts: `scheme` before a `+`, `transport` after it, `index` the table's name.

    `options` are the other parameters of the query.
    """

    scheme: str
    transport: str
    host: str
    port: int | None
    user: str
    password: str
    path: str
    index: str
    options: Mapping[str, str]

    @classmethod
    def of(cls, url: str) -> StoreAddress:
        """The address of a URL. Raises ConfigError for one that names no store."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        scheme, _, transport = parts.scheme.partition("+")
        scheme = {"postgres": "postgresql"}.get(scheme, scheme)
        if scheme not in _MODULES:
            known = ", ".join(f"{name}://" for name in _MODULES)
            raise ConfigError(f"--store {_hidden(url)}: no store's URL; one starts with {known}")
        if "#" in url or (scheme != "lancedb" and "@" in f"{parts.path}?{parts.query}"):
            raise ConfigError(f"--store {_hidden(url)}: write @ / ? # in a name or password as %40 %2F %3F %23")
        options = dict(parse_qsl(parts.query))
        index = options.pop("index", "wrac")
        if not index.isidentifier() or not index.isascii() or len(index) > 40:
            raise ConfigError(f"--store {_hidden(url)}: index={index} is no name; take up to 40 letters and digits")
        user = unquote(parts.username or "")
        password = unquote(parts.password or "") or os.environ.get(STORE_PASSWORD, "")
        return cls(scheme, transport, parts.hostname or "", port, user, password, parts.path, index, options)

    @property
    def passed(self) -> dict[str, str]:
        """The options that are the store's client's."""
        return {name: value for name, value in self.options.items() if name != "exact"}

    def exact(self, usual: int) -> int:
        """The number of rows up to which vectors are scanned exactly: `?exact=`, else the usual one.

        Raises ConfigError for a number that is none.
        """
        said = self.options.get("exact", str(usual))
        if not said.isdecimal():
            raise ConfigError(f"--store {self.shown}: exact={said} is no number of rows")
        return int(said)

    @property
    def shown(self) -> str:
        """The URL without its password: what is stored, printed and logged."""
        scheme = f"{self.scheme}+{self.transport}" if self.transport else self.scheme
        host = f"[{self.host}]" if ":" in self.host else self.host
        place = f"{quote(self.user)}@{host}" if self.user else host
        place += f":{self.port}" if self.port else ""
        query = {**self.options, **({"index": self.index} if self.index != "wrac" else {})}
        query = {name: value for name, value in query.items() if not _SECRET.search(name)}
        return f"{scheme}://{place}{self.path}" + (f"?{urlencode(query)}" if query else "")

    @property
    def secrets(self) -> list[str]:
        """What is never shown: the password, and the parameters that are named like one."""
        named = [value for name, value in self.options.items() if _SECRET.search(name)]
        return [one for one in (self.password, *named) if one]


def open_index(url: str, space: Space, *, create: bool = False, anew: bool = False) -> Index:
    """The index at a URL. `create` makes it where it is missing, `anew` makes it empty and of this space.

    Raises ConfigError for a URL that names no store, MissingExtraError for one whose client is not installed,
    RemoteError where nothing answers as it should, WorkspaceError where no index is, or one of another space.
    """
    address = StoreAddress.of(url)
    module, extra = _MODULES[address.scheme]
    try:
        connect: Callable[..., Index] = import_module(f"wrac.indexing.{module}").connect
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("wrac"):
            raise
        raise MissingExtraError(extra, f"the store {address.scheme}://") from error
    return connect(address, space, create=create, anew=anew)


def _hidden(url: str) -> str:
    """A URL that may be none, without what may be a password."""
    before, at, after = url.rpartition("@")
    shown = f"{before.partition('://')[0]}://…@{after}" if at else url
    return re.sub("([?&][^=&]*)=([^&]*)", lambda one: f"{one[1]}=…" if _SECRET.search(one[1]) else one[0], shown)


def absent(address: StoreAddress) -> WorkspaceError:
    """The error of a store that has no such index."""
    return WorkspaceError(
        address.shown, f"there is no index {address.index}", f"run `wrac reindex --to {address.shown}`"
    )


def down(address: StoreAddress, problem: object) -> RemoteError:
    """The error of a store that cannot be reached or refuses; `problem` in one line, its secrets taken out."""
    told = " ".join(str(problem).split())
    for secret in address.secrets:
        told = told.replace(secret, "***").replace(quote(secret), "***").replace(quote(secret, safe=""), "***")
    advice = "start it, or check host, user and password"
    if address.user and not address.password:
        advice += f"; a password is read from {STORE_PASSWORD}"
    return RemoteError(address.shown, told[:300], advice)


def compare(address: StoreAddress, found: Space, wanted: Space) -> None:
    """Nothing, when the index is of the wanted space. Raises WorkspaceError that names both when it is not."""
    if found == wanted:
        return
    raise WorkspaceError(
        address.shown,
        f"its vectors are by {found.embedder} ({found.dimensions} numbers), "
        f"this workspace embeds by {wanted.embedder} ({wanted.dimensions})",
        f"run `wrac reindex --to {address.shown}`",
    )


def row_id(row: Row) -> str:
    """32 hex digits that name a row: its page, position and entry. They also make a UUID."""
    return content_id("r1", (row.page, str(row.position), row.entry))[3:]


def record(row: Row) -> dict[str, Any]:
    """What a store holds of a row beside vector and terms, under the names that a stranger reads; JSON's values.

    `spoken` has what `language` may be asked for as, `tags` the metadata as `pair` writes it: for filters.
    """
    return {
        "entry": row.entry,
        "chunk": row.chunk,
        "url": row.page,
        "position": row.position,
        "text": row.text,
        "prefix": row.prefix,
        "start": row.start,
        "end": row.end,
        "units": list(row.units),
        "trail": list(row.trail),
        "anchor": row.anchor,
        "link": row.link,
        "tokens": row.tokens,
        "planner": row.planner,
        "language": row.language,
        "kinds": list(row.kinds),
        "roles": list(row.roles),
        "label": row.label,
        "date": row.date,
        "meta": dict(row.meta),
        "spoken": spoken(row.language),
        "tags": [pair(name, value) for name, value in sorted(row.meta.items())],
    }


def row_of(stored: Mapping[str, Any]) -> Row:
    """The row of a record, without terms and key."""
    values = {name: stored[name] for name in _PLAIN}
    values |= {name: tuple(stored[name]) for name in ("units", "trail", "kinds", "roles")}
    return Row(page=stored["url"], meta=dict(stored["meta"]), **values)


_PLAIN = (
    "entry", "chunk", "position", "text", "prefix", "start", "end", "anchor", "link", "tokens", "planner", "language",
    "label", "date",
)  # fmt: skip


def pair(name: str, value: str) -> str:
    """Metadata as one string that no other name and value share.

    >>> pair("product", "a=b"), pair("product=a", "b")
    ('product=a=b', 'product%3Da=b')
    """
    return f"{name.replace('%', '%25').replace('=', '%3D')}={value}"


def spoken(language: str) -> list[str]:
    """What a language may be asked for as, in lower case.

    >>> spoken("de-AT")
    ['de', 'de-at']
    """
    parts = language.lower().split("-")
    return ["-".join(parts[: n + 1]) for n in range(len(parts))]


def best(ask: Callable[[int], Sequence[tuple[str, float]]], k: int) -> list[tuple[str, float]]:
    """The best `k` entries of a store that ranks rows: each once, ties at the edge all seen, in the seam's order.

    `ask(n)` gives the entries and scores of the store's best `n` rows, best first, fewer when there are no more.
    """
    depth = k + 16
    while k > 0:
        found = [(entry, round(float(score), DIGITS)) for entry, score in ask(depth)]
        top: dict[str, float] = {}
        for entry, score in found:
            top.setdefault(entry, score)
        ranked = sorted(top.items(), key=lambda one: (-one[1], one[0]))
        if len(found) < depth or (len(ranked) > k and ranked[k - 1][1] > found[-1][1]):
            return ranked[:k]
        depth *= 4
    return []


def in_batches(values: Iterable[T], size: int) -> Iterable[list[T]]:
    """The values in lists of at most `size`."""
    batch: list[T] = []
    for value in values:
        batch.append(value)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def sized(address: StoreAddress, change: Change, dimensions: int) -> Change:
    """The change, whose vectors are as long as the index's. Raises WorkspaceError for others."""
    width = dimensions if change.vectors is None or not change.rows else change.vectors.shape[1]
    if width != dimensions:
        problem = f"{change.page} has vectors of {width} numbers, the index of {dimensions}"
        raise WorkspaceError(address.shown, problem, f"run `wrac reindex --to {address.shown}`")
    return change


def last(changes: Iterable[Change]) -> dict[str, Change]:
    """Of each page its last change, by page."""
    return {change.page: change for change in changes}
