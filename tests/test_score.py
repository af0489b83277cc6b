"""The content score: the stored forest, its arithmetic, and what it says of small pages."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.html_strategies import trees

import wrac
from wrac.core.types import Document
from wrac.parsing.dom import document as tree
from wrac.parsing.features import NAMES, features
from wrac.parsing.html import segment_tree
from wrac.parsing.score import BEST, FEW, KEEP_MORE, MODEL, forest, scores, shift

PARAGRAPHS = (
    "Tomatoes need full sun, deep watering once or twice a week, and soil that drains well after heavy rain.",
    "Plant the seedlings deep, so that two thirds of the stem is under the ground; roots grow along it.",
    "When the first fruits set, remove the lowest leaves, and feed the plants every second week with compost tea.",
    "Harvest in the late morning, when the fruits are warm and dry, and never store them in a refrigerator.",
)
PAGE = f"""<html><head><title>Growing tomatoes - The garden</title></head><body>
<div class="cookie-banner"><p>We use cookies to improve your visit.</p><button>Accept all</button></div>
<nav class="main-menu"><ul><li><a href="/">Home</a></li><li><a href="/s">Shop</a></li><li><a href="/c">Contact</a></li>
</ul></nav><main><article><h1>Growing tomatoes</h1>{"".join(f"<p>{text}</p>" for text in PARAGRAPHS)}
<h2>When to water</h2><ul><li>In the early morning, at the root, never over the leaves.</li>
<li>Twice on hot days, when the soil is dry to a finger's depth.</li></ul></article></main>
<aside class="related-posts"><h3>Related posts</h3><ul><li><a href="/1">Ten herbs</a></li>
<li><a href="/2">Compost</a></li></ul></aside>
<footer><p>© 2026 The garden. All rights reserved.</p><a href="/privacy">Privacy</a></footer></body></html>"""


def score_of(document: Document, text: str) -> float:
    return next(place.score for place in document.places if text in document.text(place.ordinal))


def test_content_scores_high_and_chrome_low() -> None:
    document = wrac.parse(PAGE)
    assert len(document.places) >= FEW
    for text in (*PARAGRAPHS, "In the early morning"):
        assert score_of(document, text) >= BEST, text
    for text in ("We use cookies", "Home", "Ten herbs", "All rights reserved"):
        assert score_of(document, text) < BEST, text
    for text in ("We use cookies", "Home"):
        assert score_of(document, text) < KEEP_MORE, text


def test_the_stored_forest_is_the_one_its_card_describes() -> None:
    card = json.loads(MODEL.with_name("card.json").read_text(encoding="utf-8"))
    assert sha256(MODEL.read_bytes()).hexdigest() == card["sha256"]
    assert card["features"] == list(NAMES)
    assert card["licence"] == "CC-BY-4.0"
    assert (card["figures"]["best"], card["figures"]["keep_more"]) == (BEST, KEEP_MORE)
    assert MODEL.stat().st_size < 1_500_000
    model = forest()
    assert model.feature.shape == model.cut.shape == (card["trees"], card["depth"])
    assert model.leaves.shape == (card["trees"], 2 ** card["depth"])
    assert (np.diff(model.steps) >= 0).all()


def walked(column: np.ndarray) -> int:
    """The log odds of one unit, a question at a time."""
    model = forest()
    total = model.start
    for questions, cuts, leaves in zip(model.feature, model.cut, model.leaves, strict=True):
        leaf = 0
        for bit, (feature, cut) in enumerate(zip(questions, cuts, strict=True)):
            if column[feature] > cut:
                leaf |= 1 << bit
        total += int(leaves[leaf])
    return total


@pytest.mark.parametrize("units", [1, 3, 1500])
def test_whole_columns_answer_as_single_questions_do(units: int) -> None:
    near = forest().cut.ravel()
    table = np.random.default_rng(units).choice(np.concatenate((near, near + 1)), (len(NAMES), units)).astype(np.int16)
    found = forest().odds(table)
    assert [walked(table[:, unit]) for unit in range(0, units, 97)] == found[::97].tolist()


@given(trees)
def test_every_page_has_a_score_for_every_unit(page: str) -> None:
    drafts = segment_tree(tree(page), lambda: page).drafts
    if drafts:
        table = features(drafts)
        assert table.shape == (len(NAMES), len(drafts))
        assert (features(drafts) == table).all()
    found = scores(drafts, "")
    assert len(found) == len(drafts)
    assert all(0 <= score <= 1 and score == round(score, 3) for score in found)


@given(st.lists(st.tuples(st.integers(-8000, 8000), st.integers(0, 9000)), min_size=1, max_size=50))
def test_the_shift_only_lowers_the_bar(units: list[tuple[int, int]]) -> None:
    odds, sizes = (np.array(column) for column in zip(*units, strict=True))
    assert shift(odds.astype(np.int32), sizes, forest().steps) >= 0


def test_a_page_of_few_units_is_scored_by_rules() -> None:
    text = "<nav><a href='/'>Home</a></nav><main>" + "<p>Text.</p>" * (FEW - 2) + "</main>"
    assert [place.score for place in wrac.parse(text).places] == [0.03] + [0.9] * (FEW - 2)


def test_scores_need_no_training_library() -> None:
    code = f"import sys, wrac; wrac.parse({PAGE!r}); sys.exit('sklearn' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
