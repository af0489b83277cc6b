"""A page in parts: laws over real pages, and how a section is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wrac.catalog import Record
from wrac.core.errors import NotFoundError
from wrac.flow import Workspace
from wrac.flow.section import headings, read
from wrac.text.tokens import counter


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Record]]:
    with Workspace(tmp_path_factory.mktemp("section") / "w") as workspace:
        workspace.index(["examples/site"])
        yield [workspace.record(page.url) for page in workspace.pages()]


@pytest.mark.parametrize("budget", [1, 40, 200, 10_000])
def test_parts_hold_every_kept_unit_once_and_in_order(records: list[Record], budget: int) -> None:
    for record in records:
        units: list[str] = []
        start: int | None = 0
        while start is not None:
            part = read(record, budget=budget, start=start)
            units += [unit for _, unit in part.units]
            assert part.following is None or part.following > start
            start = part.following
        kept = [place.unit for place in record.document.places if place.ordinal not in record.plan.omitted]
        assert units == kept


def test_a_part_is_within_its_budget_and_leaves_no_heading_behind(records: list[Record]) -> None:
    for record in records:
        part = read(record, budget=150)
        assert len(part.units) == 1 or part.tokens <= 150
        assert part.tokens == counter("o200k").count(part.markdown)
        if part.following is not None and len(part.units) > 1:
            assert record.document.units[part.units[-1][1]].kind != "heading"


def test_a_section_is_found_by_name_anchor_and_heading(records: list[Record]) -> None:
    for record in records:
        for heading in headings(record):
            by_name = read(record, heading.name, budget=10_000)
            assert by_name.name == heading.name
            assert by_name.units[0][0] == heading.name
            if heading.anchor:
                assert read(record, f"#{heading.anchor}", budget=10_000) == by_name


def test_a_section_that_is_not_there_is_told_with_those_that_are(records: list[Record]) -> None:
    record = next(one for one in records if one.page.url.endswith("faq.html"))
    with pytest.raises(NotFoundError, match=r"faq.html: no section is called Weather; it has h1_1 '"):
        read(record, "Weather")


def test_a_page_without_sections_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>One paragraph without a heading, long enough to be a page.</p>")
    with Workspace(tmp_path / "w") as workspace:
        workspace.index([tmp_path / "a.html"])
        record = workspace.record(workspace.pages()[0].url)
    assert headings(record) == []
    assert read(record).units
    with pytest.raises(NotFoundError, match="it has no sections; read it whole"):
        read(record, "h1_1")
