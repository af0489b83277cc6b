"""Reports in a real browser: they show themselves, at a desk and on a phone, and do nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import runs
from tests.browser import Visit, visiting

from wrac.evaluation.report import compare, page

PARTS = ["search-0", "search-1", "cost", "sizes", "worst", "left-out", "reading"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return runs.results(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(tmp_path_factory.mktemp("profile")) as one:
        yield one


def opened(visit: Visit, html: str, folder: Path) -> Visit:
    """The page from a file, with nothing asked for or complained of yet."""
    file = folder / "report.html"
    file.write_text(html, "utf-8")
    visit.requests.clear()
    visit.complaints.clear()
    visit.page.goto(file.as_uri())
    return visit


def quiet(visit: Visit) -> bool:
    """Whether the page asked for itself alone and nothing complained."""
    return visit.complaints == [] and [url.rpartition("/")[2] for url in visit.requests] == ["report.html"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_report_is_whole_at_a_desk_and_on_a_phone(
    results: dict[str, Any], visit: Visit, tmp_path: Path, width: int, scheme: Any
) -> None:
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.emulate_media(color_scheme=scheme)
    opened(visit, page(results), tmp_path)
    assert quiet(visit)
    assert all(visit.page.locator(f"#{part}").is_visible() for part in PARTS)
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    plots = visit.page.locator("svg:visible")
    assert plots.count() == 2 * (2 + 3) + 4  # a curve and a scatter a search, a group each, a histogram a strategy
    assert all(plots.nth(i).locator("> title").text_content() for i in range(plots.count()))
    assert visit.shoot(tmp_path / "report.png").stat().st_size > 10_000
    ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground[4:-1].split(", "))) > 384) == (scheme == "light")


def test_labels_of_a_plot_stand_inside_it_and_apart(results: dict[str, Any], visit: Visit, tmp_path: Path) -> None:
    for width in (1280, 390):
        visit.page.set_viewport_size({"width": width, "height": 900})
        opened(visit, page(results), tmp_path)
        for plot in visit.page.locator(".plots svg:visible").all():
            frame = plot.bounding_box()
            boxes = [one.bounding_box() for one in plot.locator(".label").all()]
            assert frame
            for box in filter(None, boxes):
                assert frame["x"] - 1 <= box["x"]
                assert box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
            rows = sorted((box["y"], box["x"], box["x"] + box["width"]) for box in filter(None, boxes))
            for (y, left, right), (below, start, end) in itertools.pairwise(rows):
                assert below - y >= 8 or right <= start or end <= left


def test_an_interval_opens_by_keyboard(results: dict[str, Any], visit: Visit, tmp_path: Path) -> None:
    visit.page.set_viewport_size({"width": 1280, "height": 900})
    opened(visit, page(results), tmp_path)
    first = visit.page.locator(".d[tabindex]").first
    shown = "element => getComputedStyle(element, '::after').content"
    assert first.evaluate(shown) == "none"
    for _ in range(20):
        visit.page.keyboard.press("Tab")
        if first.evaluate("element => element === document.activeElement"):
            break
    assert "sections: " in first.evaluate(shown)
    assert "sections: " in first.inner_text()


def test_what_opens_on_demand_holds_what_was_wanted_and_found(
    results: dict[str, Any], visit: Visit, tmp_path: Path
) -> None:
    opened(visit, page(results), tmp_path)
    details = visit.page.locator("#worst ~ details").first
    assert not details.locator("article").first.is_visible()
    details.locator("summary").press("Enter")
    article = details.locator("article").first
    assert article.is_visible()
    worst = results["rows"][0]["worst"][0]
    assert worst["gold"][0]["text"] in article.inner_text()
    assert worst["found"][0]["page"] in article.inner_text()


def test_every_table_names_its_columns_and_rows(results: dict[str, Any], visit: Visit, tmp_path: Path) -> None:
    opened(visit, page(results), tmp_path)
    assert visit.page.locator("table").count() > 8
    assert visit.page.locator("thead th:not([scope=col]), tbody tr > :first-child:not(th[scope=row])").count() == 0
    assert visit.page.locator("svg:not([role=img])").count() == 0
    ids = visit.page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    links = visit.page.evaluate("[...document.querySelectorAll('a')].map(one => one.getAttribute('href').slice(1))")
    assert set(links) <= set(ids)


def test_text_of_strangers_is_shown_and_does_nothing(results: dict[str, Any], visit: Visit, tmp_path: Path) -> None:
    spoilt = runs.hostile(results)
    found = compare.compare({**spoilt, "file": runs.HOSTILE[0]}, {**spoilt, "command": runs.HOSTILE[3]})
    found["rows"][0]["gained"] = [
        {"query": one, "text": one, "old": 0.0, "new": 1.0, "change": 1.0} for one in runs.HOSTILE
    ]
    for html in (page(spoilt), compare.page(found)):
        opened(visit, html, tmp_path)
        for one in visit.page.locator("details").all():
            one.evaluate("element => { element.open = true }")
        visit.page.locator(".d").first.hover()
        visit.page.wait_for_timeout(100)
        assert quiet(visit)
        assert "owned" not in visit.page.title().split()
        assert visit.page.locator("script, img, body svg a, main a, [onload], [onerror], [onmouseover]").count() == 0
        text = visit.page.locator("main").inner_text()
        assert runs.HOSTILE[0] in text
        assert not set(text) & set("\u202e\u2066\x1b\x07\x00")


def test_the_page_could_run_nothing_even_unescaped(results: dict[str, Any], visit: Visit, tmp_path: Path) -> None:
    broken = page(results).replace("<main>", f"<main>{runs.HOSTILE[0]}<img src=https://evil.example/a.png>")
    opened(visit, broken, tmp_path)
    assert visit.page.title() == "Chunking compared on rmc - wrac eval"
    assert all("Content Security Policy" in one for one in visit.complaints)
    assert len(visit.complaints) == 2
