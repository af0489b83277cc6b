"""plan --why, plan --diff, replan, costs and planners that ask a model, as they are typed; and what is told when that
cannot work, to the letter."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command
from tests.endpoint import Wire, fails, says
from tests.site import build, page

from wrac.llm.asking import Question

PAGE = page(
    "refunds", 1, "<h2>More</h2>" + "".join(f"<p>Rule {i} is about refunds of kind {i}.</p>" for i in range(30))
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire(says(fours)) as found:
        yield found


def fours(question: Question) -> str:
    """Groups of four neighbours."""
    numbers = [int(n) for pair in re.findall(r"^(\d+)(?:-(\d+))? ", question.data, re.MULTILINE) for n in pair if n]
    return ";".join(f"{a}-{min(a + 3, max(numbers))}" for a in range(1, max(numbers) + 1, 4))


def wrac(*arguments: str | Path, cwd: Path, code: int = 0) -> str:
    left, out, noise = command(*arguments, cwd=cwd)
    assert (left, noise) == (code, ""), noise
    return out


def told(*arguments: str | Path, cwd: Path, code: int) -> str:
    """What a command says on stderr, in its one line."""
    left, _, noise = command(*arguments, cwd=cwd)
    assert left == code, noise
    assert noise.endswith("\n")
    assert noise.count("\n") == 1
    return noise[:-1]


def row(*arguments: str | Path, cwd: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(wrac(*arguments, "--json", cwd=cwd))
    return found


def asking(wire: Wire | str) -> tuple[str, ...]:
    address = wire if isinstance(wire, str) else wire.address
    return "--planner", "llm", "--model", "small", "--base-url", address


# why


def test_why_names_what_speaks_for_each_boundary(folder: Path) -> None:
    found = row("plan", "page.html", "--why", cwd=folder)
    plain = row("plan", "page.html", cwd=folder)
    assert {name: found[name] for name in plain} == plain
    assert found["asked"] is None
    starts = {group[0] for group in plain["groups"]}
    kept = sorted(ordinal for group in plain["groups"] for ordinal in group)
    boundaries = {one["ordinal"]: one for one in found["why"]}
    assert sorted(boundaries) == kept[1:]
    for ordinal, one in boundaries.items():
        assert set(one) == {"ordinal", "name", "taken", "rules", "cut", "join", "margin", "terms"}
        assert one["taken"] == one["rules"] == (ordinal in starts)
        assert one["cut"] - one["join"] == pytest.approx(sum(one["terms"].values()), abs=0.01)
        assert one["margin"] is None or one["margin"] >= 0
    headings = [one for one in found["why"] if one["name"].startswith("h2") and "." not in one["name"]]
    assert all(one["terms"]["heading"] < 0 for one in headings)


def test_why_can_be_read(folder: Path) -> None:
    text = wrac("plan", "page.html", "--why", "--target", "40", cwd=folder)
    assert re.search(r"^ +┄ cut before h2_2  heading -\d\.\d+; margin \d", text, re.MULTILINE)
    assert re.search(r"^ +kept together: .*glued \+\d.*; weakest before h2_2.tr_\d, margin \d", text, re.MULTILINE)
    assert text.splitlines()[-1] == "omitted: 1 nav, 1 footer"


@pytest.mark.parametrize("options", [("--why",), ("--diff", "rules", "target=40")])
def test_a_terminal_of_80_columns_shows_all(folder: Path, options: tuple[str, ...]) -> None:
    lines = _terminal("plan", "page.html", *options, cwd=folder)
    assert len(lines) > 10
    assert max(map(len, lines)) <= 80
    if options == ("--why",):
        shown = " ".join(" ".join(lines).split())
        assert len(re.findall(r"weakest before \S+, margin \d", shown)) == shown.count("kept together") > 0


def _terminal(*arguments: str, cwd: Path) -> list[str]:
    """The lines that a terminal of 80 columns is shown, without colours."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    run = subprocess.Popen(
        [sys.executable, "-m", "wrac.cli.main", *arguments], cwd=cwd, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side has closed
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert run.wait() == 0, shown
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).splitlines()]


