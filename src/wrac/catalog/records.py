"""Pages in and out of the catalog: a `Record` holds all that is known of one page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from wrac.catalog import contents
from wrac.catalog.codec import decode_occurrences, decode_plan, encode_occurrences, encode_plan, unpack
from wrac.catalog.contents import one, short, tagged
from wrac.catalog.schema import bodies, chunks, documents, occurrences, pages, plans, skips
from wrac.core.types import Chunk, Document, Entry, Occurrence, Page, Plan, Policy


@dataclass(frozen=True, slots=True)
class Record:
    """A page, what it was parsed and planned to, and how each of its chunks is embedded.

    `chunks`, `occurrences` and `entries` are aligned; a chunk too long for the embedder has several entries. `source`
    is what the page was asked for by (a directory, a URL): the scope in which it can vanish. `state` identifies the
    inputs and versions that led here: equal, nothing is to be done.
    """

    page: Page
    source: str
    state: str
    document: Document
    plan: Plan
    chunks: tuple[Chunk, ...]
    occurrences: tuple[Occurrence, ...]
    entries: tuple[tuple[Entry, ...], ...]
    embedder: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class Skipped:
    """A page that could not be used, and why."""

    url: str
    source: str
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Known:
    """A stored page in numbers, or with a `reason` a recorded skip."""

    state: str
    source: str
    reason: str = ""
    places: int = 0
    chunks: int = 0
    entries: int = 0


def put(connection: Connection, record: Record) -> None:
    """Store a page, in place of what its URL held before.

    Raises ValueError when a chunk's text is not its slices joined.
    """
    row = connection.scalar(select(pages.c.row).where(pages.c.url == record.page.url))
    old = None if row is None else _used(connection, row)
    document = contents.put_document(connection, record.document)
    values = {
        **_described(record),
        "body": contents.put_body(connection, record.page.body),
        "document": document,
        "plan": _put_plan(connection, document, record.plan),
    }
    if row is None:
        row = one(connection.execute(insert(pages).values(values)).inserted_primary_key)
    else:
        connection.execute(update(pages).where(pages.c.row == row).values(values))
        connection.execute(delete(occurrences).where(occurrences.c.page == row))
    found = contents.put_chunks(connection, record.chunks, record.document)
    if found:
        used = [{"page": row, "position": i, "chunk": chunk} for i, chunk in enumerate(found)]
        connection.execute(insert(occurrences), used)
    connection.execute(delete(skips).where(skips.c.url == record.page.url))
    if old is not None:
        _release(connection, old)


def remove(connection: Connection, url: str) -> bool:
    """Whether the catalog held the page; it does not any more, nor what only that page used."""
    row = connection.scalar(select(pages.c.row).where(pages.c.url == url))
    if row is None:
        return False
    old = _used(connection, row)
    connection.execute(delete(occurrences).where(occurrences.c.page == row))
    connection.execute(delete(pages).where(pages.c.row == row))
    _release(connection, old)
    return True


def get(connection: Connection, url: str) -> Record | None:
    """All that is stored of a page; None when there is no such page."""
    joined = pages.join(documents).join(plans, plans.c.row == pages.c.plan)
    columns = (pages, documents.c.id.label("document_id"), plans.c.data.label("plan_data"))
    row = connection.execute(select(*columns).select_from(joined).where(pages.c.url == url)).one_or_none()
    if row is None:
        return None
    stored = contents.get_document(connection, row.document)
    on_page = contents.get_chunks(connection, row.row)
    found, entries = decode_occurrences(row.occurrences, url, on_page)
    return Record(
        page=_page(row, contents.get_body(connection, row.body)),
        source=row.source,
        state=tagged("s1", row.state),
        document=stored,
        plan=decode_plan(row.plan_data, stored.id),
        chunks=tuple(on_page),
        occurrences=found,
        entries=entries,
        embedder=row.embedder,
        policy=Policy(**json.loads(row.policy)),
    )


def find(connection: Connection, url: str) -> Known | None:
    """What is known of a URL without reading its page; None when nothing is."""
    parts = (pages.c.state, pages.c.source, pages.c.places, pages.c.entries, func.count(occurrences.c.chunk))
    query = select(*parts).select_from(pages.outerjoin(occurrences)).where(pages.c.url == url).group_by(pages.c.row)
    row = connection.execute(query).one_or_none()
    if row is not None:
        return Known(tagged("s1", row[0]), row[1], "", row[2], row[4], row[3])
    gone = connection.execute(select(skips).where(skips.c.url == url)).one_or_none()
    return None if gone is None else Known(tagged("s1", gone.state), gone.source, gone.reason)


def parsed(connection: Connection, page: Page) -> Document | None:
    """The stored document of a page with these bytes, media type and charset; None when there is none."""
    joined = pages.join(bodies, bodies.c.row == pages.c.body)
    same = (
        (pages.c.url == page.url)
        & (pages.c.media_type == page.media_type)
        & (pages.c.charset == page.charset)
        & (bodies.c.id == short(page.body_id))
    )
    row = connection.scalar(select(pages.c.document).select_from(joined).where(same))
    return None if row is None else contents.get_document(connection, row)


def stored(connection: Connection, url: str) -> tuple[Page, str] | None:
    """A page as it was fetched, and by what it was asked for; None when there is no such page."""
    row = connection.execute(select(pages).where(pages.c.url == url)).one_or_none()
    return None if row is None else (_page(row, contents.get_body(connection, row.body)), row.source)


def chunks_on(connection: Connection, url: str) -> list[str]:
    """Ids of the chunks on a page, in their order; none when there is no such page."""
    joined = occurrences.join(chunks).join(pages, pages.c.row == occurrences.c.page)
    query = select(chunks.c.id).select_from(joined).where(pages.c.url == url).order_by(occurrences.c.position)
    return [tagged("c1", identity) for identity in connection.scalars(query)]


def own(connection: Connection, url: str, source: str) -> None:
    """Say by which source a page is reached now."""
    connection.execute(update(pages).where(pages.c.url == url).values(source=source))


def urls(connection: Connection, source: str | None = None) -> list[str]:
    """URLs of the stored pages, in order; of one source when it is given."""
    query = select(pages.c.url).order_by(pages.c.url)
    return list(connection.scalars(query if source is None else query.where(pages.c.source == source)))


class Listed(NamedTuple):
    """A stored page as a list shows it: the counts are of places and of chunks, `fetched` seconds since 1970."""

    url: str
    source: str
    media_type: str
    fetched: float
    places: int
    chunks: int
    planner: str


def listed(connection: Connection, prefix: str = "", after: str = "", limit: int = 100) -> list[Listed]:
    """At most `limit` pages whose URLs begin with `prefix` and come after `after`, by URL."""
    counted = select(func.count()).where(occurrences.c.page == pages.c.row).scalar_subquery()
    columns = (pages.c.url, pages.c.source, pages.c.media_type, pages.c.fetched, pages.c.places, counted)
    query = select(*columns, plans.c.planner).select_from(pages.join(plans, plans.c.row == pages.c.plan))
    query = query.where(pages.c.url > after, pages.c.url >= prefix, pages.c.url < prefix + "\U0010ffff")
    return [Listed(*row) for row in connection.execute(query.order_by(pages.c.url).limit(limit))]


def sources(connection: Connection) -> list[str]:
    """What the stored pages, and those that could not be used, were asked for by, in order."""
    found = select(pages.c.source).union(select(skips.c.source))
    return sorted(connection.scalars(found))


def skip(connection: Connection, skipped: Skipped) -> None:
    """Record that a page could not be used."""
    forgive(connection, skipped.url)
    row = {"url": skipped.url, "source": skipped.source, "state": short(skipped.state), "reason": skipped.reason}
    connection.execute(insert(skips).values(row))


def forgive(connection: Connection, url: str) -> None:
    """Forget a recorded skip."""
    connection.execute(delete(skips).where(skips.c.url == url))


def skipped(connection: Connection) -> list[Skipped]:
    """The recorded skips, by URL."""
    rows = connection.execute(select(skips).order_by(skips.c.url))
    return [Skipped(row.url, row.source, tagged("s1", row.state), row.reason) for row in rows]


def standing(connection: Connection, wanted: Iterable[str]) -> set[tuple[str, int, str]]:
    """URL, position and chunk of all that stands on those of the pages that there are."""
    joined = occurrences.join(chunks).join(pages, pages.c.row == occurrences.c.page)
    found: set[tuple[str, int, str]] = set()
    for batch in contents.batches(wanted):
        query = (
            select(pages.c.url, occurrences.c.position, chunks.c.id).select_from(joined).where(pages.c.url.in_(batch))
        )
        found.update((row[0], row[1], tagged("c1", row[2])) for row in connection.execute(query))
    return found


def pages_of_chunk(connection: Connection, chunk: str) -> list[tuple[str, int]]:
    """Where a chunk stands: URL and position among that page's chunks, by URL."""
    joined = occurrences.join(chunks).join(pages, pages.c.row == occurrences.c.page)
    query = select(pages.c.url, occurrences.c.position).select_from(joined).where(chunks.c.id == short(chunk))
    return [(row.url, row.position) for row in connection.execute(query.order_by(pages.c.url, occurrences.c.position))]


