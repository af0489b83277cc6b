"""Weaviate beyond the common suite: odd signs in values, errors, and what a stranger's client gets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.site import build
from tests.stores import weaviate_server
from tests.stores.stores import EMBEDDER, SPACE, needed
from tests.stores.test_conformance import change, row
from tests.stores.test_stores_doc import CITED, block, filled

from wrac.core.errors import ConfigError, RemoteError, WorkspaceError
from wrac.indexing import Change, Filters, Space
from wrac.indexing.stores import open_index


@pytest.fixture
def url() -> Iterator[str]:
    needed("weaviate")
    with weaviate_server.serving() as (host, grpc):
        yield f"weaviate://{host}?grpc={grpc}"


def test_values_are_matched_whatever_their_signs(url: str) -> None:
    pages = [
        "https://x.org/a?b=1",
        "https://x.org/axb=1",
        "https://x.org/a*b",
        'https://x.org/"q"',
        "https://x.org/%3F",
    ]
    index = open_index(url, SPACE, create=True)
    index.write([change(page, [row(f"words {n}", page, meta={"note": f" {page} "})]) for n, page in enumerate(pages)])
    for number, page in enumerate(pages):
        own = [row(f"words {number}").entry]
        assert [entry for entry, _ in index.lexical(["words"], 9, Filters(url=(page,)))] == own
        assert [entry for entry, _ in index.lexical(["words"], 9, Filters.of({"note": f" {page} "}))] == own
        assert index.lexical(["words"], 9, Filters.of({"note": page})) == []
    assert len(index.lexical(["words"], 9, Filters(url=("https://x.org/a",)))) == 3
    index.close()


def test_a_page_of_many_rows_is_written_whole(url: str) -> None:
    index = open_index(url, SPACE, create=True)
    rows = [row(f"word{number} text", position=number) for number in range(1203)]
    index.write([change("a.html", rows), change("b.html", [row("other", "b.html")])])
    assert index.size() == 1204
    index.write([change("a.html", rows[:3])])
    assert sorted(page for page, _, _ in index.contents()) == ["a.html"] * 3 + ["b.html"]
    assert index.check() == []
    index.close()


def test_a_stranger_can_cite_with_the_client_alone(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import weaviate

    filled(tmp_path / "ws", build(tmp_path, 4), url)
    vector = [float(number) for number in EMBEDDER.embed(["how are refunds handled"], query=True)[0]]
    port, grpc = (int(part.rpartition("=")[2].rpartition(":")[2]) for part in url.split("?"))
    with weaviate.connect_to_local("127.0.0.1", port, grpc, skip_init_checks=True) as client:
        names: dict[str, Any] = {"client": client, "vector": vector}
        exec(block("weaviate"), names)  # noqa: S102 - the page's own code
    assert "site/000-refunds.html#" in capsys.readouterr().out.splitlines()[0]
    assert all(names["found"].objects[0].properties[name] for name in CITED)


def test_what_is_wrong_is_one_line() -> None:
    needed("weaviate")
    with weaviate_server.serving("secret") as (host, grpc):
        shown = f"weaviate://{host}?grpc={grpc}"
        with pytest.raises(RemoteError) as refused:
            open_index(f"weaviate://:wrong@{host}?grpc={grpc}", SPACE, create=True)
        assert str(refused.value) == f"{shown}: the key is refused; start it, or check host, user and password"
        url = f"weaviate://:secret@{host}?grpc={grpc}"
        with pytest.raises(WorkspaceError) as missing:
            open_index(url, SPACE)
        assert str(missing.value) == f"{shown}: there is no index wrac; run `wrac reindex --to {shown}`"
        open_index(url, SPACE, create=True).close()
        with pytest.raises(WorkspaceError) as other:
            open_index(url, Space("other@2", 8))
        assert str(other.value) == (
            f"{shown}: its vectors are by words@1 (16 numbers), this workspace embeds by other@2 (8); "
            f"run `wrac reindex --to {shown}`"
        )
        index = open_index(url, SPACE)
        index.write([change("b.html", [row("other", "b.html")])])
        with pytest.raises(RemoteError, match=r"vector lengths don't match: 5 vs 16; start it, or check"):
            index.write([Change("a.html", (row("text"),), EMBEDDER.embed(["text"])[:, :5])])
        index.close()


def test_a_server_that_is_not_there_is_one_line() -> None:
    needed("weaviate")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"weaviate://:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(RemoteError, match=r"^weaviate://127.0.0.1:\d+: no server answers; start it, or") as down:
            open_index(url, SPACE)
    assert "secret" not in str(down.value)
    for url, line in (
        ("weaviate://", "--store weaviate://: it has no host; write weaviate://localhost:8080"),
        ("weaviate://h?grpc=x", "--store weaviate://h?grpc=x: grpc=x is no port"),
    ):
        with pytest.raises(ConfigError) as wrong:
            open_index(url, SPACE)
        assert str(wrong.value) == line
