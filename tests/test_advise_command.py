"""wrac advise from the outside: what it measures, prints, keeps, watches and refuses."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from tests import postgres, site
from tests.browser import visiting
from tests.commands import command
from tests.fakes import FakeEmbedder
from tests.postgres import PASSWORD
from tests.test_advice import factors

from wrac import contract
from wrac.catalog import crawls
from wrac.catalog.ledger import record
from wrac.catalog.memory import remember, remembered
from wrac.cli import advised, paint
from wrac.core.errors import ConfigError
from wrac.core.types import Event, Usage
from wrac.evaluation.report.advice import page
from wrac.flow.advise import kept
from wrac.flow.measures import DAY, Corpus, corpus_of, embedding, planning, shown
from wrac.flow.report import silent
from wrac.flow.workspace import Workspace
from wrac.llm.ledger import Spent
from wrac.routing.advice import recommend
from wrac.routing.economics import KINDS, Factors, costs
from wrac.text.tokens import counter

SMALL = ("--tokens", "30000", "--queries", "40", "--changes-per-week", "0.06")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages, and a workspace of them."""
    folder = tmp_path_factory.mktemp("indexed")
    site.build(folder)
    with Workspace(folder / ".wrac", embedder=FakeEmbedder()) as workspace:
        workspace.index([folder / "site"], workers=1)
    return folder


@pytest.fixture
def folder(indexed: Path, tmp_path: Path) -> Path:
    """The same, to change."""
    shutil.copytree(indexed, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder / ".wrac", create=False) as one:
        yield one


def told(folder: Path, *arguments: str | Path) -> dict[str, Any]:
    code, out, noise = command("advise", *arguments, "--json", cwd=folder)
    assert (code, noise) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def asked(days: float, count: int, now: float) -> list[Event]:
    """Questions, evenly over the days that end now."""
    moments = [now - days * DAY * (1 - i / count) for i in range(count)]
    return [Event(at, "query", f"r{i}", {"query": "How are refunds made?"}) for i, at in enumerate(moments)]


# -- what is printed


def test_what_to_choose_and_the_factor_come_first_and_all_fits_80_columns(tmp_path: Path) -> None:
    code, out, noise = command("advise", *SMALL, cwd=tmp_path)
    assert (code, noise) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "the corpus in the window with all 3 models: fits with air"
    assert lines[1].startswith("a question from the window costs 8.3 to 12 times as much as from 6 passages")
    assert lines[-1] == "to answer from the window: wrac ask --whole QUESTION"
    assert max(map(len, lines)) <= 80
    assert all(any(name.replace("_", "-") in line for line in lines) for name in KINDS)
    assert "  corpus-tokens        30,000 tokens     given    as a model would read it" in lines
    assert "  air                  0.5 share         default  half is used well (RULER)" in lines


def test_a_large_corpus_says_how_little_the_window_holds(tmp_path: Path) -> None:
    large = ("--tokens", "60e6", "--queries", "5000", "--changes-per-week", "1", "--passages", "6")
    code, out, _ = command("advise", *large, cwd=tmp_path)
    assert code == 0
    assert out.startswith("retrieval with all 3 models: no fit\na question from the window costs 35 to 190 times")
    assert "the window holds 0.17% to 0.87% of the corpus\n" in out
    assert "wrac ask --whole" not in out


def test_models_that_differ_are_told_apart(tmp_path: Path) -> None:
    _, out, _ = command("advise", "--tokens", "30000", "--queries", "300", "--changes-per-week", "0", cwd=tmp_path)
    assert out.startswith("retrieval with gpt-4.1, claude-sonnet-4-5\nthe corpus in the window with gemini-2.5-flash\n")


