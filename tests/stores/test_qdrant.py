"""Qdrant beyond the common suite: its scores, its errors, two writers, and what a stranger's client gets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.fakes_index import Oracle
from tests.site import build
from tests.stores import qdrant_server
from tests.stores.stores import EMBEDDER, SPACE, Vectors, needed
from tests.stores.test_conformance import change, learn, row, same, words
from tests.stores.test_stores_doc import CITED, block, filled

from wrac.core.errors import ConfigError, RemoteError, WorkspaceError
from wrac.indexing import Change, Filters, Space
from wrac.indexing.stores import open_index


@pytest.fixture
def host() -> Iterator[str]:
    needed("qdrant_client", "qdrant_edge")
    with qdrant_server.serving() as host:
        yield host


def question() -> list[float]:
    return [float(number) for number in EMBEDDER.embed(["how are refunds handled"], query=True)[0]]


def test_scores_are_those_of_the_oracle_where_each_entry_stands_once(host: str) -> None:
    random, known = Random(5), Vectors()
    rows = [row(" ".join(words(random)) + f" n{number}", f"{number % 9}.html", number) for number in range(90)]
    learn(known, rows)
    oracle = Oracle(known)
    changes = [change(f"{page}.html", [one for one in rows if one.page == f"{page}.html"]) for page in range(9)]
    index = open_index(f"qdrant://{host}", SPACE, create=True)
    for one in (index, oracle):
        one.write(changes)
        one.write([Change("3.html"), change("4.html", [row("refund fee", "4.html")])])
    for query in (["refund"], ["c++", "the"], ["费用", "n7", "fee"]):
        for filters in (Filters(), Filters(url=("5", "7"))):
            wanted = oracle.lexical(query, 10, filters)
            assert wanted
            same(index.lexical(query, 10, filters), wanted, dict(oracle.lexical(query, 99)))
    index.close()


def test_a_page_of_many_rows_is_written_whole(host: str) -> None:
    index = open_index(f"qdrant://{host}", SPACE, create=True)
    rows = [row(f"word{number} text", position=number) for number in range(1203)]
    index.write([change("a.html", rows), change("b.html", [row("other", "b.html")])])
    assert index.size() == 1204
    index.write([change("a.html", rows[:3])])
    assert sorted(page for page, _, _ in index.contents()) == ["a.html"] * 3 + ["b.html"]
    assert index.check() == []
    index.close()


def test_two_writers_lose_nothing(host: str) -> None:
    open_index(f"qdrant://{host}", SPACE, create=True).close()

    def write(name: str) -> None:
        index = open_index(f"qdrant://{host}", SPACE)
        for number in range(8):
            index.write([change(f"{name}{number}", [row(f"{name} text {number}", f"{name}{number}")])])
        index.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert open_index(f"qdrant://{host}", SPACE).size() == 16


def test_a_stranger_can_cite_with_the_client_alone(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path / "ws", build(tmp_path, 4), f"qdrant://{host}")
    names: dict[str, Any] = {"url": f"http://{host}", "vector": question()}
    exec(block("qdrant"), names)  # noqa: S102 - the page's own code
    assert "site/000-refunds.html#" in capsys.readouterr().out.splitlines()[0]
    assert all(names["found"][0].payload[name] for name in CITED)
    names["client"].close()


def test_what_is_wrong_is_one_line() -> None:
    needed("qdrant_client", "qdrant_edge")
    with qdrant_server.serving(key="secret") as host:
        with pytest.raises(RemoteError) as refused:
            open_index(f"qdrant://:wrong@{host}", SPACE, create=True)
        assert str(refused.value) == (
            f"qdrant://{host}: the key is refused; start it, or check host, user and password"
        )
        url = f"qdrant://:secret@{host}"
        with pytest.raises(WorkspaceError) as missing:
            open_index(url, SPACE)
        assert str(missing.value) == f"qdrant://{host}: there is no index wrac; run `wrac reindex --to qdrant://{host}`"
        open_index(url, SPACE, create=True).close()
        with pytest.raises(WorkspaceError) as other:
            open_index(url, Space("other@2", 8))
        assert str(other.value) == (
            f"qdrant://{host}: its vectors are by words@1 (16 numbers), this workspace embeds by other@2 (8); "
            f"run `wrac reindex --to qdrant://{host}`"
        )
        index = open_index(url, SPACE)
        with pytest.raises(
            RemoteError, match=r"^qdrant://127.0.0.1:\d+: 400 .*[Dd]imension.*; start it, or check host"
        ):
            index.write([Change("a.html", (row("text"),), EMBEDDER.embed(["text"])[:, :5])])


def test_a_server_that_is_not_there_is_one_line() -> None:
    needed("qdrant_client")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"qdrant://:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(RemoteError, match=r"^qdrant://127.0.0.1:\d+: .*refused; start it, or check host") as down:
            open_index(url, SPACE)
    assert "secret" not in str(down.value)
    with pytest.raises(ConfigError, match=r"^--store qdrant://: it has no host; write qdrant://localhost:6333$"):
        open_index("qdrant://", SPACE)
