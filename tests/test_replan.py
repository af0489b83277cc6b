"""Planning anew: equal to a workspace made that way from scratch, at the price of what is new; and planning by a model
whose answers are kept, whatever happens to a run."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import postgres
from tests.endpoint import BatchWire, Exchange, Wire, fails, hangs, says
from tests.fakes_index import WordEmbedder
from tests.site import build, page

from wrac.core.errors import ConfigError, RemoteError
from wrac.core.types import Policy, Usage
from wrac.flow import Workspace
from wrac.flow.planners import Planning, read_planning, site
from wrac.llm.asking import Question
from wrac.llm.ledger import total
from wrac.llm.prices import Price
from wrac.planning.policies import Policies, Rule

SMALL = Policy(target=20, maximum=60)
KEY = "sk-0123456789-secret"
KILLED = """
import sys
from tests.fakes_index import WordEmbedder
from wrac.flow import Workspace
from wrac.flow.planners import Planning
with Workspace(sys.argv[1], embedder=WordEmbedder()) as workspace:
    workspace.index([sys.argv[2]], workers=0, planning=Planning("llm", "small", sys.argv[3], parallel=2))
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = build(tmp_path_factory.mktemp("replan"), 4)
    (folder / "notes.md").write_text("# Notes\n\n" + "\n\n".join(f"Line {i} about refunds." for i in range(30)))
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 not a document")
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as found:
        yield found


def asked(workspace: Workspace) -> int:
    assert isinstance(workspace.embedder, WordEmbedder)
    return workspace.embedder.asked


def digest(workspace: Workspace) -> str:
    report = workspace.verify(digest=True)
    assert report.problems == ()
    return report.digest


def scratch(folder: Path, source: Path, **options: Any) -> str:
    """The digest of a workspace made with these options from nothing."""
    with Workspace(folder, embedder=WordEmbedder()) as made:
        made.index([source], workers=0, **options)
        return digest(made)


RULES = Policies(
    Policy(target=90),
    (Rule("*refunds*", (("maximum", 60), ("target", 20))),),
    (Rule("prose", (("target", 40),)),),
)


@pytest.mark.parametrize("policy", [SMALL, RULES], ids=["sizes", "rules"])
def test_planning_anew_equals_a_new_workspace(
    workspace: Workspace, pages: Path, tmp_path: Path, policy: Policy | Policies
) -> None:
    first = workspace.index([pages], workers=0)
    before = asked(workspace)
    report = workspace.replan(policy=policy, workers=0)
    assert (report.pages, report.seconds["parse"], report.skipped) == (first.pages, 0, ())
    assert report.changed > 0
    assert report.changed + report.kept == report.pages
    assert report.embedded == asked(workspace) - before > 0
    made = digest(workspace)
    assert made == scratch(tmp_path / "new", pages, policy=policy)
    again = workspace.replan(workers=0)
    assert (again.changed, again.kept, again.embedded) == (0, report.pages, 0)
    planners = workspace.status()["planners"]
    assert isinstance(planners, list)
    assert all(re.fullmatch(r"rules@\d+\+[0-9a-f]{8}", name) for name in planners)
    later = workspace.index([pages], workers=0)
    assert (later.unchanged, later.embedded) == (report.pages, 0), "the workspace remembers how it was planned"
    assert digest(workspace) == made


def test_the_default_can_be_had_again(workspace: Workspace, pages: Path, tmp_path: Path) -> None:
    workspace.index([pages], workers=0, policy=SMALL)
    report = workspace.replan(policy=Policy(), workers=0)
    assert report.changed > 0
    assert digest(workspace) == scratch(tmp_path / "new", pages)
    back = workspace.replan(policy=SMALL, workers=0)
    assert (back.changed, back.embedded) == (report.changed, 0), "what was embedded once is not embedded again"


def test_a_rule_for_one_site_leaves_the_others_alone(workspace: Workspace, pages: Path) -> None:
    workspace.index([pages], workers=0)
    report = workspace.replan(policy=Policies(sites=(Rule("*/000-*", (("target", 20),)),)), workers=0)
    assert report.changed == 1
    assert report.seconds["plan"] < 1
    assert workspace.replan(policy=Policies(sites=(Rule("nowhere", (("target", 20),)),)), workers=0).changed == 1


