"""Erased means erased where the workspace or its index is in another database, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text
from tests import postgres
from tests.fakes_index import WordEmbedder
from tests.stores.stores import needed
from tests.test_forget import NEEDLE, SHARED, holding

from wrac import catalog
from wrac.catalog import vectors
from wrac.catalog.repetition import repetition
from wrac.flow import Workspace


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where workspaces in databases keep their events, and the pages."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(30):
        said = f"<h1>Matter {number}</h1><p>Page {number} tells of matter {number * 7}.</p>{SHARED}"
        (folder / f"p{number}.html").write_text(said)
    said = f"<h1>{NEEDLE}</h1><p>The {NEEDLE} is kept under the stairs of house 4711.</p>{SHARED}"
    (folder / "secret.html").write_text(said)
    monkeypatch.chdir(tmp_path)


def own_vectors(kept: Workspace) -> list[bytes]:
    """The vectors of what only the secret page says."""
    with kept.database.read() as connection:
        record = catalog.get(connection, "site/secret.html")
        assert record is not None
        texts = [entry.text for entries in record.entries for entry in entries if NEEDLE in entry.text]
        return list(vectors.recall(connection, kept.embedder.name, map(vectors.key, texts)).values())


def test_no_version_of_a_lancedb_table_keeps_a_page(tmp_path: Path) -> None:
    needed("lancedb")
    store = tmp_path / "lance"
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as kept:
        kept.index("site", workers=0, store=f"lancedb://{store}")
        needles = [NEEDLE.encode(), b"secret.html", *own_vectors(kept)]
        assert holding(store, *needles[:2])
        kept.forget("site/secret.html")
        assert kept.verify().ok
        assert {hit.url for hit in kept.search("prices include tax", k=40)} == {f"site/p{n}.html" for n in range(30)}
    assert holding(tmp_path / "ws", *needles) == []
    assert holding(store, *needles) == []


def test_no_table_of_a_postgresql_schema_keeps_a_page_and_others_are_left_alone(tmp_path: Path) -> None:
    needed("psycopg", "pgvector")
    with Workspace(postgres.url(), embedder=WordEmbedder()) as kept:
        kept.index("site", workers=0)
        needles = [NEEDLE.encode(), b"secret.html", *own_vectors(kept)]
        kept.forget("site/secret.html")
        assert kept.verify().ok
        with kept.database.engine.connect() as connection:
            plain = connection.execution_options(isolation_level="AUTOCOMMIT")
            plain.execute(text("CHECKPOINT"))
            place = Path(str(plain.scalar(text("SHOW data_directory"))))
        assert holding(place / "base", *needles) == []
    assert holding(tmp_path / "state", *needles) == []


def test_sites_and_folders_in_postgresql_are_kept_fresh() -> None:
    needed("psycopg", "pgvector")
    with Workspace(postgres.url(), embedder=WordEmbedder()) as kept:
        kept.index("site", workers=0)
        Path("site/p3.html").write_text("<h1>Other</h1><p>Quite other words.</p>")
        Path("site/p4.html").unlink()
        report = kept.refresh(workers=0)
        assert (report.pages, report.unchanged, report.gone) == (30, 29, ("site/p4.html",))
        assert kept.gc().vectors >= 1
        status = kept.status()
        assert (status["passed"], status["crawls"]) == ([], [])
        assert kept.database.size() > 0
        with kept.database.read() as connection, Workspace("beside", embedder=WordEmbedder()) as other:
            other.index("site", workers=0)
            with other.database.read() as inside:
                assert repetition(connection) == repetition(inside)
        assert kept.verify().ok