def test_why_of_a_model_shows_what_it_said(folder: Path, wire: Wire) -> None:
    wire.turns = [says("1-4;4-8,900;and so on")]
    found = row("plan", "page.html", "--why", *asking(wire), "--price", "2/8", cwd=folder)
    asked = found["asked"]
    assert asked["answers"] == ["1-4;4-8,900;and so on"]
    assert (asked["segments"] - asked["remembered"], asked["failed"]) == (1, "")
    assert (asked["malformed"], asked["repairs"]["repeated"]) == (1, 1)
    assert asked["repairs"]["missing"] > 0
    assert asked["usage"]["cost"] == found["usage"]["cost"] > 0
    assert any(one["taken"] != one["rules"] for one in found["why"])
    text = wrac("plan", "page.html", "--why", *asking(wire), cwd=folder)
    assert "1 part for the model: 0 remembered, 0 unanswered; 1 call, 100 tokens in, 10 out, no price known" in text
    assert "answer  1-4;4-8,900;and so on" in text
    assert re.search(r"^mended  .*1 repeated.*, 1 malformed$", text, re.MULTILINE)
    assert "the model's choice: rules would go on" in text


def test_answers_of_a_workspace_are_used_by_plan(folder: Path, wire: Wire) -> None:
    wrac("index", "page.html", *asking(wire), "--json", cwd=folder)
    before = len(wire.requests)
    asked = row("plan", "page.html", "--why", *asking(wire), cwd=folder)["asked"]
    assert (asked["remembered"], asked["usage"]["calls"], len(wire.requests)) == (asked["segments"], 0, before)


# diff


def test_diff_of_sizes(folder: Path) -> None:
    found = row("plan", "page.html", "--diff", "rules", "target=40", cwd=folder)
    old, new = row("plan", "page.html", cwd=folder), row("plan", "page.html", "--target", "40", cwd=folder)
    assert found["old"]["chunks"] == len(old["groups"]) < found["new"]["chunks"] == len(new["groups"])
    starts, others = ({group[0] for group in plan["groups"]} for plan in (old, new))
    moved = {(one["from"]["ordinal"], one["to"]["ordinal"]) for one in found["moved"]}
    removed = {one["ordinal"] for one in found["removed"]} | {a for a, _ in moved}
    added = {one["ordinal"] for one in found["added"]} | {b for _, b in moved}
    assert (removed, added) == (starts - others, others - starts)
    text = wrac("plan", "page.html", "--diff", "rules", "target=40", cwd=folder)
    assert re.search(r"^A  \d+ chunks  rules@\d+$", text, re.MULTILINE)
    assert re.search(r"^B  \d+ chunks  rules@\d+\+[0-9a-f]{8}$", text, re.MULTILINE)
    assert f"added: {found['added'][0]['name']}" in text
    assert wrac("plan", "page.html", "--diff", "rules", "target=160", cwd=folder).endswith("; no difference\n")


def test_diff_of_files_policies_and_planners(folder: Path, wire: Wire) -> None:
    (folder / "a.json").write_text(wrac("plan", "page.html", "--json", cwd=folder))
    (folder / "b.toml").write_text("[policy]\ntarget = 40\n")
    sizes = row("plan", "page.html", "--diff", "a.json", "b.toml", cwd=folder)
    assert sizes == row("plan", "page.html", "--diff", "rules", "target=40", cwd=folder)
    model = row("plan", "page.html", "--diff", "a.json", "llm,target=100", *asking(wire), cwd=folder)
    assert model["old"]["planner"].startswith("rules@")
    assert model["new"]["planner"].startswith("llm@")
    assert (model["new"]["usage"]["calls"], model["new"]["failed"]) == (1, "")


