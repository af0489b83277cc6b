"""`wrac ask` from the outside: what is printed as it comes, what stands below, what goes wrong, and a real model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command
from tests.endpoint import Turn, Wire, closes, fails, llama, streams
from tests.fakes_index import WordEmbedder

from wrac.cli.ask import NO_MODEL
from wrac.flow import Workspace
from wrac.flow.answerers import Answerer
from wrac.llm.asking import Question

SITE = Path(__file__).parent.parent / "examples" / "site"
QUERY = "Does wrac rewrite my text?"
VERBATIM = "it cannot add, remove or reorder a word"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of some pages of the example site."""
    made = tmp_path_factory.mktemp("asking")
    with Workspace(made / ".wrac") as workspace:
        workspace.index([SITE / "faq.html", SITE / "why.html", SITE / "costs.html"], workers=0)
    return made


def mark(question: Question, text: str) -> str:
    line = next(line for line in question.data.split("\n") if text in line)
    return line.partition("]")[0] + "]"


def answers(text: str, *, end: Turn | None = None) -> Turn:
    """The turn that streams a text word by word, `{}` in it for the mark of the unit that says VERBATIM."""

    def turn(exchange: Any) -> None:
        words = text.replace("{}", mark(exchange.question, VERBATIM)).split(" ")
        streams(*(f"{word} " for word in words[:-1]), words[-1], end=end)(exchange)

    return turn


def test_without_a_model_the_best_passages_are_shown_with_their_links(folder: Path) -> None:
    code, out, noise = command("ask", QUERY, cwd=folder)
    assert (code, noise) == (0, NO_MODEL)
    first = out.split("\n\n")[0].split("\n")
    assert first[0].startswith(" 1  ")
    assert first[2].startswith("    ")
    assert "#:~:text=" in out.replace("#answer-1:", "#:").replace("#question-1:", "#:")
    assert VERBATIM in out
    code, out, noise = command("ask", "Wie alt ist der Kaiser von China?", cwd=folder)
    assert code == 0
    assert "no passage matches well in 2,000 tokens; use other words" in noise


def test_an_answer_is_printed_with_what_it_rests_on_and_is_known_the_next_time(folder: Path) -> None:
    text = f'No: "{VERBATIM}" {{}}. It is fast. It says "always" {{}}.'
    with Wire(answers(text)) as wire:
        arguments = ("ask", QUERY, "--base-url", wire.address, "--model", "small", "--window", "8000", "--price", "2/8")
        code, out, noise = command(*arguments, "--way", "passages", cwd=folder)
        assert (code, noise, len(wire.requests)) == (0, "", 1)
        again = command("ask", QUERY, "--way", "passages", cwd=folder)  # the model is remembered
        row = json.loads(command("ask", QUERY, "--way", "passages", "--json", cwd=folder)[1])
        assert len(wire.requests) == 1
    lines = out.split("\n")
    number = lines[0].split("[")[1].split("]")[0]
    assert lines[0] == text.replace("{}", f"[{number}]")
    assert lines[2:4] == ["cites no source: It is fast.", 'stands in no source: "always"']
    assert lines[5].startswith(f"[{number}]  Frequently asked questions › General › {QUERY}  ")
    assert lines[6] == f"    “{VERBATIM}”"
    assert lines[7].startswith("    faq.html#answer-1:~:text=No.")
    assert lines[-3].startswith("from passages (")
    assert " USD): as asked" in lines[-3]
    assert lines[-2].startswith("openai-compatible:small: 1 call, 100 tokens in, 10 out, 0.0003 USD, ")
    assert again[1].split("\n")[0] == lines[0]
    assert again[1].split("\n")[-2] == "openai-compatible:small: known, nothing paid"
    assert row["text"] == lines[0]
    assert set(row) == {
        "text", "model", "refused", "whole", "problem", "cached", "confidence", "run", "citations", "uncited",
        "misquoted", "route", "usage",
    }  # fmt: skip
    assert set(row["citations"][0]) == {"mark", "unit", "url", "name", "link", "quote", "heading"}
    assert [row["text"][start:end] for start, end in row["uncited"]] == ["It is fast."]
    assert set(row["route"]) == {"choice", "reason", "page", "ways"}
    assert set(row["route"]["ways"]["passages"]) == {"tokens", "cost"}


def test_a_sentence_said_again_and_again_is_told_once(folder: Path) -> None:
    with Wire(answers("It is fast. " * 30 + f'"{VERBATIM}" {{}}.')) as wire:
        arguments = ("ask", f"{QUERY} Really?", "--base-url", wire.address, "--model", "small", "--way", "passages")
        code, out, _ = command(*arguments, cwd=folder)
    assert code == 0
    assert out.count("cites no source") == out.count("cites no source: It is fast.  (30 times)\n") == 1


def test_an_answer_that_breaks_off_is_kept_marked_and_leaves_with_69(folder: Path) -> None:
    with Wire(answers("It cannot {}. And", end=closes)) as wire:
        arguments = ("ask", "Can a planner rewrite text?", "--base-url", wire.address, "--model", "small")
        code, out, noise = command(*arguments, cwd=folder)
        assert (code, noise) == (69, "wrac: the answer broke off (Connection error.); it is not whole\n")
        assert out.startswith("It cannot [")
        assert "tokens not told" in out
        code, out, _ = command(*arguments, "--json", cwd=folder)
        assert code == 69
        assert (json.loads(out)["whole"], json.loads(out)["problem"]) == (False, "broke off (Connection error.)")


