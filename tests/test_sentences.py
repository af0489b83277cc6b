"""Sentence ends and pieces that fit: they tile the text, whatever the text."""

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wrac.core.errors import ConfigError
from wrac.text.characters import clusters
from wrac.text.sentences import ends, split
from wrac.text.tokens import counter

PROSE = st.text(st.sampled_from('ab A1.!?…。！ \t\n"”)é\u0301中👩\u200d🇩🇪\r'), max_size=120)


def sentences(text: str, language: str = "") -> list[str]:
    return [text[a:b].strip() for a, b in pairwise([0, *ends(text, language)])]


@settings(deadline=None)
@given(st.one_of(st.text(max_size=200), PROSE))
def test_ends_ascend_to_the_end(text: str) -> None:
    found = ends(text)
    assert all(a < b for a, b in pairwise([0, *found]))
    assert found[-1:] == ([len(text)] if text else [])


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en", ["Dr. Li paid $3.50.", "Why?", "No idea"]),
        ("en", ["Use e.g. Python 3.11.4.", "See Fig. 3 for J. Smith's “plan.”", "Then... maybe.", "Wait..."]),
        ("en", ["“Go!” he said.", "Next.[1]", "The U.S. Army left.", "Is it?", "No.", "It cost 5."]),
        ("en", ["Open node.js or example.com/a.b?x=1.", "(It works.)", "Done!?", "Yes."]),
        ("de", ["Am 3. Oktober gilt z.B. § 5 Abs. 2 nicht.", "Das war 1990.", "Danach Ruhe."]),
        ("de", ["„Komm mit.“", "»Nein!«", "Er blieb."]),
        ("fr", ["M. Hugo vit p.ex. à Paris.", "« Oui ! »", "Il part."]),
        ("ru", ["См. рис. 3 и т.д. в книге.", "Это всё."]),
        ("hi", ["यह एक है।", "यह दो है।"]),
        ("ar", ["هل هذا صحيح؟", "نعم."]),
    ],
)
def test_sentences(language: str, wanted: list[str]) -> None:
    assert sentences(" ".join(wanted), language) == wanted


def test_ideographic_stops_need_no_space() -> None:
    assert sentences("你好。他说：“走吧！”然后走了。见v2.1版？好") == [
        "你好。", "他说：“走吧！”", "然后走了。", "见v2.1版？", "好",
    ]  # fmt: skip


def test_line_ends_end_sentences_and_numbers_of_a_list_do_not() -> None:
    assert sentences("no stop\n1. First. Second\n\n12. Third") == ["no stop", "1. First.", "Second", "12. Third"]


LIMITS: list[Callable[[str], bool]] = [
    lambda piece: len(piece) <= 12,
    lambda piece: len(piece.encode()) <= 40,
    lambda piece: counter("o200k").count(piece) <= 14,
    lambda piece: counter("words").count(piece) <= 3 and len(piece) < 30,
]


@pytest.mark.parametrize("fits", LIMITS)
@settings(deadline=None)
@given(text=st.one_of(st.text(max_size=300), PROSE))
def test_pieces_tile_the_text_and_fit(fits: Callable[[str], bool], text: str) -> None:
    pieces = split(text, fits)
    assert [a for a, _ in pieces] == [0, *(b for _, b in pieces)][: len(pieces)]
    assert (pieces[-1][1] if pieces else 0) == len(text)
    assert all(a < b and fits(text[a:b]) for a, b in pieces)


@settings(deadline=None)
@given(st.text(st.sampled_from("ae\u0301👩\u200d👧🇩🇪각\u1100\u1161中\ufe0f"), max_size=60))
def test_no_piece_cuts_a_character_that_fits(text: str) -> None:
    parts = clusters(text)
    edges = {sum(map(len, parts[:index])) for index in range(len(parts) + 1)}
    longest = max(map(len, parts), default=1)
    assert {end for _, end in split(text, lambda piece: len(piece) <= longest + 2)} <= edges


def test_cuts_prefer_paragraphs_then_lines_then_sentences_then_words() -> None:
    sentence = "One two three four. "
    paragraph = sentence * 4 + "\n\n"
    text = paragraph * 3
    assert [text[a:b] for a, b in split(text, lambda piece: len(piece) <= 130)] == [paragraph] * 3
    text = (sentence * 4 + "\n") * 3
    assert all(text[a:b].endswith("\n") for a, b in split(text, lambda piece: len(piece) <= 130))
    text = sentence * 12
    assert all(text[a:b].endswith(". ") for a, b in split(text, lambda piece: len(piece) <= 50))
    text = "word " * 60
    assert all(text[a:b].endswith(" ") for a, b in split(text, lambda piece: len(piece) <= 33))


def test_a_line_after_an_empty_one_keeps_its_indentation() -> None:
    text = "first line of code\n\n    second line\n\n    third line"
    pieces = [text[start:end] for start, end in split(text, lambda piece: len(piece) <= 24)]
    assert [piece.strip("\n") for piece in pieces] == ["first line of code", "    second line", "    third line"]


def test_table_cells_are_cut_between_cells() -> None:
    text = "\t".join(f"cell {n} has words" for n in range(20))
    assert all(text[a:b].endswith("\t") for a, b in split(text, lambda piece: len(piece) <= 60)[:-1])


def test_no_orphan_at_the_end() -> None:
    text = "Ten words stand in this sentence, so it says here. " * 11
    sizes = [b - a for a, b in split(text, lambda piece: len(piece) <= 520)]
    assert len(sizes) == 2
    assert min(sizes) > 200


def test_few_questions_are_asked() -> None:
    text = "The quick brown fox jumps over the lazy dog. " * 4000
    asked = 0

    def fits(piece: str) -> bool:
        nonlocal asked
        asked += 1
        return counter("o200k").count(piece) <= 256

    assert asked <= 12 * len(split(text, fits))


def test_a_limit_below_one_character_is_an_error() -> None:
    with pytest.raises(ConfigError, match="too small"):
        split("abc", lambda piece: not piece)


COMBINED = "a\u0301" * 60_000


@pytest.mark.parametrize("text", [". " * 30_000, "." * 200_000, " " * 500_000 + "x", "1. " * 30_000, COMBINED])
def test_hostile_runs_take_linear_time(text: str) -> None:
    start = time.process_time()
    ends(text)
    split(text, lambda piece: len(piece) <= 1000)
    assert time.process_time() - start < 12
