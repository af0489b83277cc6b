"""The golden cases: one folder each, `input.html` (or `input.bin`) and `expect.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import lawbook
from tests.expectations import complaints

from wrac.core.types import Page
from wrac.parsing import parse, resolve

CASES = Path(__file__).parent / "cases"
FOLDERS = sorted(folder for folder in CASES.iterdir() if (folder / "expect.json").exists())


def load(folder: Path) -> tuple[Page, dict[str, Any]]:
    """The page of a case folder and what it demands."""
    expect = json.loads((folder / "expect.json").read_text("utf-8"))
    source = next(path for path in (folder / "input.bin", folder / "input.html") if path.exists())
    charset = expect.get("charset", "utf-8" if source.suffix == ".html" else "")
    page = Page(f"https://cases.example/{folder.name}", source.read_bytes(), charset=charset)
    return page, expect


def test_there_are_cases() -> None:
    assert len(FOLDERS) > 250


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_case(folder: Path) -> None:
    page, expect = load(folder)
    found = complaints(parse(page), expect)
    assert not found, f"{expect['why']}\n" + "\n".join(found)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_case_keeps_the_laws(folder: Path) -> None:
    page, _ = load(folder)
    document = lawbook.check_all(page)
    for place in document.places:
        by_found_encoding = resolve(place.address, page.body, charset=document.encoding)
        assert by_found_encoding == document.text(place.ordinal)
