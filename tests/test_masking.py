"""Masks: what they take out wherever it stands, and what they leave."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.masking import variants
from tests import debian
from tests.data import FOLDER, existing

from wrac.evaluation.datasets import load
from wrac.evaluation.masking import mask

WORD = st.sampled_from(["how", "Do", "I", "pay", "a", "fee", "über", "कैसे"])
MASKS = st.lists(st.lists(WORD, min_size=1, max_size=4).map(" ".join), max_size=4)
TEXT = st.lists(st.one_of(WORD, st.sampled_from(["\n", " > ", "1.2.", "¶", "`", "?"])), max_size=30).map(" ".join)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_][\w\u0900-\u0963]*", text.casefold())


def holds(text: list[str], part: list[str]) -> bool:
    return any(text[at : at + len(part)] == part for at in range(len(text) - len(part) + 1))


@given(MASKS, TEXT)
def test_no_mask_of_three_words_is_left_and_nothing_is_added(masks: list[str], text: str) -> None:
    hidden = mask(masks)(text)
    assert not [one for one in masks if len(one.split()) >= 3 and holds(words(hidden), words(one))]
    left = iter(words(text))
    assert all(word in left for word in words(hidden))
    assert mask(masks)(hidden) == hidden


@given(TEXT)
def test_without_masks_a_text_is_what_it_was(text: str) -> None:
    assert mask([])(text) == mask(["", " ?"])(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("FAQ > 1.2. How do I pay?¶\nBy card.", "FAQ > 1.2.  ?¶\nBy card."),
        ("## 3) **How** do `I` pay?\nBy card.", "## 3) ** ?\nBy card."),
        ("Ask yourself: how do\n I pay? By card.", "Ask yourself:  ? By card."),
        ("How do I pay back?", "  back?"),
        ("how-do-i-pay\nBy card.", " \nBy card."),
    ],
)
def test_a_heading_is_found_under_numbers_signs_markup_and_line_ends(text: str, left: str) -> None:
    assert mask(["How do I pay?"])(text) == left


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Overview", True), ("2.1 Overview¶", True), ("Chapter 2. Overview", True), ("- Overview", True),
        ("Guide > Overview > Setup", True), ("Guide > A. Overview", True), ("x\r\nOverview:\ny", True),
        ("An overview of all", False), ("Overview of it", False), ("See the Overview", False), ("Overviews", False),
    ],
)  # fmt: skip
def test_a_short_heading_is_hidden_only_where_it_is_all_that_a_line_or_trail_says(text: str, hidden: bool) -> None:
    assert (mask(["Overview"])(text) != text) is hidden


def test_scripts_without_spaces_count_two_characters_a_word() -> None:
    hide = mask(["怎么退款和付费", "退款"])
    assert hide("请问怎么退款和付费呢") == "请问 呢"
    assert hide("退款\n如何退款") == " \n如何退款"


def test_the_longest_mask_wins() -> None:
    assert mask(["how do I", "how do I pay for it"])("how do I pay for it, now") == " , now"


@pytest.mark.parametrize("language", ["en", "de"])
def test_seen_questions_find_themselves_and_masked_ones_must_be_answered(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = existing(FOLDER / "faq" / f"debian-faq-{language}.queries.jsonl")
    folder = debian.folder()
    if folder is None:
        pytest.skip(debian.ABSENT)
    monkeypatch.setenv("WRAC_DEBIAN_DOCS", str(folder))
    found = variants(load(str(source)))
    assert found["seen"] > 0.95
    assert 0.5 < found["masked"] < found["seen"] - 0.15
