"""What a store says when it cannot be used: one line that says what to do, and never a password."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import postgres
from tests.stores.stores import SPACE, needed
from tests.stores.test_conformance import change, row

from wrac.core.errors import ConfigError, MissingExtraError, RemoteError, WorkspaceError, WracError
from wrac.indexing import Filters, Space
from wrac.indexing.stores import StoreAddress, best, down, open_index, pair, spoken

OTHER = Space("potion@1", 256)
SCHEMES = "lancedb://, postgresql://, qdrant://, opensearch://, weaviate://"


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("mysql://me:secret@host/db", f"--store mysql://…@host/db: no store's URL; one starts with {SCHEMES}"),
        ("lance", f"--store lance: no store's URL; one starts with {SCHEMES}"),
        ("qdrant://host:port", f"--store qdrant://host:port: no store's URL; one starts with {SCHEMES}"),
        ("qdrant://h?index=a/b", "--store qdrant://h?index=a/b: index=a/b is no name; take up to 40 letters and "),
        ("qdrant://[::1?api_key=secret", f"--store qdrant://[::1?api_key=…: no store's URL; one starts with {SCHEMES}"),
        ("postgresql://me:12/secret@host/db", "--store postgresql://…@host/db: write @ / ? # in a name or password as"),
        ("postgresql://me:12?secret@host/db", "--store postgresql://…@host/db: write @ / ? # in a name or password as"),
        ("postgresql://me:12#secret@host/db", "--store postgresql://…@host/db: write @ / ? # in a name or password as"),
        ("lancedb://data/docs", "--store lancedb://data/docs: no full path; write lancedb:///folder or lancedb+s3://b"),
        ("lancedb:docs", "--store lancedb://docs: no full path; write lancedb:///folder or lancedb+s3://bucket/path"),
        ("lancedb://", "--store lancedb://: no full path; write lancedb:///folder or lancedb+s3://bucket/path"),
    ],
)  # fmt: skip
def test_a_url_that_names_no_store(url: str, line: str) -> None:
    if url.startswith("lancedb:"):
        needed("lancedb")
    with pytest.raises(ConfigError) as told:
        open_index(url, SPACE)
    assert str(told.value).startswith(line)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:p%40ss@host:5433/db?index=docs", "postgresql://me@host:5433/db?index=docs"),
        ("lancedb:///a/b", "lancedb:///a/b"),
        ("lancedb+s3://bucket/path?region=eu", "lancedb+s3://bucket/path?region=eu"),
        ("qdrant://:key@[::1]:6333", "qdrant://[::1]:6333"),
        ("postgres://host/db?index=wrac", "postgresql://host/db"),
        ("postgresql://me@host/db?password=p&sslmode=require", "postgresql://me@host/db?sslmode=require"),
        ("lancedb+s3://b/p?region=eu&aws_secret_access_key=k&aws_session_token=t", "lancedb+s3://b/p?region=eu"),
    ],
)
def test_a_url_is_shown_without_its_password_and_means_the_same(url: str, shown: str) -> None:
    address = StoreAddress.of(url)
    assert address.shown == shown
    again = StoreAddress.of(shown)
    assert (again.shown, again.host, again.path, again.index) == (shown, address.host, address.path, address.index)


def test_a_password_comes_from_the_environment_where_the_url_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_STORE_PASSWORD", "p:w@d")
    found = [StoreAddress.of(url).password for url in ("postgresql://me@host/db", "postgresql://me:mine@host/db")]
    assert found == ["p:w@d", "mine"]


def test_a_workspace_in_a_database_has_its_password_from_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = pytest.importorskip("wrac.catalog.postgres").parsed
    urls = ("postgresql://me@host/db?index=a", "postgresql://me:mine@host/db?index=a")
    assert [parsed(url)[0].password for url in urls] == [None, "mine"]
    monkeypatch.setenv("WRAC_STORE_PASSWORD", "p:w@d")
    assert [parsed(url)[0].password for url in urls] == ["p:w@d", "mine"]


def test_secrets_among_the_parameters_reach_the_store_and_no_message() -> None:
    address = StoreAddress.of("lancedb+s3://b/p?region=eu&aws_secret_access_key=a%2Fb")
    assert address.passed == {"region": "eu", "aws_secret_access_key": "a/b"}
    assert "a/b" not in str(down(address, "refused a/b and a%2Fb")) and "a%2Fb" not in str(down(address, "a%2Fb"))


def test_a_bucket_that_cannot_be_reached_is_one_line_without_its_keys() -> None:
    needed("lancedb")
    keys = "aws_access_key_id=id&aws_secret_access_key=hushhush&aws_region=eu&aws_endpoint=http://127.0.0.1:1"
    with pytest.raises(RemoteError) as told:
        open_index(f"lancedb+s3://bucket/path?allow_http=true&client_max_retries=0&{keys}", SPACE, create=True)
    assert "hushhush" not in str(told.value) and "\n" not in str(told.value)


def test_a_folder_whose_name_a_url_must_quote(tmp_path: Path) -> None:
    needed("lancedb")
    open_index(f"lancedb://{tmp_path}/my%20docs%23", SPACE, create=True).close()
    assert [one.name for one in tmp_path.iterdir()] == ["my docs#"]


def urls(folder: Path) -> list[str]:
    needed("lancedb", "psycopg", "pgvector")
    return [f"lancedb://{folder}/lance", postgres.url()]


def test_an_index_that_is_not_there(tmp_path: Path) -> None:
    for url in urls(tmp_path):
        address = StoreAddress.of(url)
        with pytest.raises(WorkspaceError) as told:
            open_index(url, SPACE)
        shown = address.shown
        assert str(told.value) == f"{shown}: there is no index {address.index}; run `wrac reindex --to {shown}`"


def test_an_index_of_another_embedder_is_named_with_the_command_that_makes_it_anew(tmp_path: Path) -> None:
    for url in urls(tmp_path):
        shown = StoreAddress.of(url).shown
        open_index(url, OTHER, create=True).close()
        with pytest.raises(WorkspaceError) as told:
            open_index(url, SPACE, create=True)
        assert str(told.value) == (
            f"{shown}: its vectors are by potion@1 (256 numbers), this workspace embeds by words@1 (16);"
            f" run `wrac reindex --to {shown}`"
        )
        open_index(url, SPACE, create=True, anew=True).close()
        open_index(url, SPACE).close()


def test_vectors_of_a_wrong_length_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    for url in urls(tmp_path):
        index = open_index(url, SPACE, create=True)
        good = change("a.html", [row("some words")])
        bad = type(good)("b.html", good.rows, np.ones((1, 7), np.float32))
        with pytest.raises(WracError) as told:
            index.write([good, bad])
        assert postgres.PASSWORD not in str(told.value)
        assert "\n" not in str(told.value)
        assert list(index.contents()) == []
        index.close()


def test_a_server_that_is_down_or_does_not_know_the_password() -> None:
    needed("psycopg", "pgvector")
    host = f"127.0.0.1:{postgres.port()}"
    cases = [
        (f"postgresql://wrac:secret@{host}/postgres", 'password authentication failed for user "wrac"'),
        (f"postgresql://wrac@{host}/postgres", "fe_sendauth: no password supplied"),
        ("postgresql://wrac:secret@127.0.0.1:1/postgres", "Connection refused"),
    ]
    for url, problem in cases:
        with pytest.raises(RemoteError) as told:
            open_index(url, SPACE)
        line = str(told.value)
        assert line.startswith(f"{StoreAddress.of(url).shown}: connection failed: ")
        assert problem in line and "secret" not in line and "\n" not in line
        assert "; start it, or check host, user and password" in line
        assert ("; a password is read from WRAC_STORE_PASSWORD" in line) == (":secret" not in url)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    needed("lancedb")
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RemoteError) as told:
        open_index(f"lancedb://{tmp_path}/file/lance", SPACE, create=True)
    assert "\n" not in str(told.value)


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "wrac.indexing.lancedb", raising=False)
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(MissingExtraError) as told:
        open_index("lancedb:///nowhere", SPACE)
    assert str(told.value) == 'the store lancedb:// needs an extra: pip install "wrac[lancedb]"'


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ({"kind": "pargraph"}, "--where kind=pargraph: no kind; take one of heading, paragraph, "),
        ({"role": ["main", "body"]}, "--where role=body: no role; take one of main, nav, "),
        ({"since": "yesterday"}, "--where since=yesterday: no date; write it as 2026-11-30"),
        ({"tenant": "a\0"}, "--where 'tenant'='a\\x00': no text; leave out NUL and halves of characters"),
        ({"url": ["docs/", "\ud800"]}, "--where 'url'='\\ud800': no text; leave out NUL and halves of characters"),
        ({"te\0nant": "a"}, "--where 'te\\x00nant'='te\\x00nant': no text; "),
        ({"version": 5}, "--where 'version'=5: no text; give text, or several"),
        ({"version": [5]}, "--where 'version'=5: no text; give text, or several"),
        ({"until": ["2026-01-01", "2026-01-02"]}, "--where until=2026-01-01,2026-01-02: no date; write it as 2026-"),
    ],
)  # fmt: skip
def test_a_filter_that_cannot_hold(where: dict[str, Any], line: str) -> None:
    with pytest.raises(ConfigError) as told:
        Filters.of(where)
    assert str(told.value).startswith(line)


def test_rows_become_entries_and_ties_at_the_edge_are_all_seen() -> None:
    rows = [("e1", 3.0), ("e1", 3.0), *[(f"e{number}", 1.0) for number in range(90, 1, -1)]]
    asked: list[int] = []

    def ask(depth: int) -> list[tuple[str, float]]:
        asked.append(depth)
        return rows[:depth]

    assert best(ask, 3) == [("e1", 3.0), ("e10", 1.0), ("e11", 1.0)]
    assert len(asked) > 1
    assert best(ask, 0) == []


def test_names_for_filters() -> None:
    assert spoken("") == [""]
    assert spoken("zh-Hant-TW") == ["zh", "zh-hant", "zh-hant-tw"]
    assert pair("a=b", "c") != pair("a", "b=c") != pair("a%3Db", "c")
