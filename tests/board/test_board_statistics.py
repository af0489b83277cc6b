"""Statistics, labelling and evaluation in a real browser: what readers say changes them, proposals change chunks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.board.boards import at, faults, quiet, serving
from tests.browser import Visit
from tests.commands import command
from tests.fakes_index import WordEmbedder
from tests.misfits import build

from wrac.api.served import Rules
from wrac.core.errors import NotFoundError
from wrac.flow import Workspace

BASE = "https://docs.example.com/"
HOSTILE = "<script>owned()</script><img src=x onerror=owned()> plan1 \u202egnp"
ADDRESSES = (
    "/statistics", "/statistics/proposals", "/statistics/searches", "/statistics/searches?only=slow",
    "/statistics/searches?only=judged", "/statistics/queries", "/statistics/queries?only=unanswered",
    "/statistics/pages", "/statistics/pages?only=disliked", "/statistics/pages?of=product%3Dx", "/statistics/chunks",
    "/statistics/chunks?of=table_row", "/statistics/sizes", "/statistics/repeated", "/statistics/paid?by=model&of=x",
    "/statistics/passed", "/statistics/hits?by=kind", "/statistics/unseen", "/statistics/verdicts",
    f"/statistics/preview?url={BASE}prices.html&whole_tables=1", "/labelling", "/labelling/query?q=plan1+dollars",
    "/evaluation",
)  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of pages whose chunks serve searches badly, with some searches done."""
    build(tmp_path / "site")
    with Workspace(tmp_path / "shop", embedder=WordEmbedder()) as workspace:
        workspace.index(tmp_path / "site", base=BASE, meta={"product": "x"}, workers=0)
        for i in range(4):
            workspace.search(f"plan{i} dollars month limit")
        yield workspace


def opened(visit: Visit, address: str) -> Visit:
    """The page at an address, with the parts that come later."""
    visit.page.goto(address)
    visit.page.wait_for_selector("#proposals .button[href*=proposals]", state="detached")
    return visit


def tile(visit: Visit, name: str) -> Any:
    return visit.page.locator(".tile", has=visit.page.get_by_text(name, exact=True))


def value(visit: Visit, name: str) -> int:
    return int(tile(visit, name).locator(".value").inner_text().replace(",", ""))


def test_a_thumb_down_changes_the_statistics(visit: Visit, board: str) -> None:
    opened(visit, board + "/statistics")
    assert (value(visit, "Searches"), value(visit, "Found bad")) == (4, 0)
    assert "No page was found bad" in visit.page.locator("main").inner_text()
    opened(visit, at(board, "/", q="plan7 dollars month limit"))
    url = visit.page.locator(".hit .trail .foreign").first.inner_text()
    visit.page.get_by_role("button", name="Bad: passage 1").click()
    visit.page.wait_for_selector(".judged")
    opened(visit, board + "/statistics")
    assert (value(visit, "Searches"), value(visit, "Found bad")) == (5, 1)
    disliked = visit.page.locator("section", has=visit.page.locator("#disliked"))
    assert url in disliked.inner_text()
    tile(visit, "Found bad").click()
    assert "plan7 dollars month limit" in visit.page.locator("table").inner_text()
    quiet(visit, board)


def test_every_number_leads_to_as_many_rows(visit: Visit, board: str, shop: Workspace) -> None:
    shop.feedback(shop.search("step1 panel")[0].chunk, 1)
    shop.search("qqqq zzzz")
    opened(visit, board + "/statistics")
    names = ("Searches", "Found nothing", "Without a good hit", "Found good", "Found bad", "Never found")
    told = {name: (value(visit, name), tile(visit, name).get_attribute("href")) for name in names}
    for count, address in told.values():
        opened(visit, board + address)
        assert visit.page.locator(".lead").inner_text().startswith(f"{count:,} in ")
        assert visit.page.locator("tbody tr").count() == min(count, 50)
    quiet(visit, board)


def test_a_proposal_is_previewed_applied_and_taken_back(visit: Visit, board: str, shop: Workspace) -> None:
    url = BASE + "prices.html"
    before = shop.record(url).chunks
    opened(visit, board + "/statistics")
    card = visit.page.locator(".card", has_text="A table is cut into 2 chunks")
    assert "4 searches" in card.inner_text()
    assert "3 → 2 chunks" in card.inner_text()
    card.get_by_role("link", name="Preview").click()
    visit.page.wait_for_selector(".whatif")
    assert "3 → 2" in visit.page.locator(".tiles").inner_text()
    assert "plan0" in visit.page.locator(".whatif").first.inner_text()
    assert shop.record(url).chunks == before
    visit.page.get_by_role("button", name="Apply to this page").click()
    visit.page.wait_for_selector(".notice.good")
    assert len(shop.record(url).chunks) == len(before) - 1
    assert shop.record(url).policy.whole_tables
    rules = visit.page.locator("table", has_text="tables kept whole")
    assert "docs.example.com/prices.html" in rules.inner_text()
    visit.page.wait_for_selector("#proposals > .small, #proposals > .cards")
    assert "A table is cut" not in visit.page.locator("#proposals").inner_text()
    visit.page.get_by_role("button", name="Take back the policy of docs.example.com/prices.html").click()
    visit.page.wait_for_selector(".notice.good")
    assert shop.record(url).chunks == before
    quiet(visit, board)


