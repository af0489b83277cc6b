"""The view of a page in a real browser: its units over it, each explained; another plan tried, seen and applied."""

from __future__ import annotations

from typing import Any

import pytest
from tests.board.boards import BASE, at, faults, quiet
from tests.browser import Visit

from wrac.flow import Workspace

GUIDE = BASE + "guide.html"


def frame(visit: Visit) -> Any:
    """The frame with the stored page."""
    found = visit.page.frame(name="snapshot")
    assert found is not None
    return found


def opened(visit: Visit, address: str) -> Visit:
    visit.page.goto(address)
    if frame_there := visit.page.frame(name="snapshot"):
        frame_there.wait_for_load_state("load")
    return visit


def test_a_page_is_shown_with_its_units(visit: Visit, board: str, shop: Workspace) -> None:
    opened(visit, at(board, "/page", url=GUIDE))
    document = shop.record(GUIDE).document
    marked = frame(visit).evaluate("[...document.querySelectorAll('[id^=u]')].map(one => one.id)")
    assert sorted(marked) == sorted(f"u{place.ordinal}" for place in document.places)
    assert "five working days" in frame(visit).locator("body").inner_text()
    assert frame(visit).locator("script, style ~ style, link, img, form, iframe").count() == 0
    quiet(visit, board)


def test_a_click_on_a_unit_explains_it_without_leaving(visit: Visit, board: str, shop: Workspace) -> None:
    opened(visit, at(board, "/page", url=GUIDE))
    visit.page.evaluate("window.stayed = true")
    frame(visit).get_by_text("A refund takes five working days").click()
    visit.page.wait_for_selector("#unit [data-ordinal]")
    told = visit.page.locator("#unit").inner_text()
    unit = next(u for u in shop.record(GUIDE).document.units.values() if u.text.startswith("A refund takes"))
    assert unit.id in told
    assert "h2_1.p_1" in told and "paragraph" in told and "main" in told
    assert "The chunk goes on from the unit before." in told
    assert "unit=" in visit.page.url
    assert visit.page.evaluate("window.stayed")
    assert frame(visit).evaluate("document.querySelector('.on').id") == f"u{visit.page.url.rpartition('unit=')[2]}"
    visit.page.go_back()
    visit.page.wait_for_selector("#unit [data-ordinal]", state="detached")
    quiet(visit, board)


def test_a_unit_on_several_pages_names_the_others(visit: Visit, board: str) -> None:
    opened(visit, at(board, "/page", url=GUIDE))
    visit.page.get_by_text("footer").first.click()
    visit.page.locator("a.unit", has_text="Company Ltd").first.click()
    visit.page.wait_for_selector("#unit [data-ordinal]")
    assert "It is in no chunk: footer." in visit.page.locator("#unit").inner_text()
    visit.page.locator("#unit").get_by_role("link", name="shop.example/shipping.html").click()
    visit.page.wait_for_url("**shipping.html")
    quiet(visit, board)


def test_another_plan_is_tried_seen_and_applied(visit: Visit, board: str, shop: Workspace) -> None:
    before = [chunk.id for chunk in shop.record(GUIDE).chunks]
    opened(visit, at(board, "/page", url=GUIDE))
    visit.page.locator(".trial > summary").click()
    visit.page.get_by_label("Target", exact=True).fill("12")
    visit.page.get_by_role("button", name="Preview").click()
    visit.page.wait_for_selector(".changes")
    changes = visit.page.locator(".changes").inner_text()
    assert "boundaries differ" in changes and "added" in changes
    assert frame(visit).locator(".wn.added").count() > 0
    assert [chunk.id for chunk in shop.record(GUIDE).chunks] == before
    visit.page.get_by_role("button", name="Apply to this page").click()
    visit.page.wait_for_selector(".notice.good")
    after = shop.record(GUIDE)
    assert len(after.chunks) > len(before) and after.policy.target == 12
    assert shop.record(BASE + "shipping.html").policy.target == 160
    assert visit.page.get_by_role("heading", name=f"{len(after.chunks)} chunks").is_visible()
    quiet(visit, board)


@pytest.mark.parametrize("name", ["notes.md", "fees.csv"])
def test_a_file_that_is_no_web_page_is_shown_from_its_units(
    visit: Visit, board: str, shop: Workspace, name: str
) -> None:
    opened(visit, at(board, "/page", url=BASE + name))
    document = shop.record(BASE + name).document
    assert frame(visit).locator("[id^=u]").count() == len(document.places)
    quiet(visit, board)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_page_is_for_everyone(visit: Visit, board: str, scheme: Any, width: int) -> None:
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.set_viewport_size({"width": width, "height": 900})
    for address in (
        at(board, "/pages"),
        at(board, "/page", url=GUIDE, unit=5),
        at(board, "/page", url=GUIDE, **{"try": 1, "target": 12}),
        at(board, "/nothing"),
    ):
        opened(visit, address)
        assert faults(visit) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    visit.complaints[:] = [one for one in visit.complaints if "404" not in one]
    quiet(visit, board)