def _described(record: Record) -> dict[str, Any]:
    page = record.page
    return {
        "url": page.url,
        "source": record.source,
        "state": short(record.state),
        "media_type": page.media_type,
        "charset": page.charset,
        "fetched": page.fetched,
        "etag": page.etag,
        "last_modified": page.last_modified,
        "status": page.status,
        "meta": json.dumps(dict(page.meta), sort_keys=True),
        "embedder": record.embedder,
        "policy": json.dumps(asdict(record.policy), sort_keys=True),
        "places": len(record.document.places),
        "entries": sum(map(len, record.entries)),
        "occurrences": encode_occurrences(record.occurrences, record.entries),
    }


def _page(row: Row[Any], body: bytes) -> Page:
    return Page(
        url=row.url,
        body=body,
        media_type=row.media_type,
        charset=row.charset,
        fetched=row.fetched,
        etag=row.etag,
        last_modified=row.last_modified,
        status=row.status,
        meta=json.loads(row.meta),
    )


def _put_plan(connection: Connection, document: int, plan: Plan) -> int:
    same = (plans.c.document == document) & (plans.c.planner == plan.planner)
    row = connection.execute(select(plans.c.row, plans.c.data).where(same)).one_or_none()
    data = encode_plan(plan)
    if row is None:
        values = {"document": document, "planner": plan.planner, "data": data}
        return one(connection.execute(insert(plans).values(values)).inserted_primary_key)
    if row.data != data:
        connection.execute(update(plans).where(plans.c.row == row.row).values(data=data))
    return int(row.row)


