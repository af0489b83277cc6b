"""Proposals: faults that a log shows, a policy that mends each, what logged queries would find, and the change made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes_index import WordEmbedder
from tests.misfits import PAGES, build

from wrac.core.errors import ConfigError, NotFoundError
from wrac.core.types import Policy
from wrac.flow import Workspace
from wrac.flow.proposals import Proposal, adjust, look, own_rules, proposals, take_back


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    site = build(tmp_path / "site")
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as one:
        one.index(site, base="https://docs.example.com", workers=0)
        yield one


def asked(workspace: Workspace, *queries: str) -> None:
    for query in queries:
        workspace.search(query)


def url(name: str) -> str:
    return f"https://docs.example.com/{name}.html"


def of(workspace: Workspace, name: str, fault: str) -> Proposal | None:
    found = proposals(workspace, workspace.log.events())
    return next((one for one in found if one.url == url(name) and one.fault == fault), None)


@pytest.mark.parametrize(
    ("name", "fault", "query", "changes"),
    [
        ("prices", "table", "plan{} dollars month limit", {"whole_tables": True}),
        ("steps", "list", "step{} panel button go", {"whole_lists": True}),
        ("faq", "questions", "what is the thing of kind alpha {}", {"one_question": True}),
    ],
)
def test_what_searches_find_in_pieces_is_proposed_to_be_kept_whole(
    workspace: Workspace, name: str, fault: str, query: str, changes: dict[str, Any]
) -> None:
    assert of(workspace, name, fault) is None
    asked(workspace, *(query.format(i) for i in range(4)))
    found = of(workspace, name, fault)
    assert found is not None
    assert found.changes == changes
    assert found.searches >= 3
    assert set(found.chunks) <= {one.id for one in workspace.record(url(name)).chunks}


def test_a_long_passage_that_was_found_bad_is_proposed_to_be_cut_finer(workspace: Workspace) -> None:
    workspace.replan(policy=Policy(target=200, maximum=512, prose=200), workers=0)
    hit = next(one for one in workspace.search("sentence explains service people") if one.url == url("plain"))
    assert of(workspace, "plain", "coarse") is None
    workspace.feedback(hit.chunk, -1, query="sentence explains service people")
    found = of(workspace, "plain", "coarse")
    assert found is not None
    assert found.bad == 1
    assert found.changes == {"target": 100, "prose": 100}
    assert found.chunks == (hit.chunk,)


def test_verdicts_come_first_then_searches(workspace: Workspace) -> None:
    asked(workspace, *(f"plan{i} dollars month limit" for i in range(4)))
    hit = next(one for one in workspace.search("what is the thing of kind alpha") if one.url == url("faq"))
    workspace.feedback(hit.chunk, -1)
    first, *_ = proposals(workspace, workspace.log.events())
    assert first.url == url("faq")


def test_a_preview_changes_nothing_and_tells_what_queries_would_find(workspace: Workspace) -> None:
    asked(workspace, *(f"plan{i} dollars month limit" for i in range(4)), "plan1  DOLLARS month limit")
    record, before = workspace.record(url("prices")), workspace.status()
    found = look(workspace, record, {"whole_tables": True}, workspace.log.events())
    assert workspace.status() == before
    assert workspace.remembered().policies is None
    assert len(found.after.chunks) < len(found.before.chunks)
    assert found.changes
    assert found.kept < len(found.before.chunks)
    assert found.answers[0].query == "plan1 dollars month limit"
    assert found.answers[0].searches == 2
    for one in found.answers:
        assert one.before is not None
        assert one.after is not None
        assert one.after.held >= one.before.held > 0
        assert "plan0" in one.after.chunk.text
        assert "plan23" in one.after.chunk.text
    assert found.tokens[0] < found.tokens[1]
    assert found.held[0] <= found.held[1] <= 1


def test_a_change_is_made_to_its_page_alone_and_taken_back(workspace: Workspace) -> None:
    asked(workspace, *(f"plan{i} dollars month limit" for i in range(4)))
    records = {name: workspace.record(url(name)) for name in PAGES}
    wanted = look(workspace, records["prices"], {"whole_tables": True}, workspace.log.events())
    report = adjust(workspace, records["prices"], {"whole_tables": True})
    assert (report.pages, report.changed) == (1, 1)
    assert [one.id for one in workspace.record(url("prices")).chunks] == [one.id for one in wanted.after.chunks]
    assert all(workspace.record(url(name)) == records[name] for name in PAGES if name != "prices")
    assert [rule.match for rule in own_rules(workspace.remembered().policies)] == [url("prices")]
    assert of(workspace, "prices", "table") is None
    assert workspace.verify().problems == ()
    assert workspace.replan(workers=0).changed == 0  # the rule is remembered, and is for no other page
    take_back(workspace, url("prices"))
    assert workspace.record(url("prices")).chunks == records["prices"].chunks
    assert own_rules(workspace.remembered().policies) == ()


def test_one_page_has_one_rule_with_all_its_changes(workspace: Workspace) -> None:
    adjust(workspace, workspace.record(url("prices")), {"whole_tables": True})
    adjust(workspace, workspace.record(url("prices")), {"target": 80})
    (rule,) = own_rules(workspace.remembered().policies)
    assert dict(rule.changes) == {"target": 80, "whole_tables": True}
    assert workspace.record(url("prices")).policy == Policy(target=80, whole_tables=True)


def test_a_policy_that_makes_no_sense_is_refused_and_nothing_is_changed(workspace: Workspace) -> None:
    record = workspace.record(url("prices"))
    with pytest.raises(ConfigError, match="target"):
        look(workspace, record, {"target": 900}, workspace.log.events())
    with pytest.raises(ConfigError, match="target"):
        adjust(workspace, record, {"target": 900})
    assert workspace.record(url("prices")) == record
    with pytest.raises(NotFoundError):
        take_back(workspace, url("nowhere"))
