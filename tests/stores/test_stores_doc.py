"""The queries of docs/stores.md are run as a stranger would: with the store's own client, without wrac."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests import postgres
from tests.fakes_index import WordEmbedder
from tests.site import build
from tests.stores.stores import needed

from wrac.flow import Workspace

PAGE = (Path(__file__).parents[2] / "docs" / "stores.md").read_text("utf-8")
CITED = ("text", "link", "units", "planner")


def block(name: str) -> str:
    """The code under a `<!-- run: NAME -->`."""
    found = re.search(rf"<!-- run: {name} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found, f"docs/stores.md has no block {name}"
    return found[1]


@pytest.fixture
def question() -> list[float]:
    return [float(number) for number in WordEmbedder().embed(["how are refunds handled"], query=True)[0]]


def filled(workspace: str | Path, site: Path, store: str = "") -> None:
    with Workspace(workspace, embedder=WordEmbedder()) as made:
        made.index([site], workers=0, store=store, meta={"product": "shop"})


def test_sqlite(tmp_path: Path) -> None:
    filled(tmp_path / "ws", build(tmp_path, 4))
    with sqlite3.connect(tmp_path / "ws" / "wrac.db") as connection:
        rows = connection.execute(block("sqlite")).fetchall()
    connection.close()
    assert rows
    page, link, trail, text = rows[0]
    assert (page, link.startswith(f"{page}#")) == ("site/000-refunds.html", True)
    assert "refunds" in text and isinstance(json.loads(trail), list)


def test_lancedb(tmp_path: Path, question: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    needed("lancedb")
    filled(tmp_path / "ws", build(tmp_path, 4), f"lancedb://{tmp_path}/lance")
    names: dict[str, Any] = {"folder": str(tmp_path / "lance"), "vector": question}
    exec(block("lancedb"), names)  # noqa: S102 - the page's own code
    assert "site/000-refunds.html#" in capsys.readouterr().out.splitlines()[0]
    assert all(names["found"][0][name] for name in CITED)


def test_postgresql(tmp_path: Path, question: list[float]) -> None:
    needed("psycopg", "pgvector")
    import psycopg

    url = postgres.url("stranger")
    filled(tmp_path / "ws", build(tmp_path, 4), url)
    with psycopg.connect(url.partition("?")[0]) as connection:
        cursor = connection.execute(block("postgresql").replace("wrac.", "stranger."), {"vector": str(question)})
        assert cursor.description
        rows = [dict(zip([one.name for one in cursor.description], row, strict=True)) for row in cursor]
    assert rows[0]["url"] == "site/000-refunds.html"
    assert all(rows[0][name] for name in CITED)
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