def test_json_has_every_factor_with_its_source_and_every_document(folder: Path) -> None:
    found = told(folder, "--queries", "10", "--set", "upkeep=50", "--set", "active-hours=8", "--provenance")
    assert list(found["factors"]) == list(KINDS)
    assert found["factors"]["corpus_tokens"]["source"] == "measured"
    given = {name for name, one in found["factors"].items() if one["source"] == "given"}
    assert given == {"queries_per_day", "upkeep", "active_hours", "provenance"}
    assert sum(one["tokens"] for one in found["documents"]) == found["factors"]["corpus_tokens"]["value"]
    assert [one["model"].partition(":")[0] for one in found["models"]] == ["openai", "anthropic", "google"]
    assert {(one["choice"], one["rule"]) for one in found["models"]} == {("retrieval", "provenance")}
    assert {rule["rule"] for rule in found["models"][0]["rules"]} == {
        "provenance", "no fit", "high volume", "frequent changes", "fits with air",
    }  # fmt: skip


def test_a_price_and_a_window_of_ones_own(tmp_path: Path) -> None:
    mine = ("--model", "my:model", "--price", "1/4/0.1", "--cache-write", "1.5", "--window", "100000")
    (one,) = told(tmp_path, *SMALL, *mine)["models"]
    assert one["rates"] == [{"input": 1, "output": 4, "cached": 0.1, "write": 1.5, "above": 0}]
    assert {name: origin["source"] for name, origin in one["origins"].items()} == {"price": "given", "window": "given"}
    (listed,) = told(tmp_path, *SMALL, "--model", "openai:gpt-4.1", "--price", "1/4")["models"]
    assert (listed["window"], listed["origins"]["window"]["source"]) == (1_000_000, "listed")


def test_the_page_of_the_docs_is_what_the_program_does(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "docs" / "advise.md").read_text("utf-8")
    line, _, shown_there = text.partition("<!-- run -->\n```console\n$ wrac advise ")[2].partition("\n")
    code, out, _ = command("advise", *line.split(), cwd=tmp_path)
    assert (code, out) == (0, shown_there.partition("```")[0])


@settings(max_examples=8)
@given(factors())
def test_all_can_be_shown_whatever_the_factors(one: Factors) -> None:
    assume(costs(one)["retrieval"].tokens + one.output_tokens <= one.tariff.window)
    found, corpus = [recommend(one)], Corpus({"a": 3})
    html = page(found, corpus)
    assert html.count("<svg") == 8
    assert not re.search(r">(nan|inf)|[ ,](nan|inf)[ ,]", html)
    assert contract.advice_row(found, corpus) == json.loads(contract.dumps(contract.advice_row(found, corpus)))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        advised.show(paint.console(), found, corpus)
    assert max(map(len, out.getvalue().splitlines())) <= 80


# -- what is measured


def test_tokens_are_those_of_the_renderings(workspace: Workspace) -> None:
    with workspace.database.read() as connection:
        corpus = corpus_of(connection, silent)
    count = counter("o200k").count
    for url, tokens in corpus.documents.items():
        rendered = [one.markdown for one in workspace.record(url).occurrences]
        assert tokens == sum(map(count, rendered)) + len(rendered) - 1
        whole = count("\n".join(rendered))
        assert abs(tokens - whole) <= 2 * len(rendered)


def test_sources_are_measured_as_a_workspace_of_them(folder: Path) -> None:
    stored, read = (told(folder, *sources)["documents"] for sources in ((), ("site",)))
    assert [one["tokens"] for one in stored] == [one["tokens"] for one in read]
    assert len(read) == 6


def test_questions_of_the_last_month_are_counted(workspace: Workspace) -> None:
    now = time.time()
    old = [Event(now - 90 * DAY, "query", "old", {"query": "long ago"})]
    found = shown(workspace.database, [*old, *asked(10, 50, now)], Corpus(), now)
    assert found["queries_per_day"].value == pytest.approx(5, rel=0.01)
    assert found["queries_per_day"].origin == ("measured", "50 questions in 10 days, by the event log")
    assert found["question_tokens"].value == counter("o200k").count("How are refunds made?")
    assert "queries_per_day" not in shown(workspace.database, asked(0.5, 50, now), Corpus(), now)  # less than a day


