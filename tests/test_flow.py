"""Folders to answers: what a run does, what a second one does not do, and what each part of an answer is."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes_index import WordEmbedder
from tests.site import build, page

from wrac.core.errors import InputError, NotFoundError, WorkspaceError
from wrac.core.types import Policy
from wrac.flow import Skipped, Workspace
from wrac.flow.links import link
from wrac.flow.report import IndexReport
from wrac.observing import EventLog, counts, event


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return build(tmp_path, 4)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as found:
        yield found


def asked(workspace: Workspace) -> int:
    """How many texts the embedder was ever given."""
    assert isinstance(workspace.embedder, WordEmbedder)
    return workspace.embedder.asked


def index(workspace: Workspace, *sources: Path, **options: object) -> IndexReport:
    return workspace.index(sources, workers=0, **options)  # type: ignore[arg-type]


def digest(workspace: Workspace) -> str:
    report = workspace.verify(digest=True)
    assert report.problems == ()
    assert report.digest
    return report.digest


def test_a_folder_is_indexed_found_shown_and_sound(workspace: Workspace, site: Path) -> None:
    report = index(workspace, site)
    assert (report.pages, report.skipped, report.gone, report.unchanged) == (4, (), (), 0)
    assert report.embedded == asked(workspace) > 0
    assert report.chunks >= 4
    best = workspace.search("how are refunds handled")[0]
    assert best.rank == 1
    assert best.url == "site/000-refunds.html"
    assert "refunds" in best.text
    assert best.focus
    shown = workspace.show(best.chunk)
    assert (shown.text, shown.link, shown.markdown) == (best.text, best.link, best.markdown)
    assert [unit.text for unit in shown.units if unit.text] == [unit.text for unit in shown.units]
    assert workspace.show(best.chunk[3:15]).chunk == best.chunk
    assert digest(workspace)


def test_a_second_run_does_nothing(workspace: Workspace, site: Path) -> None:
    first = index(workspace, site)
    before, calls = digest(workspace), asked(workspace)
    second = index(workspace, site)
    assert asked(workspace) == calls
    assert (second.unchanged, second.embedded, second.reused) == (4, 0, first.embedded + first.reused)
    assert (second.pages, second.units, second.chunks) == (first.pages, first.units, first.chunks)
    assert digest(workspace) == before


def test_an_edited_page_embeds_only_what_changed(workspace: Workspace, site: Path) -> None:
    index(workspace, site)
    calls = asked(workspace)
    target = site / "002-returns.html"
    target.write_text(page("returns", 2, "<h2>News</h2><p>Returns are now free of charge for all.</p>"))
    report = index(workspace, site)
    assert report.unchanged == 3
    assert 1 <= asked(workspace) - calls <= 3
    assert "free of charge" in workspace.search("returns free of charge")[0].text
    digest(workspace)


def test_pages_that_vanish_from_a_folder_go_and_others_stay(workspace: Workspace, site: Path, tmp_path: Path) -> None:
    other = build(tmp_path, 2, name="other")
    index(workspace, site, other)
    (site / "001-shipping.html").unlink()
    report = index(workspace, site)
    assert report.gone == ("site/001-shipping.html",)
    urls = {hit.url for hit in workspace.search("shipping", k=50)}
    assert "site/001-shipping.html" not in urls
    assert "other/001-shipping.html" in urls
    digest(workspace)


def test_a_workspace_is_the_same_however_it_came_about(site: Path, tmp_path: Path) -> None:
    digests = set()
    alone = [[path] for path in sorted(site.iterdir(), reverse=True)]
    for name, workers, parts in (("one", 0, [[site]]), ("two", 2, [[site]]), ("alone", 0, [*alone, [site]])):
        with Workspace(tmp_path / name, embedder=WordEmbedder()) as made:
            for sources in parts:
                made.index(sources, workers=workers, base="https://example.com/")
            digests.add(digest(made))
    assert len(digests) == 1


def test_other_sizes_plan_anew(workspace: Workspace, site: Path) -> None:
    first = index(workspace, site)
    second = index(workspace, site, policy=Policy(target=20, maximum=40))
    assert second.unchanged == 0
    assert second.seconds["parse"] < first.seconds["parse"]
    assert second.chunks > first.chunks
    assert all(hit.tokens < 120 for hit in workspace.search("refunds", k=50))
    digest(workspace)


def test_metadata_and_urls_filter(workspace: Workspace, site: Path, tmp_path: Path) -> None:
    index(workspace, site, meta={"product": "shop"})
    index(workspace, build(tmp_path, 2, name="blog"), meta={"product": "blog"})
    assert {hit.url.split("/")[0] for hit in workspace.search("support", k=50, where={"product": "blog"})} == {"blog"}
    assert {hit.url for hit in workspace.search("fee", k=50, where={"url": "site/003"})} == {"site/003-invoices.html"}
    assert workspace.search("fee", where={"language": "de"}) == []
    kinds = workspace.search("fee plan", k=3, where={"kind": ["table_row"]})
    assert kinds and all("USD" in hit.text for hit in kinds)
    assert kinds[0].meta["product"] in ("shop", "blog")


def test_a_budget_counts_what_is_rendered(workspace: Workspace, site: Path) -> None:
    index(workspace, site)
    hits = workspace.search("handled by our support team", k=None, budget=120)
    assert hits
    assert sum(hit.tokens for hit in hits) <= 120
    assert len(workspace.search("support", k=2)) == 2


def test_bad_pages_are_skipped_with_a_reason_and_asked_again_only_when_they_change(
    workspace: Workspace, site: Path
) -> None:
    (site / "empty.html").write_text("")
    (site / "binary.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    report = index(workspace, site)
    assert {skip.url for skip in report.skipped} == {"site/empty.html", "site/binary.html"}
    assert all(skip.reason for skip in report.skipped)
    assert (report.pages, index(workspace, site).skipped) == (4, report.skipped)
    (site / "empty.html").write_text(page("refunds", 77))
    assert [skip.url for skip in index(workspace, site).skipped] == ["site/binary.html"]
    digest(workspace)


def test_a_page_that_turned_bad_is_no_longer_found(workspace: Workspace, site: Path) -> None:
    index(workspace, site)
    (site / "000-refunds.html").write_text("")
    assert index(workspace, site).skipped == (Skipped("site/000-refunds.html", "empty"),)
    assert "site/000-refunds.html" not in {hit.url for hit in workspace.search("refunds", k=50)}
    digest(workspace)


def test_what_cannot_be_read_now_stays(workspace: Workspace, site: Path) -> None:
    (site / "part").mkdir()
    for name in ("000-refunds.html", "001-shipping.html"):
        (site / name).rename(site / "part" / name)
    index(workspace, site)
    before = digest(workspace)
    (site / "part").rename(site.parent / "elsewhere")
    (site / "part").symlink_to(site / "nowhere")  # as a folder on a disk that is not mounted
    report = index(workspace, site)
    assert report.gone == ()
    assert [skip.url for skip in report.skipped] == ["site/part"]
    assert "site/part/000-refunds.html" in {hit.url for hit in workspace.search("refunds", k=50)}
    (site / "part").unlink()
    (site.parent / "elsewhere").rename(site / "part")
    index(workspace, site)
    assert digest(workspace) == before


def test_a_missing_source_is_refused_before_anything_is_done(workspace: Workspace, site: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        index(workspace, site, site / "nowhere")
    assert workspace.status()["pages"] == 0


def test_progress_is_told(workspace: Workspace, site: Path) -> None:
    told: list[tuple[str, int, int | None, str]] = []
    index(workspace, site, progress=lambda *what: told.append(what))
    assert [done for stage, done, _, _ in told if stage == "index"] == [1, 2, 3, 4]
    assert any(stage == "embed" for stage, _, _, _ in told)


def test_unknown_and_ambiguous_chunks_are_named(workspace: Workspace, site: Path) -> None:
    index(workspace, site, policy=Policy(target=15, maximum=30))
    for unknown in ("zzz", "", "c1:", "c1:" + "0" * 33):
        with pytest.raises(NotFoundError, match=f"no chunk is called {unknown}"):
            workspace.show(unknown)
    firsts = [hit.chunk[3] for hit in workspace.search("support plan form refunds costs", k=99)]
    assert len(firsts) > len(set(firsts))
    twice = next(digit for digit in firsts if firsts.count(digit) > 1)
    with pytest.raises(NotFoundError, match=f"several chunks begin with {twice} "):
        workspace.show(twice)


def test_a_folder_that_is_no_workspace_is_refused(tmp_path: Path, site: Path) -> None:
    with pytest.raises(WorkspaceError, match="holds something else"):
        Workspace(site)
    with pytest.raises(WorkspaceError, match="there is no workspace"):
        Workspace(tmp_path / "absent", create=False)
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="it is a file"):
        Workspace(tmp_path / "file")


def test_a_workspace_whose_making_was_cut_short_is_made_whole(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "wrac.db").touch()
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as found:
        assert found.status()["pages"] == 0


DAMAGES = {
    "unit": ("UPDATE units SET text = text || '!' WHERE row = 3", "stored with another text"),
    "body": ("UPDATE bodies SET data = (SELECT data FROM bodies WHERE row = 2) WHERE row = 1", "stored as other bytes"),
    "vector": ("DELETE FROM vectors WHERE row = 1", "has no vector"),
    "place": ("DELETE FROM index_places WHERE position = 0", "is not indexed"),
    "postings": ("DELETE FROM index_postings WHERE term = 1", "the postings of index entry"),
    "text": ("UPDATE index_entries SET text = 'x' WHERE row = 1", "is indexed as something else"),
    "document": ("UPDATE documents SET data = x'0101' WHERE row = 1", "cannot be read back"),
    "plan": ("UPDATE plans SET data = (SELECT data FROM plans WHERE row = 2) WHERE row = 1", "site/"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_verify_sees_each_kind_of_damage(workspace: Workspace, site: Path, damage: str) -> None:
    (site / "000-refunds.html").write_text(page("refunds", 0, "<p>One more paragraph that makes it longer.</p>" * 3))
    index(workspace, site)
    statement, problem = DAMAGES[damage]
    with sqlite3.connect(workspace.path / "wrac.db") as connection:
        assert connection.execute(statement).rowcount > 0
    connection.close()
    report = workspace.verify(digest=True)
    assert not report.ok
    assert any(problem in one for one in report.problems), report.problems
    assert report.digest == ""


def test_an_index_is_made_anew_from_the_catalog(workspace: Workspace, site: Path) -> None:
    index(workspace, site)
    before, calls = workspace.search("costs of returns", k=50), asked(workspace)
    with workspace.database.write() as connection:
        workspace.shelf.inside(connection).clear()
    assert workspace.search("costs of returns") == []
    assert not workspace.verify().ok
    assert workspace.reindex() == 4
    assert workspace.search("costs of returns", k=50) == before
    assert asked(workspace) == calls
    digest(workspace)


def test_the_matrix_is_checked_and_made_again(workspace: Workspace, site: Path) -> None:
    index(workspace, site)
    (path,) = workspace.path.glob("vectors-*.f32")
    data = bytearray(path.read_bytes())
    data[-2] ^= 0x40
    path.write_bytes(data)
    with Workspace(workspace.path, embedder=WordEmbedder()) as again:
        assert any("another vector in the index" in problem for problem in again.verify().problems)
    path.write_bytes(b"short")
    with Workspace(workspace.path, embedder=WordEmbedder()) as again:
        assert again.search("refunds")
        assert again.verify().ok


def test_events_are_written_unless_switched_off(workspace: Workspace, site: Path) -> None:
    index(workspace, site)
    hits = workspace.search("refunds", k=3)
    found = list(workspace.log.read())
    assert [e.name for e in found].count("plan") == 4
    assert [e.fields["chunk"] for e in found if e.name == "hit"] == [hit.chunk for hit in hits]
    (path,) = workspace.log.folder.iterdir()
    with path.open("ab") as file:
        file.write(b'{"at": 1, "na')
    assert len(list(workspace.log.read())) == len(found)
    before = path.stat().st_size
    with Workspace(workspace.path, embedder=WordEmbedder(), events=False) as silent:
        silent.search("refunds")
    assert path.stat().st_size == before


def test_a_log_that_cannot_be_written_does_not_stop_a_search(workspace: Workspace, site: Path) -> None:
    (workspace.path / "events").write_text("in the way")
    index(workspace, site)
    assert workspace.search("refunds")
    assert workspace.log.lost > 0
    assert workspace.log.problem


def test_a_passage_stands_alone_for_whoever_reads_the_file(workspace: Workspace, site: Path) -> None:
    index(workspace, site, meta={"product": "shop"})
    with sqlite3.connect(workspace.path / "wrac.db") as connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("SELECT * FROM passages WHERE page = 'site/000-refunds.html'").fetchone())
    connection.close()
    assert json.loads(row["meta"]) == {"product": "shop"}
    assert row["text"] and row["planner"] and row["tokens"] and json.loads(row["units"])


@pytest.mark.parametrize(
    ("texts", "fragment"),
    [
        (["Late fees, part 2-3"], "Late%20fees%2C%20part%202%2D3"),
        (["Plan\tFee", "Small\t5 USD"], "Plan,5%20USD"),
        (["one two three four five six seven eight", "nine"], "one%20two%20three%20four%20five%20six,nine"),
        (["one two three four five six seven eight"], "one%20two%20three%20four%20five%20six%20seven%20eight"),
        ([" ".join(map(str, range(1, 15)))], "1%202%203%204%205%206,9%2010%2011%2012%2013%2014"),
        (["退款政策。五天之内。"], "退款政策。,五天之内。"),
        ([], ""),
    ],
)
def test_a_link_names_the_ends_of_a_passage(texts: list[str], fragment: str) -> None:
    from urllib.parse import quote

    wanted = "".join(quote(c) if ord(c) > 127 else c for c in fragment)
    found = link("https://example.com/a?b=c#old", "x y", texts)
    assert found == "https://example.com/a?b=c#x%20y" + (f":~:text={wanted}" if wanted else "")


@pytest.mark.usefixtures("site")
def test_workers_are_programs_of_their_own(tmp_path: Path) -> None:
    """A script without a main guard indexes with processes; a module of its folder is not taken for one of Python's."""
    (tmp_path / "types.py").write_text("raise SystemExit('imported by mistake')")
    script = tmp_path / "run.py"
    script.write_text(
        "import sys; sys.path = [p for p in sys.path if p != sys.path[0]]\n"
        f"sys.path.append({str(Path(__file__).parents[1])!r})\n"
        "from tests.fakes_index import WordEmbedder\nfrom wrac.flow import Workspace\n"
        "w = Workspace('ws', embedder=WordEmbedder())\n"
        "print(w.index(['site'], workers=2).pages)\nw.close()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
        check=False,
    )
    assert done.stdout.strip() == "4", done.stderr


