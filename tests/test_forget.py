"""Erased means erased: after `forget` no file of the workspace holds anything that was the page's alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.fakes import FakeEmbedder

from wrac import catalog
from wrac.catalog import vectors
from wrac.catalog.repetition import repetition
from wrac.core.errors import NotFoundError
from wrac.flow import Workspace
from wrac.flow.forget import JOBS

NEEDLE = "Zanzibarkoffer"
SHARED = "<p>All of our prices include tax, whatever is bought.</p>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(6):
        (folder / f"p{number}.html").write_text(
            f"<h1>Matter {number}</h1><p>Page {number} tells of matter {number * 7}.</p>{SHARED}"
        )
    (folder / "secret.html").write_text(
        f"<h1>{NEEDLE}</h1><p>The {NEEDLE} is kept under the stairs of house number 4711.</p>{SHARED}"
    )
    return folder


@pytest.fixture
def workspace(tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(site.parent)
    kept = Workspace(tmp_path / "ws", embedder=FakeEmbedder())
    kept.index("site", workers=0)
    kept.search("what is kept under the stairs of the house?")
    return kept


def holding(folder: Path, *needles: bytes) -> list[str]:
    """The files that hold one of the needles, as they are or without regard to case."""
    return [
        f"{file.name}: {needle!r}"
        for file in sorted(folder.rglob("*"))
        if file.is_file()
        for needle in needles
        if needle.lower() in file.read_bytes().lower()
    ]


def traces(kept: Workspace) -> list[bytes]:
    """Bytes that only the secret page has left: its words, its packed body, its chunks' ids and vectors."""
    with kept.database.read() as connection:
        record = catalog.get(connection, "site/secret.html")
        assert record is not None
        texts = [entry.text for entries in record.entries for entry in entries]
        own = vectors.recall(connection, kept.embedder.name, map(vectors.key, texts))
        row = connection.exec_driver_sql(
            "SELECT b.data FROM bodies b JOIN pages p ON p.body = b.row WHERE p.url = 'site/secret.html'"
        )
        body: bytes = row.scalar_one()
    ids = [chunk.id.partition(":")[2].encode() for chunk in record.chunks]
    packed = [bytes.fromhex(one.decode()) for one in ids]
    return [NEEDLE.encode(), b"4711", b"secret.html", body, *own.values(), *ids, *packed]


def test_nothing_that_was_the_pages_alone_is_in_any_file(workspace: Workspace, tmp_path: Path) -> None:
    needles = traces(workspace)
    assert holding(tmp_path / "ws", NEEDLE.encode())
    report = workspace.forget("site/secret.html")
    assert report.pages == ("site/secret.html",)
    assert report.chunks >= 1
    assert report.vectors >= 1
    assert report.events >= 2
    workspace.close()
    assert holding(tmp_path / "ws", *needles) == []


def test_what_other_pages_say_too_stays_and_the_workspace_is_sound(workspace: Workspace) -> None:
    before = {hit.url for hit in workspace.search("prices include tax", k=20)}
    workspace.forget("site/secret.html")
    assert workspace.verify().ok
    after = {hit.url for hit in workspace.search("prices include tax", k=20)}
    assert after == before - {"site/secret.html"}


def test_globs_erase_many_pages_and_an_unknown_url_is_told(workspace: Workspace) -> None:
    assert len(workspace.forget("site/p[0-2]*").pages) == 3
    with pytest.raises(NotFoundError, match=r"no page has the URL site/p0.html; take one that `wrac search` shows"):
        workspace.forget("site/p0.html")


def test_the_next_run_embeds_a_forgotten_page_again(workspace: Workspace) -> None:
    workspace.forget("site/secret.html")
    report = workspace.index("site", workers=0)
    assert (report.added, report.unchanged) == (1, 6)
    assert report.embedded >= 1


def test_what_nothing_refers_to_is_collected(workspace: Workspace, site: Path) -> None:
    (site / "secret.html").write_text("<h1>Nothing</h1><p>There is nothing here any more.</p>")
    workspace.index("site", workers=0)
    report = workspace.gc()
    assert report.vectors >= 1
    assert report.events == 0
    assert workspace.gc().vectors == 0
    assert workspace.verify().ok
    assert workspace.index("site", workers=0).embedded == 0


def test_old_months_of_events_are_dropped(workspace: Workspace) -> None:
    old = workspace.path / "events" / "2001-01.jsonl"
    old.write_text('{"at":1,"name":"query","run":"x"}\n')
    assert workspace.gc(older=time.time()).events == 1
    assert not old.exists()
    assert any(workspace.log.read())


def test_what_pages_say_alike_is_counted_and_counted_alike(workspace: Workspace, tmp_path: Path) -> None:
    with workspace.database.read() as connection:
        found = repetition(connection)
    words = "All of our prices include tax, whatever is bought."
    assert [(one.documents, one.units, one.characters) for one in found.carried[1:]] == [(7, 1, len(words))]
    assert (found.repeated, found.saved) == (1, 6 * len(words))
    with Workspace(tmp_path / "again", embedder=FakeEmbedder(), events=False) as other:
        other.index("site", workers=0)
        with other.database.read() as connection:
            assert repetition(connection).id == found.id
    workspace.forget("site/secret.html")
    with workspace.database.read() as connection:
        assert repetition(connection).saved == 5 * len(words)


def test_what_a_server_keeps_of_its_jobs_names_the_page_no_more(workspace: Workspace) -> None:
    folder = workspace.path / JOBS
    folder.mkdir()
    (folder / "1.json").write_text('{"report": {"skipped": [{"url": "site/secret.html"}]}}')
    (folder / "2.json").write_text('{"report": {"skipped": [{"url": "site/other.html"}]}}')
    workspace.forget("site/secret.html")
    assert [file.name for file in folder.iterdir()] == ["2.json"]
