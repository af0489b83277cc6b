"""A site is indexed from the board and looked at, its pages planned anew for all, jobs stopped; by real processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.board import boards
from tests.board.boards import PAGES, at, faults, quiet
from tests.browser import Visit
from tests.served import Reply, served

from wrac.api.served import Rules
from wrac.flow import Workspace

LINKS = '<a href="/guide.html">Guide</a> <a href="/shipping.html">Shipping</a>'
ROUTES = {"/": f"<!doctype html><title>Shop</title><main><h1>Shop</h1><p>{LINKS}</p></main>"} | {
    f"/{name}": PAGES[name] for name in ("guide.html", "shipping.html")
}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "fresh") as workspace:
        yield workspace


def test_a_site_is_indexed_searched_and_planned_anew(visit: Visit, fresh: Workspace) -> None:
    with served(ROUTES) as site, boards.serving(Rules(private=True), fresh=fresh) as board:
        visit.page.goto(board + "/jobs")
        assert faults(visit) == []
        visit.page.get_by_label("Address of a page, a site or a sitemap").fill(site.url + "/")
        visit.page.get_by_label("Follow its links").check()
        visit.page.get_by_role("button", name="Index").click()
        expect(visit.page.locator(".jobs > li").first).to_contain_text("done", timeout=60_000)
        expect(visit.page.locator("#jobs")).to_contain_text("3 pages")
        visit.page.get_by_role("link", name="Search").click()
        visit.page.get_by_label("Question or words").fill("how long does a refund take")
        visit.page.keyboard.press("Enter")
        visit.page.locator("#hit-1").get_by_role("link", name="View source").click()
        expect(visit.page.locator("#unit blockquote")).to_contain_text("five working days")
        visit.page.locator(".trial > summary").click()
        visit.page.get_by_label("Target", exact=True).fill("12")
        visit.page.get_by_label("For", exact=True).select_option("all")
        visit.page.get_by_role("button", name="Preview").click()
        visit.page.get_by_role("button", name="Apply to all pages").click()
        visit.page.wait_for_url("**/jobs")
        expect(visit.page.locator(".jobs > li")).to_have_count(2)
        expect(visit.page.locator(".jobs > li").first).to_contain_text("done", timeout=60_000)
        assert {fresh.record(one.url).policy.target for one in fresh.pages()} == {12}
        assert len(fresh.pages()) == 3
        quiet(visit, board)


def test_what_may_not_be_asked_for_is_refused_and_a_job_is_stopped(visit: Visit, fresh: Workspace) -> None:
    slow = dict.fromkeys(ROUTES, Reply(ROUTES["/"].encode(), slow=30))
    with served(slow) as site, boards.serving(Rules(private=True), fresh=fresh) as board:
        visit.page.goto(board + "/jobs")
        visit.page.get_by_label("Address of a page, a site or a sitemap").fill("/etc/passwd")
        visit.page.get_by_role("button", name="Index").click()
        expect(visit.page.get_by_role("heading", level=1)).not_to_have_text("Jobs")
        visit.page.goto(board + "/jobs")
        visit.page.get_by_label("Address of a page, a site or a sitemap").fill(site.url + "/")
        visit.page.get_by_role("button", name="Index").click()
        expect(visit.page.locator("#jobs")).to_contain_text("running", timeout=20_000)
        visit.page.get_by_role("button", name="Cancel").click()
        expect(visit.page.locator("#jobs")).to_contain_text("cancelled", timeout=40_000)
        visit.complaints[:] = [one for one in visit.complaints if "422" not in one]
        quiet(visit, board)


def test_a_server_that_only_reads_begins_nothing(visit: Visit, fresh: Workspace) -> None:
    with boards.serving(Rules(read_only=True), fresh=fresh) as board:
        visit.page.goto(at(board, "/jobs"))
        assert visit.page.get_by_role("button", name="Index").count() == 0
        expect(visit.page.locator("#jobs")).to_contain_text("No job yet")
        quiet(visit, board)
