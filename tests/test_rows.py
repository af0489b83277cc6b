"""What an index row says beside its text: the page's day, its label in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.test_catalog import example

from wrac.core.types import Label
from wrac.flow.rows import date_of, label_of


@pytest.mark.parametrize(
    ("meta", "last_modified", "wanted"),
    [
        ({}, "", ""),
        ({"date": "2026-01-02T10:00:00Z"}, "", "2026-01-02"),
        ({"Date": "2026-01-02", "article:modified_time": "2026-03-04"}, "", "2026-03-04"),
        ({"date": "yesterday"}, "Wed, 21 Oct 2015 07:28:00 GMT", "2015-10-21"),
        ({"date": "0000-00-00"}, "no date, 99:99", ""),
    ],
)
def test_a_pages_day(meta: dict[str, str], last_modified: str, wanted: str) -> None:
    record = example("a.html")
    page = replace(record.page, meta=meta, last_modified=last_modified)
    assert date_of(replace(record, page=page)) == wanted


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        (None, ""),
        (Label(), ""),
        (Label("Loans", ("gold loan", "interest"), "225B"), "Loans: gold loan, interest; 225B"),
        (Label("", ("gold loan",), ""), "gold loan"),
        (Label("Loans", (), "225B"), "Loans; 225B"),
    ],
)
def test_a_label_in_a_line(label: Label | None, wanted: str) -> None:
    assert label_of(label) == wanted
