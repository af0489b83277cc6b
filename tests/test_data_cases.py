"""The shared case lists: blocks that must survive in an article page, and inputs from public bug reports."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests import lawbook
from tests.expectations import at, complaints

from wrac.core.types import Document, Page
from wrac.text.render import markdown

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data")

ARTICLE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Watering plants - Garden guide</title>
<style>body { margin: 0 }</style></head>
<body class="page">
<header class="site-header"><a class="logo" href="/">Garden guide</a>
<nav><ul><li><a href="/tools">Tools</a></li><li><a href="/seeds">Seeds</a></li></ul></nav></header>
<main><article>
<h1>Watering plants</h1>
<p>Most plants need water in the morning, when the soil is cool and the sun has not reached the leaves yet.</p>
<p>Use a can with a fine rose, and pour slowly, so that the water sinks in instead of running off.</p>
%s
<p>Check the soil with a finger before you water again: two centimetres down it should be dry.</p>
<h2>How much</h2>
<p>A pot of ten centimetres takes about a cup of water; larger pots take more, but less often.</p>
</article></main>
<footer><p>Garden guide, since 1998. <a href="/imprint">Imprint</a></p></footer>
</body></html>
"""


def rows(name: str) -> list[dict[str, Any]]:
    """The lines of a case list; empty when the data is absent."""
    path = DATA / "cases" / name
    if not path.exists():
        assert not (os.environ.get("CI") and DATA.exists()), f"{path} is missing though {DATA} exists"
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


SURVIVAL, ISSUES = rows("survival.jsonl"), rows("issues.jsonl")
NO_DATA = "no shared case lists (set WRAC_DATA)"


def page(html: str) -> Page:
    return Page("https://cases.example/page", html.encode(), charset="utf-8")


@pytest.mark.skipif(not SURVIVAL, reason=NO_DATA)
@pytest.mark.parametrize("case", SURVIVAL, ids=lambda case: str(case["name"]))
def test_block_survives_in_an_article(case: dict[str, Any]) -> None:
    document = lawbook.check_all(page(ARTICLE % case["html"]))
    text = markdown(document, range(len(document.places)))
    for part in case["present"]:
        assert part in text, f"{part!r} is not in the Markdown:\n{text}"
    for pattern in case["present_regex"]:
        assert re.search(pattern, text), f"{pattern!r} matches nothing in the Markdown:\n{text}"
    for place in document.places:
        for part in case["not_main"]:
            assert part not in document.text(place.ordinal) or place.role != "main", f"{part!r} has role main"
    check_article(document)


def check_article(document: Document) -> None:
    """The page around the block is what it is without it."""
    for start in ("Most plants need", "Check the soil", "A pot of ten"):
        place = next(p for p in document.places if document.text(p.ordinal).startswith(start))
        assert (place.role, place.visible) == ("main", "visible"), f"{start!r} is {place.role}, {place.visible}"
    assert at(document, "Tools")[0].role == "nav"


def demands(case: dict[str, Any], *, alone: bool) -> dict[str, Any]:
    """An issue line as the keys of `expect.json`; inside an article the trail starts with its title."""
    other = {"kind": "kinds", "role": "roles", "number": "numbers"}
    expect = {other.get(key, key): case[key] for key in ("texts", "rows", "not_main", *other) if key in case}
    if alone:
        expect["trails"] = case.get("trail", {})
    return expect


@pytest.mark.skipif(not ISSUES, reason=NO_DATA)
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "in-article"])
@pytest.mark.parametrize("case", ISSUES, ids=lambda case: str(case["name"]))
def test_issue(case: dict[str, Any], *, alone: bool) -> None:
    document = lawbook.check_all(page(case["html"] if alone else ARTICLE % case["html"]))
    found = complaints(document, demands(case, alone=alone))
    assert not found, f"seen in {case['seen_in']}\n" + "\n".join(found)
    if not alone:
        check_article(document)
