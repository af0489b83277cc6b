"""The vector cache: what an embedder once said of a text is never asked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from hashlib import blake2b

from sqlalchemy import Connection, delete, func, insert, select

from wrac.catalog.contents import batches
from wrac.catalog.schema import vectors


def key(text: str) -> bytes:
    """The key of a text to embed: 16 bytes of BLAKE2b."""
    return blake2b(text.encode(), digest_size=16).digest()


def recall(connection: Connection, embedder: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
    """Of the keys that are known, the vector: little-endian float32."""
    found: dict[bytes, bytes] = {}
    for batch in batches(keys):
        query = select(vectors.c.key, vectors.c.data).where(vectors.c.embedder == embedder, vectors.c.key.in_(batch))
        found.update((row.key, row.data) for row in connection.execute(query))
    return found


def known(connection: Connection, embedder: str, keys: Iterable[bytes]) -> set[bytes]:
    """Those of the keys that have a vector."""
    found: set[bytes] = set()
    for batch in batches(keys):
        query = select(vectors.c.key).where(vectors.c.embedder == embedder, vectors.c.key.in_(batch))
        found.update(connection.scalars(query))
    return found


def store(connection: Connection, embedder: str, found: Mapping[bytes, bytes]) -> None:
    """Keep vectors; those already known stay as they are."""
    have = known(connection, embedder, found)
    rows = [{"embedder": embedder, "key": k, "data": data} for k, data in found.items() if k not in have]
    if rows:
        connection.execute(insert(vectors), rows)


def count(connection: Connection) -> int:
    """How many vectors are kept."""
    return connection.execute(select(func.count()).select_from(vectors)).scalar_one()


def keep(connection: Connection, embedder: str, used: Set[bytes]) -> int:
    """How many vectors were dropped: those of other embedders, and those under keys that are not used."""
    rows = connection.execute(select(vectors.c.row, vectors.c.embedder, vectors.c.key))
    gone = [row.row for row in rows if row.embedder != embedder or row.key not in used]
    for batch in batches(gone):
        connection.execute(delete(vectors).where(vectors.c.row.in_(batch)))
    return len(gone)