@dataclass(frozen=True, slots=True)
class _Used:
    """Rows that a page refers to, and that go when nothing does any more."""

    body: int
    document: int
    plan: int
    chunks: list[int]


def _used(connection: Connection, page: int) -> _Used:
    query = select(pages.c.body, pages.c.document, pages.c.plan).where(pages.c.row == page)
    row = connection.execute(query).one()
    found = connection.scalars(select(occurrences.c.chunk).where(occurrences.c.page == page).distinct())
    return _Used(row.body, row.document, row.plan, list(found))


def _release(connection: Connection, old: _Used) -> None:
    contents.drop_chunks(connection, old.chunks)
    for column, table, row in ((pages.c.plan, plans, old.plan), (pages.c.body, bodies, old.body)):
        if connection.scalar(select(column).where(column == row).limit(1)) is None:
            connection.execute(delete(table).where(table.c.row == row))
    if connection.scalar(select(pages.c.row).where(pages.c.document == old.document).limit(1)) is None:
        connection.execute(delete(plans).where(plans.c.document == old.document))
        contents.drop_document(connection, old.document)


def markdown(connection: Connection, url: str, position: int) -> str:
    """The rendering of a chunk on a page, by its position among the page's chunks.

    Raises KeyError when the page has no such chunk.
    """
    data = connection.scalar(select(pages.c.occurrences).where(pages.c.url == url))
    rows = [] if data is None else unpack(data)
    if not 0 <= position < len(rows):
        raise KeyError(f"{url} has no chunk {position}")
    return str(rows[position][3])


def renderings(connection: Connection) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each page's URL, and of its chunks in their order what is above it as it is embedded, and its rendering."""
    query = select(pages.c.url, pages.c.occurrences).order_by(pages.c.url)
    for url, data in connection.execute(query.execution_options(yield_per=100)):
        yield url, [(made[0][0] if made else "", str(text)) for _, _, _, text, made in unpack(data)]