def test_a_run_that_was_stopped_goes_on(workspace: Workspace, pages: Path, tmp_path: Path) -> None:
    workspace.index([pages], workers=0)
    before = asked(workspace)

    def stop(stage: str, done: int, _total: int | None, _detail: str) -> None:
        if stage == "replan" and done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workspace.replan(policy=SMALL, workers=0, progress=stop)
    first = asked(workspace) - before
    rest = workspace.replan(workers=0)
    assert 0 < rest.changed < rest.pages
    assert digest(workspace) == scratch(tmp_path / "new", pages, policy=SMALL)
    with Workspace(tmp_path / "other", embedder=WordEmbedder()) as whole:
        whole.index([pages], workers=0)
        assert whole.replan(policy=SMALL, workers=0).embedded == first + rest.embedded, "nothing is embedded twice"


def test_planning_says_what_makes_no_sense() -> None:
    no_address = "--base-url is no address; write it as https://host/v1"
    for options, told in (
        ({"model": "openai:gpt-4.1"}, "--model is for a language model; add --planner llm or cascade"),
        ({"parallel": 2}, "--parallel is for a language model; add --planner llm or cascade"),
        ({"who": "llm"}, "--planner llm needs --model, such as openai:gpt-4.1, or --base-url URL --model NAME"),
        ({"who": "llm", "model": "x", "base_url": "host/v1"}, no_address),
        ({"who": "llm", "model": "x", "base_url": "http://[a/v1"}, no_address),
        ({"who": "llm", "model": "x", "base_url": "http://a:b/v1"}, no_address),
        (
            {"who": "llm", "model": "x", "base_url": "https://me:secret@host/v1"},
            "--base-url holds a password; put the key into WRAC_API_KEY",
        ),
    ):
        with pytest.raises(ConfigError) as error:
            Planning(**options)
        assert str(error.value) == told
    full = Planning("cascade", "small", "https://host/v1", "starts", Price(2, 8), 1.5, 8, fallback=False)
    assert read_planning(full.text) == full


def test_sites_of_pages() -> None:
    found = {url: site(url) for url in ("https://me@a.example:8080/x", "docs/de/a.html", "a.html", "-", "/data/a.html")}
    assert list(found.values()) == ["a.example:8080", "docs", "-", "-", "data"]


# a model


def halves(question: Question) -> str:
    """Groups of four neighbours."""
    numbers = [int(n) for pair in re.findall(r"^(\d+)(?:-(\d+))? ", question.data, re.MULTILINE) for n in pair if n]
    return ";".join(f"{a}-{min(a + 3, max(numbers))}" for a in range(1, max(numbers) + 1, 4))


def by(wire: Wire, **options: Any) -> Planning:
    return Planning("llm", "small", wire.address, price=Price(2, 8), **options)


def test_answers_are_kept_and_only_what_changed_is_asked(workspace: Workspace, tmp_path: Path) -> None:
    source = build(tmp_path, 3)
    with Wire(says(halves)) as wire:
        first = workspace.index([source], workers=0, planning=by(wire))
        assert (first.usage.calls, first.unanswered) == (len(wire.requests), ())
        assert first.usage.calls == 3
        assert workspace.index([source], workers=0).unchanged == 3
        workspace.replan(planning=Planning(), workers=0)
        back = workspace.replan(planning=by(wire), workers=0)
        assert (back.changed, back.embedded, back.usage, len(wire.requests)) == (3, 0, Usage(), 3)
        (source / "001-shipping.html").write_text(page("shipping", 1, "<h2>New</h2><p>And now for free.</p>"))
        edited = workspace.index([source], workers=0)
        assert (edited.unchanged, edited.usage.calls, len(wire.requests)) == (2, 1, 4)
        digest(workspace)
        spent = workspace.costs("model")
    assert spent == {"openai-compatible:small": total([first.usage, edited.usage])}
    assert spent["openai-compatible:small"].cost == pytest.approx(4 * (100 * 2 + 10 * 8) / 1e6)
    assert list(workspace.costs("site")) == ["site"]
    assert list(workspace.costs("purpose")) == ["plan"]
    assert workspace.costs("day", since="2999-01-01") == {}


