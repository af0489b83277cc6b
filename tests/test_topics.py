"""Changes of topic told by words, text far from headings, and the pieces such text is cut into."""

from __future__ import annotations

import time
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import Builder

from wrac.chunking import chunk, limits, verify
from wrac.core.types import Document, Policy
from wrac.planning import check, plan
from wrac.text.topics import FAR, breaks, unheaded

FIELDS = {
    "bank": "loan interest bank branch account deposit credit rate customer payment mortgage saving",
    "sea": "whale ocean ship harbour wave island sailor tide fish reef storm anchor",
    "code": "compiler parser token syntax function module variable loop thread stack memory pointer",
}
JAPANESE = {
    "銀行": "銀行 預金 金利 融資 口座 支店 顧客 返済",
    "海": "海洋 鯨 船舶 港湾 波浪 島嶼 船員 潮汐",
}


def sentence(random: Random, words: str, length: int = 12) -> str:
    return " ".join(random.choices(words.split(), k=length)).capitalize() + "."


def text(seed: int, runs: int, each: int) -> list[tuple[str, str]]:
    """Sentences with their field: runs of `each` from one field, no field twice in a row."""
    random, made, field = Random(seed), [], ""
    for _ in range(runs):
        field = random.choice([name for name in FIELDS if name != field])
        made += [(field, sentence(random, FIELDS[field])) for _ in range(each)]
    return made


@given(st.lists(st.text(max_size=60), max_size=30), st.sampled_from(["", "en", "de", "ja", "xx"]))
def test_breaks_are_one_a_text_between_0_and_1(texts: list[str], language: str) -> None:
    found = breaks(texts, language)
    assert len(found) == len(texts)
    assert all(0 <= depth <= 1 for depth in found)
    assert not found or found[0] == 0
    assert breaks(texts, language) == found


@given(st.integers(0, 2**20))
def test_the_clearest_breaks_are_where_the_topic_changes(seed: int) -> None:
    sentences = text(seed, 6, 10)
    depths = breaks([said for _, said in sentences], "en")
    true = {at for at, (a, b) in enumerate(pairwise(sentences), 1) if a[0] != b[0]}
    assert set(sorted(range(len(depths)), key=lambda at: -depths[at])[: len(true)]) == true


def test_breaks_know_languages_without_spaces() -> None:
    random = Random(1)
    sentences = ["".join(random.choices(words.split(), k=9)) + "。" for words in JAPANESE.values() for _ in range(8)]
    depths = breaks(sentences, "ja")
    assert max(range(len(depths)), key=lambda at: depths[at]) == 8


def test_breaks_take_linear_time() -> None:
    def seconds(count: int) -> float:
        sentences = [said for _, said in text(3, count, 10)]
        start = time.process_time()
        breaks(sentences, "en")
        return time.process_time() - start

    seconds(20)
    assert seconds(400) < 40 * max(seconds(40), 1e-3)


def prose(paragraphs: int, *, every: int = 0) -> Document:
    page = Builder()
    for number in range(paragraphs):
        if every and number % every == 0:
            page.heading(2, f"Part {number}")
        page.paragraph(" ".join(said for _, said in text(number, 1, 5)))
    return page.build()


def test_text_is_far_from_headings_when_there_is_much_of_it_between_two() -> None:
    assert unheaded(prose(40)) == frozenset(range(40))
    assert not unheaded(prose(40, every=5))
    assert not unheaded(prose(5))
    page = Builder(role="nav")
    page.paragraph("Home " * FAR)
    assert not unheaded(page.build())


def test_a_table_is_not_prose() -> None:
    page = Builder()
    page.table(("Name", "Fee"), *((f"Account {number}", "five euro") for number in range(900)))
    assert not unheaded(page.build())


def long_page(seed: int, kind: str) -> Document:
    """A heading, a paragraph as long as a book's chapter, and short ones around it."""
    random, page = Random(seed), Builder(language="ja" if kind == "japanese" else "en")
    page.heading(1, "Everything")
    page.paragraph("It begins here.")
    if kind == "prose":
        page.paragraph(" ".join(said for _, said in text(seed, 12, 8)))
    elif kind == "japanese":
        page.paragraph("".join("".join(random.choices(JAPANESE["海"].split(), k=9)) + "。" for _ in range(300)))
    else:
        page.paragraph("x" * (FAR + random.randint(1, 99)) if kind == "word" else "9,1 " * FAR)
    page.paragraph("It ends here.")
    return page.build()


@settings(deadline=None, max_examples=12)
@given(
    st.integers(0, 2**20),
    st.sampled_from(["prose", "japanese", "word", "numbers"]),
    st.sampled_from([Policy(), Policy(40, 80), Policy(512, 512, prose=512), Policy(20, 48), Policy(prose=1)]),
)
def test_long_paragraphs_become_verbatim_pieces_within_limits(seed: int, kind: str, policy: Policy) -> None:
    document = long_page(seed, kind)
    made = plan(document, policy)
    check(document, made)
    chunked = chunk(document, made, policy)
    at = 0
    for one in chunked.chunks:
        verify(document, one)
        limits(one, policy)
        for piece in one.slices:
            if piece.unit == document.places[2].unit:
                assert piece.start == at
                at = piece.end
    assert at == len(document.text(2))
    assert chunk(document, plan(document, policy), policy) == chunked


def test_a_long_paragraph_is_cut_where_its_topics_change() -> None:
    sentences = text(5, 14, 8)
    page = Builder()
    page.paragraph(" ".join(said for _, said in sentences))
    document = page.build()
    pieces = [one.slices[0] for one in chunk(document, plan(document)).chunks]
    starts, at = {}, 0
    for field, said in sentences:
        starts[at] = field
        at += len(said) + 1
    order = sorted(starts)
    true = {b for a, b in pairwise(order) if starts[a] != starts[b]}
    found = {piece.start for piece in pieces[1:]}
    assert len(true & found) >= 0.9 * len(true)


def test_paragraphs_are_grouped_by_topic_where_no_heading_says_it() -> None:
    sentences = text(8, 20, 6)
    page = Builder()
    for _, said in sentences:
        page.paragraph(said)
    document = page.build()
    true = {at for at, (a, b) in enumerate(pairwise(sentences), 1) if a[0] != b[0]}
    assert len(true & {group[0] for group in plan(document).groups}) >= 0.9 * len(true)


@pytest.mark.parametrize("every", [0, 5])
def test_pages_with_headings_keep_larger_chunks(every: int) -> None:
    document = prose(40, every=every)
    sizes = [one.tokens for one in chunk(document, plan(document)).chunks]
    average = sum(sizes) / len(sizes)
    assert average > 200 if every else average < 180


def test_one_inserted_sentence_changes_at_most_three_pieces_nearly_always() -> None:
    few, tried = 0, 20
    for seed in range(tried):
        sentences = [said for _, said in text(seed, 12, 8)]
        random = Random(seed)
        longer = list(sentences)
        longer.insert(random.randrange(1, len(sentences)), "A sentence that was not there before.")
        texts = []
        for words in (sentences, longer):
            page = Builder()
            page.paragraph(" ".join(words))
            document = page.build()
            texts.append({one.text for one in chunk(document, plan(document)).chunks})
        few += len(texts[1] - texts[0]) <= 3
    assert few >= 0.9 * tried
