"""OpenSearch beyond the common suite: the strictness of its checker, errors, and what a stranger's client gets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.site import build
from tests.stores import opensearch_server
from tests.stores.opensearch_server import Wrong, check
from tests.stores.stores import EMBEDDER, SPACE, needed
from tests.stores.test_conformance import change, row
from tests.stores.test_stores_doc import CITED, block, filled

from wrac.core.errors import ConfigError, RemoteError, WorkspaceError
from wrac.indexing import Change, Space
from wrac.indexing.stores import open_index


@pytest.fixture
def host() -> Iterator[str]:
    needed("opensearchpy", "osmem_server")
    with opensearch_server.serving() as host:
        yield host


SEARCH = {"query": {"match_all": {}}, "size": 1}
VECTOR = {"vector": [0.5, 0.5], "k": 3}
REFUSED: list[tuple[str, str, dict[str, Any], Any]] = [
    ("POST", "/wrac/_search", {}, {"knn": {"field": "vector", "query_vector": [0.5], "k": 3}}),
    ("POST", "/wrac/_search", {}, {"query": {"knn": {"vector": VECTOR | {"num_candidates": 9}}}}),
    ("POST", "/wrac/_search", {}, {"query": {"knn": {"vector": {"k": 3}}}}),
    ("POST", "/wrac/_search", {}, {"query": {"semantic": {"query": "x"}}}),
    ("POST", "/wrac/_search", {}, {"query": {"bool": {"filters": []}}}),
    ("POST", "/wrac/_search", {}, {"query": {"term": {"a": {"value": 1, "valeu": 2}}}}),
    ("POST", "/wrac/_search", {}, {"query": {"match_all": {}, "bool": {}}}),
    ("POST", "/wrac/_search", {}, SEARCH | {"size": "one"}),
    ("POST", "/wrac/_search", {}, SEARCH | {"aggs": {"a": {"terms": {"feild": "x"}}}}),
    ("POST", "/wrac/_search", {"rank": ["1"]}, SEARCH),
    ("POST", "/wrac/_serach", {}, SEARCH),
    ("PATCH", "/wrac/_search", {}, SEARCH),
    ("PUT", "/wrac", {}, {"mappings": {"properties": {"vector": {"type": "dense_vector", "dims": 3}}}}),
    ("PUT", "/wrac", {}, {"mappings": {"properties": {"vector": {"type": "knn_vector", "dims": 3}}}}),
    ("PUT", "/wrac", {}, {"settings": {"index": {"knn": ["true"]}}}),
    ("PUT", "/wrac", {}, {"settings": {"index": {"similarity": {"bm25": {"type": "BM26"}}}}}),
    ("POST", "/wrac/_bulk", {"refresh": ["true"]}, "no lines"),
]


@pytest.mark.parametrize(("method", "path", "query", "body"), REFUSED)
def test_the_checker_refuses_what_the_description_does_not_name(
    method: str, path: str, query: dict[str, Any], body: Any
) -> None:
    with pytest.raises(Wrong):
        check(method, path, query, body)


def test_the_checker_takes_what_it_does() -> None:
    check("POST", "/wrac/_search", {}, SEARCH)
    check("POST", "/wrac/_search", {}, {"query": {"knn": {"vector": VECTOR | {"filter": {"term": {"a": "b"}}}}}})
    check("POST", "/wrac/_bulk", {"refresh": ["true"]}, [{"index": {"_id": "1"}}, {"any": "document"}])


def test_a_page_of_many_rows_and_long_terms(host: str) -> None:
    index = open_index(f"opensearch://{host}", SPACE, create=True)
    rows = [row(f"word{number} {'x' * 300}", position=number) for number in range(1203)]
    index.write([change("a.html", rows), change("b.html", [row("other", "b.html")])])
    assert index.size() == 1204
    assert len(index.lexical(["x" * 300], 2000)) == 1203
    assert index.lexical([f"word{number}" for number in range(10_000)], 3)
    index.write([change("a.html", rows[:3])])
    assert sorted(page for page, _, _ in index.contents()) == ["a.html"] * 3 + ["b.html"]
    assert index.check() == []
    index.close()


def test_a_stranger_can_cite_with_the_client_alone(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(tmp_path / "ws", build(tmp_path, 4), f"opensearch://{host}")
    vector = [float(number) for number in EMBEDDER.embed(["how are refunds handled"], query=True)[0]]
    names: dict[str, Any] = {"url": f"http://{host}", "vector": vector}
    exec(block("opensearch"), names)  # noqa: S102 - the page's own code
    assert "site/000-refunds.html#" in capsys.readouterr().out.splitlines()[0]
    assert all(names["row"][name] for name in CITED)


def test_what_is_wrong_is_one_line() -> None:
    needed("opensearchpy", "osmem_server")
    with opensearch_server.serving("admin", "secret") as host:
        with pytest.raises(RemoteError) as refused:
            open_index(f"opensearch://admin:wrong@{host}", SPACE, create=True)
        assert str(refused.value) == (
            f"opensearch://admin@{host}: user or password is refused; start it, or check host, user and password"
        )
        url, shown = f"opensearch://admin:secret@{host}", f"opensearch://admin@{host}"
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
        with pytest.raises(RemoteError, match=rf"^{shown}: a document is refused: .*dimension") as dimensions:
            index.write([Change("a.html", (row("text"),), EMBEDDER.embed(["text"])[:, :5])])
        assert "secret" not in str(dimensions.value)


def test_a_server_that_is_not_there_is_one_line() -> None:
    needed("opensearchpy")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"opensearch://admin:secret@127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(RemoteError, match=r"^opensearch://admin@127.0.0.1:\d+: .*refused.*; start it, or") as down:
            open_index(url, SPACE)
    assert "secret" not in str(down.value)
    with pytest.raises(ConfigError, match=r"^--store opensearch://: it has no host; write opensearch://localhost:9200"):
        open_index("opensearch://", SPACE)
