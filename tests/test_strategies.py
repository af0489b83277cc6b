"""Baselines, wrac under a policy and replayed plans: what they tile, keep, repair and are paid."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import FakeEmbedder, FakeModel

from wrac.core.errors import ConfigError, InputError
from wrac.core.types import Page, Policy, Usage
from wrac.evaluation.strategies import BUILT_IN, STRATEGIES, Corpus, available, strategy
from wrac.evaluation.strategies.baselines import Tokens, windows
from wrac.evaluation.strategies.ours import Wrac
from wrac.evaluation.strategies.published import lost
from wrac.evaluation.strategies.recursive import SEPARATORS, Splitter
from wrac.evaluation.strategies.replay import located
from wrac.evaluation.values import DataSet, Passage
from wrac.evaluation.vectors import VectorCache
from wrac.text.tokens import counter, starts

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[2] / "shared" / "data")
TEXTS = st.lists(
    st.sampled_from(
        ["a", "fee", " ", "  ", "\n", "\n\n", ".", "?", "!", "é", "日本", "👩‍🚀", "\u2028", "x1", "<b>", "-" * 70, "\t"]
    ),
    max_size=60,
).map("".join)
CUTTING = tuple(name for name in BUILT_IN if name not in ("wrac", "sections"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> VectorCache:
    return VectorCache(FakeEmbedder(window=64), tmp_path_factory.mktemp("vectors"))


def data(root: Path = Path("nowhere"), *pages: Page) -> DataSet:
    return DataSet("some", root, pages, ())


def cut(name: str, page: Page, cache: VectorCache) -> tuple[str, tuple[Passage, ...]]:
    corpus = Corpus(lambda: cache)
    return corpus.text(page), strategy(name, data(), corpus).passages([page]).items


def plain(text: str) -> Page:
    return Page("notes.txt", text.encode(), "text/plain", "utf-8")


@pytest.mark.parametrize("name", CUTTING)
@settings(max_examples=40)
@given(text=TEXTS)
def test_ranges_slice_back_and_no_word_is_lost(name: str, text: str, cache: VectorCache) -> None:
    source, items = cut(name, plain(text), cache)
    assert [source[start:end] for item in items for start, end in item.ranges] == [item.text for item in items]
    held = {at for item in items for start, end in item.ranges for at in range(start, end)}
    assert all(at in held or character.isspace() for at, character in enumerate(source))
    assert all(item.indexed == f"notes\n{item.text}" and item.text.strip() for item in items)


def _solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", ["wrac", "wrac:target=8,maximum=12", "sections"])
@settings(max_examples=40)
@given(text=TEXTS)
def test_units_of_plain_text_stand_where_they_say(name: str, text: str, cache: VectorCache) -> None:
    source, items = cut(name, plain(text), cache)
    for item in items:
        assert _solid("".join(source[start:end] for start, end in item.ranges)) == _solid(item.text)
    held = {at for item in items for start, end in item.ranges for at in range(start, end)}
    assert all(at in held or character.isspace() for at, character in enumerate(source))


@given(text=TEXTS, size=st.integers(1, 20), share=st.floats(0, 0.9))
def test_windows_without_overlap_tile_the_text_and_with_it_repeat_tokens(text: str, size: int, share: float) -> None:
    overlap = int(size * share)
    offsets = starts(text)
    spans = list(windows(len(offsets) - 1, size, overlap))
    assert [i for a, b in spans for i in range(a, b) if not (a and i < a + overlap)] == list(range(len(offsets) - 1))
    assert all(b - a == size for a, b in spans[:-1])
    assert all(late == early + size - overlap for (early, _), (late, _) in pairwise(spans))
    tiles = [text[offsets[a] : offsets[b]] for a, b in windows(len(offsets) - 1, size, 0)]
    assert "".join(tiles) == text


def test_windows_end_with_the_text() -> None:
    assert list(windows(0, 5, 2)) == []
    assert list(windows(1, 5, 2)) == [(0, 1)]
    assert list(windows(8, 5, 2)) == [(0, 5), (3, 8)]


@given(text=TEXTS)
def test_token_starts_ascend_and_count_as_the_counter_does(text: str) -> None:
    for name in ("cl100k", "o200k"):
        offsets = starts(text, name)
        assert len(offsets) - 1 == counter(name).count(text)
        assert offsets == sorted(offsets)
        assert offsets[-1] == len(text)
    with pytest.raises(ConfigError, match="no tokens are known of 'words'"):
        starts(text, "words")


@given(text=TEXTS, size=st.integers(2, 24), share=st.floats(0, 0.9))
def test_recursive_chunks_fit_and_stand_in_order(text: str, size: int, share: float) -> None:
    ranges = Splitter(text, size, int(size * share), len).ranges()
    assert all(end - start <= size for start, end in ranges)
    assert ranges == sorted(ranges)


@given(text=TEXTS, size=st.integers(2, 24), share=st.floats(0, 0.9))
def test_recursive_chunks_are_those_of_langchain(text: str, size: int, share: float) -> None:
    langchain = pytest.importorskip("langchain_text_splitters", reason="needs wrac[peers]")
    overlap = int(size * share)
    theirs = langchain.RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, length_function=len, separators=list(SEPARATORS)
    )
    assert [text[a:b] for a, b in Splitter(text, size, overlap, len).ranges()] == theirs.split_text(text)


@pytest.mark.parametrize(("size", "overlap"), [(200, 0), (250, 125)])
def test_recursive_chunks_are_those_of_langchain_on_real_texts(size: int, overlap: int) -> None:
    langchain = pytest.importorskip("langchain_text_splitters", reason="needs wrac[peers]")
    files = sorted((DATA / "chroma").glob("*.md"))
    if not files:
        pytest.skip(f"no {DATA / 'chroma'} (set WRAC_DATA)")
    count = counter("cl100k").count
    theirs = langchain.RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, length_function=count, separators=list(SEPARATORS)
    )
    for file in files:
        text = file.read_text("utf-8")[:60_000]
        assert [text[a:b] for a, b in Splitter(text, size, overlap).ranges()] == theirs.split_text(text)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_cuts_a_page_the_same_way_each_time(name: str, cache: VectorCache) -> None:
    page = Page(
        "a/Fees.html", f"<h1>Fees</h1><p>{'A card costs nothing. ' * 90}</p><h2>Limits</h2><p>None.</p>".encode()
    )
    _, items = cut(name, page, cache)
    assert items
    assert items == cut(name, page, cache)[1]
    words = " ".join(item.text for item in items).split()
    assert set("Fees A card costs nothing. Limits None.".split()) <= set(words)
    assert cut(name, Page("empty.html", b""), cache)[1] == ()


def test_a_meaning_that_changes_is_cut_and_one_that_does_not_is_kept(cache: VectorCache) -> None:
    cats, fees = (
        "The cat sleeps on the warm mat all day long. " * 12,
        "Fees rise in spring by two percent a year. " * 12,
    )
    text, items = cut("semantic", plain(cats + fees), cache)
    assert any(abs(start - len(cats)) <= 60 for item in items for start, _ in item.ranges[:1] if start)
    same = cut("semantic", plain(cats), cache)[1]
    assert len(same) == 1
    assert len(text) == len(cats + fees)


def test_semantic_chunks_stay_within_their_maximum_and_each_piece_is_embedded_once(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    memory = VectorCache(embedder, tmp_path)
    page = plain("".join(f"Sentence {i} is about number {i % 7} and nothing else at all. " for i in range(200)))
    made = strategy("semantic", data(), Corpus(lambda: memory)).passages([page, page])
    assert all(counter("cl100k").count(item.text) <= 500 for item in made.items)
    assert len(embedder.embedded) == len(set(embedder.embedded)) == made.notes["texts embedded to cut"]


def test_a_policy_is_read_from_the_name_and_told_by_it() -> None:
    corpus = Corpus()
    made = strategy("wrac:whole_tables=true,target=200", data(), corpus)
    assert isinstance(made, Wrac)
    assert made.policy == Policy(target=200, whole_tables=True)
    assert made.name == "wrac:target=200,whole_tables=true"
    assert strategy(made.name, data(), corpus).name == made.name
    assert strategy("wrac:target=160", data(), corpus).name == "wrac"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nosuch", "choose from wrac, sections, page, "),
        ("fixed-100/100", "overlap must be smaller"),
        ("fixed-100", "KIND|fixed-SIZE/OVERLAP"),
        ("wrac:", "a policy has no ="),
        ("wrac:size=3", "a policy has no size=3"),
        ("wrac:target=big", "a policy has no target=big"),
        ("wrac:whole_tables=1", "values are like .*whole_tables=false"),
    ],
)
def test_a_name_that_is_none_says_which_there_are(name: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        strategy(name, data(), Corpus())


def test_every_strategy_goes_by_its_name() -> None:
    corpus = Corpus(model=FakeModel(""))
    assert [strategy(name, data(), corpus).name for name in STRATEGIES] == list(STRATEGIES)
    assert strategy("cascade:0.2", data(), corpus).name == "cascade:0.2"
    assert strategy("fixed-64/8", data(), Corpus()).name == "fixed-64/8"
    assert isinstance(strategy("fixed-64/8", data(), Corpus()), Tokens)


HTML = (
    "<h1>Refunds</h1><p>Refunds take five days.</p><p>Ask <a href='/us'>us</a> first.</p>"
    "<h2>Limits</h2><ul><li>500 euros a day</li><li>900 euros a week</li></ul>"
)
UNITS = [
    {"id": "heading_0", "text": "Refunds"},
    {"id": "text_2", "text": "Refunds take   **five** days."},
    {"id": "text_4", "text": "Ask [us](/us) first."},
    {"id": "heading_6", "text": "Limits"},
    {"id": "text_8", "text": "- 500 euros a day\n- 900 euros a week"},
]


def usage(given: int, cached: int, answered: int) -> dict[str, Any]:
    return {"input_tokens": given, "input_tokens_details": {"cached_tokens": cached}, "output_tokens": answered}


@pytest.fixture
def published(tmp_path: Path) -> DataSet:
    """A page whose published plan repeats a heading, drops two units and names one that is not there; one without."""
    plan = [["heading_0", "heading_0", "text_2"], ["heading_0", "text_8", "text_99"]]
    rows = [
        {
            "page": "a.html",
            "chunks": ["one", "two"],
            "units": UNITS,
            "plan": plan,
            "usage": usage(90, 40, 7),
            "seconds": 1.5,
        },
        {"page": None, "chunks": ["other"], "units": [], "plan": [], "usage": usage(1000, 0, 1000), "seconds": 9},
    ]
    (tmp_path / "published").mkdir()
    for name in ("wrac", "agentic"):
        file = tmp_path / "published" / f"{name}-gpt-4.1.jsonl"
        file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return data(tmp_path, Page("a.html", HTML.encode()), Page("b.html", b"<h1>Fees</h1><p>None at all.</p>"))


def test_published_units_are_found_whatever_their_markdown(published: DataSet) -> None:
    document = Corpus().document(published.pages[0])
    assert list(located(document, UNITS).values()) == ["heading_0", "text_2", "text_4", "heading_6", "text_8", "text_8"]
    assert located(document, UNITS[3:]) == {3: "heading_6", 4: "text_8", 5: "text_8"}


def test_published_plans_are_repaired_and_resolved_from_the_page(published: DataSet) -> None:
    made = strategy("llm", published, Corpus()).passages(published.pages)
    assert [(item.page, item.text) for item in made.items] == [
        ("a.html", "Refunds\n\nRefunds take five days.\n\nAsk us first."),
        ("a.html", "Refunds\nLimits\n\n500 euros a day\n900 euros a week"),
        ("b.html", "Fees\n\nNone at all."),
    ]
    wanted = {"places repeated": 1, "places missing": 2, "units dropped": 2, "headings repeated": 1, "unknown ids": 1}
    assert {name: made.notes[name] for name in wanted} == wanted
    assert made.notes["pages without a published plan"] == made.notes["rows of pages not in the set"] == 1
    answer = '{"groups":["1-2","1,5-6"]}'
    assert made.usage == Usage(made.usage.input, 0, counter("o200k").count(answer), 1)


@pytest.mark.parametrize("name", ["published", "agentic"])
def test_published_chunks_are_replayed_and_paid_for_by_page(published: DataSet, name: str) -> None:
    made = strategy(name, published, Corpus()).passages(published.pages)
    assert [item.text for item in made.items] == ["one", "two"]
    assert (made.notes["page units"], made.notes["page units in no chunk"]) == (6, 6)
    assert made.usage == Usage(90, 40, 7, 1, 1.5)


def test_what_stands_in_a_chunk_whatever_its_markdown_is_not_lost(published: DataSet) -> None:
    document = Corpus().document(published.pages[0])
    chunks = [
        "# Refunds\nRefunds take **five** days. Ask [us](/us) first.",
        "Limits:\n- 500 euros a day\n- 900 euros weekly",
    ]
    assert lost(document, chunks) == {
        "page units": 6,
        "page units in no chunk": 1,
        "page words": 17,
        "page words in no chunk": 4,
    }


def test_what_is_available_is_what_lies_beside_the_pages(published: DataSet) -> None:
    assert available(data()) == list(BUILT_IN)
    assert available(published) == [*BUILT_IN, "agentic", "published", "llm", "cascade"]
    with pytest.raises(InputError, match="is absent"):
        strategy("llm", data(), Corpus()).passages([])


def test_the_published_account_of_the_three_companies_adds_up() -> None:
    root = DATA / "rmc"
    if not root.is_dir():
        pytest.skip(f"no {root} (set WRAC_DATA)")
    pages = [Page(path.relative_to(root).as_posix(), b"") for path in root.glob("*/html/*.html")]
    found = {name: strategy(name, data(root), Corpus()).passages(pages).usage for name in ("agentic", "published")}
    assert {name: (one.calls, one.input, one.output) for name, one in found.items()} == {
        "agentic": (158, 360_257, 206_262),
        "published": (157, 527_600, 29_387),
    }


def test_ranges_of_a_markup_page_are_those_of_its_units() -> None:
    page = Page("a.html", HTML.encode())
    items = strategy("wrac", data(), Corpus()).passages([page]).items
    sliced = ["".join(HTML[start:end] for start, end in item.ranges) for item in items]
    assert all("euros a day" in text or "five days" in text for text in sliced)
