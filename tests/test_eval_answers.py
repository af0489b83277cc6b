"""Answers measured: the metrics by their laws, and runs with recorded answers of which every figure is known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.commands import command
from tests.endpoint import llama
from tests.fakes import FakeEmbedder, FakeModel

from wrac.core.errors import InputError
from wrac.evaluation.answers import Forgetting, Task, answers
from wrac.evaluation.datasets.own import own
from wrac.evaluation.metrics.answers import bert_score, unmarked
from wrac.evaluation.report.answers import text
from wrac.evaluation.values import DataSet
from wrac.evaluation.vectors import VectorCache
from wrac.evaluation.workspaces import workspace
from wrac.flow.answerers import Answerer
from wrac.flow.talk import Talk
from wrac.llm.asking import Question
from wrac.llm.prices import Price

TOKENS = arrays(np.float32, st.tuples(st.integers(1, 6), st.just(4)), elements=st.floats(0.125, 1, width=16)).map(
    lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)
)


@given(TOKENS, TOKENS)
def test_closeness_is_symmetric_and_whole_only_where_all_is_found_again(
    ours: np.ndarray[Any, np.dtype[np.float32]], theirs: np.ndarray[Any, np.dtype[np.float32]]
) -> None:
    there, back = bert_score(ours, theirs), bert_score(theirs, ours)
    assert (there.precision, there.recall) == (back.recall, back.precision)
    assert min(there[:2]) - 1e-6 <= there.f1 <= max(there[:2]) + 1e-6
    assert bert_score(ours, ours).f1 == pytest.approx(1.0, abs=1e-5)
    assert bert_score(ours, np.concatenate([theirs, ours])).precision == pytest.approx(1.0, abs=1e-5)


def test_closeness_of_two_tokens_by_hand() -> None:
    ours = np.array([[1, 0], [0, 1]], np.float32)
    found = bert_score(ours, np.array([[0.6, 0.8]], np.float32))
    assert tuple(found) == pytest.approx((0.7, 0.8, 2 * 0.7 * 0.8 / 1.5))


def test_texts_without_tokens_are_alike_and_nothing_else_is() -> None:
    none, some = np.zeros((0, 2), np.float32), np.ones((1, 2), np.float32)
    assert bert_score(none, none).f1 == 1.0
    assert bert_score(none, some) == bert_score(some, none) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("Ten days [1.2].", "Ten days."),
        ("Ten days [1.2, 3.4]. Call [a2.1].", "Ten days. Call."),
        ("Version 1.2 [sic] stays.", "Version 1.2 [sic] stays."),
    ],
)
def test_marks_are_no_words_of_an_answer(said: str, plain: str) -> None:
    assert unmarked(said) == plain


# -- runs


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    """Two pages, and two questions: one with an answer of its own, one with gold alone."""
    site = tmp_path / "site"
    site.mkdir()
    refunds = "<h1>Refunds</h1><p>Refunds take ten days.</p><p>A refund needs the order number.</p>"
    (site / "refunds.html").write_text(refunds)
    (site / "hours.html").write_text("<h1>Hours</h1><p>The store opens at nine.</p><p>It closes at five.</p>")
    rows = [
        {"id": "a", "query": "How long do refunds take?", "page": "refunds.html", "text": "Refunds take ten days.",
         "answer": ["ten days", "They take ten days"]},
        {"id": "b", "query": "When does the store open?", "page": "hours.html", "text": "The store opens at nine."},
    ]  # fmt: skip
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return own(file, [str(site)])


@pytest.fixture
def vectors(tmp_path: Path) -> VectorCache:
    return VectorCache(FakeEmbedder(), tmp_path / "cache")


@pytest.mark.parametrize("answer", [5, [], ["ten days", None]])
def test_an_answer_that_is_no_text_is_told_with_its_line(answer: object, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>Refunds take ten days.</p>")
    row = {"query": "How long?", "page": "page.html", "text": "Refunds take ten days.", "answer": answer}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(row))
    with pytest.raises(InputError, match=r"questions\.jsonl:1: 'answer' is neither a text nor a list of texts"):
        own(file, [str(tmp_path / "page.html")])


def recorded(question: Question) -> str:
    """Right about refunds, wrong about hours with a citation of something else; nothing on what is not sent."""
    lines = question.data.split("\n")
    days = [line.partition("]")[0] + "]" for line in lines if "Refunds take ten days" in line and line.startswith("[")]
    closes = [line.partition("]")[0] + "]" for line in lines if "It closes at five" in line and line.startswith("[")]
    asked = lines[-1] + question.data.rpartition("Question")[2]
    if "refunds" in asked and days:
        return f"Ten days {days[0]}."
    return f"At five {closes[0]}." if "open" in asked and closes else "NO ANSWER"


def talk(model: Any) -> Talk:
    return Talk(Answerer("fake:model", price=Price(2, 8), window=8000), model, Forgetting())


def figures(found: dict[str, Any], way: str, query: str) -> dict[str, float]:
    (row,) = (one for one in found["ways"] if one["way"] == way)
    return dict(zip(found["metrics"], row["queries"][query], strict=True))


def test_without_a_model_the_best_units_are_measured_once(data: DataSet, vectors: VectorCache) -> None:
    with workspace(data, vectors) as made:
        found = answers(Task(data, made, vectors, runs=3))
    (way,) = found["ways"]
    assert (way["way"], found["model"], found["runs"], found["references"]) == ("passages", "", 1, 1)
    assert figures(found, "passages", "a")["gold cited"] == 1.0
    assert way["mean"]["USD"] == 0
    assert "without a model" in text(found)


def test_recorded_answers_have_the_figures_they_must_have(data: DataSet, vectors: VectorCache) -> None:
    with workspace(data, vectors) as made:
        found = answers(Task(data, made, vectors, talk(FakeModel(recorded)), runs=2))
    right = figures(found, "passages", "a")
    assert (right["F1"], right["EM"], right["cited right"], right["gold cited"]) == (1.0, 1.0, 1.0, 1.0)
    wrong = figures(found, "passages", "b")
    assert (wrong["EM"], wrong["cited right"], wrong["gold cited"], wrong["refused"]) == (0.0, 0.0, 0.0, 0.0)
    assert right["tokens"] == 100
    assert [one["way"] for one in found["ways"]] == ["passages", "document", "auto"]
    for one in found["ways"]:
        assert one["low"] == one["mean"] == one["high"]
        assert one["difference"]["verdict"] == "no difference"


def test_runs_that_differ_are_told_with_their_lowest_and_highest(data: DataSet, vectors: VectorCache) -> None:
    model = FakeModel("Ten days.", "At nine.", "It depends.", "NO ANSWER")
    with workspace(data, vectors) as made:
        found = answers(Task(data, made, vectors, talk(model), runs=2))
    first = found["ways"][0]
    assert first["low"]["EM"] == 0.0
    assert first["high"]["EM"] == 0.5
    assert first["mean"]["EM"] == 0.25
    assert "lowest run" in text(found)


def test_a_document_larger_than_the_window_is_no_answer_and_no_end(data: DataSet, vectors: VectorCache) -> None:
    small = Talk(Answerer("fake:model", price=Price(2, 8), window=420), FakeModel(recorded), Forgetting())
    with workspace(data, vectors) as made:
        found = answers(Task(data, made, vectors, small, runs=1))
    assert {one["way"] for one in found["ways"]} == {"passages", "document", "auto"}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with llama() as address:
        yield address


def test_a_real_model_is_measured_over_the_wire(server: str, data: DataSet, tmp_path: Path) -> None:
    """SmolLM2 answers badly; that its answers are asked for, counted and measured is what is proven."""
    options = ("--model", "smollm2", "--base-url", f"{server}/v1", "--window", "900", "--runs", "1", "--json")
    code, out, noise = command("eval", "questions.jsonl", "--pages", "site", "--answers", *options, cwd=tmp_path)
    assert code == 0, noise
    found = json.loads(out)
    assert found["model"] == "openai-compatible:smollm2"
    assert found["ways"][0]["mean"]["tokens"] > 50
    assert len(found["ways"][0]["queries"]) == len(data.queries)
