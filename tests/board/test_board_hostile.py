"""Pages that mean harm, stored and looked at: nothing of theirs runs, loads, sends or hides anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from tests import hostile
from tests.board import boards
from tests.board.boards import BASE, at, quiet
from tests.browser import Visit
from tests.fakes import FakeEmbedder

from wrac.flow import Workspace

GROUPS = {f"page-{number}.html": hostile.page(hostile.PIECES[number::5]) for number in range(5)}
TITLES = {
    f"title-{number}.html": hostile.page((f"<p>{_text}</p>", f"<h2 id='{_text}'>{_text}</h2>"), _text)
    for number, _text in enumerate(text.replace("<", "&lt;").replace("'", "&#39;") for text in hostile.TEXTS)
}
NOTES = {"note.md": "# <script>top.owned=1</script>\n\n[a](javascript:top.owned=1) ![b](http://evil.example/owned)\n"}
PAGES = {**GROUPS, **TITLES, **NOTES}


@pytest.fixture(scope="module")
def den(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("den")
    boards.index(folder, PAGES)
    with Workspace(folder / "shop", embedder=FakeEmbedder()) as workspace:
        yield workspace


@pytest.fixture(scope="module")
def lair(den: Workspace) -> Iterator[str]:
    with boards.serving(den=den) as address:
        yield address


def asked_for(visit: Visit) -> list[str]:
    """What was asked for that only hostile markup asks for."""
    return [url for url in visit.requests if urlsplit(url).path.endswith("owned")]


def harmless(visit: Visit, board: str) -> None:
    """Nothing ran, nothing was asked for that the board does not ask for itself, and nothing had to be blocked."""
    page = visit.page
    page.wait_for_timeout(50)
    assert all(frame.evaluate("window.owned") is None for frame in page.frames)
    assert not asked_for(visit)
    assert page.url.startswith(board)
    quiet(visit, board)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_of_a_page_runs_or_loads(visit: Visit, lair: str, name: str) -> None:
    for address in (at(lair, "/page", url=BASE + name, unit=0), at(lair, "/snapshot", url=BASE + name)):
        visit.page.goto(address, wait_until="load")
        harmless(visit, lair)
        foreign: list[Any] = visit.page.evaluate(
            "[...document.querySelectorAll('a')].map(a => a.href).filter(href => !/^https?:/.test(href))"
        )
        assert foreign == []


def test_nothing_of_a_page_runs_where_its_text_is_found(visit: Visit, lair: str, den: Workspace) -> None:
    asked = [("/", {"q": text}) for text in ("owned", *hostile.TEXTS)]
    asked += [("/", {"q": "owned", "view": "context"}), ("/compare", {"q": "owned", "q2": hostile.TEXTS[1]})]
    for path, query in asked:
        visit.page.goto(at(lair, path, **query))
        harmless(visit, lair)
    visit.page.goto(at(lair, "/pages", prefix=hostile.TEXTS[1]))
    harmless(visit, lair)
    for hit in den.search("owned", k=3):
        visit.page.goto(at(lair, f"/chunk/{hit.chunk}"))
        harmless(visit, lair)


def test_a_click_into_a_hostile_page_stays_here(visit: Visit, lair: str) -> None:
    visit.page.goto(at(lair, "/page", url=BASE + "page-0.html"))
    frame = visit.page.frame(name="snapshot")
    assert frame is not None
    for unit in frame.locator("[id^=u]").all()[:12]:
        unit.click(position={"x": 4, "y": 4})
        visit.page.wait_for_timeout(50)
    harmless(visit, lair)


def test_a_frame_could_run_nothing_even_unclean(visit: Visit, lair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from wrac.board.routes import pages

    raw = "".join(hostile.PIECES[:-1])
    monkeypatch.setattr(pages, "snapshot", lambda *_: raw)
    for address in (at(lair, "/page", url=BASE + "page-1.html"), at(lair, "/snapshot", url=BASE + "page-1.html")):
        visit.page.goto(address, wait_until="load")
        visit.page.wait_for_timeout(300)
        assert visit.page.url == address
        assert all(frame.evaluate("window.owned") is None for frame in visit.page.frames)
    assert visit.complaints


def test_a_snapshot_says_what_it_may_do(lair: str) -> None:
    with urlopen(at(lair, "/snapshot", url=BASE + "page-0.html")) as found:  # noqa: S310 - our own address
        policy = found.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "form-action 'none'" in policy and "base-uri 'none'" in policy and "frame-ancestors 'self'" in policy
    assert "sandbox" in policy and "allow-scripts" not in policy and "allow-forms" not in policy