def test_processes_and_threads_make_the_same_workspace(pages: Path, tmp_path: Path) -> None:
    with Wire(says(halves)) as wire:
        alone = scratch(tmp_path / "alone", pages, planning=by(wire, parallel=1))
        with Workspace(tmp_path / "many", embedder=WordEmbedder()) as many:
            many.index([pages], workers=2, planning=by(wire, parallel=3))
            assert digest(many) == alone
        with Workspace(tmp_path / "later", embedder=WordEmbedder()) as later:
            later.index([pages], workers=0)
            later.replan(workers=0, planning=by(wire))
            assert digest(later) == alone


def test_a_workspace_in_postgresql_is_the_same(pages: Path, tmp_path: Path) -> None:
    with Wire(says(halves)) as wire, Workspace(postgres.url(), embedder=WordEmbedder()) as remote:
        remote.index([pages], workers=0)
        report = remote.replan(workers=0, policy=SMALL, planning=by(wire))
        assert report.usage.calls == report.pages
        assert remote.replan(workers=0).kept == report.pages
        assert digest(remote) == scratch(tmp_path / "new", pages, policy=SMALL, planning=by(wire))
        (usage,) = remote.costs("day").values()
        assert usage.calls == report.usage.calls
        assert usage.cost == pytest.approx(report.usage.cost)


def test_no_more_is_asked_at_once_than_wished(workspace: Workspace, tmp_path: Path) -> None:
    source = build(tmp_path, 9)
    open_now, most = 0, 0
    lock = threading.Lock()

    def slow(exchange: Exchange) -> None:
        nonlocal open_now, most
        with lock:
            open_now += 1
            most = max(most, open_now)
        time.sleep(0.1)
        with lock:
            open_now -= 1
        says(halves)(exchange)

    with Wire(slow) as wire:
        workspace.index([source], workers=0, planning=by(wire, parallel=3))
    assert 2 <= most <= 3


def test_an_interrupted_run_ends_its_questions(pages: Path, tmp_path: Path) -> None:
    """Ctrl-C while a model thinks: the run ends at once, not when the model has thought."""
    with Wire(hangs(60)) as wire:
        command = [sys.executable, "-c", KILLED, tmp_path / "ws", pages, wire.address]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        run = subprocess.Popen(list(map(str, command)), env=environment, stderr=subprocess.PIPE)
        until = time.monotonic() + 60
        while not wire.requests and time.monotonic() < until:
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        started = time.monotonic()
        _, noise = run.communicate(timeout=30)
        assert time.monotonic() - started < 20
    assert b"KeyboardInterrupt" in noise.splitlines()[-1]


def test_a_budget_stops_and_the_next_run_goes_on(workspace: Workspace, pages: Path, tmp_path: Path) -> None:
    with Wire(says(halves)) as wire:
        each = (100 * 2 + 10 * 8) / 1e6
        first = workspace.index([pages], workers=0, planning=by(wire, most=2.5 * each, parallel=1))
        assert first.usage.calls == len(wire.requests) == 2
        assert len(first.unanswered) == first.pages - 2
        assert {one.reason for one in first.unanswered} == {
            f"openai-compatible:small: the budget of {2.5 * each:g} USD is spent ({2 * each:.4f}); raise --max-cost"
        }
        digest(workspace)
        rest = workspace.index([pages], workers=0, planning=by(wire))
        assert (rest.unchanged, rest.unanswered) == (2, ())
        assert len(wire.requests) == first.pages
        assert digest(workspace) == scratch(tmp_path / "new", pages, planning=by(wire))


def test_pages_that_nobody_answered_are_asked_again(workspace: Workspace, pages: Path, tmp_path: Path) -> None:
    with Wire(fails(401, "who are you"), says(halves)) as wire:
        first = workspace.index([pages], workers=0, planning=by(wire, parallel=1))
        assert len(first.unanswered) == first.pages
        assert len(wire.requests) == 1, "a wrong key is not tried on every page"
        digest(workspace)
        second = workspace.index([pages], workers=0)
        assert (second.unanswered, second.unchanged) == ((), 0)
        assert digest(workspace) == scratch(tmp_path / "new", pages, planning=by(wire))


def test_without_fallback_the_error_ends_the_run(workspace: Workspace, pages: Path) -> None:
    with (
        Wire(says(halves), says(halves), fails(400, "not that")) as wire,
        pytest.raises((ConfigError, RemoteError), match="not that"),
    ):
        workspace.index([pages], workers=0, planning=by(wire, fallback=False, parallel=1))
    assert 1 <= workspace.status()["pages"] <= 2, "what was finished is kept"  # type: ignore[operator]
    digest(workspace)


