"""Workspaces whose index, or all of them, is in another database: the same answers, and the same after any accident."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from tests import postgres
from tests.commands import command
from tests.fakes_index import WordEmbedder
from tests.site import build, page
from tests.stores.stores import needed

from wrac.catalog import outbox
from wrac.core.errors import BusyError, ConfigError
from wrac.flow import Workspace

ROOT = Path(__file__).parents[2]
QUERIES = ("how are refunds handled", "costs of returns", "send it within 4 days", "password")


@dataclass(frozen=True)
class Place:
    """Where a workspace is, and its index where that is elsewhere."""

    workspace: str
    store: str = ""

    def open(self, **options: object) -> Workspace:
        return Workspace(self.workspace, embedder=WordEmbedder(), **options)  # type: ignore[arg-type]

    def run(self, site: Path, log: Path, kill_after: int | None = None, wait: float = 60) -> tuple[int, str]:
        """A program that indexes, and is killed after so many lines; its exit code and what it complained of."""
        arguments = map(str, (site, self.workspace, log, wait, 0, self.store))
        command = [sys.executable, "-m", "tests.faults.program", *arguments]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:  # type: ignore[call-overload]
            if kill_after is not None:
                for _ in range(kill_after):
                    process.stdout.readline()
                process.kill()
            _, errors = process.communicate(timeout=90)
            return process.returncode, errors


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where workspaces in databases keep their events."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("WRAC_STORE_PASSWORD", postgres.PASSWORD)


@pytest.fixture(params=["postgresql", "lancedb", "pgvector"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """All in PostgreSQL, or the index in LanceDB or in PostgreSQL."""
    if request.param == "lancedb":
        needed("lancedb")
        return Place(str(tmp_path / "ws"), f"lancedb://{tmp_path / 'lance'}")
    needed("psycopg", "pgvector")
    if request.param == "pgvector":
        return Place(str(tmp_path / "ws"), postgres.url())
    return Place(postgres.url())


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return build(tmp_path, 4)


@pytest.fixture
def plain(tmp_path: Path, site: Path) -> Iterator[Workspace]:
    """The same in a folder."""
    with Workspace(tmp_path / "plain", embedder=WordEmbedder()) as workspace:
        workspace.index([site], workers=0)
        yield workspace


def digest(workspace: Workspace) -> str:
    report = workspace.verify(digest=True)
    assert report.problems == ()
    return report.digest


def texts(workspace: Workspace, query: str) -> set[str]:
    return {hit.text for hit in workspace.search(query, k=50)}


def test_it_answers_as_a_folder_does_and_a_second_run_does_nothing(place: Place, site: Path, plain: Workspace) -> None:
    with place.open() as workspace:
        report = workspace.index([site], workers=0, store=place.store)
        assert digest(workspace) == digest(plain)
        for query in QUERIES:
            found, wanted = workspace.search(query, k=50), plain.search(query, k=50)
            assert {hit.chunk for hit in found} == {hit.chunk for hit in wanted}
            if "lancedb" not in place.store:
                assert found == wanted
        again = workspace.index([site], workers=0)
        assert (again.unchanged, again.embedded, again.pages) == (4, 0, report.pages)
        shown = workspace.show(workspace.search("refunds")[0].chunk)
        assert "refunds" in shown.text
        assert workspace.status()["entries"] == plain.status()["entries"]
    with place.open(create=False) as workspace:
        assert texts(workspace, "refunds") == texts(plain, "refunds")
        assert postgres.PASSWORD not in str(workspace.status())


def test_what_changes_and_vanishes_is_what_is_found(place: Place, site: Path) -> None:
    with place.open() as workspace:
        workspace.index([site], workers=0, store=place.store, meta={"tenant": "a"})
        (site / "002-returns.html").write_text(page("returns", 2, "<p>Returns are now free of charge for all.</p>"))
        (site / "001-shipping.html").unlink()
        (site / "000-refunds.html").write_text("")
        report = workspace.index([site], workers=0, meta={"tenant": "a"})
        assert report.gone == ("site/001-shipping.html",)
        urls = {hit.url for hit in workspace.search("support team returns", k=50)}
        assert urls == {"site/002-returns.html", "site/003-invoices.html"}
        assert "free of charge" in workspace.search("free of charge")[0].text
        assert workspace.search("returns", where={"tenant": "a"})
        digest(workspace)


def test_filters_reach_the_store_and_an_unknown_field_is_named(place: Place, site: Path) -> None:
    with place.open() as workspace:
        workspace.index([site], workers=0, store=place.store, meta={"tenant": "a", "date": "2026-11-30"})
        assert {hit.url for hit in workspace.search("fee", where={"url": "site/003"})} == {"site/003-invoices.html"}
        assert workspace.search("fee", where={"since": "2026-11-30", "kind": ["table_row"]})
        assert workspace.search("fee", where={"until": "2026-11-29"}) == []
        assert workspace.search("fee", where={"language": "de"}) == []
        assert workspace.search("fee", where={"tenant": "b"}) == []
        with pytest.raises(ConfigError) as told:
            workspace.search("fee", where={"tennant": "a"})
    assert str(told.value) == (
        "--where tennant: no page has such metadata; there are url, kind, role, language, since, until, date, tenant"
    )


def test_a_killed_run_is_gone_on_with(place: Place, site: Path, plain: Workspace, tmp_path: Path) -> None:
    code, _ = place.run(site, tmp_path / "log", kill_after=2 if "lance" in place.store else 5)
    assert code != 0
    code, errors = place.run(site, tmp_path / "log")
    assert code == 0, errors
    with place.open(create=False) as workspace:
        assert digest(workspace) == digest(plain)
        assert texts(workspace, "refunds") == texts(plain, "refunds")


def test_two_runs_at_once_take_turns(place: Place, site: Path, plain: Workspace, tmp_path: Path) -> None:
    codes: list[int] = []
    runs = [threading.Thread(target=lambda: codes.append(place.run(site, tmp_path / "log")[0])) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert codes == [0, 0]
    asked = (tmp_path / "log").read_text().split()
    assert len(asked) == len(set(asked))
    with place.open(create=False) as workspace:
        assert digest(workspace) == digest(plain)


def test_a_second_writer_gives_up_in_time(place: Place, site: Path, tmp_path: Path) -> None:
    with place.open() as workspace:
        workspace.index([site], workers=0, store=place.store)
        with workspace.database.writer(0, lambda: None):
            code, errors = place.run(site, tmp_path / "log", wait=0.2)
    assert (code, postgres.PASSWORD in errors) == (BusyError.exit_code, False)
    assert "another process has been writing for 0 s; wait for it, then run again" in errors


def test_searches_go_on_while_a_page_is_written(place: Place, site: Path) -> None:
    with place.open() as workspace:
        workspace.index([site], workers=0, store=place.store)
        with workspace.database.writer(0, lambda: None), workspace.database.write() as connection:
            workspace.shelf.put(connection, "site/000-refunds.html")
            found: list[int] = []
            searcher = threading.Thread(target=lambda: found.append(len(workspace.search("refunds"))))
            searcher.start()
            searcher.join(20)
            assert found and found[0] > 0
            connection.rollback()


def test_an_index_of_another_form_is_made_anew(plain: Workspace, site: Path) -> None:
    (site / "000-refunds.html").write_text(page("refunds", 9, "<p>Nothing is refunded after a fortnight.</p>"))
    plain.index([site], workers=0)  # its rows are the last ones now, and will be the first
    content = digest(plain)
    with plain.database.write() as connection:
        connection.exec_driver_sql("UPDATE index_state SET value = 1 WHERE name = 'form'")
        connection.exec_driver_sql("DROP VIEW passages")
        connection.exec_driver_sql("ALTER TABLE index_pages DROP COLUMN date")
    with Workspace(plain.path, embedder=WordEmbedder()) as again:
        assert digest(again) == content
        assert again.search("refunds")


def test_the_command_moves_an_index_and_says_where_it_is(site: Path, tmp_path: Path) -> None:
    needed("lancedb")
    store = f"lancedb://{tmp_path / 'lance'}"
    code, _, noise = command("index", site, "--store", store, "--no-progress", cwd=tmp_path)
    assert code == 0, noise
    code, out, _ = command("status", "--json", cwd=tmp_path)
    assert (code, json.loads(out)["store"], json.loads(out)["waiting"]) == (0, store, 0)
    code, out, _ = command("search", "how are refunds handled", "-k", "1", "--json", cwd=tmp_path)
    assert (code, json.loads(out)["url"]) == (0, "site/000-refunds.html")
    code, out, noise = command("reindex", "--to", "workspace", "--no-progress", cwd=tmp_path)
    assert (code, out, noise) == (0, "4 pages in the index of .wrac\n", "")
    code, out, noise = command("reindex", "--to", "mysql://me:secret@host/db", cwd=tmp_path)
    assert (code, out) == (2, "")
    assert noise.startswith("wrac: --store mysql://…@host/db: no store's URL; one starts with lancedb://, ")


@pytest.fixture
def outside(place: Place, site: Path) -> Iterator[Workspace]:
    """A workspace whose index is in a store outside."""
    if not place.store:
        pytest.skip("the index changes with the page; there is nothing to tell")
    with place.open() as workspace:
        workspace.index([site], workers=0, store=place.store)
        yield workspace


def test_a_store_that_is_behind_is_told_before_a_search(outside: Workspace) -> None:
    before = texts(outside, "refunds")
    with outside.database.write() as connection:
        outbox.refill(connection)
    assert any("has not been told of 4 pages; run `wrac" in one for one in outside.verify().problems)
    with outside.database.writer(0, lambda: None):
        assert texts(outside, "refunds") == before
        assert outside.shelf.behind == 4
    assert texts(outside, "refunds") == before
    assert (outside.shelf.behind, outside.shelf.waiting(), outside.verify().problems) == (0, 0, ())


def test_a_passage_that_the_catalog_has_no_more_is_not_found(outside: Workspace) -> None:
    from wrac import catalog

    with outside.database.writer(0, lambda: None):
        with outside.database.write() as connection:
            catalog.remove(connection, "site/000-refunds.html")
            outside.shelf.put(connection, "site/000-refunds.html")
        assert "site/000-refunds.html" not in {hit.url for hit in outside.search("refunds", k=50)}


def test_verify_sees_what_the_store_lost_changed_and_has_too_much(outside: Workspace) -> None:
    from dataclasses import replace

    from wrac.flow.shelf import change_of
    from wrac.indexing import Change

    store = outside.shelf.outside()
    with outside.database.read() as connection:
        change = change_of(connection, outside.embedder, "site/000-refunds.html")
        other = change_of(connection, outside.embedder, "site/001-shipping.html")
    store.write([
        Change(change.page),
        replace(other, rows=tuple(replace(row, link="x") for row in other.rows), vectors=-np.asarray(other.vectors)),
        replace(change, page="stray.html", rows=tuple(replace(row, page="stray.html") for row in change.rows)),
    ])  # fmt: skip
    problems = outside.verify().problems
    for told in (
        "site/000-refunds.html: e1:",
        "is not indexed",
        "is indexed as something else",
        "of stray.html, the catalog has not; run `wrac reindex`",
    ):
        assert any(told in problem for problem in problems), (told, problems)
    # In SQL a passage's text and vector are written once: its id says what they are.
    assert any("another vector in the index" in problem for problem in problems) == (store.traits.name == "lancedb")
    assert outside.reindex() == 4
    assert outside.verify().problems == ()


def test_an_index_moves_and_comes_back(place: Place, plain: Workspace, site: Path, tmp_path: Path) -> None:
    needed("lancedb")
    to = place.store or f"lancedb://{tmp_path / 'elsewhere'}"
    before, content = {query: texts(plain, query) for query in QUERIES}, digest(plain)
    for target in (to, "", "workspace", to):
        assert plain.reindex(target) == 4
        assert {query: texts(plain, query) for query in QUERIES} == before
        assert digest(plain) == content
    with Workspace(plain.path, embedder=WordEmbedder()) as again, pytest.raises(ConfigError) as told:
        again.index([site], store=f"lancedb://{tmp_path}/third")
    assert str(told.value).startswith(f"--store lancedb://{tmp_path}/third: the index is in ")
    assert str(told.value).endswith(f"; run `wrac reindex --to lancedb://{tmp_path}/third` to move it")
    assert postgres.PASSWORD not in str(told.value)
