"""Search in a real browser: hits that say why, verdicts, contexts, two searches side by side; and without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.board import boards
from tests.board.boards import BASE, at, faults, quiet
from tests.browser import Visit
from tests.endpoint import Wire, streams
from tests.fakes import FakeEmbedder

from wrac.api.served import Rules
from wrac.flow import Workspace
from wrac.flow.answerers import Answerer
from wrac.llm.prices import Price

QUESTION = "how long does a refund take"


def judged(workspace: Workspace) -> list[tuple[int, str, str]]:
    """The verdicts that were kept, in their order."""
    events = [one for one in workspace.log.read() if one.name == "feedback"]
    return [(one.fields["verdict"], one.fields["query"], one.fields["note"]) for one in events]


def test_hits_say_why_they_were_found(visit: Visit, board: str) -> None:
    visit.page.goto(board + "/")
    visit.page.get_by_label("Question or words").fill(QUESTION)
    visit.page.keyboard.press("Enter")
    first = visit.page.locator("#hit-1")
    expect(first.locator("mark").first).to_contain_text("A refund takes five working days")
    told = first.inner_text()
    assert "How long it takes" in told or "Refunds" in told
    assert all(part in told for part in ("words", "meaning", "page", "confidence", "tokens", "shop.example/guide.html"))
    assert first.get_by_role("link", name="Live page").get_attribute("href", timeout=1000).startswith(BASE)  # type: ignore[union-attr]
    first.get_by_role("link", name="View source").click()
    visit.page.wait_for_url("**/page?*")
    expect(visit.page.locator("#unit blockquote")).to_contain_text("A refund takes five working days")
    quiet(visit, board)


def test_a_passage_is_judged_with_a_note_and_taken_back(visit: Visit, board: str, shop: Workspace) -> None:
    visit.page.goto(at(board, "/", q=QUESTION))
    first = visit.page.locator("#hit-1")
    first.get_by_label("Note on passage 1").fill("does not say from when")
    first.get_by_role("button", name="Bad").click()
    expect(first.locator(".judged")).to_contain_text("▼ Bad")
    expect(first.locator(".judged")).to_contain_text("does not say from when")
    assert judged(shop) == [(-1, QUESTION, "does not say from when")]
    first.get_by_role("button", name="Take it back").click()
    expect(first.locator(".judged")).to_contain_text("Taken back")
    assert [one[0] for one in judged(shop)] == [-1, 0]
    runs = {one.run for one in shop.log.read() if one.name in ("query", "feedback")}
    assert len(runs) == 1
    quiet(visit, board)


def test_filters_hold_and_are_kept(visit: Visit, board: str) -> None:
    visit.page.goto(at(board, "/", q="refund"))
    visit.page.locator(".refine > summary").click()
    visit.page.get_by_label("Address begins with").fill(BASE + "notes")
    visit.page.get_by_role("button", name="Search").click()
    visit.page.wait_for_url("**notes*")
    assert visit.page.locator(".hit").count() == 1
    assert visit.page.get_by_label("Address begins with").input_value() == BASE + "notes"
    visit.page.get_by_label("Metadata").fill("color=red")
    visit.page.get_by_role("button", name="Search").click()
    expect(visit.page.get_by_role("status")).to_contain_text("color")
    visit.complaints[:] = [one for one in visit.complaints if "400" not in one]
    quiet(visit, board)


def test_an_answer_cites_what_it_rests_on(visit: Visit, board: str) -> None:
    visit.page.goto(at(board, "/", q=QUESTION))
    visit.page.get_by_role("button", name="Answer", exact=True).click()
    answer = visit.page.locator("#answer")
    expect(answer).to_contain_text("five working days")
    expect(answer).to_contain_text("no model is set")
    answer.locator("summary").click()
    assert "passages" in answer.locator("table").inner_text()
    answer.locator(".sources a").first.click()
    visit.page.wait_for_url("**/page?*")
    quiet(visit, board)


def test_a_models_answer_is_checked_before_it_is_shown(visit: Visit, board: str, shop: Workspace) -> None:
    with Wire(streams("Five days [1.1]. ", "The moon is near.")) as wire:
        shop.ask("fees", answerer=Answerer("small", wire.address, Price(2, 8), 4000))
        visit.page.goto(at(board, "/", q=QUESTION))
        visit.page.get_by_role("button", name="Answer", exact=True).click()
        answer = visit.page.locator("#answer")
        expect(answer.locator("a.mark")).to_have_text("1.1")
        assert "The moon is near" in answer.locator(".text .uncited").first.inner_text()
        answer.locator("summary").click()
        expect(answer.locator("table")).to_contain_text("$0.")
        quiet(visit, board)


def test_two_workspaces_stand_side_by_side(visit: Visit, shop: Workspace, tmp_path: Path) -> None:
    boards.index(tmp_path / "other", {"guide.html": boards.PAGES["guide.html"]})
    with (
        Workspace(tmp_path / "other" / "shop", embedder=FakeEmbedder()) as other,
        boards.serving(first=shop, second=other) as board,
    ):
        visit.page.goto(at(board, "/compare"))
        visit.page.locator("#q").fill("refund")
        visit.page.locator("#workspace2").select_option("second")
        visit.page.get_by_role("button", name="Compare").click()
        visit.page.wait_for_selector(".hits")
        left, right = (visit.page.get_by_label(side, exact=True).locator(".hit") for side in ("Left", "Right"))
        assert left.count() > right.count() >= 1
        assert "only here" in visit.page.get_by_label("Left", exact=True).inner_text()
        right.first.locator("h2 a").click()
        visit.page.wait_for_url("**workspace=second*")
        assert visit.page.locator("#workspace").input_value() == "second"
        quiet(visit, board)


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_search_is_for_everyone(visit: Visit, board: str, scheme: Any, width: int) -> None:
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.set_viewport_size({"width": width, "height": 900})
    for path, query in (
        ("/", {}),
        ("/", {"q": QUESTION, "k": 5}),
        ("/", {"q": QUESTION, "view": "context"}),
        ("/compare", {"q": "refund", "q2": "fee"}),
    ):
        visit.page.goto(at(board, path, **query))
        assert faults(visit) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    quiet(visit, board)


def test_what_could_not_be_kept_is_said(visit: Visit, board: str, shop: Workspace) -> None:
    visit.page.goto(at(board, "/", q=QUESTION))
    visit.page.evaluate("document.querySelector('#hit-1 [name=chunk]').value = 'c1:0000'")
    visit.page.locator("#hit-1").get_by_role("button", name="Good").click()
    expect(visit.page.get_by_role("alert")).to_contain_text("no chunk is called c1:0000")
    assert judged(shop) == []
    visit.complaints[:] = [one for one in visit.complaints if "404" not in one]
    quiet(visit, board)


def test_what_nobody_may_do_is_not_offered(visit: Visit, shop: Workspace) -> None:
    with boards.serving(Rules(read_only=True), shop=shop) as board:
        visit.page.goto(at(board, "/", q=QUESTION))
        assert visit.page.locator(".hit").count() > 0 and visit.page.locator(".judge").count() == 0
        visit.page.goto(at(board, "/page", url=BASE + "guide.html", **{"try": 1, "target": 12}))
        expect(visit.page.locator(".changes")).to_contain_text("boundaries differ")
        assert visit.page.get_by_role("button", name="Apply").count() == 0
        quiet(visit, board)


def test_search_by_keyboard_alone(visit: Visit, board: str) -> None:
    visit.page.goto(board + "/")
    visit.page.keyboard.type(QUESTION)
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_selector("#hit-1")
    visit.page.keyboard.press("Tab")
    assert visit.page.evaluate("document.activeElement.className") == "skip"
    visit.page.keyboard.press("Enter")
    visit.page.locator("#hit-1 h2 a").focus()
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url("**/page?*")


def test_without_scripts_all_of_it_works(visit: Visit, board: str, shop: Workspace) -> None:
    session = visit.page.context.new_cdp_session(visit.page)
    session.send("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visit.page.goto(board + "/")
        visit.page.get_by_label("Question or words").fill(QUESTION)
        visit.page.get_by_role("button", name="Search").click()
        first = visit.page.locator("#hit-1")
        expect(first).to_contain_text("five working days")
        first.get_by_role("button", name="Bad").click()
        expect(visit.page.get_by_role("heading", name="Kept")).to_be_visible()
        assert [one[0] for one in judged(shop)] == [-1]
        visit.page.get_by_role("link", name="Back to the search").click()
        visit.page.locator("#hit-1").get_by_role("link", name="View source").click()
        expect(visit.page.locator("#unit blockquote")).to_contain_text("five working days")
        visit.page.frame_locator("#snapshot").locator("a.wn").nth(2).click()
        visit.page.wait_for_url("**unit=2")
        expect(visit.page.locator("#unit h2")).to_contain_text("2")
        visit.page.locator(".trial > summary").click()
        visit.page.get_by_label("Target", exact=True).fill("12")
        visit.page.get_by_role("button", name="Preview").click()
        expect(visit.page.locator(".changes")).to_contain_text("boundaries differ")
        visit.page.get_by_role("button", name="Apply to this page").click()
        expect(visit.page.locator(".notice.good")).to_contain_text("Planned anew")
        quiet(visit, board)
    finally:
        session.send("Emulation.setScriptExecutionDisabled", {"value": False})