def test_a_link_to_a_file_is_a_url() -> None:
    assert link("site/C# & more?.html", "", ["x"]) == "site/C%23%20%26%20more%3F.html#:~:text=x"
    assert link("site/a.html", "", []) == "site/a.html"


def test_values_are_frozen(workspace: Workspace, site: Path) -> None:
    report = index(workspace, site)
    assert replace(report, pages=1).pages == 1
    with pytest.raises(AttributeError):
        report.pages = 2  # type: ignore[misc]


def test_events_are_counted_by_what_they_say(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events")
    log.write(event("hit", "r1", {"chunk": chunk}) for chunk in ("a", "b", "a"))
    log.write([event("query", "r1", {"query": "費用 \ud800"})])
    log.write([])
    assert counts(log.read(), "hit", "chunk") == {"a": 2, "b": 1}
    assert counts(log.read(), "query", "query") == {"費用 \ud800": 1}


def test_a_source_whose_name_is_no_utf8(tmp_path: Path) -> None:
    name = tmp_path / os.fsdecode(b"caf\xe9.html")
    try:
        name.write_bytes(b"<p>Coffee is served.</p>")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    with Workspace(tmp_path / "ws", embedder=WordEmbedder(), events=False) as workspace:
        assert workspace.index([name]).pages == 1
        assert workspace.verify().ok


def test_a_folder_answers_for_a_file_that_was_also_indexed_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.html").write_text(f"<p>Page {name} of the folder.</p>")
    with Workspace(tmp_path / "ws", embedder=WordEmbedder(), events=False) as workspace:
        workspace.index([folder])
        workspace.index([folder / "one.html"])
        (folder / "one.html").unlink()
        gone = workspace.index([folder]).gone
        assert len(gone) == 1
        assert gone[0].endswith("one.html")


def test_the_row_that_answers_is_marked_not_the_row_that_heads_the_table(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>{n}</td><td>{name}</td></tr>" for n, name in ((2, "option"), (74, "disk"), (75, "busy")))
    page = tmp_path / "codes.html"
    page.write_text(
        f"<h1>Errors</h1><h2>Exit codes</h2><table><tr><th>Exit code</th><th>Meaning</th></tr>{rows}</table>"
    )
    with Workspace(tmp_path / "w") as workspace:
        workspace.index(page)
        hit = workspace.search("what does exit code 75 mean?")[0]
    assert [one.text for one in hit.focus] == ["75\tbusy"]


def test_a_workspace_that_is_moved_or_replaced_is_not_answered_from(tmp_path: Path) -> None:
    place, elsewhere = tmp_path / "w", tmp_path / "elsewhere"
    told = r"w: it was moved or replaced while this was running; start this again"
    with Workspace(place) as running:
        running.index(["examples/site/faq.html"])
        place.rename(elsewhere)
        with pytest.raises(WorkspaceError, match=told):
            running.search("data")
        with Workspace(place) as other, pytest.raises(WorkspaceError, match=told):
            other.index(["examples/site/why.html"])
            running.pages()
        with Workspace(elsewhere) as moved:
            assert moved.search("data")