def test_a_refusal_says_so(folder: Path) -> None:
    with Wire(streams("UNANSWERABLE")) as wire:
        arguments = ("ask", "Does wrac rewrite a rabbit?", "--base-url", wire.address, "--model", "small")
        code, out, _ = command(*arguments, cwd=folder)
    assert (code, out.split("\n")[0]) == (0, "What was sent does not answer this.")


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["--whole", "--way", "passages"], 2,
         "--whole sends the whole corpus, --way passages does not; give one of them"),
        (["--whole", "--model", ""], 2, "--whole needs a model to read it; give --model, such as openai:gpt-4.1"),
        (["--model", "", "--price", "2/8"], 2, "--price is for a language model; add --model, such as openai:gpt-4.1"),
        (["--model", "m", "--base-url", "here"], 2, "--base-url is no address; write it as https://host/v1"),
        (["--model", "m", "--price", "cheap"], 2,
         "'cheap' is no price; write IN/OUT or IN/OUT/CACHED in USD per million tokens, as 2/8"),
        (["--model", "nobody:m"], 2,
         "nobody:m: no such provider; name the model as PROVIDER:NAME, such as openai:gpt-4.1, or give --base-url"),
        (["--model", "openai:gpt-4.1"], 2, "openai:gpt-4.1: no key or address; set OPENAI_API_KEY"),
        (["--model", "openai:gpt-4.1", "--window", "200"], 2, None),
        (["--where", "colour=red"], 2, None),
        (["-w", "nowhere"], 4, "nowhere: there is no workspace; run `wrac index` first, or give --workspace"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(
    folder: Path, arguments: list[str], code: int, line: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    left, out, noise = command("ask", QUERY, *arguments, cwd=folder)
    assert (left, out, noise.count("\n")) == (code, "", 1)
    assert line is None or noise == f"wrac: {line}\n"


def test_an_endpoint_that_is_not_there_advises_what_is(folder: Path) -> None:
    query = "Does wrac rewrite text?"
    with Wire(fails(401)) as wire:
        code, _, noise = command("ask", query, "--base-url", wire.address, "--model", "small", cwd=folder)
    assert (code, noise) == (2, f"wrac: {wire.address}: status 401: no; check the key\n")
    with Wire(fails(402)) as wire:
        code, _, noise = command("ask", query, "--base-url", wire.address, "--model", "small", cwd=folder)
    advice = "top up the account, or read the passages: `wrac search`"
    assert (code, noise) == (2, f"wrac: {wire.address}: status 402: no; {advice}\n")


def test_words_are_printed_as_they_come(folder: Path) -> None:
    """In a process of its own, whose output is read while the model is still at it."""
    with Wire(streams("First ", "and ", "last [1.1].", pause=0.6)) as wire:
        program = [sys.executable, "-m", "wrac.cli.main", "ask", "What comes first?", "--base-url", wire.address]
        with subprocess.Popen(
            [*program, "--model", "small", "--way", "passages"], cwd=folder, stdout=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            heard = os.read(running.stdout.fileno(), 6)
            at = time.monotonic()
            rest = running.stdout.read()
            later = time.monotonic() - at
    assert heard == b"First "
    assert rest.startswith(b"and last [1.1].\n")
    assert later > 0.6


# -- a real model


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with llama() as address:
        yield address


def test_a_real_model_answers_piece_by_piece_and_is_checked(server: str, folder: Path) -> None:
    """SmolLM2 answers badly; what it took is counted as its server does, and nothing it says is taken on trust."""
    with Workspace(folder / ".wrac") as workspace:
        told: list[str] = []
        who = Answerer("smollm2", f"{server}/v1", window=520)
        made = workspace.ask(QUERY, answerer=who, way="passages", tell=told.append)
        assert len(told) > 3
        assert "".join(told) == made.text
        assert made.usage.calls == 1
        assert made.usage.input > 100
        assert 1 <= made.usage.output <= 130
        assert made.whole == (made.problem == "")
        stored = {unit for page in workspace.pages() for unit in workspace.record(page.url).document.units}
        assert {one.unit for one in made.citations} <= stored
        assert made.citations or made.uncited or made.refused
        assert workspace.costs("model")["openai-compatible:smollm2"].output == made.usage.output


def test_the_next_question_to_the_whole_corpus_reads_it_from_the_servers_cache(server: str, tmp_path: Path) -> None:
    (tmp_path / "fees.html").write_text(
        "<h1>Fees</h1><p>Cards cost five euros a year.</p><p>Refunds take ten days.</p>"
    )
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
        workspace.index(str(tmp_path / "fees.html"), workers=0)
        who = Answerer("smollm2", f"{server}/v1", window=430)
        first = workspace.ask("What do cards cost?", answerer=who, way="corpus")
        second = workspace.ask("And refunds?", way="corpus")
    assert (first.route.choice, second.route.choice) == ("corpus", "corpus")
    assert second.usage.cached > second.usage.input * 0.7
