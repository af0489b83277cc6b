"""Every id and law computed again from what is stored: what `wrac verify` says a workspace is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from sqlalchemy import Connection, func, select

from wrac import catalog, chunking
from wrac.catalog import Record, contents, schema, vectors
from wrac.core.errors import WracError
from wrac.core.ids import body_id
from wrac.core.seams import Embedder
from wrac.core.types import Unit
from wrac.flow.report import Progress, VerifyReport
from wrac.flow.rows import language_of, rows_of
from wrac.flow.shelf import Shelf
from wrac.indexing import Index, Row, Vector
from wrac.parsing import Resolver, account
from wrac.planning import check

MOST = 200
"""Problems that are told; the first ones say what happened."""


def verify(shelf: Shelf, *, digest: bool, progress: Progress) -> VerifyReport:
    """What was looked at and what is wrong with it."""
    damage = shelf.database.integrity()
    if waiting := shelf.waiting():
        damage.append(f"{shelf.place} has not been told of {waiting} pages; run `wrac index` or `wrac reindex`")
    with shelf.database.read() as connection:
        return _verified(connection, shelf.whole(connection), shelf.embedder, damage, digest, progress)


def _verified(  # noqa: PLR0913, PLR0917 - what there is to look at
    connection: Connection, index: Index, embedder: Embedder, damage: Sequence[str], digest: bool, progress: Progress
) -> VerifyReport:
    problems = [*damage]
    counts = {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (schema.pages, schema.units, schema.chunks, schema.vectors)
    }
    problems += _contents(connection)
    urls, placed = catalog.urls(connection), set[tuple[str, int, str]]()
    for done, url in enumerate(urls, 1):
        problems += _page(connection, index, embedder, url, placed)
        progress("verify", done, len(urls), url)
    problems += index.check()
    problems += _strays(index, placed)
    said = catalog.digest(connection) if digest and not problems else ""
    return VerifyReport(**counts, problems=tuple(problems[:MOST]), digest=said)


def _contents(connection: Connection) -> Iterator[str]:
    """Bodies and units whose id is not that of what is stored under it."""
    for row in connection.execute(select(schema.bodies.c.row, schema.bodies.c.id)):
        body = contents.get_body(connection, row.row)
        if contents.short(body_id(body)) != row.id:
            yield f"body {row.id.hex()} is stored as other bytes"
    for row in connection.execute(select(schema.units)):
        unit = Unit(row.kind, row.text)
        if contents.short(unit.id) != row.id:
            yield f"unit {row.id.hex()} is stored with another text"


def _page(
    connection: Connection, index: Index, embedder: Embedder, url: str, placed: set[tuple[str, int, str]]
) -> Iterator[str]:
    """What is wrong with one page; its rows, which the index should have, are added to `placed`."""
    try:
        record = catalog.get(connection, url)
    except (catalog.CodecError, KeyError, ValueError) as error:
        yield f"{url}: cannot be read back: {error}"
        return
    if record is None:
        yield f"{url}: is missing"
        return
    yield from (f"{url}: {problem}" for problem in _laws(record))
    yield from (f"{url}: {problem}" for problem in _embedded(connection, record, embedder))
    wanted = rows_of(record, language_of(record), [()] * len(record.chunks))  # terms are not given back
    placed.update((row.page, row.position, row.entry) for row in wanted)
    yield from (f"{url}: {problem}" for problem in _indexed(index, wanted))
    if record.embedder == embedder.name:
        yield from (f"{url}: {problem}" for problem in _vectors(connection, index, embedder, wanted))


def _laws(record: Record) -> Iterator[str]:
    """Laws 1 to 4 and 8 on what was read back."""
    document = record.document
    if document.body != record.page.body_id:
        yield f"the document is of body {document.body}, the page has {record.page.body_id}"
    found = account(record.page, document)
    if not found.balanced:
        yield f"{found.sources} code points in its source, {found.units} in units and {found.losses} in losses"
    try:
        check(document, record.plan)
        for chunk in record.chunks:
            chunking.verify(document, chunk)
            chunking.limits(chunk, record.policy)
    except WracError as error:
        yield str(error)
    yield from _addresses(record)


def _addresses(record: Record) -> Iterator[str]:
    """Law 4: every address gives its unit's text."""
    resolver = Resolver(record.page.body, record.page.media_type, record.page.charset)
    for place in record.document.places:
        try:
            found = resolver.text(place.address)
        except (WracError, KeyError, IndexError, ValueError) as error:
            yield f"place {place.ordinal} leads nowhere: {error}"
            continue
        if found != record.document.text(place.ordinal):
            yield f"place {place.ordinal} leads to {found[:40]!r}, not {record.document.text(place.ordinal)[:40]!r}"


def _embedded(connection: Connection, record: Record, embedder: Embedder) -> Iterator[str]:
    """Law 8 as embedded, and a vector for each entry."""
    entries = [entry for made in record.entries for entry in made]
    keys = {entry.id: vectors.key(entry.text) for entry in entries}
    known = vectors.known(connection, record.embedder, keys.values())
    for entry in entries:
        if keys[entry.id] not in known:
            yield f"{entry.id} has no vector by {record.embedder}"
        if record.embedder == embedder.name and embedder.tokens(entry.text) > embedder.window:
            yield f"{entry.id} is longer than the window of {embedder.name}"
    for chunk, made in zip(record.chunks, record.entries, strict=True):
        end = 0
        for entry in made:
            if entry.start != end:
                yield f"the entries of {chunk.id} do not tile its text at {end}"
            end = len(chunk.text) if entry.end < 0 else entry.end
        if end != len(chunk.text):
            yield f"the entries of {chunk.id} end at {end} of {len(chunk.text)}"


def _indexed(index: Index, wanted: Sequence[Row]) -> Iterator[str]:
    """The page's index rows are those that its record gives."""
    stored = index.rows([row.entry for row in wanted])
    for row in wanted:
        same = [one for one in stored[row.entry] if (one.page, one.position) == (row.page, row.position)]
        if not same:
            yield f"{row.entry} is not indexed"
        elif same[0] != replace(row, terms=(), key=b""):
            yield f"{row.entry} is indexed as something else"


def _vectors(connection: Connection, index: Index, embedder: Embedder, wanted: Sequence[Row]) -> Iterator[str]:
    """The index has the vector that the catalog has."""
    known = vectors.recall(connection, embedder.name, {row.key for row in wanted})
    stored = index.vectors([row.entry for row in wanted])
    for row in wanted:
        vector = stored.get(row.entry)
        if row.key in known and (vector is None or not _near(vector, np.frombuffer(known[row.key], "<f4"))):
            yield f"{row.entry} has {'no' if vector is None else 'another'} vector in the index; run `wrac reindex`"


def _near(one: Vector, other: Vector) -> bool:
    """Equal but for what a store's own arithmetic may turn in the last digit."""
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=0, atol=1e-6))


def _strays(index: Index, placed: set[tuple[str, int, str]]) -> Iterator[str]:
    """Rows that the index has and no page."""
    for page, position, entry in sorted(set(index.contents()) - placed):
        yield f"the index has {entry} as passage {position} of {page}, the catalog has not; run `wrac reindex`"
