"""The catalog gives back what it was given, keeps shared things once, and knows nothing of what is gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, func, select
from tests.values import documents, records

from wrac import catalog
from wrac.catalog import Database, Record, codec, contents, memory, outbox, schema, vectors
from wrac.catalog.migrations import STEPS
from wrac.core.errors import StorageError, WorkspaceError
from wrac.core.types import Document, Plan, Policy, Unit

# A database is too slow a thing to shrink on: these laws say what failed, not the smallest of it.
UNSHRUNK = {"deadline": None, "phases": (Phase.explicit, Phase.reuse, Phase.generate)}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    found = Database(tmp_path)
    found.create()
    yield found
    found.close()


def empty(database: Database) -> None:
    with database.write() as connection:
        for url in catalog.urls(connection):
            catalog.remove(connection, url)


def rows(database: Database) -> dict[str, int]:
    with database.read() as connection:
        tables = [table for table in schema.metadata.sorted_tables if table.name not in ("meta", "vectors")]
        return {t.name: connection.execute(select(func.count()).select_from(t)).scalar_one() for t in tables}


@settings(max_examples=150, deadline=None)
@given(documents())
def test_a_document_is_decoded_to_what_was_encoded(document: Document) -> None:
    units = [document.units[unit] for unit in codec.unit_order(document)]
    again = codec.decode_document(codec.encode_document(document), units)
    assert again == document
    assert again.id == document.id
    assert codec.encode_document(again) == codec.encode_document(document)


@pytest.mark.parametrize("data", [b"", b"\x02x", b"\x01", b"\x01damaged"])
def test_bytes_of_another_form_are_refused(data: bytes) -> None:
    with pytest.raises(codec.CodecError):
        codec.unpack(data)


def test_pages_are_read_back_replaced_and_removed_without_a_trace(database: Database) -> None:
    @settings(max_examples=30, **UNSHRUNK)  # type: ignore[arg-type]
    @given(st.lists(records(), min_size=1, max_size=6))
    def law(found: list[Record]) -> None:
        empty(database)
        with database.write() as connection:
            for record in found:
                catalog.put(connection, record)
        last = {record.page.url: record for record in found}
        with database.read() as connection:
            assert catalog.urls(connection) == sorted(last)
            for url, record in last.items():
                assert catalog.get(connection, url) == record
            for unit in {unit for record in last.values() for unit in record.document.units}:
                having = {r.document.id for r in last.values() if unit in r.document.units}
                assert contents.documents_of_unit(connection, unit) == sorted(having)
            stored = set(contents.unit_rows(connection, [u for r in found for u in r.document.units]))
        assert stored == {unit for record in last.values() for unit in record.document.units}
        assert database.integrity() == []
        empty(database)
        assert set(rows(database).values()) == {0}

    law()


def test_the_digest_is_of_what_is_known_not_of_how_it_came(database: Database) -> None:
    @settings(max_examples=12, **UNSHRUNK)  # type: ignore[arg-type]
    @given(st.lists(records(), min_size=2, max_size=4, unique_by=lambda record: record.page.url))
    def law(found: list[Record]) -> None:
        digests: set[str] = set()
        for order in (found, found[::-1], [*found, found[0]]):
            empty(database)
            with database.write() as connection:
                for record in order:
                    page = replace(record.page, fetched=len(digests) + 1.0, etag=str(len(digests)))
                    catalog.put(connection, replace(record, page=page))
            with database.read() as connection:
                digests.add(catalog.digest(connection))
        assert len(digests) == 1
        with database.write() as connection:
            catalog.put(connection, replace(found[0], state="s1:" + "f" * 32))
        with database.read() as connection:
            assert catalog.digest(connection) not in digests

    law()


def test_text_that_is_not_its_slices_is_refused(database: Database) -> None:
    record = example("a.html")
    forged = replace(record.chunks[0], text=record.chunks[0].text + " and more")
    with pytest.raises(ValueError, match="goes on after its slices"), database.write() as connection:
        catalog.put(connection, replace(record, chunks=(forged,)))
    assert set(rows(database).values()) == {0}


def example(url: str, text: str = "Refunds take five days.") -> Record:
    from tests.values import chunk_of

    from wrac.core.types import Entry, HtmlAddress, Occurrence, Page, Place

    unit = Unit("paragraph", text)
    page = Page(url, text.encode())
    place = Place(0, unit.id, 0, "main", 1.0, "visible", HtmlAddress("p", 0, len(text)))
    document = Document(page.body_id, "text/html", "utf-8", "tests@1", "", "en", {unit.id: unit}, (place,), ())
    plan = Plan(document.id, ((0,),), {}, "tests@1")
    chunk = chunk_of(document, (0,), "\n\n")
    occurrence = Occurrence(chunk.id, url, (0,))
    state = "s1:" + "0" * 32
    return Record(
        page, "site", state, document, plan, (chunk,), (occurrence,), ((Entry(chunk, ""),),), "words@1", Policy()
    )


def test_equal_pages_share_everything_but_their_address(database: Database) -> None:
    with database.write() as connection:
        for url in ("a.html", "b.html"):
            catalog.put(connection, example(url))
    counted = rows(database)
    assert (counted["pages"], counted["bodies"], counted["documents"], counted["units"], counted["chunks"]) == (
        2, 1, 1, 1, 1,
    )  # fmt: skip
    with database.read() as connection:
        chunk = example("a.html").chunks[0].id
        assert catalog.pages_of_chunk(connection, chunk) == [("a.html", 0), ("b.html", 0)]


def test_skips_are_kept_until_the_page_is_used(database: Database) -> None:
    skipped = catalog.Skipped("a.html", "site", "s1:" + "1" * 32, "too deep")
    with database.write() as connection:
        catalog.skip(connection, skipped)
        catalog.skip(connection, skipped)
        assert catalog.skipped(connection) == [skipped]
        assert catalog.find(connection, "a.html") == catalog.Known(skipped.state, "site", "too deep")
        catalog.put(connection, example("a.html"))
        assert catalog.skipped(connection) == []


def test_vectors_are_remembered_by_embedder_and_text(database: Database) -> None:
    keys = [vectors.key(text) for text in ("one", "two")]
    with database.write() as connection:
        vectors.store(connection, "a@1", {keys[0]: b"1234"})
        vectors.store(connection, "a@1", {keys[0]: b"9999", keys[1]: b"5678"})
        assert vectors.recall(connection, "a@1", keys) == {keys[0]: b"1234", keys[1]: b"5678"}
        assert vectors.recall(connection, "b@1", keys) == {}


def test_a_transaction_that_raises_leaves_nothing(database: Database) -> None:
    with pytest.raises(KeyboardInterrupt), database.write() as connection:
        catalog.put(connection, example("a.html"))
        raise KeyboardInterrupt
    assert set(rows(database).values()) == {0}


def test_a_reader_sees_one_moment_and_never_waits(database: Database) -> None:
    with database.read() as reader:
        assert catalog.urls(reader) == []
        with database.write() as writer:
            catalog.put(writer, example("a.html"))
            assert catalog.urls(reader) == []
        assert catalog.urls(reader) == []
    with database.read() as reader:
        assert catalog.urls(reader) == ["a.html"]


def test_another_versions_database_is_refused_by_name(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE meta SET value = '0' WHERE name = 'schema'")
        connection.exec_driver_sql("UPDATE meta SET value = '0.0.1' WHERE name = 'wrac'")
    told = rf"schema 0 \(made by wrac 0.0.1\).* reads schema {schema.SCHEMA}; use wrac 0.0.1"
    with pytest.raises(WorkspaceError, match=told):
        database.check()


def test_an_older_workspace_is_brought_up_to_date(database: Database) -> None:
    with database.write() as connection:
        catalog.put(connection, example("a.html"))
        for table in (schema.answers, schema.ledger, schema.outbox, schema.frontier, schema.visits):
            table.drop(connection)
        connection.exec_driver_sql("UPDATE meta SET value = '1' WHERE name = 'schema'")
    database.check()
    database.check()
    with database.read() as connection:
        assert memory.remembered(connection, "schema") == str(schema.SCHEMA)
        assert catalog.urls(connection) == ["a.html"]
        assert outbox.waiting(connection) == 0


def test_a_step_that_fails_leaves_the_schema_before_it(database: Database) -> None:
    def fail(connection: Connection) -> None:
        connection.exec_driver_sql("DROP TABLE answers")
        raise KeyboardInterrupt

    with database.write() as connection:
        memory.remember(connection, "schema", "2")
    with pytest.raises(KeyboardInterrupt):
        database.upgrade({**STEPS, 3: fail})
    with database.read() as connection:
        assert memory.remembered(connection, "schema") == "2"
        assert connection.dialect.has_table(connection, "answers")


def test_the_outbox_keeps_a_page_until_it_was_told_as_it_is(database: Database) -> None:
    with database.write() as connection:
        outbox.add(connection, ["a.html", "b.html", "a.html", "c.html"])
        assert outbox.waiting(connection) == 3
        last, urls = outbox.first(connection, 3)
        assert urls == ["a.html", "b.html"]
        outbox.add(connection, ["a.html"])  # changed again while it was told
        outbox.told(connection, last, urls)
        assert outbox.first(connection, 9)[1] == ["c.html", "a.html"]
        catalog.put(connection, example("d.html"))
        outbox.refill(connection)
        assert outbox.first(connection, 9)[1] == ["d.html"]


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / catalog.FILE).write_bytes(b"not a database, not at all" * 100)
    with pytest.raises(WorkspaceError, match="is damaged"):
        Database(tmp_path).check()


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "a?mode=memory#b%41 ü"
    folder.mkdir()
    database = Database(folder)
    database.create()
    database.close()
    assert (folder / catalog.FILE).is_file() and [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / catalog.FILE) as other:
        other.execute("CREATE TABLE cats (name)")
    other.close()
    with pytest.raises(WorkspaceError, match="no wrac database"):
        Database(tmp_path).check()


def test_a_full_disk_is_one_line_and_the_rest_is_intact(database: Database) -> None:
    with database.write() as connection:
        catalog.put(connection, example("a.html"))
    with pytest.raises(StorageError, match="free space"), database.write() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 1}")
        for number in range(200):
            catalog.put(connection, example(f"{number}.html", "word " * 300 + str(number)))
    database.engine.dispose()
    with database.write() as connection:
        assert catalog.urls(connection) == ["a.html"]
        catalog.put(connection, example("b.html"))
    assert database.integrity() == []
