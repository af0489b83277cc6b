"""Token counts: exact, known names only, any string."""

import warnings
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrac.core.errors import ConfigError
from wrac.text.characters import boundary, clusters
from wrac.text.tokens import NAMES, counter

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the package reads its data through a deprecated function
    import bpe_openai  # type: ignore[import-untyped]


@cache
def _encoding(name: str) -> Any:
    return bpe_openai.get_encoding(f"{name}_base")


@pytest.mark.parametrize("name", ["o200k", "cl100k", "voyage3"])
@settings(deadline=None)
@given(text=st.text(max_size=200))
def test_counts_are_those_of_the_full_encoding(name: str, text: str) -> None:
    assert counter(name).count(text) == len(_encoding(name).encode_ordinary(text))


_EDGES = st.text(st.sampled_from(" \n\t/.,'\"()sS1a9é日\u0301\xa0\u3000#-=_*Zß🔗\r\x1c\x85\u2028\ud800"), max_size=8)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(
    parts=st.lists(st.tuples(_EDGES | st.text(max_size=10), st.sampled_from(["\n", "\n\n"])), min_size=1, max_size=5)
)
def test_joined_texts_have_the_tokens_of_the_whole(name: str, parts: list[tuple[str, str]]) -> None:
    texts, seams = [text for text, _ in parts], [seam for _, seam in parts[:-1]]
    whole = "".join(map("".join, parts)).removesuffix(parts[-1][1])
    assert counter(name).joined(texts, seams) == counter(name).count(whole)


@pytest.mark.parametrize("name", NAMES)
def test_any_string_can_be_counted(name: str) -> None:
    count = counter(name).count
    assert count("") == 0
    assert count("a \ud800 lone surrogate") > 0
    assert count("<|endoftext|>") > 0


def test_texts_beyond_the_packages_own_limit_are_counted() -> None:
    assert counter("o200k").count("one two " * 150_000) > 200_000


def test_words_are_words_in_every_script() -> None:
    count = counter("words").count
    assert count("Don't panic, it’s only v2.") == 5
    assert count("नमस्ते दुनिया") == 2
    assert count("漢字かな") == 4
    assert count("데이터베이스 연결") == 2


def test_one_counter_for_each_name() -> None:
    assert counter("words") is counter("words")
    assert counter().name == "o200k"


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="o200k, cl100k, voyage3, words"):
        counter("gpt-9")


@settings(deadline=None)
@given(st.text(st.sampled_from("ae\u0301\u200d👨👩🇩🇪\r\n각\u1100\u1161\U0001f3fd\ufe0f"), max_size=30))
def test_clusters_join_to_the_text_and_boundaries_are_theirs(text: str) -> None:
    parts = clusters(text)
    assert "".join(parts) == text
    edges = {sum(map(len, parts[:index])) for index in range(len(parts) + 1)}
    for offset in range(len(text) + 1):
        assert boundary(text, offset) == max((edge for edge in edges if 0 < edge <= offset), default=offset)


def test_what_a_reader_sees_as_one_character_is_one() -> None:
    seen = ["e\u0301", "👨\u200d👩\u200d👧", "🇩🇪", "🇫🇷", "\r\n", "👍🏽", "\u1112\u1161\u11ab", "❤\ufe0f"]
    assert clusters("".join(seen)) == seen
