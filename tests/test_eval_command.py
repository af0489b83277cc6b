"""`wrac eval` as a user has it: tables, files, a draft of a data set, a run that was interrupted, one line an error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command
from tests.fakes import FakeEmbedder

from wrac.cli.evaluate import names
from wrac.core.errors import ConfigError, InputError, RemoteError, StorageError
from wrac.core.types import Page
from wrac.evaluation import run
from wrac.evaluation.datasets import load
from wrac.evaluation.saved import Saved
from wrac.evaluation.values import DataSet, Passage, Passages
from wrac.evaluation.vectors import VectorCache

ROOT = Path(__file__).parent.parent
PAGES = {
    "refunds": "<h1>Refunds</h1><p>Refunds are paid daily.</p><h2>Limits</h2><p>At most 500 euros a day.</p>",
    "cards": "<h1>Cards</h1><p>A card costs nothing.</p><h2>Limits</h2><p>At most 900 euros a week.</p>",
}
ASKED = [
    {"query": "What is the limit of refunds?", "page": "refunds.html", "text": "At most 500 euros a day."},
    {"query": "What does a card cost?", "page": "cards.html", "text": "A card costs nothing."},
]


@pytest.fixture(autouse=True)
def no_user_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRAC_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    for name, body in PAGES.items():
        (folder / f"{name}.html").write_text(body, "utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ASKED), "utf-8")
    return folder


BM25 = ("--search", "bm25", "--strategies", "wrac,sections")


def test_a_table_a_results_file_and_a_report(site: Path, tmp_path: Path) -> None:
    code, out, noise = command("eval", site, *BM25, "--out", "r.json", "--html", "r.html", cwd=tmp_path)
    assert code == 0, noise
    head = next(line.split() for line in out.splitlines() if line.startswith("strategy"))
    assert {"R@1", "B@250", "B@500", "B@1000"} <= set(head)
    results = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [row["strategy"] for row in results["rows"]] == ["wrac", "sections"]
    assert all(row["metrics"]["B@250"] == 1.0 for row in results["rows"])
    assert results["differences"][0]["baseline"] == "sections"
    assert results["settings"] == {"embedder": "minilm", "baseline": "sections"}
    assert (tmp_path / "r.html").read_text("utf-8").startswith("<!doctype html>")
    assert noise.splitlines()[-2:] == ["wrote r.json", "wrote r.html"]


def test_json_is_the_whole_of_the_results(site: Path, tmp_path: Path) -> None:
    code, out, _ = command("eval", site, *BM25, "--json", cwd=tmp_path)
    assert code == 0
    assert {"data", "machine", "metrics", "rows", "failed", "differences", "costs"} <= set(json.loads(out))


def test_two_runs_are_compared(site: Path, tmp_path: Path) -> None:
    for name, strategies in (("a.json", "sections"), ("b.json", "sections,wrac")):
        code, _, noise = command(
            "eval", site, "--search", "bm25", "--strategies", strategies, "--out", name, cwd=tmp_path
        )
        assert code == 0, noise
    code, out, noise = command("eval", "--compare", "a.json", "b.json", cwd=tmp_path)
    assert code == 0, noise
    assert "only in the new run: wrac" in out


def test_a_draft_of_a_data_set_can_be_run_at_once(tmp_path: Path) -> None:
    code, drafted, noise = command("eval", "--make", ROOT / "examples" / "site", cwd=tmp_path)
    assert code == 0, noise
    (tmp_path / "mine.jsonl").write_text(drafted, "utf-8")
    arguments = ("mine.jsonl", "--pages", ROOT / "examples" / "site", *BM25)
    code, out, noise = command("eval", *arguments, cwd=tmp_path)
    assert code == 0, noise
    assert f"{len({json.loads(line)['query'] for line in drafted.splitlines()})} queries" in out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--strategies", "magic"), ConfigError.exit_code, "no strategy 'magic'; choose from wrac"),
        (("--search", "oracle"), ConfigError.exit_code, "no search 'oracle'; choose from bm25, dense, default"),
        (("--strategies", "wrac,,page"), ConfigError.exit_code, "single commas"),
        (("--baseline", "page"), ConfigError.exit_code, "--baseline 'page' is not run; choose from wrac, sections"),
        (("--where", "company=bank"), ConfigError.exit_code, "--form and --where are for RAG-Multi-Corpus"),
        (("--model", "openai:nothing-9"), ConfigError.exit_code, "no price is known for 'openai:nothing-9'"),
    ],
)
def test_a_wrong_option_is_one_line(
    site: Path, tmp_path: Path, arguments: Sequence[str], code: int, words: str
) -> None:
    found, _, noise = command("eval", site, *BM25, *arguments, cwd=tmp_path)
    assert found == code
    assert words in noise.splitlines()[-1]


def test_a_data_set_that_is_none_is_one_line(tmp_path: Path) -> None:
    found, _, noise = command("eval", cwd=tmp_path)
    assert (found, noise.count("\n")) == (ConfigError.exit_code, 1)
    assert "no data set is named" in noise
    found, _, noise = command("eval", "nowhere", cwd=tmp_path)
    assert (found, noise.count("\n")) == (InputError.exit_code, 1)


class Cut:
    """A strategy that counts its runs, and fails as an endpoint does where it is told to."""

    def __init__(self, name: str, fails: bool = False) -> None:
        self.name, self.runs, self.fails = name, 0, fails

    def passages(self, pages: Sequence[Page]) -> Passages:
        self.runs += 1
        if self.fails:
            raise RemoteError("http://model.example", "stopped answering", "try again later")
        return Passages(tuple(Passage(page.url, page.body.decode(), page.body.decode()) for page in pages))


def rows(data: DataSet, cuts: Sequence[Cut], saved: Saved) -> dict[str, Any]:
    return run(data, cuts, ["bm25"], vectors=lambda: VectorCache(FakeEmbedder()), saved=saved)


def test_an_interrupted_run_goes_on_by_strategy_and_a_whole_one_starts_anew(site: Path, tmp_path: Path) -> None:
    data = load(str(site))
    first, second = Cut("first"), Cut("second", fails=True)
    results = rows(data, [first, second], Saved(tmp_path, data, ["bm25"]))
    assert [row["strategy"] for row in results["rows"]] == ["first"]
    assert results["failed"] == [
        {
            "strategy": "second",
            "reason": "http://model.example: stopped answering; try again later",
            "exit": RemoteError.exit_code,
        }
    ]
    second.fails = False
    again = rows(data, [first, second], Saved(tmp_path, data, ["bm25"]))
    assert [row["strategy"] for row in again["rows"]] == ["first", "second"]
    assert (first.runs, second.runs) == (1, 2)
    rows(data, [first, second], Saved(tmp_path, data, ["bm25"]))
    assert first.runs == 2


def test_rows_of_other_data_or_settings_are_never_read(site: Path, tmp_path: Path) -> None:
    data = load(str(site))
    Saved(tmp_path, data, ["bm25"]).put("first", [{"strategy": "first"}])
    assert Saved(tmp_path, data, ["bm25"]).get("first") == [{"strategy": "first"}]
    assert Saved(tmp_path, data, ["dense"]).get("first") is None
    (site / "cards.html").write_text("<p>Changed.</p>", "utf-8")
    assert Saved(tmp_path, load(str(site)), ["bm25"]).get("first") is None


def test_runs_at_the_same_time_do_not_take_each_others_rows(site: Path, tmp_path: Path) -> None:
    data = load(str(site))
    ours, theirs = Saved(tmp_path, data, ["bm25"]), Saved(tmp_path, data, ["bm25"])
    ours.put("first", [{"strategy": "first"}])
    theirs.put("second", [{"strategy": "second"}])
    ours.forget(["first", "never run"])
    theirs.put("third", [{"strategy": "third \ud800"}])
    assert ours.get("first") is None
    assert theirs.get("second") == [{"strategy": "second"}]
    assert theirs.get("third") == [{"strategy": "third \ud800"}]


@pytest.mark.parametrize("option", ["--out", "--html"])
@pytest.mark.parametrize(("place", "words"), [("none/r", "no such file or directory"), ("site", "is a directory")])
def test_a_place_that_takes_nothing_is_told_before_the_work(
    site: Path, tmp_path: Path, option: str, place: str, words: str
) -> None:
    code, out, noise = command("eval", site, *BM25, option, place, cwd=tmp_path)
    assert (code, out) == (StorageError.exit_code, "")
    assert noise == f"wrac: {place}: {words}; choose another place\n"


def test_the_table_is_there_though_the_disk_is_full(site: Path, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    code, out, noise = command("eval", site, *BM25, "--out", "/dev/full", cwd=tmp_path)
    assert code == StorageError.exit_code
    assert "sections" in out
    assert noise.splitlines()[-1] == "wrac: /dev/full: no space left on device; choose another place"


def test_no_message_steers_a_terminal(site: Path, tmp_path: Path) -> None:
    row = {**ASKED[0], "page": "\x1b]0;owned\x07\u202e.html"}
    (tmp_path / "bad.jsonl").write_text(json.dumps(row), "utf-8")
    code, _, noise = command("eval", "bad.jsonl", "--pages", site, *BM25, cwd=tmp_path)
    assert code == InputError.exit_code
    assert not {"\x1b", "\x07", "\u202e"} & set(noise)


def test_names_are_run_once_and_a_policy_has_commas_of_its_own() -> None:
    assert names("--strategies", "wrac:target=200,maximum=400, page,wrac,page") == (
        "wrac:target=200,maximum=400",
        "page",
        "wrac",
    )


@pytest.mark.parametrize("arguments", [("audit",), ("eval", "--make")])
def test_an_empty_folder_is_no_site(tmp_path: Path, arguments: Sequence[str]) -> None:
    (tmp_path / "empty").mkdir()
    code, out, noise = command(*arguments, "empty", cwd=tmp_path)
    assert (code, out, noise.count("\n")) == (InputError.exit_code, "", 1)
