"""Sites in a workspace: crawled whole, made fresh for little, resumed after a stop; pages that vanish, move, return."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from tests.fakes import FakeEmbedder
from tests.served import Reply, Served, linking, served

from wrac.core.errors import BusyError, ConfigError, RemoteError
from wrac.flow import Workspace
from wrac.flow.report import IndexReport
from wrac.flow.sites import Site, read_site

LOCAL = Site(private=True)


def page(name: str, text: str, *links: str) -> str:
    return linking(*links, title=name).replace("</ul>", f"</ul><p>{text}</p>")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    names = [f"p{number}.html" for number in range(9)]
    (site / "index.html").write_text(page("Home", "Everything begins here.", *names))
    for number, name in enumerate(names):
        text = f"Page {number} tells of matter number {number * 7}, which is its own."
        (site / name).write_text(page(f"Matter {number}", text, f"p{(number + 1) % 9}.html"))
    return site


def workspace(folder: Path) -> Workspace:
    return Workspace(folder / "ws", embedder=FakeEmbedder(), events=False)


def crawl(kept: Workspace, site: Served, **options: object) -> IndexReport:
    return kept.index(f"{site.url}/index.html", site=Site(private=True, **options), workers=0)  # type: ignore[arg-type]


def urls(kept: Workspace, site: Served) -> list[str]:
    with kept.database.read() as connection:
        from wrac import catalog

        return [url.removeprefix(site.url) for url in catalog.urls(connection)]


def test_a_site_is_indexed_whole_and_again_for_one_short_question_a_page(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        first = crawl(kept, site)
        assert (first.pages, first.added, first.unchanged) == (10, 10, 0)
        site.log.clear()
        again = kept.refresh(workers=0)
        assert (again.pages, again.added, again.unchanged, again.embedded) == (10, 0, 10, 0)
        asked = [one for one in site.log if one.path.endswith(".html")]
        assert len(asked) == 10
        assert all("If-None-Match" in one.headers for one in asked)
        assert kept.verify().ok


def test_a_changed_page_costs_its_own_chunks_and_a_new_one_is_found(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        crawl(kept, site)
        (folder / "p3.html").write_text(page("Matter 3", "Quite other words now.", "new.html"))
        (folder / "new.html").write_text(page("New", "Nobody has read this."))
        again = kept.refresh(workers=0)
        assert (again.pages, again.added, again.unchanged) == (11, 1, 9)
        assert again.embedded <= 4
        assert again.saved > 0
        assert kept.refresh(workers=0).saved > again.saved
        assert kept.search("quite other words")[0].url == f"{site.url}/p3.html"


def test_a_page_that_is_missing_once_stays_and_goes_the_second_time(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        crawl(kept, site)
        (folder / "p5.html").unlink()
        once = kept.refresh(workers=0)
        assert once.gone == ()
        assert "/p5.html" in urls(kept, site)
        twice = kept.refresh(workers=0)
        assert twice.gone == (f"{site.url}/p5.html",)
        assert "/p5.html" not in urls(kept, site)
        assert kept.verify().ok


def test_a_page_that_nothing_links_to_any_more_is_asked_for_and_kept(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        crawl(kept, site)
        (folder / "index.html").write_text(page("Home", "No links now."))
        kept.refresh(workers=0)
        kept.refresh(workers=0)
        assert len(urls(kept, site)) == 10


def test_a_server_in_trouble_costs_no_page(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        crawl(kept, site)
        site.routes["/p1.html"] = Reply(b"", 503, headers={"Retry-After": "0"})
        report = kept.refresh(workers=0)
        assert [(one.url, one.reason) for one in report.skipped] == [(f"{site.url}/p1.html", "the server answered 503")]
        site.routes["/robots.txt"] = Reply(b"", 500)
        kept.refresh(workers=0)
        assert len(urls(kept, site)) == 10


def test_a_page_that_asks_not_to_be_indexed_or_moves_goes_at_once(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        crawl(kept, site)
        site.routes["/p1.html"] = linking(title="Private", head="<meta name=robots content=noindex>")
        site.routes["/p2.html"] = Reply(b"", 301, headers={"Location": "/moved.html"})
        (folder / "moved.html").write_text(page("Moved", "It stands here now."))
        kept.refresh(workers=0)
        now = urls(kept, site)
        assert "/p1.html" not in now
        assert "/p2.html" not in now
        assert "/moved.html" in now


def test_pages_that_are_not_due_are_not_asked_for(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        crawl(kept, site)
        site.log.clear()
        assert kept.refresh(workers=0, due=True).unchanged == 10
        assert kept.refresh(workers=0, since=time.time() - 3600).unchanged == 10
        assert [one.path for one in site.log if one.path.endswith(".html")] == []
        kept.refresh(workers=0, since=time.time() + 3600)
        assert len([one for one in site.log if one.path.endswith(".html")]) == 10


def test_what_a_site_was_told_is_remembered_but_for_its_credentials(tmp_path: Path, folder: Path) -> None:
    site = Site(exclude=("*/p1.html",), private=True, meta={"product": "x"}, headers={"Authorization": "secret"})
    assert read_site(site.text) == Site(exclude=("*/p1.html",), private=True, meta={"product": "x"})
    with served({}, folder) as here, workspace(tmp_path) as kept:
        kept.index(f"{here.url}/index.html", site=site, workers=0)
        assert {one.headers.get("Authorization") for one in here.log} == {"secret"}
        kept.refresh(workers=0)
        assert "/p1.html" not in urls(kept, here)
        assert kept.search("matter")[0].meta == {"product": "x"}
    for file in (tmp_path / "ws").rglob("*"):
        assert not file.is_file() or b"secret" not in file.read_bytes()


def test_a_start_that_is_no_address_is_told(tmp_path: Path) -> None:
    with workspace(tmp_path) as kept, pytest.raises(ConfigError, match="http://: a site starts at"):
        kept.index("http://", site=LOCAL, workers=0)


def test_a_folder_is_refreshed_as_it_was_given(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with workspace(tmp_path) as kept:
        kept.index("site", base="https://docs.example/", meta={"version": "1"}, workers=0)
        (folder / "p1.html").write_text(page("Other", "Other words."))
        report = kept.refresh(workers=0)
        assert (report.pages, report.unchanged, report.added) == (10, 9, 0)
        assert kept.search("other words")[0].meta == {"version": "1"}
        monkeypatch.chdir("/")
        assert "index it again to refresh it" in kept.refresh(workers=0).skipped[0].reason


CRAWL = """
    import sys
    from tests.fakes import FakeEmbedder
    from wrac.flow import Workspace
    from wrac.flow.sites import Site
    with Workspace(sys.argv[1], embedder=FakeEmbedder(), events=False) as kept:
        kept.index(sys.argv[2], site=Site(private=True), workers=0)