def test_whole_documents_are_counted_among_answers(workspace: Workspace) -> None:
    now = time.time()
    answers = [
        Event(now - 60, "ask", f"a{i}", {"query": "?", "choice": "document" if i % 4 == 0 else "passages"})
        for i in range(40)
    ]
    assert shown(workspace.database, answers, Corpus(), now)["whole_share"].value == 0.25
    assert "whole_share" not in shown(workspace.database, answers[:10], Corpus(), now)


def test_changes_are_those_that_visits_found_and_that_made_a_page_anew(workspace: Workspace) -> None:
    now = time.time()
    made = [
        Event(now - 28 * DAY, "plan", "r1", {"url": "site/a.html", "document": "d1:1"}),
        Event(now - 14 * DAY, "plan", "r2", {"url": "site/a.html", "document": "d1:1"}),  # by another policy
        Event(now - 7 * DAY, "plan", "r3", {"url": "site/a.html", "document": "d1:2"}),
    ]
    found = shown(workspace.database, made, Corpus(), now)["changes_per_week"]
    assert found.value == pytest.approx(0.25)
    assert found.origin.note == "1 change, 0 new of 1, 28 days"
    new = [*made, Event(now - 7 * DAY, "plan", "r4", {"url": "site/b.html", "document": "d1:3"})]
    assert shown(workspace.database, new, Corpus(), now)["changes_per_week"].value == pytest.approx(0.5)
    history = crawls.History("https://a.example/", now, now - 28 * DAY, checks=4)
    other = crawls.History("https://a.example/b", now, now - DAY, checks=4, changes=3)
    with workspace.database.write() as connection:
        crawls.note(connection, [history, other])
    assert shown(workspace.database, made, Corpus(), now)["changes_per_week"].value == pytest.approx(1)
    assert shown(workspace.database, [], Corpus(), now)["changes_per_week"].value == pytest.approx(0.75)


def test_what_was_paid_is_read_from_the_ledger(workspace: Workspace) -> None:
    now = time.time()
    lines = [
        Spent(now, "plan", "-", "a", "m", Usage(1000, 0, 100, 1, 1.0, 0.5)),
        Spent(now, "answer", "-", "", "m", Usage(1000, 0, 90, 1, 1.0, 0.1)),
        Spent(now, "answer", "-", "", "m", Usage(1000, 0, 110, 1, 1.0, 0.1)),
    ]
    corpus = Corpus({"a": 250_000})
    assert planning(workspace.database, corpus) == {}
    with workspace.database.write() as connection:
        record(connection, lines)
    found = shown(workspace.database, [], corpus, now)
    assert planning(workspace.database, corpus)["plan_price"].value == pytest.approx(2)
    assert found["output_tokens"].value == 100
    assert found["bytes_per_token"].value == pytest.approx(workspace.database.size() / 250_000)


def test_planning_at_a_price_that_nobody_knows_is_asked_for(folder: Path, workspace: Workspace) -> None:
    with workspace.database.write() as connection:
        record(connection, [Spent(time.time(), "plan", "-", "a", "m", Usage(1000, 0, 100, 1, 1.0, 0.0))])
    message = (
        "a model of unknown price planned the pages; give --set plan-price=USD of a million tokens, 0 for your own"
    )
    refused(folder, 2, message)
    assert told(folder, "--set", "plan-price=0")["factors"]["plan_price"]["source"] == "given"


def test_an_embedder_that_is_paid_is_listed_or_asked_for() -> None:
    assert embedding("minilm").value == 0
    assert embedding("openai:text-embedding-3-small").value == 0.02
    for name in ("openai:text-embedding-3-small@https://host/v1", "openai:nothing-of-the-kind"):
        with pytest.raises(ConfigError, match=r"^no price is known for the embedder openai:[\w-]+; give --set embed-p"):
            embedding(name)


