"""Routing measured: rules learned without the fold they are read on, and a whole run of which the figures are known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.commands import command
from tests.data import FOLDER, existing
from tests.fakes import FakeEmbedder

from wrac.evaluation.datasets.own import own
from wrac.evaluation.routing import observe, report, results, strangers
from wrac.evaluation.routing.fitting import NEVER, choice, fitted, worth, worths
from wrac.evaluation.routing.observing import Observed, Read, Ways
from wrac.evaluation.routing.strangers import Asked, area, kept, learned
from wrac.evaluation.values import DataSet
from wrac.evaluation.vectors import VectorCache
from wrac.evaluation.workspaces import held, workspace
from wrac.retrieval import DEPTH
from wrac.routing import RULE, Rule, Signals
from wrac.text.analysis import query_terms


def one(fold: str, share: float, passages: Read, document: Read, *, needs: bool = False) -> Observed:
    """A question whose passages hold that share of its best document."""
    signals = Signals("p", (1.0,), 1, share, passages.tokens, document.tokens)
    ways = {2000: Ways(signals, passages, document)}
    return Observed("q", "?", {}, fold, needs, document, document, ways, {0.0: passages})


HALF, ALL = Read(100, (True, False)), Read(150, (True, True))


def test_a_rule_is_learned_without_the_fold_it_is_read_on() -> None:
    """Whole documents gain in fold a and lose in fold b: each is read by what the other taught."""
    gains = [one("a", 0.8, HALF, ALL) for _ in range(5)]
    loses = [one("b", 0.8, HALF, Read(9000, (True, False))) for _ in range(5)]
    a, b = fitted([*gains, *loses], 2000)
    assert (a.fold, b.fold) == ("a", "b")
    assert a.held_out == a.never == pytest.approx(worth(HALF))
    assert a.best == pytest.approx(worth(ALL))
    assert b.held_out == pytest.approx(worth(Read(9000, (True, False))))


def test_of_rules_that_are_worth_the_same_the_one_that_reads_least_is_taken() -> None:
    (fit,) = fitted([one("a", 0.8, HALF, HALF)], 2000)
    assert fit.chosen.nearly == 2.0
    assert fit.chosen.hits == 99


@given(st.floats(0, 1), st.sampled_from([RULE, replace(RULE, nearly=2.0, part=2.0)]))
def test_a_choice_is_what_the_rule_says(share: float, rule: Rule) -> None:
    seen = one("a", share, HALF, ALL)
    assert choice(seen, 2000, rule) == (ALL if rule.why(seen.ways[2000].signals) else HALF)


def test_all_questions_at_once_are_worth_what_each_is() -> None:
    shares = (0.1, 0.3, 0.45, 0.8, 0.95)
    seen = [one("a", share, HALF, ALL) for share in shares]
    for rule in (RULE, NEVER, replace(RULE, part=0.25, hits=1)):
        assert list(worths(seen, [2000])(rule)) == pytest.approx([worth(choice(each, 2000, rule)) for each in seen])


ASKED = st.lists(st.builds(Asked, st.just("a"), st.booleans(), st.floats(0, 1)), max_size=30)


@given(ASKED)
def test_a_threshold_keeps_what_it_was_learned_to_keep(asked: list[Asked]) -> None:
    least = learned(asked)
    if any(one.own for one in asked):
        assert kept(asked, least)[0] >= 0.99
    assert 0 <= area(asked) <= 1


def test_confidence_that_tells_all_apart_has_the_whole_area() -> None:
    asked = [Asked("a", True, 0.6), Asked("a", True, 0.7), Asked("a", False, 0.5)]
    assert area(asked) == 1.0
    assert area([one._replace(own=not one.own) for one in asked]) == 0.0
    assert kept(asked, 0.65) == (0.5, 1.0)


# -- a whole run

SECTIONS = ("shoes", "shirts", "books", "lamps")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    for shop in ("north", "south"):
        parts = (
            f"<h2>{name} of {shop}</h2><p>The {shop} shop takes {name} back for ten days.</p>" for name in SECTIONS
        )
        (folder / f"{shop}.html").write_text(f"<h1>Returns of the {shop} shop</h1>{''.join(parts)}")
    rows: list[dict[str, object]] = [
        {"id": f"{shop}-{name}", "query": f"How long does the {shop} shop take {name} back?", "page": f"{shop}.html",
         "text": f"The {shop} shop takes {name} back for ten days."}
        for shop in ("north", "south") for name in SECTIONS
    ]  # fmt: skip
    every = [f"The north shop takes {name} back for ten days." for name in SECTIONS]
    rows.append({"id": "all", "query": "What does the north shop take back?", "page": "north.html", "text": every})
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


@pytest.fixture
def data(site: Path) -> DataSet:
    return own(site / "questions.jsonl", [str(site / "site")])


def test_what_a_model_would_read_is_counted_for_every_way(data: DataSet, tmp_path: Path) -> None:
    vectors = VectorCache(FakeEmbedder(), tmp_path / "cache")
    with workspace(data, vectors) as made:
        observed = observe(data, made, lambda _: None, budgets=(40, 2000))
        asked = strangers(data, made, vectors, lambda _: None)
    found = results(data, observed, asked)
    assert len(observed) == 9
    assert [one.query for one in observed if one.needs] == ["all"]
    assert {one.fold for one in observed} == {"pages 1", "pages 2"}
    assert all(one.page.recall == 1.0 for one in observed)
    assert all(one.ways[40].passages.tokens <= 40 for one in observed)
    assert all(one.ways[2000].passages.recall == 1.0 for one in observed)
    assert len(asked) == 2 * 9
    assert sum(one.own for one in asked) == 9
    assert found["needs"]["questions"] == 1
    assert "1 questions" in report(found, detail=True)


def test_an_index_in_memory_ranks_as_the_workspaces_own(data: DataSet, tmp_path: Path) -> None:
    vectors = VectorCache(FakeEmbedder(), tmp_path / "cache")
    with workspace(data, vectors) as made, made.shelf.searching() as (_, index):
        memory = held(made, vectors, data)
        for query in data.queries:
            terms, vector = query_terms(query.text, index.languages()), made.embedder.embed([query.text], query=True)[0]
            assert memory.lexical(terms, DEPTH) == index.lexical(terms, DEPTH)
            theirs = dict(index.dense(vector, DEPTH))
            assert dict(memory.dense(vector, DEPTH)) == pytest.approx(theirs, abs=1e-5)
        assert memory.languages() == index.languages()
        assert memory.fields() == index.fields()


def test_a_masked_question_is_in_no_text_that_is_searched(data: DataSet, tmp_path: Path) -> None:
    masked = replace(data, masks=("shoes of north", "Returns of the north shop"))
    vectors = VectorCache(FakeEmbedder(), tmp_path / "cache")
    with workspace(masked, vectors) as made, made.shelf.searching() as (_, index):
        entries = [entry for entry, _ in index.dense(made.embedder.embed(["shoes"], query=True)[0], DEPTH)]
        rows = [row for rows in index.rows(entries).values() for row in rows]
    assert rows
    assert not any("shoes of north" in f"{row.prefix}\n{row.text}".lower() for row in rows)
    assert not any("returns of the north shop" in f"{row.prefix}\n{row.text}".lower() for row in rows)


def test_the_command_prints_tables_and_writes_all_figures(site: Path) -> None:
    code, out, noise = command("eval", "questions.jsonl", "--pages", "site", "--route", "--out", "out.json", cwd=site)
    assert code == 0, noise
    assert "what a model would read" in out
    found = json.loads((site / "out.json").read_text())
    assert {"ways", "goals", "types", "fits", "learned", "needs", "unanswerable"} <= set(found)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("measure", ["--route", "--answers"])
def test_gold_by_code_points_is_refused_before_the_work(measure: str, tmp_path: Path) -> None:
    data = existing(FOLDER / "chroma")
    code, out, noise = command("eval", data, measure, cwd=tmp_path)
    assert (code, out) == (2, "")
    assert noise == f"wrac: {measure} counts gold blocks; this data set has gold by code points\n"
