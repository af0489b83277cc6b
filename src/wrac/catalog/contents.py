"""What pages share: bodies, documents, units and chunks, each stored once under its content id."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import BindParameter, Connection, Table, bindparam, delete, func, insert, select, update

from wrac.catalog.codec import LEVEL, decode_document, encode_document, unit_order, unpack
from wrac.catalog.schema import bodies, chunks, documents, occurrences, pages, shared, units
from wrac.core.ids import body_id
from wrac.core.types import Chunk, Document, Slice, Unit

T = TypeVar("T")
BATCH = 500  # parameters of one IN: every statement stays far below any database's limit


# Asked for every page: made once, where a list in the statement would be looked at value by value each time.
_WANTED: BindParameter[Any] = bindparam("wanted", expanding=True)
_ROWS_OF_UNITS = select(units.c.id, units.c.row).where(units.c.id.in_(_WANTED))
_UNITS_IN_ROWS = select(units.c.row, units.c.kind, units.c.text).where(units.c.row.in_(_WANTED))


def short(identity: str) -> bytes:
    """The 16 bytes of an id; its tag belongs to the column."""
    return bytes.fromhex(identity[3:])


def tagged(tag: str, data: bytes) -> str:
    """The id with that tag and those bytes."""
    return f"{tag}:{data.hex()}"


def batches(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """The values in lists of at most `size`."""
    rest = iter(values)
    while batch := list(islice(rest, size)):
        yield batch


def one(key: Sequence[Any] | None) -> int:
    """The single number of an inserted primary key."""
    if key is None:
        raise TypeError("the statement inserted no row")
    return int(key[0])


def put_body(connection: Connection, body: bytes) -> int:
    """The row of a body, stored if it was not."""
    identity = short(body_id(body))
    row = connection.scalar(select(bodies.c.row).where(bodies.c.id == identity))
    if row is None:
        values = {"id": identity, "size": len(body), "data": zlib.compress(body, LEVEL)}
        row = one(connection.execute(insert(bodies).values(values)).inserted_primary_key)
    return int(row)


def get_body(connection: Connection, row: int) -> bytes:
    """The bytes of a body."""
    return zlib.decompress(connection.execute(select(bodies.c.data).where(bodies.c.row == row)).scalar_one())


def put_document(connection: Connection, document: Document) -> int:
    """The row of a document, stored with its units if it was not."""
    identity = short(document.id)
    row = connection.scalar(select(documents.c.row).where(documents.c.id == identity))
    if row is not None:
        return int(row)
    values = {"id": identity, "units": b"", "data": encode_document(document)}
    row = one(connection.execute(insert(documents).values(values)).inserted_primary_key)
    order = unit_order(document)
    rows = _put_units(connection, [document.units[unit] for unit in order], row)
    packed = zlib.compress(array("I", [rows[unit] for unit in order]).tobytes(), LEVEL)
    connection.execute(update(documents).where(documents.c.row == row).values(units=packed))
    return row


def find_document(connection: Connection, identity: str) -> Document | None:
    """The document with that id; None when it is not stored."""
    row = connection.scalar(select(documents.c.row).where(documents.c.id == short(identity)))
    return None if row is None else get_document(connection, row)


def get_document(connection: Connection, row: int) -> Document:
    """The document in a row, its units read from their own table.

    Raises CodecError when what is stored cannot be read, KeyError when a unit is missing.
    """
    found = connection.execute(select(documents.c.units, documents.c.data).where(documents.c.row == row)).one()
    numbers = _numbers(found.units)
    texts = get_units(connection, numbers)
    return decode_document(found.data, [texts[number] for number in numbers])


def table_heads(connection: Connection, url: str) -> set[str]:
    """Ids of the units that are rows heading a table of a page; nothing else of its document is made."""
    joined = pages.join(documents, documents.c.row == pages.c.document)
    query = select(documents.c.units, documents.c.data).select_from(joined).where(pages.c.url == url)
    found = connection.execute(query).one_or_none()
    value = unpack(found.data) if found is not None else {"spans": []}
    tables = [data[0] for kind, _, _, _, *data in value["spans"] if kind == "table" and data]
    ordinals = {ordinal for data in tables for ordinal in data.get("header_rows", ())}
    if found is None or not ordinals:
        return set()
    rows = _numbers(found.units)
    return {unit.id for unit in get_units(connection, {rows[value["unit"][o]] for o in ordinals}).values()}


def get_units(connection: Connection, rows: Iterable[int]) -> dict[int, Unit]:
    """Units by their rows."""
    found: dict[int, Unit] = {}
    for batch in batches(rows):
        rows_found = connection.execute(_UNITS_IN_ROWS, {"wanted": batch})
        found.update((row.row, Unit(row.kind, row.text)) for row in rows_found)
    return found


def unit_rows(connection: Connection, identities: Iterable[str]) -> dict[str, int]:
    """Rows of the units among the ids that are stored."""
    found: dict[str, int] = {}
    for batch in batches(identities):
        rows = connection.execute(_ROWS_OF_UNITS, {"wanted": [short(unit) for unit in batch]})
        found.update((tagged("u1", row.id), row.row) for row in rows)
    return found


def documents_of_unit(connection: Connection, identity: str) -> list[str]:
    """Ids of the documents a unit is in."""
    first = select(documents.c.id).join(units, units.c.document == documents.c.row)
    further = select(documents.c.id).join(shared, shared.c.document == documents.c.row).join(units)
    own = units.c.id == short(identity)
    rows = connection.scalars(first.where(own).union(further.where(own)))
    return sorted(tagged("d1", row) for row in rows)


def drop_document(connection: Connection, row: int) -> None:
    """Remove a document, and the units that no other one has."""
    packed = connection.execute(select(documents.c.units).where(documents.c.row == row)).scalar_one()
    for batch in batches(_numbers(packed)):
        _drop_units(connection, batch, row)
    connection.execute(delete(documents).where(documents.c.row == row))


def put_chunks(connection: Connection, found: Sequence[Chunk], document: Document) -> list[int]:
    """Rows of the chunks, stored if they were not.

    Raises ValueError when a chunk's text is not its slices joined.
    """
    known: dict[bytes, int] = {}
    for batch in batches({short(chunk.id) for chunk in found}):
        query = select(chunks.c.id, chunks.c.row).where(chunks.c.id.in_(batch))
        known.update((row.id, row.row) for row in connection.execute(query))
    new = {short(c.id): c for c in found if short(c.id) not in known}
    if new:
        rows = unit_rows(connection, {u for c in new.values() for u in (*c.trail, *(s.unit for s in c.slices))})
        fresh = dict(enumerate(new, _next(connection, chunks)))
        values = [{"row": r, "id": i, "data": _encode_chunk(new[i], rows, document)} for r, i in fresh.items()]
        connection.execute(insert(chunks), values)
        known |= {identity: row for row, identity in fresh.items()}
    return [known[short(chunk.id)] for chunk in found]


def get_chunks(connection: Connection, page: int) -> list[Chunk]:
    """The chunks of a page's row, in their order, made anew from its units."""
    joined = occurrences.join(chunks)
    query = select(chunks.c.data).select_from(joined).where(occurrences.c.page == page)
    rows = [json.loads(row) for row in connection.scalars(query.order_by(occurrences.c.position))]
    needed = {unit for trail, slices, _, _ in rows for unit in (*trail, *slices[::3])}
    texts = get_units(connection, sorted(needed))
    return [_decode_chunk(row, texts) for row in rows]


