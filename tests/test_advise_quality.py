"""Both ways on the user's own questions: figures over runs, gold without a model, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import site
from tests.commands import command
from tests.endpoint import Wire, streams
from tests.fakes import FakeEmbedder

from wrac.core.errors import ConfigError, InputError
from wrac.core.types import Event
from wrac.evaluation.both_ways import Comparison, Question, Spread, logged, read
from wrac.flow import answerers
from wrac.flow.answerers import Answerer
from wrac.flow.workspace import Workspace
from wrac.llm.prices import Price

pytest.importorskip("pydantic_ai")
QUERY = "What does the small plan of refunds cost?"
GOLD = "This is how refunds of kind 0 are handled by our support team every day."


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages, and a workspace of them."""
    folder = tmp_path_factory.mktemp("indexed")
    site.build(folder)
    with Workspace(folder / ".wrac") as workspace:
        workspace.index([folder / "site"], workers=1)
    return folder


@pytest.fixture
def folder(indexed: Path, tmp_path: Path) -> Path:
    """The same, to change."""
    shutil.copytree(indexed, tmp_path, dirs_exist_ok=True)
    return tmp_path


def answered_by(folder: Path, wire: Wire, window: int = 100_000) -> None:
    """Tell the workspace a model."""
    with Workspace(folder / ".wrac", create=False) as workspace:
        answerers.keep(workspace.database, Answerer("small", wire.address, Price(1, 10), window))


def questions(folder: Path, *rows: dict[str, object]) -> str:
    (folder / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "q.jsonl"


# -- questions


@given(st.lists(st.floats(0, 1), min_size=1))
def test_a_mean_lies_between_the_lowest_and_the_highest_run(values: list[float]) -> None:
    one = Spread.of(values)
    assert one.low <= one.mean * (1 + 1e-12)
    assert one.mean <= one.high * (1 + 1e-12) + 1e-300
    assert {one.low, one.high} <= set(values)


def test_a_comparison_is_json() -> None:
    one = Comparison(1, 2, "m", {"passages": {"answered": Spread(0.5, 0, 1)}}, Spread(1, 1, 1), "why")
    assert json.loads(json.dumps(one.row())) == {
        "questions": 1,
        "runs": 2,
        "model": "m",
        "ways": {"passages": {"answered": {"mean": 0.5, "low": 0, "high": 1}}},
        "agreement": {"mean": 1, "low": 1, "high": 1},
        "note": "why",
    }


def test_questions_are_read_with_their_answers_and_gold(tmp_path: Path) -> None:
    file = tmp_path / questions(tmp_path, {"query": "a?"}, {"query": "b?", "answer": "x", "text": ["y", "z"]})
    assert read(file) == [Question("a?"), Question("b?", ("x",), ("y", "z"))]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"question": "a"}', ":1: lacks a 'query' with a word; a line is"),
        ('{"query": " ?"}', ":1: lacks a 'query' with a word; a line is"),
        ('{"query": "a", "answer": 3}', ":1: 'answer' is neither a text nor a list of texts; a line is"),
        ("[1]", ":1: is not a JSON object; one object a line"),
        ("{", ":1: is not JSON; one object a line"),
        ("", ": holds no question; a line is"),
    ],
)
def test_lines_that_are_no_question_are_told(tmp_path: Path, line: str, told: str) -> None:
    (tmp_path / "q.jsonl").write_text(line)
    with pytest.raises(InputError) as caught:
        read(tmp_path / "q.jsonl")
    assert f"{tmp_path / 'q.jsonl'}{told}" in str(caught.value)


def test_the_last_distinct_questions_of_a_log_are_taken() -> None:
    names = ["a", "b", "a", "?", "c"]
    events = [Event(i, "query", f"r{i}", {"query": text}) for i, text in enumerate(names)]
    events.append(Event(9, "hit", "r", {"query": "no"}))
    assert [one.query for one in logged(events)] == ["b", "a", "c"]
    assert [one.query for one in logged(events, 2)] == ["a", "c"]
    with pytest.raises(ConfigError, match=r"^no question was asked yet; give --questions FILE.jsonl$"):
        logged([])


# -- by a model