def test_diff_says_what_is_no_plan(folder: Path) -> None:
    (folder / "bad.json").write_text("{}")
    (folder / "other.html").write_text("<p>other</p>")
    (folder / "other.json").write_text(wrac("plan", "other.html", "--json", cwd=folder))
    known = "target, maximum, tokenizer, whole_tables, one_question"
    for spec, line in (
        ("size=3", '"size=3" is no plan; give rules, llm, cascade, a .toml policy file, a .json file of '
                   f"`wrac plan --json`, or field=value with a field of {known}"),
        ("target=big", "target=big: write a number"),
        ("whole_tables=1", "whole_tables=1: write true or false"),
        ("none.json", "none.json: no such file or directory"),
        ("bad.json", "bad.json holds no plan; write one with `wrac plan SRC --json`"),
    ):  # fmt: skip
        found = told("plan", "page.html", "--diff", "rules", spec, cwd=folder, code=2)
        assert found.startswith(f"wrac: --diff: {line}"), found
    found = told("plan", "page.html", "--diff", "other.json", "rules", cwd=folder, code=2)
    assert re.fullmatch(
        r"wrac: --diff: other.json: the plan is for d1:\w+, the document is d1:\w+; plan this document", found
    )
    good = row("plan", "page.html", cwd=folder)
    for wrong in (
        good | {"groups": [[float(one) for one in group] for group in good["groups"]]},
        good | {"groups": [["0", "1"]]},
        good | {"groups": [[[0]]]},
        good | {"groups": ["01"]},
        good | {"omitted": {"0": 5}},
        good | {"planner": 5},
    ):
        (folder / "wrong.json").write_text(json.dumps(wrong))
        found = told("plan", "page.html", "--diff", "rules", "wrong.json", cwd=folder, code=2)
        assert found == "wrac: --diff: wrong.json holds no plan; write one with `wrac plan SRC --json`"
    (folder / "deep.json").write_text("[" * 100_000)
    found = told("plan", "page.html", "--diff", "rules", "deep.json", cwd=folder, code=2)
    assert found.startswith("wrac: --diff: deep.json holds no plan")
    (folder / "bom.json").write_text(json.dumps(good), encoding="utf-8-sig")
    assert "no difference" in wrac("plan", "page.html", "--diff", "rules", "bom.json", cwd=folder)
    found = told("plan", "page.html", "--diff", "rules", "llm", cwd=folder, code=2)
    assert found == "wrac: --planner llm needs --model, such as openai:gpt-4.1, or --base-url URL --model NAME"


# replan and costs


def test_replan_and_costs(tmp_path: Path, wire: Wire) -> None:
    build(tmp_path, 2)
    wrac("index", "site", "--workers", "1", "--json", cwd=tmp_path)
    assert wrac("costs", cwd=tmp_path) == "no model was paid for in .wrac; planning by rules costs nothing\n"
    found = row("replan", "--target", "20", "--workers", "1", cwd=tmp_path)
    assert {"pages", "chunks", "changed", "kept", "embedded", "reused", "usage", "seconds"} <= set(found)
    assert (found["pages"], found["changed"], found["kept"]) == (2, 2, 0)
    again = wrac("replan", "--workers", "1", cwd=tmp_path)
    assert re.fullmatch(
        r"2 pages, \d+ chunks in \.wrac  \d+\.\d s\nembedded 0, reused \d+; 0 pages changed, 2 kept\n", again
    )
    text = wrac("replan", *asking(wire), "--price", "2/8", "--workers", "1", cwd=tmp_path)
    assert "asked the model: 2 calls, 200 tokens in, 20 out, 0.0006 USD" in text
    day = datetime.now(UTC).date().isoformat()
    costs = row("costs", "--by", "site", "--since", day, cwd=tmp_path)
    assert (costs["by"], costs["since"], [one["site"] for one in costs["rows"]]) == ("site", day, ["site"])
    usage = {name: costs["total"][name] for name in ("calls", "input", "cached", "output", "cost")}
    assert usage == {"calls": 2, "input": 200, "cached": 80, "output": 20, "cost": pytest.approx(0.00056)}
    lines = wrac("costs", "--by", "model", cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in lines] == ["model", "openai-compatible:small", "total"]
    assert len({len(line) for line in lines}) == 1
    assert wrac("costs", "--since", "2999-01-01", cwd=tmp_path).startswith("no model was paid for in .wrac since 2999")
    assert (
        told("costs", "--since", "soon", cwd=tmp_path, code=2) == "wrac: --since soon: no date; write it as 2026-11-30"
    )


# what cannot work


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def test_nobody_listens(folder: Path, nobody: str) -> None:
    line = f"{nobody}: gave no answer in 4 attempts (Connection error.); try again later, or plan by rules"
    assert told("plan", "page.html", *asking(nobody), cwd=folder, code=0) == f"wrac: planned by rules: {line}"
    assert told("plan", "page.html", *asking(nobody), "--no-fallback", cwd=folder, code=69) == f"wrac: {line}"