def find_chunks(connection: Connection, prefix: str, limit: int) -> list[str]:
    """Ids of at most `limit` chunks whose id starts with the hex digits, in order."""
    low = bytes.fromhex(prefix.ljust(32, "0"))
    high = bytes.fromhex(prefix.ljust(32, "f"))
    query = select(chunks.c.id).where(chunks.c.id.between(low, high)).order_by(chunks.c.id).limit(limit)
    return [tagged("c1", row) for row in connection.scalars(query)]


def drop_chunks(connection: Connection, rows: Iterable[int]) -> None:
    """Remove those of the chunks that stand on no page."""
    for batch in batches(rows):
        used = set(connection.scalars(select(occurrences.c.chunk).where(occurrences.c.chunk.in_(batch)).distinct()))
        if gone := [row for row in batch if row not in used]:
            connection.execute(delete(chunks).where(chunks.c.row.in_(gone)))


def _numbers(packed: bytes) -> list[int]:
    return array("I", zlib.decompress(packed)).tolist()


def _put_units(connection: Connection, found: Sequence[Unit], document: int) -> dict[str, int]:
    known = unit_rows(connection, [unit.id for unit in found])
    if known:
        connection.execute(insert(shared), [{"unit": row, "document": document} for row in known.values()])
    new = [unit for unit in found if unit.id not in known]
    if new:
        # There is one writer: numbers given here need not be asked for afterwards.
        fresh = dict(enumerate(new, _next(connection, units)))
        rows = [
            {"row": row, "id": short(unit.id), "kind": unit.kind, "text": unit.text, "document": document}
            for row, unit in fresh.items()
        ]
        connection.execute(insert(units), rows)
        known |= {unit.id: row for row, unit in fresh.items()}
    return known


