"""wrac advise against an oracle written from its documentation, numbers without measure, damaged advice."""

from __future__ import annotations

import json
from math import exp
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command

from wrac.catalog.memory import remember, remembered
from wrac.flow import Workspace
from wrac.routing.advice import number

ONE = ("--model", "own", "--price", "2/8/0.5", "--cache-write", "2.5", "--window", "200000")


def row(folder: Path, *arguments: str) -> Any:
    """The advice for the one model."""
    code, out, noise = command("advise", *arguments, "--json", cwd=folder)
    assert code == 0, noise
    return json.loads(out)["models"][0]


def oracle(q: float, b: float) -> dict[str, float]:
    """USD a question by docs/advise.md: 30,000 tokens, `q` questions a day, `b` changes a week, all else default."""
    instructions, question, answer, day = 200, 30, 300, 86_400
    window = ((instructions + 30_000 + question) * 2 + answer * 8) / 1e6
    a, b, lifetime = q / day, b / 7 / day, 300
    share = a / (a + b) * (1 - exp(-(a + b) * lifetime))
    hit = ((instructions + 30_000) * 0.5 + question * 2 + answer * 8) / 1e6
    miss = ((instructions + 30_000) * 2.5 + question * 2 + answer * 8) / 1e6
    passages = ((instructions + 6 * 200 + question) * 2 + answer * 8) / 1e6
    document = ((instructions + 2_000 + question) * 2 + answer * 8) / 1e6
    return {
        "window": window,
        "cached window": share * hit + (1 - share) * miss,
        "retrieval": passages,
        "mixture": 0.95 * passages + 0.05 * document,
    }


@pytest.mark.parametrize(("q", "b"), [(40, 0.06), (400, 3), (4000, 0)])
def test_what_an_answer_costs_is_what_the_documentation_says(tmp_path: Path, q: float, b: float) -> None:
    given = ("--tokens", "30000", "--queries", f"{q}", "--changes-per-week", f"{b}")
    found, wanted = row(tmp_path, *given, *ONE), oracle(q, b)
    for way, usd in wanted.items():
        assert found["costs"][way]["question"] == pytest.approx(usd, rel=1e-4), way
        storage = 200 + 30_000 * 90 / 1e9 * 0.1 if way in ("retrieval", "mixture") else 0
        assert found["costs"][way]["month"] == pytest.approx(30 * q * usd + storage, rel=1e-4), way
    least = min(30 * q * wanted[way] for way in ("window", "cached window"))
    dear = least > 30 * q * wanted["retrieval"] + 200 + 0.00027
    rule = "high volume" if dear else "frequent changes" if b >= 1 else "fits with air"
    assert (found["choice"], found["rule"]) == ("retrieval" if dear else "window", rule)


@pytest.mark.parametrize(
    "given",
    [
        ("--set", "upkeep=1e308", "--queries", "1e308"),
        ("--set", "storage-price=1e308", "--set", "bytes-per-token=1e308"),
        ("--model", "own", "--price", "1e308/1e308", "--window", "100000"),
        ("--model", "own", "--price", "2/8", "--window", "9" * 400),
    ],
)
def test_numbers_without_measure_are_refused(tmp_path: Path, given: tuple[str, ...]) -> None:
    code, out, noise = command("advise", "--tokens", "30000", *given, "--html", "a.html", cwd=tmp_path)
    assert (code, out, noise) == (2, "", "wrac: a number above 1e+15 makes no sense; give a smaller one\n")


@pytest.mark.parametrize(
    "given",
    [
        ("--queries", "1e15", "--set", "upkeep=1e15", "--set", "plan-price=1e15", "--set", "bytes-per-token=1e15"),
        ("--set", "changes-per-week=1e15", "--set", "documents-per-change=1e15", "--set", "index-months=0.1"),
        ("--model", "own", "--price", "1e15/1e15", "--window", "1000000000000000"),
        ("--model", "own", "--price", "1e-300/1e-300", "--window", "100000"),
        ("--model", "own", "--price", "0/0", "--window", "100000", "--set", "upkeep=0", "--set", "storage-price=0"),
    ],
)
def test_the_largest_and_least_numbers_are_reckoned_with(tmp_path: Path, given: tuple[str, ...]) -> None:
    code, out, noise = command("advise", "--tokens", "30000", *given, "--html", "a.html", cwd=tmp_path)
    assert code == 0, noise
    assert "nan" not in out.split()
    assert "inf" not in out.split()


def test_a_number_that_is_no_more_than_nothing_reads_as_nothing() -> None:
    assert [number(value) for value in (1e-300, 0.00012345, 1e-10, 0.001)] == ["0", "0.000123", "0", "0.001"]


def test_a_factor_is_said_once(tmp_path: Path) -> None:
    given = ("--tokens", "30000", "--set", "corpus_tokens=5")
    assert command("advise", *given, cwd=tmp_path)[::2] == (
        2,
        "wrac: --set corpus_tokens: given 2 times; give it once\n",
    )


def test_another_look_takes_no_numbers(tmp_path: Path) -> None:
    for given in (("--queries", "5000"), ("--model", "openai:gpt-4.1"), ("--set", "upkeep=0")):
        code, out, noise = command("advise", "--watch", *given, cwd=tmp_path)
        assert (code, out) == (2, "")
        assert noise == "wrac: --watch looks at the kept advice again; for other numbers or models run `wrac advise`\n"


def test_advice_that_was_damaged_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<title>A</title><h1>Fees</h1><p>A transfer costs five euros.</p>")
    with Workspace(tmp_path / ".wrac") as workspace:
        workspace.index([tmp_path / "a.html"], workers=0)
    assert command("advise", cwd=tmp_path)[0] == 0
    with Workspace(tmp_path / ".wrac") as workspace:
        with workspace.database.read() as connection:
            good = json.loads(remembered(connection, "advice") or "")
        first = good[0]
        damaged: list[Any] = [
            [],
            {},
            None,
            *(
                [{**first, name: value}]
                for name, value in (
                    ("model", 5),
                    ("model", ["a"]),
                    ("rates", []),
                    ("rates", [[-1, -1, -1, -1, 0]]),
                    ("rates", [["a", "a", "a", "a", 0]]),
                    ("factors", []),
                    ("window", "many"),
                    ("origins", {"price": []}),
                )
            ),
        ]
        for one in damaged:
            with workspace.database.write() as connection:
                remember(connection, "advice", json.dumps(one))
            code, out, noise = command("advise", "--watch", cwd=tmp_path)
            assert (code, out) == (2, ""), one
            assert noise == "wrac: the advice was kept by another version of wrac; run `wrac advise` anew\n", one