"""


def test_a_crawl_that_is_killed_goes_on_and_ends_as_an_undisturbed_one(tmp_path: Path, folder: Path) -> None:
    slow = {f"/p{number}.html": Reply((folder / f"p{number}.html").read_bytes(), slow=0.08) for number in range(9)}
    with served(slow, folder) as site:
        with workspace(tmp_path) as kept:
            crawl(kept, site)
            wanted = kept.verify(digest=True).digest
        target = tmp_path / "killed"
        for moment in (0.3, 0.15, 0.25):
            command = [sys.executable, "-c", textwrap.dedent(CRAWL), str(target), f"{site.url}/index.html"]
            process = subprocess.Popen(command, cwd=Path(__file__).parents[1])
            while process.poll() is None and not any(one.path == "/index.html" for one in site.log):
                time.sleep(0.01)
            time.sleep(moment)
            process.kill()
            process.wait()
        with Workspace(target, embedder=FakeEmbedder(), events=False) as kept:
            crawl(kept, site)
            report = kept.verify(digest=True)
            assert report.ok
            assert report.digest == wanted


def test_a_host_that_has_had_enough_keeps_what_is_ahead_for_the_next_run(tmp_path: Path, folder: Path) -> None:
    busy = {f"/p{number}.html": Reply(b"", 429, headers={"Retry-After": "86400"}) for number in range(3, 9)}
    with served(busy, folder) as site, workspace(tmp_path) as kept:
        first = crawl(kept, site, parallel=1)
        assert [(one.url, one.reason) for one in first.skipped] == [
            (f"{site.url}/index.html", "it asks to be left alone for 86400 s; run it again to go on")
        ]
        assert first.pages == 4
        site.routes.clear()
        site.log.clear()
        again = crawl(kept, site)
        assert (again.pages, again.added) == (6, 6)
        assert sorted(one for one in site.asked() if one.startswith("/p")) == [f"/p{n}.html" for n in range(3, 9)]
        assert len(urls(kept, site)) == 10


def test_a_site_that_moves_to_another_host_is_read_there_and_its_old_pages_go_after_their_grace(
    tmp_path: Path, folder: Path
) -> None:
    with served({}, folder) as old, served({}, folder, host="127.0.0.2") as new, workspace(tmp_path) as kept:
        crawl(kept, old)
        moved = {f"/{file.name}": Reply(b"", 301, headers={"Location": f"{new.url}/{file.name}"})
                 for file in folder.iterdir()}  # fmt: skip
        old.routes.update(moved)
        kept.refresh(workers=0)
        assert {url for url in urls(kept, old) if url.startswith("http")} == {
            f"{new.url}/{file.name}" for file in folder.iterdir()
        }
        kept.refresh(workers=0)
        assert [url for url in urls(kept, old) if url.startswith("/")] == []
        new.log.clear()
        assert kept.refresh(workers=0).unchanged == 10
        assert kept.verify().ok
        old.routes.clear()
        kept.refresh(workers=0)
        kept.refresh(workers=0)
        assert sorted(urls(kept, old)) == sorted(f"/{file.name}" for file in folder.iterdir())


def test_a_crawl_waits_for_another_one_of_the_same_workspace(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept, workspace(tmp_path) as other:
        with kept.database.writer(0, lambda: None), pytest.raises(BusyError):
            other.index(f"{site.url}/index.html", site=LOCAL, workers=0, wait=0)
        assert site.log == []


def test_a_crawl_that_is_interrupted_goes_on(tmp_path: Path, folder: Path) -> None:
    def stop(_stage: str, done: int, _total: int | None, _detail: str) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with served({}, folder) as site, workspace(tmp_path) as kept:
        with pytest.raises(KeyboardInterrupt):
            kept.index(f"{site.url}/index.html", site=LOCAL, workers=0, progress=stop)
        asked = len(site.log)
        time.sleep(0.2)
        assert len(site.log) == asked
        site.log.clear()
        crawl(kept, site)
        assert len(urls(kept, site)) == 10
        assert len([path for path in site.asked() if path.endswith(".html")]) <= 7
        assert kept.verify().ok


def test_a_login_in_an_address_is_sent_and_is_in_no_file(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        secret = site.url.replace("http://", "http://me:s%C3%A9cret-4711@")
        kept.index(f"{secret}/index.html", site=LOCAL, workers=0)
        kept.index(f"{secret}/p1.html", workers=0)
        assert {one.headers.get("Authorization") for one in site.log} == {"Basic bWU6c8OpY3JldC00NzEx"}
        assert {hit.url for hit in kept.search("matter")} <= {f"{site.url}/{file.name}" for file in folder.iterdir()}
        with pytest.raises(RemoteError) as raised:
            kept.index(f"{secret}/none.html", workers=0)
        assert "4711" not in str(raised.value)
    for file in (tmp_path / "ws").rglob("*"):
        assert not file.is_file() or b"4711" not in file.read_bytes()


def test_one_address_among_many_that_does_not_answer_is_passed_over(tmp_path: Path, folder: Path) -> None:
    with served({}, folder) as site, workspace(tmp_path) as kept:
        named = [f"{site.url}/{name}" for name in ("p1.html", "none.html", "p2.html")]
        report = kept.index(named, workers=0)
        assert report.pages == 2
        told = "the server answered 404 Not Found; what was there before stays"
        assert [(one.url, one.reason) for one in report.skipped] == [(named[1], told)]
        (folder / "p1.html").unlink()
        again = kept.refresh(workers=0)
        assert (again.pages, [one.url for one in again.skipped]) == (1, [named[0]])
        assert len(urls(kept, site)) == 2