def test_a_workspace_in_postgresql_is_measured_as_one_in_a_folder(folder: Path) -> None:
    with Workspace(postgres.url(), embedder=FakeEmbedder()) as there:
        there.index([folder / "site"], workers=1)
        url = str(there.database.place)
        with there.database.read() as connection:
            corpus = corpus_of(connection, silent)
    assert [one["tokens"] for one in told(folder)["documents"]] == list(corpus.documents.values())
    assert PASSWORD not in url


# -- kept and watched


def test_nothing_that_moved_is_one_line(folder: Path) -> None:
    told(folder, "--queries", "40")
    code, out, noise = command("advise", "--watch", cwd=folder)
    assert (code, noise) == (0, "")
    assert out == "nothing moved across a break-even: still the corpus in the window with all 3 models\n"


def test_volume_that_crosses_a_break_even_is_told(folder: Path, workspace: Workspace) -> None:
    mine = ("--tokens", "30000", "--model", "openai:gpt-4.1")
    told(folder, *mine)  # no question yet: the default of 50 a day
    workspace.log.write(asked(2, 4_000, time.time()))
    code, out, _ = command("advise", "--watch", cwd=folder)
    assert code == 10
    lines = out.splitlines()
    assert lines[0] == "openai:gpt-4.1: now retrieval (high volume)"
    assert lines[1].startswith("  questions a day: 50 to 2,000, across ")
    assert lines[-1] == "run `wrac advise` to keep the advice as it is now"
    code, out, _ = command("advise", "--watch", "--json", cwd=folder)
    row = json.loads(out)
    assert (code, row["moved"], row["models"][0]["now"]["choice"]) == (10, True, "retrieval")
    assert [one["axis"] for one in row["models"][0]["moved"]] == ["queries_per_day"]
    told(folder, *mine)
    assert command("advise", "--watch", cwd=folder)[0] == 0


def test_prices_that_crossed_a_break_even_are_told(folder: Path, workspace: Workspace) -> None:
    told(folder, "--tokens", "30000", "--queries", "40", "--model", "openai:gpt-4.1")
    with workspace.database.write() as connection:
        (row,) = json.loads(remembered(connection, "advice") or "")
        row["rates"] = [[one * 100 for one in rates[:4]] + rates[4:] for rates in row["rates"]]
        remember(connection, "advice", json.dumps([row]))
    code, out, _ = command("advise", "--watch", cwd=folder)
    assert code == 10
    assert out.startswith(
        "openai:gpt-4.1: now window (fits with air)\n  prices, times the present ones: 1 to 0.01, across 0.0"
    )


def test_what_was_given_stays_given(folder: Path, workspace: Workspace) -> None:
    mine = ("--model", "my:model", "--price", "1/4/0.1", "--window", "100000", "--queries", "7", "--air", "0.2")
    told(folder, *mine)
    workspace.log.write(asked(2, 1_000, time.time()))
    before = kept(workspace.database)
    assert command("advise", "--watch", cwd=folder)[0] == 0
    assert [one.factors for one in before] == [one.factors for one in kept(workspace.database)]
    assert (before[0].factors.queries_per_day, before[0].factors.air) == (7, 0.2)
    assert recommend(Factors.read(before[0].factors.row())).reason == before[0].reason


def test_advice_that_is_not_kept_or_not_readable_is_told(folder: Path, workspace: Workspace) -> None:
    refused(folder, 4, ".wrac: no advice is kept; run `wrac advise` first", "--watch")
    with workspace.database.write() as connection:
        remember(connection, "advice", '[{"model": 3}]')
    refused(folder, 2, "the advice was kept by another version of wrac; run `wrac advise` anew", "--watch")


# -- bad input


