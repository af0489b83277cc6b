"""Coming in with a token, in a browser; and that a page of another site comes in by no means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.board.boards import at, faults, quiet, serving
from tests.browser import Visit
from tests.served import served

from wrac.api import tokens
from wrac.api.served import Rules
from wrac.flow import Workspace


@pytest.fixture
def closed(shop: Workspace) -> Iterator[str]:
    """A board that asks for a token."""
    with serving(Rules(auth=True), shop=shop) as address:
        yield address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_token_opens_the_page_that_was_asked_for(visit: Visit, closed: str, shop: Workspace, scheme: Any) -> None:
    text, _ = tokens.create(shop.database, "read")
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.set_viewport_size({"width": 390, "height": 800})
    visit.page.goto(at(closed, "/pages", prefix="https://shop"))
    assert visit.page.title().startswith("Log in")
    assert faults(visit) == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    visit.page.get_by_label("Token").fill(text)
    visit.page.get_by_role("button", name="Log in").click()
    assert visit.page.url == at(closed, "/pages", prefix="https://shop")
    assert visit.page.evaluate("document.cookie") == ""  # a script sees no session
    visit.page.get_by_role("button", name="Log out").click()
    visit.page.goto(closed)
    assert "/login" in visit.page.url
    quiet(visit, closed)


def test_a_wrong_token_is_told_and_may_be_mended(visit: Visit, closed: str, shop: Workspace) -> None:
    text, _ = tokens.create(shop.database, "read")
    visit.page.goto(at(closed, "/statistics"))
    visit.page.get_by_label("Token").fill("wrac_wrong")
    visit.page.keyboard.press("Enter")
    assert visit.page.get_by_role("alert").inner_text() == "No such token."
    assert faults(visit) == []
    visit.page.get_by_label("Token").fill(text)
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url(at(closed, "/statistics"))


HOSTILE = """<!doctype html><title>Elsewhere</title><script>
const board = %r, sent = []
const tries = [
  () => fetch(board + "/v1/feedback", {method: "POST", mode: "no-cors", body: '{"chunk": "%s", "verdict": -1}'}),
  () => fetch(board + "/v1/feedback", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}),
  () => fetch(board + "/v1/search?q=refund").then(answer => answer.text()),
  () => fetch(board + "/v1/jobs", {method: "POST", mode: "no-cors", body: '{"kind": "refresh"}'}),
  () => new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no;
         i.src = board + "/v1/search?q=img" }),
  () => new Promise((yes, no) => { const s = document.createElement("script"); s.onload = yes; s.onerror = no;
         s.src = board + "/v1/search?q=script"; document.body.append(s) }),
]
window.tried = Promise.allSettled(tries.map(one => one())).then(all => all.map(one => one.status))
</script><body><iframe src=%r></iframe>
<form id=f action="%s/v1/feedback" method=post enctype="text/plain">
<input name='{"chunk": "%s", "verdict": -1, "note": "' value='"}'></form>
"""


def test_a_page_of_another_site_reads_and_changes_nothing(visit: Visit, board: str, shop: Workspace) -> None:
    chunk = shop.search("refund")[0].chunk
    before = len(list(shop.log.read()))
    with served({"/": HOSTILE % (board, chunk, board, board, chunk)}) as site:
        visit.page.goto(f"{site.url}/")
        statuses = visit.page.evaluate("window.tried")
        assert statuses[1:3] == ["rejected", "rejected"] and statuses[4:] == ["rejected", "rejected"]
        assert [frame.url for frame in visit.page.frames[1:]] != [board + "/"]  # no frame shows the board
        with visit.page.expect_navigation():
            visit.page.evaluate("document.getElementById('f').submit()")
        assert "another site" in visit.page.content()
    assert len(list(shop.log.read())) == before
    assert not (shop.path / "jobs").exists()
