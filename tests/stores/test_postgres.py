"""PostgreSQL as a workspace's database: the catalog's own tests on a real server, and what is particular to one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests import postgres
from tests.fakes_index import WordEmbedder
from tests.site import build
from tests.stores.stores import needed
from tests.test_catalog import (  # noqa: F401 - these run here on the fixture below
    example,
    test_a_reader_sees_one_moment_and_never_waits,
    test_a_step_that_fails_leaves_the_schema_before_it,
    test_a_transaction_that_raises_leaves_nothing,
    test_an_older_workspace_is_brought_up_to_date,
    test_another_versions_database_is_refused_by_name,
    test_equal_pages_share_everything_but_their_address,
    test_pages_are_read_back_replaced_and_removed_without_a_trace,
    test_skips_are_kept_until_the_page_is_used,
    test_text_that_is_not_its_slices_is_refused,
    test_the_digest_is_of_what_is_known_not_of_how_it_came,
    test_the_outbox_keeps_a_page_until_it_was_told_as_it_is,
    test_vectors_are_remembered_by_embedder_and_text,
)

from wrac import catalog
from wrac.catalog.postgres import PostgresDatabase
from wrac.core.errors import BusyError, ConfigError, RemoteError, WorkspaceError
from wrac.flow import Workspace

QUOTED = "p%3Aw%40d%2F"  # how the password begins in a URL


@pytest.fixture
def database() -> Iterator[PostgresDatabase]:
    needed("psycopg")
    found = PostgresDatabase(postgres.url())
    found.create()
    yield found
    found.close()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_a_unit_with_the_character_that_the_server_cannot_hold(database: PostgresDatabase) -> None:
    record = example("a.html", "before \0 after \U0010ffff0 and \U0010ffff")
    with database.write() as connection:
        catalog.put(connection, record)
    with database.read() as connection:
        assert catalog.get(connection, "a.html") == record


def test_tables_of_others_in_the_same_database_are_left_alone(tmp_path: Path) -> None:
    """A workspace beside another's `pages` table in `public`, and a second one in a schema of its own."""
    site = build(tmp_path, 2)
    first, second = postgres.url(), postgres.url()
    admin = PostgresDatabase(first)
    with admin.engine.begin() as connection:
        connection.execute(text("CREATE TABLE IF NOT EXISTS public.pages (theirs text)"))
    try:
        for url in (first, second):
            with Workspace(url, embedder=WordEmbedder()) as workspace:
                assert workspace.index([site], workers=0).pages == 2
        with Workspace(first, embedder=WordEmbedder()) as workspace:
            workspace.index([build(tmp_path, 1, name="more")], workers=0)
            assert workspace.status()["pages"] == 3
        with Workspace(second, embedder=WordEmbedder(), create=False) as workspace:
            assert workspace.status()["pages"] == 2
            assert workspace.verify().problems == ()
        with admin.engine.begin() as connection:
            assert connection.execute(text("SELECT count(*) FROM public.pages")).scalar_one() == 0
        told = pytest.raises(WorkspaceError, match=r"schema \w+ holds a workspace; give another \?index=")
        with told, Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
            workspace.index([site], workers=0, store=first)
    finally:
        with admin.engine.begin() as connection:
            connection.execute(text("DROP TABLE public.pages"))
        admin.close()


def wrong(url: str) -> list[tuple[str, type[Exception], str]]:
    """URLs that lead nowhere, and the lines that say so; no line holds a password."""
    place = url.split("@")[1]
    host = place.partition("/")[0]
    port = host.partition(":")[2]
    shown = f"postgresql://wrac@{host}/postgres"
    asked = f'connection failed: connection to server at "127.0.0.1", port {port} failed: FATAL: '
    advice = "; start the server, or check host, user, password (WRAC_STORE_PASSWORD) and database"
    return [
        (f"postgresql://wrac:secret@{host}/postgres", RemoteError,
         f'{shown}: {asked} password authentication failed for user "wrac"{advice}'),
        (url.replace("/postgres?", "/nowhere?"), RemoteError,
         f'{shown.replace("/postgres", "/nowhere")}?{place.partition("?")[2]}: {asked} database "nowhere" does not'
         f" exist{advice}"),
        ("postgresql://wrac:secret@127.0.0.1:1/postgres", RemoteError,
         "postgresql://wrac@127.0.0.1:1/postgres: connection failed: connection to server at"
         f' "127.0.0.1", port 1 failed: Connection refused{advice}'),
        ("postgresql://wrac:secret@127.0.0.1:port/postgres", ConfigError,
         "no URL of a PostgreSQL database; write postgresql://user@host/database"),
        (f"postgresql://wrac:secret@{host}/postgres?index=a-b", ConfigError,
         "index=a-b is no name of a schema; take up to 40 letters and digits"),
    ]  # fmt: skip


def test_what_cannot_be_reached_is_one_line_without_a_password() -> None:
    for url, kind, line in wrong(postgres.url()):
        with pytest.raises(kind) as told:
            Workspace(url, embedder=WordEmbedder())
        assert " ".join(str(told.value).split()) == " ".join(line.split())
        assert "secret" not in str(told.value) and QUOTED not in str(told.value)
    with pytest.raises(WorkspaceError, match=r"^postgresql://wrac@127.0.0.1:\d+/postgres\?index=\w+: there is no"):
        Workspace(postgres.url(), create=False)


def test_a_lock_goes_with_the_process_that_had_it(database: PostgresDatabase) -> None:
    """What a killed process leaves: a connection that is gone. The next writer has the lock at once."""
    other = PostgresDatabase(database.url.render_as_string(hide_password=False) + f"?index={database.schema}")
    with other.engine.connect() as dying:
        held = dying.execution_options(isolation_level="AUTOCOMMIT")
        query = text("SELECT pg_try_advisory_lock(:run, hashtext(:schema))")
        assert held.scalar(query, {"run": 0x77726163, "schema": database.schema})
        told: list[str] = []
        with pytest.raises(BusyError), database.writer(0, lambda: told.append("wait")):
            pass
        assert told == ["wait"]
        dying.invalidate()
    other.close()
    begun = time.monotonic()
    with database.writer(10, lambda: None):
        assert time.monotonic() - begun < 10


def test_a_workspace_without_a_page_is_sound_and_finds_nothing() -> None:
    with Workspace(postgres.url(), embedder=WordEmbedder()) as workspace:
        assert workspace.search("refunds") == []
        assert workspace.verify().problems == ()
        assert workspace.reindex() == 0


def test_the_events_of_a_workspace_in_a_database_are_in_a_folder_of_the_user(tmp_path: Path) -> None:
    site = build(tmp_path, 1)
    with Workspace(postgres.url(), embedder=WordEmbedder()) as workspace:
        workspace.index([site], workers=0)
        workspace.search("refunds")
        assert "query" in [event.name for event in workspace.log.read()]
        assert tmp_path / "state" / "wrac" in workspace.path.parents