def test_both_ways_are_asked_anew_in_every_run_and_their_spread_is_told(folder: Path) -> None:
    right, wrong, none = "It costs 0 USD [1.1].", "Nobody knows. It is dear [1.1].", "UNANSWERABLE"
    file = questions(folder, {"query": QUERY, "answer": "It costs 0 USD"})
    log = sorted((folder / ".wrac").rglob("*.jsonl"))
    before = [path.read_bytes() for path in log]
    # Passages and corpus in turn, three runs.
    with Wire(*(streams(text) for text in (right, right, wrong, right, none, right))) as wire:
        answered_by(folder, wire)
        code, out, noise = command("advise", "--questions", file, "--json", cwd=folder)
        assert code == 0, noise
        assert len(wire.requests) == 6
    found = json.loads(out)["quality"]
    assert (found["questions"], found["runs"], list(found["ways"])) == (1, 3, ["passages", "corpus"])
    passages, corpus = found["ways"]["passages"], found["ways"]["corpus"]
    assert passages["answered"] == {"mean": pytest.approx(2 / 3), "low": 0, "high": 1}
    assert corpus["exact match"] == {"mean": 1, "low": 1, "high": 1}
    assert passages["token F1"]["low"] == 0
    assert 1 / 3 <= passages["token F1"]["mean"] < passages["token F1"]["high"] == 1
    assert passages["cited sentences"]["low"] == 0
    assert corpus["cited sentences"]["mean"] == 1
    assert corpus["tokens read"]["mean"] == 100
    assert corpus["of these cached"]["mean"] == 40
    assert found["agreement"]["high"] == 1
    assert "1 question both ways in 3 runs may cost " in noise
    assert [path.read_bytes() for path in log] == before
    with Workspace(folder / ".wrac", create=False) as workspace:
        assert workspace.costs("purpose")["answer"].calls == 6


def test_a_document_stands_in_for_a_corpus_that_does_not_fit(folder: Path) -> None:
    file = questions(folder, {"query": QUERY})
    with Wire(streams("It costs 0 USD [1.1].")) as wire:
        answered_by(folder, wire, window=900)
        code, out, noise = command("advise", "--questions", file, "--runs", "1", cwd=folder)
        assert code == 0, noise
    told = out.partition("quality on ")[2]
    assert told.startswith("1 question, 1 run, by ")
    assert told.splitlines()[1].split() == ["passages", "document"]
    assert "  the corpus takes " in told or "  the corpus is larger than the window" in told
    assert max(map(len, told.splitlines()[1:-1])) <= 80


def test_a_comparison_that_would_cost_more_than_it_may_asks_nothing(folder: Path) -> None:
    file = questions(folder, {"query": QUERY})
    with Wire(streams("No.")) as wire:
        answered_by(folder, wire)
        code, out, noise = command("advise", "--questions", file, "--max-cost", "0.001", cwd=folder)
        assert (code, out, wire.requests) == (2, "", [])
    assert noise.startswith("wrac: 1 question both ways in 3 runs may cost 0.0")
    assert noise.endswith(" USD; raise --max-cost, or give fewer questions or --runs\n")


# -- without a model


def test_gold_is_looked_for_in_what_each_way_would_read(folder: Path) -> None:
    file = questions(folder, {"query": "How are refunds handled?", "text": GOLD}, {"query": "no gold"})
    code, out, _ = command("advise", "--questions", file, cwd=folder)
    lines = out.partition("quality on ")[2].splitlines()
    assert code == 0
    assert lines[0] == "1 question, no model: the gold that would be read"
    assert lines[1].split() == ["passages", "document", "corpus"]
    assert lines[2].split() == ["gold", "read", "1", "1", "1"]
    sizes = [int(one.replace(",", "")) for one in lines[3].split()[2:5]]
    assert sizes[2] == max(sizes)
    code, out, _ = command("advise", "--watch", "--questions", file, cwd=folder)
    assert code == 0
    assert out.startswith("nothing moved across a break-even: ")
    assert "\nquality on 1 question" in out


def test_without_a_model_and_gold_it_is_said_what_is_needed(folder: Path) -> None:
    told = (
        "wrac: answers need a model: tell the workspace one with `wrac ask --model`; or give questions with gold, "
        '{"query": "…", "text": "…"}\n'
    )
    file = questions(folder, {"query": "a?"})
    code, _, noise = command("advise", "--questions", file, cwd=folder)
    assert (code, noise) == (2, told)
    assert command("advise", "--compare", cwd=folder)[0] == 2
    code, _, noise = command("advise", "site", "--compare", cwd=folder)
    told = "wrac: --watch, --compare and --questions are of a workspace; index the sources first\n"
    assert (code, noise) == (2, told)


def test_an_embedder_of_a_test_is_no_users(tmp_path: Path) -> None:
    site.build(tmp_path)
    with Workspace(tmp_path / ".wrac", embedder=FakeEmbedder()) as workspace:
        workspace.index([tmp_path / "site"], workers=1)
    file = questions(tmp_path, {"query": "How are refunds handled?", "text": GOLD})
    code, _, noise = command("advise", "--questions", file, cwd=tmp_path)
    assert code == 4
    assert "its vectors are by bag-of-words-64@1" in noise