def test_a_killed_run_never_pays_twice(pages: Path, tmp_path: Path) -> None:
    """Killed while the third question is open: what was answered is not asked again."""
    answered: Counter[str] = Counter()

    def counted(exchange: Exchange) -> None:
        says(halves)(exchange)
        answered[exchange.question.data] += 1

    def late(exchange: Exchange) -> None:
        if len(answered) == 2:
            time.sleep(30)
        counted(exchange)

    with Wire(late) as wire:
        command = [sys.executable, "-c", KILLED, tmp_path / "ws", pages, wire.address]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        run = subprocess.Popen(list(map(str, command)), env=environment)
        until = time.monotonic() + 60
        while (len(wire.requests) < 3 or len(answered) < 2) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.3)  # the second answer is on its way to the disk
        run.send_signal(signal.SIGKILL)
        run.wait()
        wire.turns = [counted]
        with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
            workspace.index([pages], workers=0)
            digest(workspace)
            spent = workspace.costs("model")["openai-compatible:small"]
    assert set(answered.values()) == {1}
    assert spent.calls == sum(answered.values())


def test_the_key_is_sent_and_kept_nowhere(workspace: Workspace, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_API_KEY", KEY)
    with Wire(says(halves)) as wire:
        workspace.index([pages], workers=0, planning=by(wire))
        assert wire.headers[0]["authorization"] == f"Bearer {KEY}"
    workspace.close()
    for path in workspace.path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()


# batches


def test_a_batch_makes_the_same_plans_for_half_the_price(workspace: Workspace, pages: Path, tmp_path: Path) -> None:
    workspace.index([pages], workers=0)
    with BatchWire(halves) as wire:
        planning = Planning("llm", "small", wire.address, price=Price(2, 8))
        report = workspace.replan(planning=planning, batch=True, workers=0)
        assert (report.unanswered, report.usage.calls) == ((), report.pages)
        assert report.usage.cost == pytest.approx(report.pages * (100 * 2 + 10 * 8) / 1e6 / 2)
        assert workspace.costs("model") == {"openai-compatible:small": report.usage}
        again = workspace.replan(batch=True, workers=0)
        assert (again.kept, again.usage, len(wire.batches)) == (report.pages, Usage(), 1)
    with Wire(says(halves)) as live:
        assert digest(workspace) == scratch(tmp_path / "new", pages, planning=by(live))


def test_a_batch_is_collected_by_whoever_comes_next(workspace: Workspace, pages: Path) -> None:
    workspace.index([pages], workers=0)

    def stop(stage: str, _done: int, _total: int | None, _detail: str) -> None:
        if stage == "batch":
            raise KeyboardInterrupt

    with BatchWire(halves) as wire:
        planning = Planning("llm", "small", wire.address)
        with pytest.raises(KeyboardInterrupt):
            workspace.replan(planning=planning, batch=True, workers=0, progress=stop)
        assert len(wire.batches) == 1
        report = workspace.replan(batch=True, workers=0)
        assert (report.unanswered, report.usage.calls, len(wire.batches)) == ((), report.pages, 1)


def test_what_a_batch_does_not_answer_waits_for_the_next(workspace: Workspace, pages: Path) -> None:
    workspace.index([pages], workers=0)
    with BatchWire(halves, expires=2) as wire:
        report = workspace.replan(planning=Planning("llm", "small", wire.address), batch=True, workers=0)
        assert (report.usage.calls, len(report.unanswered)) == (2, report.pages - 2)
        assert {one.reason for one in report.unanswered} == {
            "openai-compatible:small: the batch said nothing of it (batch-1 expired)"
        }
        digest(workspace)
        wire.expires = None
        rest = workspace.replan(batch=True, workers=0)
        assert (rest.unanswered, rest.usage.calls) == ((), report.pages - 2)


def test_a_batch_needs_a_model_and_no_budget(workspace: Workspace) -> None:
    with pytest.raises(ConfigError, match="--batch is for a language model; add --planner llm or cascade"):
        workspace.replan(batch=True)
    with pytest.raises(ConfigError, match="a batch cannot be stopped at --max-cost"):
        workspace.replan(planning=Planning("llm", "openai:gpt-4.1", most=1.0), batch=True)
    with pytest.raises(ConfigError, match=r"no batch API is known of anthropic:x"):
        workspace.replan(planning=Planning("llm", "anthropic:x"), batch=True)