def test_a_logged_query_is_labelled_and_the_harness_reads_it(
    visit: Visit, board: str, shop: Workspace, tmp_path: Path
) -> None:
    opened(visit, board + "/labelling")
    visit.page.get_by_role("link", name="plan1 dollars month limit").click()
    visit.page.wait_for_selector(".picks")
    searches = shop.statistics().use.latency.searches
    visit.page.get_by_role("checkbox", name=re.compile("^plan1\t| plan1 |^plan1 ")).first.check()
    visit.page.get_by_role("button", name="Save").click()
    visit.page.wait_for_selector("#labelled ~ .scroll")
    assert shop.statistics().use.latency.searches == searches  # who labels does not search
    (row,) = map(json.loads, (shop.path / "gold.jsonl").read_text("utf-8").splitlines())
    assert row["query"] == "plan1 dollars month limit"
    assert row["page"] == BASE + "prices.html"
    assert row["text"][0].startswith("plan1\t")
    options = ("--pages", tmp_path / "site", "--strategies", "wrac,page", "--search", "bm25", "--json")
    code, out, noise = command("eval", shop.path / "gold.jsonl", *options, cwd=tmp_path)
    assert code == 0, noise
    assert json.loads(out)["data"]["queries"] == 1
    assert json.loads(out)["data"]["excluded"] == []
    with visit.page.expect_download() as download:
        visit.page.get_by_role("link", name="Export 1 as JSON lines").click()
    assert json.loads(Path(download.value.path()).read_text("utf-8")) == row
    visit.page.get_by_role("link", name="plan1 dollars month limit").click()
    visit.page.wait_for_selector(".picks")
    assert visit.page.locator(".picks input:checked").count() == 1
    visit.page.locator(".picks input:checked").uncheck()
    visit.page.get_by_role("button", name="Save").click()
    visit.page.wait_for_selector("text=Nothing is labelled yet")
    quiet(visit, board)