@pytest.mark.parametrize(
    ("status", "message", "line"),
    [
        (401, "bad key", "status 401: bad key; check the key"),
        (404, "no such model", "status 404: no such model; check the model's name and the address"),
        (400, "no JSON, no words", "status 400: no JSON, no words; choose another model"),
    ],
)
def test_a_refusal(folder: Path, wire: Wire, status: int, message: str, line: str) -> None:
    wire.turns = [fails(status, message)]
    line = f"{wire.address}: {line}"
    assert told("plan", "page.html", *asking(wire), cwd=folder, code=0) == f"wrac: planned by rules: {line}"
    assert told("plan", "page.html", *asking(wire), "--no-fallback", cwd=folder, code=2) == f"wrac: {line}"
    found = told("index", "page.html", *asking(wire), "--workers", "1", cwd=folder, code=0)
    assert found == f"1 page left to the rules, asked again by the next run: {line}"
    assert told("replan", "--no-fallback", "--workers", "1", cwd=folder, code=2) == f"wrac: {line}"
    wire.turns = [says(fours)]
    done = row("replan", "--fallback", "--workers", "1", cwd=folder)
    assert (done["unanswered"], done["usage"]["calls"]) == ([], 1)


@pytest.mark.parametrize("key", ["sk-pw\nmore", "sk-pw\u00e9"])
def test_a_key_that_cannot_be_sent_is_told_and_not_shown(
    folder: Path, wire: Wire, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRAC_API_KEY", key)
    found = told("plan", "page.html", *asking(wire), cwd=folder, code=2)
    assert found == "wrac: WRAC_API_KEY holds characters that no key has; set it to the key alone"
    assert wire.requests == []


def test_the_line_end_behind_a_key_is_no_part_of_it(folder: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_API_KEY", "sk-pw\r\n")
    wrac("plan", "page.html", *asking(wire), cwd=folder)
    assert wire.headers[0]["authorization"] == "Bearer sk-pw"


def test_a_model_without_a_json_mode_answers_in_words(folder: Path, wire: Wire) -> None:
    wire.turns = [fails(400, "response_format is not supported"), says(fours)]
    found = row("plan", "page.html", "--why", *asking(wire), cwd=folder)
    assert (found["asked"]["failed"], found["asked"]["unanswered"]) == ("", 0)


def test_no_price_for_a_budget_and_no_model(folder: Path, wire: Wire) -> None:
    for arguments, line in (
        ((*asking(wire), "--max-cost", "1"),
         "no price is known for openai-compatible:small; give --price IN/OUT in USD per million tokens"),
        ((*asking(wire), "--price", "two"),
         "'two' is no price; write IN/OUT or IN/OUT/CACHED in USD per million tokens, as 2/8"),
        (("--planner", "cascade"),
         "--planner cascade needs --model, such as openai:gpt-4.1, or --base-url URL --model NAME"),
        (("--model", "openai:gpt-4.1"), "--model is for a language model; add --planner llm or cascade"),
        (("--no-fallback",), "--no-fallback is for a language model; add --planner llm or cascade"),
        (("--planner", "llm", "--model", "x", "--base-url", "http://me:pw@host/v1"),
         "--base-url holds a password; put the key into WRAC_API_KEY"),
        (("--planner", "llm", "--model", "x", "--base-url", "http://host/v1?key=pw"),
         "--base-url holds more than an address; end it before ? and #, and put a key into WRAC_API_KEY"),
        (("--planner", "llm", "--model", "x\ny", "--base-url", "http://host/v1"),
         r"--model 'x\ny' is no name; it holds what cannot be printed"),
    ):  # fmt: skip
        for verb in (("plan", "page.html"), ("index", "page.html")):
            assert told(*verb, *arguments, cwd=folder, code=2) == f"wrac: {line}"
    assert wire.requests == []


def test_pages_that_there_is_nothing_to_ask_about(folder: Path, wire: Wire) -> None:
    (folder / "empty.html").write_text("")
    (folder / "script.html").write_text("<script>track()</script>")
    (folder / "around.html").write_text("<nav><a href=a>Home</a></nav>")
    assert told("plan", "empty.html", *asking(wire), cwd=folder, code=3).startswith("wrac: empty.html: empty; give ")
    none = row("plan", "script.html", *asking(wire), cwd=folder)
    assert (none["groups"], none["omitted"]) == ([], {})
    alone = row("plan", "around.html", *asking(wire), cwd=folder)
    assert (alone["groups"], alone["omitted"]) == ([[0]], {}), "a page of nothing but navigation keeps it"
    assert wire.requests == []


def test_a_page_of_20_000_units(folder: Path, wire: Wire) -> None:
    (folder / "long.html").write_text("".join(f"<p>Line {i} of it.</p>" for i in range(20_000)))
    found = row("plan", "long.html", *asking(wire), cwd=folder)
    assert sorted(ordinal for group in found["groups"] for ordinal in group) == list(range(20_000))
    assert found["usage"]["calls"] == len(wire.requests) == 100