def _next(connection: Connection, table: Table) -> int:
    """The number of the table's next row."""
    return int(connection.scalar(select(func.max(table.c.row))) or 0) + 1


def _drop_units(connection: Connection, rows: list[int], document: int) -> None:
    """Take a document from its units: a unit that others have gets one of them, the rest go."""
    connection.execute(delete(shared).where(shared.c.unit.in_(rows), shared.c.document == document))
    owned = select(units.c.row).where(units.c.row.in_(rows), units.c.document == document)
    mine = list(connection.scalars(owned))
    query = select(shared.c.unit, shared.c.document).where(shared.c.unit.in_(mine))
    heirs = {row.unit: row.document for row in connection.execute(query)}
    for unit, heir in heirs.items():
        connection.execute(update(units).where(units.c.row == unit).values(document=heir))
        connection.execute(delete(shared).where(shared.c.unit == unit, shared.c.document == heir))
    if gone := [row for row in mine if row not in heirs]:
        connection.execute(delete(units).where(units.c.row.in_(gone)))


def _encode_chunk(chunk: Chunk, rows: Mapping[str, int], document: Document) -> str:
    """Trail, flat slices, the joints between them, tokens. The text is not stored: it is its slices joined."""
    slices = [number for s in chunk.slices for number in (rows[s.unit], s.start, s.end)]
    joints = _joints(chunk, document)
    packed: str | list[str] = joints[0] if joints and len(set(joints)) == 1 else joints
    return json.dumps([[rows[unit] for unit in chunk.trail], slices, packed, chunk.tokens], separators=(",", ":"))


def tokens(connection: Connection) -> int:
    """Tokens of all chunks, each text once."""
    rows = connection.execution_options(yield_per=1000).scalars(select(chunks.c.data))
    return sum(int(data[data.rindex(",") + 1 : -1]) for data in rows)


def _joints(chunk: Chunk, document: Document) -> list[str]:
    """The white space between the slices of a chunk's text."""
    joints: list[str] = []
    at = 0
    for number, piece in enumerate(chunk.slices):
        text = document.units[piece.unit].text[piece.start : piece.end]
        # An empty slice stands anywhere; at the end it takes what white space is left.
        start = chunk.text.find(text, at) if text or number + 1 < len(chunk.slices) else len(chunk.text)
        joint = chunk.text[at:start]
        if start < 0 or joint.strip() or (number == 0 and joint):
            raise ValueError(f"{chunk.id}: slice {number} does not stand in its text")
        joints.append(joint)
        at = start + len(text)
    if at != len(chunk.text):
        raise ValueError(f"{chunk.id}: its text goes on after its slices")
    return joints[1:]


def _decode_chunk(row: list[Any], texts: Mapping[int, Unit]) -> Chunk:
    trail, flat, joints, tokens = row
    pieces = list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))
    parts = [texts[unit].text[start:end] for unit, start, end in pieces]
    if isinstance(joints, str):
        text = joints.join(parts)
    else:
        text = "".join(part + joint for part, joint in zip(parts, [*joints, ""], strict=True))
    slices = tuple(Slice(texts[unit].id, start, end) for unit, start, end in pieces)
    return Chunk(slices, tuple(texts[unit].id for unit in trail), text, tokens)


def find_units(connection: Connection, identities: Iterable[str]) -> dict[str, Unit]:
    """Those of the units that are stored, by id."""
    found: dict[str, Unit] = {}
    for batch in batches(dict.fromkeys(identities)):
        query = select(units.c.kind, units.c.text).where(units.c.id.in_([short(unit) for unit in batch]))
        made = (Unit(row.kind, row.text) for row in connection.execute(query))
        found.update((unit.id, unit) for unit in made)
    return found