def test_an_evaluation_is_run_opened_and_compared(visit: Visit, board: str, shop: Workspace) -> None:
    opened(visit, board + "/evaluation")
    assert "No question is labelled" in visit.page.locator("main").inner_text()
    text = next(one.text for one in shop.record(BASE + "prices.html").document.units.values() if "plan3\t" in one.text)
    line = {"id": "a", "query": "plan3 dollars month", "page": BASE + "prices.html", "text": text}
    (shop.path / "gold.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    for run in (1, 2):
        opened(visit, board + "/evaluation")
        visit.page.get_by_role("button", name="Run on 1 question").click()
        visit.page.wait_for_selector(".notice")
        assert "Done: gold-" in visit.page.locator(".notice").inner_text()
        assert visit.page.locator("tbody tr").count() == run
    visit.page.locator("tbody a").first.click()
    visit.page.wait_for_selector("iframe")
    frame = visit.page.frames[1]
    frame.wait_for_selector("#search-0")
    assert "workspace" in frame.locator("main").inner_text()
    assert frame.locator("script").count() == 0
    opened(visit, board + "/evaluation")
    visit.page.locator("[name=old]").last.check()
    visit.page.locator("[name=new]").first.check()
    visit.page.get_by_role("button", name="Compare old and new").click()
    visit.page.wait_for_selector("iframe")
    visit.page.frames[1].wait_for_selector("text=Two runs on gold")
    opened(visit, board + "/evaluation")
    visit.page.get_by_role("button", name=re.compile("^Delete")).first.click()
    visit.page.wait_for_selector("tbody tr:nth-child(2)", state="detached")
    assert visit.page.locator("tbody tr").count() == 1
    quiet(visit, board)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_its_pages_are_for_everyone(visit: Visit, board: str, shop: Workspace, scheme: Any) -> None:
    shop.feedback(shop.search("step1 panel go")[0].chunk, -1)
    visit.page.emulate_media(color_scheme=scheme)
    for width, every in ((1280, 4), (390, 1 if scheme == "light" else 3)):
        visit.page.set_viewport_size({"width": width, "height": 900})
        for address in ADDRESSES[::every]:
            opened(visit, board + address)
            assert faults(visit) == [], address
            assert visit.page.evaluate("document.documentElement.scrollWidth") == width, address
    quiet(visit, board)


def test_without_a_script_all_of_it_works(visit: Visit, board: str, shop: Workspace) -> None:
    visit.page.route("**/*.js", lambda route: route.abort())
    try:
        visit.page.goto(board + "/statistics")
        visit.page.get_by_role("link", name="See proposals").click()
        visit.page.get_by_role("link", name=re.compile("^Preview: tables kept whole")).click()
        visit.page.get_by_role("button", name="Apply to this page").click()
        assert shop.record(BASE + "prices.html").policy.whole_tables
        visit.page.goto(at(board, "/labelling/query", q="plan1 dollars"))
        visit.page.locator(".picks input").first.check()
        visit.page.get_by_role("button", name="Save").click()
        visit.page.get_by_role("button", name="Remove: plan1 dollars").click()
        assert "Nothing is labelled yet" in visit.page.locator("main").inner_text()
    finally:
        visit.page.unroute("**/*.js")


def test_text_of_strangers_is_shown_and_does_nothing(visit: Visit, board: str, shop: Workspace) -> None:
    hit = shop.search(HOSTILE)[0]
    shop.feedback(hit.chunk, -1, query=HOSTILE, note=HOSTILE)
    for address in ("/statistics", "/statistics/searches", "/statistics/queries", "/statistics/verdicts", "/labelling"):
        opened(visit, board + address)
        assert "<script>owned()" in visit.page.locator("main").inner_text()
        assert visit.page.locator("main script, main img, [onerror]").count() == 0
    opened(visit, at(board, "/labelling/query", q=HOSTILE))
    visit.page.locator(".picks input").first.check()
    visit.page.get_by_role("button", name="Save").click()
    assert "Kept: <script>owned()" in visit.page.locator(".notice").inner_text()
    quiet(visit, board)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/statistics?from=soon", 400),
        ("/statistics?zone=../../etc/passwd", 400),
        ("/statistics?days=-1", 422),
        ("/statistics/hits?by=name", 422),
        ("/statistics/searches?start=-5", 422),
        ("/statistics/searches?q=' OR 1=1 --", 200),
        ("/statistics/pages?of=%00", 200),
        ("/statistics/preview?url=nowhere&target=5", 404),
        (f"/statistics/preview?url={BASE}prices.html&target=9999", 400),
        (f"/statistics/preview?url={BASE}prices.html&target=²", 400),
        ("/labelling/query?q=%20", 400),
        ("/labelling/query?q=a&url=../../etc/passwd", 404),
        ("/evaluation/result?name=../gold.jsonl", 404),
        ("/evaluation/report?name=../../../etc/passwd", 404),
        ("/evaluation/file?name=../wrac.db", 404),
        ("/evaluation/compared?old=a.json&new=b.json", 404),
    ],
)
def test_what_cannot_be_is_told_in_a_line(visit: Visit, board: str, path: str, status: int) -> None:
    answer = visit.page.request.get(board + path)
    assert answer.status == status
    assert "Traceback" not in answer.text()


def test_what_is_not_a_choice_changes_nothing(board: str, shop: Workspace, visit: Visit) -> None:
    record = shop.record(BASE + "prices.html")
    headers = {"Origin": board, "Sec-Fetch-Site": "same-origin"}
    posts: list[tuple[str, dict[str, str | float | bool], int]] = [
        ("/evaluation/run", {"strategy": "rm -rf", "search": "bm25"}, 400),
        ("/evaluation/run", {}, 400),
        ("/labelling/query", {"q": "a", "url": record.page.url, "unit": "u1:00"}, 400),
        ("/labelling/query", {"q": " ", "url": record.page.url}, 400),
        ("/labelling/remove", {"id": "nothing"}, 404),
        ("/statistics/take-back", {"url": "nowhere"}, 404),
        (f"/statistics/apply?url={record.page.url}&target=9999", {}, 400),
    ]
    for path, form, status in posts:
        assert visit.page.request.post(board + path, form=form, headers=headers).status == status, path
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for path, form, _ in posts:
        assert visit.page.request.post(board + path, form=form, headers=foreign).status == 403, path
    assert shop.record(record.page.url) == record
    assert not (shop.path / "gold.jsonl").exists()
    with pytest.raises(NotFoundError):
        shop.record("nowhere")


def test_who_may_only_read_is_offered_nothing_else(visit: Visit, shop: Workspace) -> None:
    (shop.path / "gold.jsonl").write_text('{"id": "a", "query": "b", "page": "c", "text": "d"}\n', "utf-8")
    with serving(Rules(read_only=True), shop=shop) as address:
        offers = ("/statistics/proposals", f"/statistics/preview?url={BASE}prices.html&whole_tables=1", "/labelling")
        for path in (*offers, "/labelling/query?q=plan1+dollars", "/evaluation", "/statistics"):
            opened(visit, address + path)
            assert visit.page.locator("main form[method=post] button").count() == 0, path
        headers = {"Origin": address, "Sec-Fetch-Site": "same-origin"}
        answer = visit.page.request.post(f"{address}/statistics/apply?url={BASE}prices.html&target=50", headers=headers)
        assert answer.status == 403
        quiet(visit, address)
