"""Answers, routes and the MCP server under attack: what was found by those who did not build them."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command
from tests.endpoint import Exchange, Turn, Wire, completion, says, streams
from tests.fakes import everything

from wrac.flow import Workspace

PAGE = "<title>Fees</title><h1>Fees</h1><p>A transfer inside the union costs five euros.</p>"
LABELS = json.dumps({"labels": [{"topic": "transfer", "intent": "price"}] * 50})


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attacked")
    (folder / "fees.html").write_text(PAGE)
    with Workspace(folder / "ws") as made:
        made.index([folder / "fees.html"], workers=0)
    return folder / "ws"


def test_many_threads_may_be_the_first_to_search(place: Path) -> None:
    failed: list[Exception] = []

    def search(workspace: Workspace, barrier: threading.Barrier) -> None:
        barrier.wait()
        try:
            assert workspace.embedder.name
        except Exception as error:  # noqa: BLE001 - what it is is what is asked
            failed.append(error)

    for _ in range(20):
        with Workspace(place, create=False) as workspace:
            barrier = threading.Barrier(12)
            threads = [threading.Thread(target=search, args=(workspace, barrier)) for _ in range(12)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert isinstance(workspace._named, str)
    assert failed == []


@pytest.mark.parametrize(
    ("turn", "options"),
    [
        (says(everything), ("--planner", "llm", "--model", "small", "--base-url")),
        (says(LABELS), ("--labels", "llm", "--label-model", "small", "--label-base-url")),
    ],
    ids=["plans", "labels"],
)
def test_what_a_model_said_of_pages_is_forgotten_with_them(
    tmp_path: Path, turn: Turn, options: tuple[str, ...]
) -> None:
    (tmp_path / "fees.html").write_text(PAGE)
    with Wire(turn) as wire:
        assert command("index", "fees.html", "--workers", "1", *options, wire.address, cwd=tmp_path)[0] == 0
        assert command("index", "fees.html", "--workers", "1", cwd=tmp_path)[0] == 0
        assert command("replan", "--workers", "1", cwd=tmp_path)[0] == 0  # what the model said is remembered
        assert len(wire.requests) == 1
        code, out, noise = command("forget", "fees.html", cwd=tmp_path)
    assert (code, noise) == (0, "")
    assert "erased 1 page" in out
    words = [path for path in (tmp_path / ".wrac").rglob("*") if path.is_file() and b"transfer" in path.read_bytes()]
    assert words == []


# -- what an endpoint says

QUERY = "What does a transfer cost?"


@pytest.fixture
def folder(place: Path, tmp_path: Path) -> Path:
    """A folder with a workspace that nobody else asks."""
    shutil.copytree(place, tmp_path / ".wrac")
    return tmp_path


def ask(folder: Path, wire: Wire, *options: str) -> tuple[int, str, str]:
    told = ("--model", "small", "--base-url", wire.address, "--window", "8000", "--price", "2/8")
    return command("ask", QUERY, *told, "--way", "passages", *options, cwd=folder)


def paid(folder: Path) -> Any:
    """What the ledger knows of, in all."""
    return json.loads(command("costs", "--json", cwd=folder)[1])["total"]


def pieces(*rows: Any) -> Turn:
    """The turn that streams rows of JSON as they are."""

    def turn(exchange: Exchange) -> None:
        lines = "".join(f"data: {json.dumps(row)}\n\n" for row in rows)
        exchange.send(200, f"{lines}data: [DONE]\n\n".encode(), {"Content-Type": "text/event-stream"})

    return turn


def piece(text: str, **fields: Any) -> Any:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "small", "choices": [choice], **fields}


SHAPES = (
    [1, 2], 7, "text", {"choices": "text"}, {"choices": 5}, {"choices": [5]}, {"choices": [{"delta": 5}]},
    {"choices": [], "usage": 5},
)  # fmt: skip


@pytest.mark.parametrize("row", SHAPES, ids=str)
def test_what_is_no_piece_of_an_answer_is_told(folder: Path, row: Any) -> None:
    with Wire(pieces(row)) as wire:
        code, out, noise = ask(folder, wire)
    assert (code, out) == (69, "")
    assert noise.startswith(f"wrac: {wire.address}: ")
    with Wire(pieces(piece("Five"), row)) as wire:
        code, out, noise = ask(folder, wire)
    assert (code, out.split("\n")[0]) == (69, "Five")
    assert noise.startswith("wrac: the answer broke off (")
    assert paid(folder)["calls"] == 1


@pytest.mark.parametrize("row", [*SHAPES[:6], completion("1-2") | {"choices": [{"message": 5}]}], ids=str)
def test_a_planner_is_told_the_same(folder: Path, row: Any) -> None:
    with Wire(lambda exchange: exchange.send(200, json.dumps(row).encode())) as wire:
        (folder / "a.html").write_text(PAGE)
        told = ("--planner", "llm", "--model", "small", "--base-url", wire.address, "--workers", "1", "--no-fallback")
        code, _, noise = command("index", "a.html", *told, cwd=folder)
    assert code == 69
    assert wire.address in noise


@pytest.mark.parametrize("tokens", [-5, 10**30])
def test_usage_that_nobody_can_have_taken_is_not_believed(folder: Path, tokens: int) -> None:
    used = {"prompt_tokens": 5, "completion_tokens": tokens, "total_tokens": 5}
    with Wire(pieces(piece("Five.", usage=used))) as wire, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pydantic-ai, that the usage is none
        assert ask(folder, wire)[0] == 0
    assert (paid(folder)["calls"], paid(folder)["output"], paid(folder)["cost"]) == (1, 0, 0)


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_answer_without_a_word_is_none_and_is_asked_again(folder: Path, text: str) -> None:
    with Wire(streams(text), streams("Five euros.")) as wire:
        code, _, noise = ask(folder, wire)
        assert (code, noise) == (69, "wrac: the answer has no word; it is not whole\n")
        code, out, noise = ask(folder, wire)
        assert (code, noise, out.split("\n")[0]) == (0, "", "Five euros.")
    assert paid(folder)["calls"] == 2


def test_an_answer_that_was_interrupted_is_in_the_ledger(folder: Path) -> None:
    with Wire(streams(*["word "] * 100, pause=0.1)) as wire:
        told = ("--model", "small", "--base-url", wire.address, "--window", "8000")
        for leave in ("interrupt", "close"):
            asking = [sys.executable, "-m", "wrac.cli.main", "ask", QUERY, *told]
            with subprocess.Popen(asking, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                assert process.stdout is not None
                assert process.stderr is not None
                process.stdout.read(10)
                if leave == "interrupt":
                    process.send_signal(signal.SIGINT)
                else:
                    process.stdout.close()
                noise = process.stderr.read()
                assert process.wait(30) == (130 if leave == "interrupt" else 1)
                assert b"Traceback" not in noise
    assert paid(folder)["calls"] == 2


@pytest.mark.parametrize("verb", [("forget", "pages/fees.html"), ("gc",)], ids=str)
def test_what_was_answered_from_a_page_that_is_gone_can_be_erased(tmp_path: Path, verb: tuple[str, ...]) -> None:
    (tmp_path / "pages").mkdir()
    for name, text in (("fees.html", PAGE), ("rest.html", "<title>Rest</title><h1>Rest</h1><p>Nothing else.</p>")):
        (tmp_path / "pages" / name).write_text(text)
    assert command("index", "pages", "--workers", "1", cwd=tmp_path)[0] == 0
    with Wire(streams("Zanzibarquux.")) as wire:
        assert ask(tmp_path, wire)[0] == 0
    (tmp_path / "pages" / "fees.html").unlink()
    assert command("index", "pages", "--workers", "1", cwd=tmp_path)[0] == 0
    assert command(*verb, cwd=tmp_path)[0] == 0
    files = [path for path in (tmp_path / ".wrac").rglob("*") if path.is_file() and b"Zanzibar" in path.read_bytes()]
    assert files == []
