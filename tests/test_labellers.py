"""Labels of a workspace by rules, by a model over HTTP, by nobody: chosen once, paid once, and never lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command
from tests.endpoint import Wire, fails, says
from tests.fakes_index import WordEmbedder
from tests.site import build, page
from tests.test_replan import digest, halves

from wrac.core.errors import ConfigError
from wrac.core.types import Usage
from wrac.flow import Workspace
from wrac.flow.labellers import Labelling, recalled
from wrac.flow.planners import Planning
from wrac.llm.asking import Question
from wrac.llm.ledger import total
from wrac.llm.prices import Price


def form(question: Question) -> str:
    """A label for each passage: the topic that its line names, no number a page does not have."""
    lines = [line for line in question.data.splitlines() if not line.startswith("0 ")]
    topics = [re.search(r"refunds|shipping|returns|invoices", line.casefold()) for line in lines]
    labels = [
        {"same": False, "category": "text", "nouns": [topic[0] if topic else "daily", "a made up word"], "model": ""}
        for topic in topics
    ]
    return json.dumps({"labels": labels})


def by(wire: Wire, **options: Any) -> Labelling:
    return Labelling("llm", "small", wire.address, price=Price(2, 8), **options)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as found:
        yield found


def labelled(workspace: Workspace) -> set[tuple[str, ...]]:
    """The nouns of all labels; an empty tuple where there is no label."""
    records = [workspace.record(one.url) for one in workspace.pages()]
    return {one.label.nouns if one.label else () for record in records for one in record.occurrences}


def prefixes(workspace: Workspace) -> list[str]:
    records = [workspace.record(one.url) for one in workspace.pages()]
    return [entry.prefix for record in records for made in record.entries for entry in made]


def test_a_model_labels_and_only_what_changed_is_asked(workspace: Workspace, tmp_path: Path) -> None:
    source = build(tmp_path, 3)
    with Wire(says(form)) as wire:
        first = workspace.index([source], workers=0, labelling=by(wire))
        assert (first.usage.calls, first.unanswered) == (3, ())
        assert labelled(workspace) == {("refunds",), ("shipping",), ("returns",)}
        again = workspace.index([source], workers=0)
        assert (again.unchanged, again.usage) == (3, Usage())
        rules = workspace.replan(workers=0, labelling=Labelling())
        assert rules.usage == Usage()
        back = workspace.replan(workers=0, labelling=by(wire))
        assert (back.usage, back.embedded, len(wire.requests)) == (Usage(), 0, 3)
        (source / "001-shipping.html").write_text(page("shipping", 1, "<h2>New</h2><p>And now for free.</p>"))
        edited = workspace.index([source], workers=0)
        assert (edited.unchanged, edited.usage.calls, len(wire.requests)) == (2, 1, 4)
    assert recalled(workspace.database) == by(wire)
    assert workspace.costs("purpose") == {"label": total([first.usage, edited.usage])}
    assert workspace.costs("model")["openai-compatible:small"].cost == pytest.approx(4 * (100 * 2 + 10 * 8) / 1e6)
    digest(workspace)


def test_processes_and_threads_label_alike_beside_a_planner(tmp_path: Path) -> None:
    source = build(tmp_path, 4)
    with Wire(
        says(lambda question: form(question) if "passage" in question.instructions else halves(question))
    ) as wire:
        planning = Planning("llm", "small", wire.address, price=Price(2, 8))
        made = []
        for name, workers in (("alone", 0), ("many", 2)):
            with Workspace(tmp_path / name, embedder=WordEmbedder()) as found:
                found.index([source], workers=workers, planning=planning, labelling=Labelling("llm"))
                assert set(found.costs("purpose")) == {"plan", "label"}
                made.append(digest(found))
                assert found.index([source], workers=workers).unchanged == 4, (
                    "the planner's model is remembered for both"
                )
    assert made[0] == made[1]


def test_the_order_in_which_pages_come_says_nothing(tmp_path: Path) -> None:
    pages, made = sorted(build(tmp_path, 5).iterdir()), []
    for name, order in (("on", pages), ("back", [*reversed(pages)])):
        with Workspace(tmp_path / name, embedder=WordEmbedder()) as found:
            reports = [found.index([page], workers=0) for page in order]
            assert sum(report.embedded for report in reports) == found.status()["vectors"], "no page changes another"
            made.append(digest(found))
    assert made[0] == made[1]


def test_nobody_labels(workspace: Workspace, tmp_path: Path) -> None:
    source = build(tmp_path, 2)
    workspace.index([source], workers=0)
    assert labelled(workspace) != {()}
    before = prefixes(workspace)
    report = workspace.replan(workers=0, labelling=Labelling("none"))
    assert (report.pages, report.embedded) == (2, 0)
    assert labelled(workspace) == {()}
    assert prefixes(workspace) == before, "pages so short have nothing beside"
    assert workspace.index([source], workers=0).unchanged == 2
    digest(workspace)


@pytest.mark.parametrize(
    "turn",
    [fails(401, "wrong key"), says("No."), says('{"labels":[]}')],
    ids=["refused", "no answer", "no labels"],
)
def test_what_the_model_does_not_answer_is_left_to_the_rules_and_asked_again(
    workspace: Workspace, tmp_path: Path, turn: Any
) -> None:
    source = build(tmp_path, 2)
    with Workspace(tmp_path / "rules", embedder=WordEmbedder()) as rules:
        rules.index([source], workers=0)
        by_rules = labelled(rules)
    with Wire(turn) as wire:
        report = workspace.index([source], workers=0, labelling=by(wire))
        assert len(report.unanswered) == report.pages == 2
        assert all(one.reason.startswith("labels: ") for one in report.unanswered)
        assert labelled(workspace) == by_rules
        wire.turns = [says(form)]
        with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as later:
            fixed = later.index([source], workers=0)
            assert (fixed.unanswered, fixed.unchanged) == ((), 0)
            assert labelled(later) == {("refunds",), ("shipping",)}
            assert later.index([source], workers=0).unchanged == 2


def test_a_budget_ends_the_questions(workspace: Workspace, tmp_path: Path) -> None:
    source = build(tmp_path, 3)
    with Wire(says(form)) as wire:
        report = workspace.index([source], workers=0, labelling=by(wire, most=0.0003, parallel=1))
        assert len(wire.requests) == 1
        assert len(report.unanswered) == 2
        assert workspace.index([source], workers=0, labelling=by(wire)).unanswered == ()


def test_what_makes_no_sense_is_said_before_anything_is_written(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--label-model is for a language model; add --labels llm"):
        Labelling(model="x")
    with pytest.raises(ConfigError, match="--label-max-cost is for a language model"):
        Labelling("none", most=1)
    with pytest.raises(ConfigError, match="--labels llm needs --label-model"):
        workspace.index([build(tmp_path, 1)], workers=0, labelling=Labelling("llm"))
    assert recalled(workspace.database) == Labelling()
    with pytest.raises(ConfigError, match="holds a password"):
        Labelling("llm", "small", "http://me:secret@host/v1")


def test_the_command(tmp_path: Path) -> None:
    build(tmp_path, 2)
    with Wire(says(form)) as wire:
        told = ("--labels", "llm", "--label-model", "small", "--label-base-url", wire.address, "--label-price", "2/8")
        code, out, noise = command("index", "site", "--json", "--workers", "1", *told, cwd=tmp_path)
        assert (code, noise) == (0, "")
        assert json.loads(out)["usage"]["calls"] == 2
        code, out, _ = command("index", "site", "--json", "--workers", "1", cwd=tmp_path)
        assert json.loads(out)["unchanged"] == 2
    code, out, _ = command("costs", "--by", "purpose", "--json", cwd=tmp_path)
    assert "label" in out
    code, out, _ = command("replan", "--labels", "none", "--json", "--workers", "1", cwd=tmp_path)
    assert (code, json.loads(out)["pages"]) == (0, 2)
    code, _, noise = command("index", "site", "--label-model", "small", cwd=tmp_path)
    assert (code, noise.count("\n")) == (2, 1)
    assert "--label-model is for a language model; add --labels llm" in noise