def refused(folder: Path, code: int, message: str, *arguments: str) -> None:
    assert command("advise", *arguments, cwd=folder) == (code, "", f"wrac: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 4, ".wrac: there is no workspace; run `wrac index` first, or give --workspace"),
        (("--tokens", "0"), 2, "corpus-tokens is 0; give a number from 1"),
        (("--tokens", "9", "--air", "1"), 2, "air is 1; give a number from 0 to 0.99"),
        (("--tokens", "9", "--set", "upkeep"), 2, "--set upkeep: write it as key=value"),
        (("--tokens", "9", "--set", "upkeep=much"), 2, "--set upkeep=much: give a number"),
        (
            ("--tokens", "9", "--price", "2/8"), 2,
            "--price, --cache-write and --window are of one model; name it with one --model",
        ),
        (("--tokens", "9", "--model", "a:b", "--cache-write", "2"), 2, "--cache-write goes with --price; give both"),
        (
            ("--tokens", "9", "--model", "a:b", "--price", "2/8"), 2,
            "no window is known for 'a:b'; give --window TOKENS",
        ),
        (
            ("--tokens", "9", "--model", "a:b"), 2,
            "no price is known for 'a:b'; give --price IN/OUT/CACHED in USD per million tokens, or name it as "
            "PROVIDER:MODEL, such as openai:gpt-4.1",
        ),
        (("nowhere",), 3, "nowhere: no such file or directory; check the path; a URL starts with https://"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(tmp_path: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    refused(tmp_path, code, message, *arguments)


def test_a_factor_that_there_is_not_names_those_that_there_are(tmp_path: Path) -> None:
    code, _, noise = command("advise", "--tokens", "9", "--set", "speed=1", cwd=tmp_path)
    assert (code, noise.startswith("wrac: --set speed: no such factor; choose from corpus-tokens, ")) == (2, True)


def test_an_empty_workspace_and_sources_without_a_page_are_told(tmp_path: Path) -> None:
    Workspace(tmp_path / ".wrac").close()
    refused(tmp_path, 4, ".wrac: there is no text in it; run `wrac index`, or give --tokens")
    (tmp_path / "a.js").write_text("x()")
    code, _, noise = command("advise", "a.js", cwd=tmp_path)
    assert code == 3
    assert noise.startswith("wrac: ")
    assert noise.count("\n") == 1


# -- the report


def test_the_report_is_whole_at_a_desk_and_on_a_phone(folder: Path) -> None:
    code, _, noise = command("advise", "--html", "advice.html", cwd=folder)
    assert (code, noise) == (0, "wrote advice.html\n")
    with visiting(folder / "profile") as visit:
        schemes: list[tuple[int, Any]] = [(1280, "light"), (390, "dark")]
        for width, scheme in schemes:
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.emulate_media(color_scheme=scheme)
            visit.requests.clear()
            visit.page.goto((folder / "advice.html").as_uri())
            assert visit.complaints == []
            assert [url.rpartition("/")[2] for url in visit.requests] == ["advice.html"]
            assert visit.page.evaluate("document.documentElement.scrollWidth") == width
            assert visit.page.locator("svg:visible").count() == 3 * 4
            assert visit.page.evaluate(OUTSIDE) == 0
            ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (sum(map(int, ground[4:-1].split(", "))) > 384) == (scheme == "light")
        anchors = visit.page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href'))")
        assert all(visit.page.locator(anchor).count() == 1 for anchor in anchors)


OUTSIDE = """[...document.querySelectorAll('svg')].filter(plot => plot.checkVisibility()).flatMap(plot =>
    [...plot.querySelectorAll('.label')].filter(one =>
        one.getBoundingClientRect().right > plot.getBoundingClientRect().right + 1)).length"""
"""How many names of lines stand out of their plots."""


def test_a_place_that_takes_no_report_is_told_before_the_work(tmp_path: Path) -> None:
    code, out, noise = command("advise", *SMALL, "--html", "none/there.html", cwd=tmp_path)
    assert (code, out) == (74, "")
    assert noise == "wrac: none/there.html: no such file or directory; choose another place\n"
