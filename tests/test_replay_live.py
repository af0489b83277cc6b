"""Models that rewrite pages and models that plan them, side by side: what they are asked, paid, and do to words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.commands import command
from tests.data import FOLDER, existing
from tests.endpoint import Wire, fails, says
from tests.fakes import FakeModel

from wrac.core.errors import ConfigError, RemoteError
from wrac.core.types import Page, Usage
from wrac.evaluation import run
from wrac.evaluation.cost import pace
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.metrics.altered import Altered, altered
from wrac.evaluation.strategies import Corpus, strategy
from wrac.evaluation.strategies.agentic import (
    WINDOW,
    AgenticLive,
    WracLive,
    instructions,
    kept,
    question,
    windows,
    written,
)
from wrac.evaluation.values import DataSet, Gold, Query
from wrac.llm.asking import Question
from wrac.text.render import markdown
from wrac.text.tokens import counter

COUNT = counter("o200k").count
FEES = Page(
    "fees.html",
    b"<main><h1>Fees</h1><p>A card costs nothing at all.</p><h2>Limits</h2><p>At most 900 euros.</p></main>",
)
CARDS = Page("cards.html", b"<main><h1>Cards</h1><p>We send them by post.</p></main>")
WHOLE = json.dumps({"chunks": ["Fees\nA card costs nothing at all.", "Fees > Limits\nAt most 900 euros."]})
WORDS = st.lists(st.sampled_from("a card costs nothing fee limit 900 euros week 漢字".split()), min_size=1, max_size=9)
BLOCKS = st.lists(WORDS.map(" ".join), max_size=8)


# -- laws


@given(BLOCKS, st.data())
def test_blocks_put_into_chunks_as_they_are_are_not_altered(blocks: list[str], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(blocks)))))
    groups = [blocks[a:b] for a, b in zip([0, *cuts], [*cuts, len(blocks)], strict=True)]
    assert altered(blocks, ["Fees > A trail\n" + "\n\n".join(group) for group in groups])[1:4:2] == (0, 0)
    found = altered(blocks, ["\n".join(group) for group in groups])
    assert found == Altered(found.words)


@given(BLOCKS, BLOCKS)
def test_words_lost_and_words_kept_are_all_words(blocks: list[str], chunks: list[str]) -> None:
    there, back = altered(blocks, chunks), altered(chunks, blocks)
    assert there.words - there.lost == back.words - back.lost
    assert 0 <= there.torn <= max(there.words - 2, 0)
    assert there.moved <= there.words
    assert there.added <= back.words


@given(st.lists(st.text("ab \n|#", min_size=1, max_size=40), max_size=30), st.integers(1, 12))
def test_windows_hold_every_block_once_in_order(blocks: list[str], long: int) -> None:
    text = "\n\n".join([*blocks, "word " * long * 700])
    made = list(windows(text))
    assert "\n\n".join(made) == text
    assert all(COUNT(part) <= WINDOW or "\n\n" not in part for part in made)
    assert list(windows("")) == []


@given(
    st.lists(st.text(min_size=1).filter(str.strip), max_size=5),
    st.sampled_from(["{}", "```json\n{}\n```", "Here:\n{}"]),
)
def test_written_chunks_are_read_as_they_were(texts: list[str], around: str) -> None:
    assert written(around.replace("{}", json.dumps({"chunks": texts}))) == texts


# -- what is altered


@pytest.mark.parametrize(
    ("chunks", "wanted"),
    [
        (["one two three four five six seven"], Altered(7)),
        (["**One two** three", "[four](/five) five six seven"], Altered(7, lost=1, added=1, torn=3)),
        (["four five six seven", "one two three"], Altered(7, torn=2, moved=1)),
        (["one two three four five six"], Altered(7, lost=1, torn=1)),
        (["one two three four five six seven", "one two three"], Altered(7)),
        ([], Altered(7, lost=7, torn=5)),
    ],
)
def test_words_are_lost_added_torn_and_moved(chunks: Sequence[str], wanted: Altered) -> None:
    assert altered(["one two three four five six seven"], chunks) == wanted


@pytest.mark.parametrize(
    "answer", ["", "no", "[]", '{"chunks": "one"}', '{"chunks": [1, "  "]}', '{"chunks": ["cut', "}{"]
)
def test_an_answer_without_chunks_has_none(answer: str) -> None:
    assert written(answer) == []


# -- both ways


def test_a_rewrite_is_asked_with_the_pages_markdown_and_taken_as_written() -> None:
    model = FakeModel(WHOLE, usage=Usage(70, 0, 30, 1, 2.5, 0.25))
    made = AgenticLive(Corpus(model=model)).passages([FEES, CARDS])
    assert [question.data for question in model.asked] == [
        "# Fees\n\nA card costs nothing at all.\n\n## Limits\n\nAt most 900 euros.", "# Cards\n\nWe send them by post.",
    ]  # fmt: skip
    assert all(question.instructions == instructions() for question in model.asked)
    assert [(item.page, item.text, item.ranges) for item in made.items[:2]] == [
        ("fees.html", text, ()) for text in json.loads(WHOLE)["chunks"]
    ]
    assert made.usage == Usage(140, 0, 60, 2, 5.0, 0.5)
    wanted = {"words": 18, "words lost": 6, "seconds a page": 2.5, "answers that hold no chunk": 0}
    assert {name: made.notes[name] for name in wanted} == wanted


def test_the_planner_beside_it_alters_nothing_and_tells_its_repairs() -> None:
    model = FakeModel("1-2;2;4", usage=Usage(70, 0, 30, 1, 2.5, 0.25))
    made = WracLive(Corpus(model=model)).passages([FEES])
    assert [item.text for item in made.items] == [
        "Fees\n\nA card costs nothing at all.",
        "Fees\nLimits\n\nAt most 900 euros.",
    ]
    assert all(item.ranges for item in made.items)
    wanted = {
        "words": 12, "words lost": 0, "words added": 0, "words torn": 0, "words moved": 0,
        "places repeated": 1, "places missing": 1, "seconds a page": 2.5,
    }  # fmt: skip
    assert {name: made.notes[name] for name in wanted} == wanted


def test_seconds_are_told_by_mean_and_ninetieth_percentile() -> None:
    assert pace([1.0, 2.0, 3.0, 4.0]) == {"seconds a page": 2.5, "seconds a page, P90": 3.7}
    assert pace([]) == {}


def test_an_answer_may_be_longer_than_its_window_and_its_form_is_told_twice() -> None:
    asked = question("word " * 100)
    assert asked.most > 2 * 100
    assert asked.schema["required"] == ["chunks"]
    assert '" "' not in asked.grammar


@pytest.mark.parametrize("name", ["agentic-live", "wrac-live"])
def test_a_live_way_needs_a_model_that_answers(name: str) -> None:
    nothing = DataSet("some", Path(), (FEES,), ())
    with pytest.raises(ConfigError, match=f"{name} asks a model; name it with --model"):
        strategy(name, nothing, Corpus())
    for error in (RemoteError("fake:model", "is down"), ConfigError("fake:model: wrong key")):
        with pytest.raises(type(error), match=str(error)):
            strategy(name, nothing, Corpus(model=FakeModel(error))).passages(nothing.pages)


def test_a_model_that_fails_leaves_the_other_rows_whole() -> None:
    gold = Gold("At most 900 euros.", frozenset((FEES.url,)))
    data = DataSet("some", Path(), (FEES,), (Query("q", "What is the limit?", (gold,)),))
    results = run(data, ["agentic-live", "sections"], ["bm25"], model=FakeModel(RemoteError("fake:model", "is down")))
    assert [row["strategy"] for row in results["rows"]] == ["sections"]
    assert results["failed"] == [{"strategy": "agentic-live", "reason": "fake:model: is down", "exit": 69}]


# -- the command, over a real wire


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WRAC_CACHE", str(tmp_path / "cache"))
    for page in (FEES, CARDS):
        (tmp_path / page.url).write_bytes(page.body)
    asked = {"query": "What is the limit?", "page": "fees.html", "text": "At most 900 euros."}
    (tmp_path / "queries.jsonl").write_text(json.dumps(asked) + "\n", "utf-8")
    return tmp_path


def _strong(asked: Question) -> str:
    """Rewrites by giving the page back, plans by putting all into one group."""
    if asked.instructions == instructions():
        return json.dumps({"chunks": [asked.data]})
    return json.dumps({"groups": [f"1-{len(asked.data.splitlines())}"]})


LIVE = ("eval", ".", "--search", "bm25", "--strategies", "agentic-live,wrac-live,sections")


def test_both_stand_in_one_table_with_what_they_cost(site: Path) -> None:
    with Wire(says(_strong)) as wire:
        code, out, noise = command(*LIVE, "--model", "small", "--base-url", wire.address, "--json", cwd=site)
    assert code == 0, noise
    results = json.loads(out)
    assert [row["strategy"] for row in results["rows"]] == ["agentic-live", "wrac-live", "sections"]
    assert [row["metrics"]["B@250"] for row in results["rows"]] == [1.0, 1.0, 1.0]
    assert [(one["strategy"], one["calls"], one["input"]) for one in results["costs"]] == [
        ("agentic-live", 2, 200), ("wrac-live", 2, 200),
    ]  # fmt: skip
    assert all(row["notes"]["words lost"] == 0 for row in results["rows"][:2])
    assert all(request["temperature"] == 0 and request["model"] == "small" for request in wire.requests)


def test_an_endpoint_that_fails_is_one_line_and_its_exit_code(site: Path) -> None:
    with Wire(fails(401, "bad key")) as wire:
        code, out, noise = command(*LIVE, "--model", "small", "--base-url", wire.address, cwd=site)
    assert code == ConfigError.exit_code
    assert re.search(r"^sections ", out, re.MULTILINE)
    assert re.match("wrac: agentic-live: .*bad key", noise.splitlines()[-2])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "agentic-live asks a model; name it with --model PROVIDER:MODEL, or --model and --base-url"),
        (("--base-url", "http://127.0.0.1:9/v1"), "--base-url says where a model is; say which with --model NAME"),
        (("--model", "small", "--base-url", "there"), "--base-url is no address"),
    ],
)
def test_a_model_that_is_not_named_is_one_line(site: Path, arguments: Sequence[str], words: str) -> None:
    code, _, noise = command(*LIVE, *arguments, cwd=site)
    assert (code, noise.count("\n")) == (ConfigError.exit_code, 1)
    assert words in noise


# -- the published rewrites of GPT-4.1


def test_the_published_rewrites_lose_and_tear_a_tenth_of_the_words() -> None:
    root = existing(FOLDER / "rmc")
    rows = [row for row in lines(existing(root / "published/agentic-gpt-4.1.jsonl")) if row["page"] is not None]
    pages = [Page(row["page"], (root / row["page"]).read_bytes()) for row in rows]
    corpus, answers = Corpus(), list[str]()
    for row, page in zip(rows, pages, strict=True):
        document = corpus.document(page)
        rest = list(windows(markdown(document, kept(document))))[1:]
        answers += [json.dumps({"chunks": row["chunks"]}), *['{"chunks": []}'] * len(rest)]
    corpus.model = FakeModel(*answers)
    made = AgenticLive(corpus).passages(pages)
    assert [item.text for item in made.items] == [text for row in rows for text in row["chunks"]]
    lost, added, torn = (made.notes[f"words {what}"] / made.notes["words"] for what in ("lost", "added", "torn"))
    assert 0.12 < lost < 0.14
    assert 0.01 < added < 0.02
    assert 0.10 < torn < 0.12
