"""Queries that nobody should ask, the exact lines they are answered with, and what a search must not load."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import command
from tests.site import build

from wrac.core.errors import ConfigError
from wrac.flow import Workspace
from wrac.retrieval import DOUBTFUL, confidence

EMPTY = "the query is empty; ask a question or give some words"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("input")
    with Workspace(made / "ws") as workspace:
        workspace.index(build(made, 3), workers=0, meta={"product": "shop"})
    return made


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder / "ws", create=False) as opened:
        yield opened


@pytest.mark.parametrize("query", ["", " \n\t", "?!", "🚗🚕", "\x00\x07\x1b[31m"[:3], "\u200b\u00ad", "—…"])
def test_a_query_without_a_word_is_refused_by_search_and_context(workspace: Workspace, query: str) -> None:
    for ask in (workspace.search, workspace.context):
        with pytest.raises(ConfigError) as raised:
            ask(query)
        assert str(raised.value) == EMPTY


@pytest.mark.parametrize(
    "query",
    [
        "refunds 🚗",
        "refunds\x00\x07\x1b[31m",
        "\ud800refunds",
        "re\u00adfunds",
        "ＲＥＦＵＮＤＳ",
        "refunds'; DROP TABLE index_entries; --",
        'refunds AND (NEAR "* ^',
    ],
)
def test_signs_around_a_word_do_not_hide_it(workspace: Workspace, query: str) -> None:
    assert "efunds" in workspace.search(query, k=1)[0].text


def test_ten_thousand_words_are_a_query(workspace: Workspace) -> None:
    query = "refunds " + " ".join(f"word{n} noise" for n in range(5000))
    assert workspace.search(query, k=1)
    assert workspace.context(query, budget=200).context.tokens <= 200


def test_function_words_alone_find_the_words_themselves(workspace: Workspace) -> None:
    assert "this" in workspace.search("how is this", k=1)[0].text.lower()


def test_confidence_tells_what_matches_from_what_does_not(workspace: Workspace) -> None:
    asked = workspace.search("how are refunds handled by the support team?")
    nonsense = workspace.search("qwerty zxcv asdf")
    assert asked[0].confidence > 0.6
    assert max(hit.confidence for hit in nonsense) < DOUBTFUL
    assert workspace.search("qwerty zxcv asdf", confidence=DOUBTFUL) == []
    kept = workspace.search("how are refunds handled", confidence=0.5, k=50)
    assert kept and all(hit.confidence >= 0.5 for hit in kept)
    assert [hit.rank for hit in kept] == list(range(1, len(kept) + 1))


def test_confidence_is_a_share_whatever_the_embedder_says() -> None:
    assert confidence(1.0, 1.0) == 1.0
    assert confidence(-1.0, 0.0) == 0.0
    assert confidence(0.9, 0.5, trust=0.3) < confidence(0.9, 0.5)
    assert confidence(0.1, 0.5, trust=0.3) > confidence(0.1, 0.5)


@pytest.mark.parametrize(
    ("options", "code", "line"),
    [
        (["?!"], 2, f"wrac: {EMPTY}"),
        (["🚗", "--context"], 2, f"wrac: {EMPTY}"),
        (
            ["refunds", "--where", "produkt=shop"],
            2,
            "wrac: --where produkt: no page has such metadata; there are url, kind",
        ),
        (["qwerty zxcv", "-k", "1"], 0, "wrac: no passage matches well (confidence 0."),
        (["qwerty zxcv", "--context"], 0, "wrac: no passage matches; use other words or lower --min-confidence"),
        (
            ["qwerty zxcv", "--min-confidence", ".5"],
            0,
            "wrac: no passage matches; use other words or lower --min-confidence",
        ),
        (
            ["refunds", "--budget", "3"],
            0,
            "wrac: no passage matches in 3 tokens; use other words or raise --budget",
        ),
    ],
)
def test_the_command_says_what_to_do(folder: Path, options: list[str], code: int, line: str) -> None:
    left, _, noise = command("search", *options, "-w", "ws", cwd=folder)
    assert left == code
    assert noise.splitlines()[-1].startswith(line)


def test_several_values_of_one_field_are_alternatives_and_fields_hold_together(folder: Path) -> None:
    def urls(*where: str) -> set[str]:
        options = ["-w", "ws", "-k", "50", "--json", *(part for one in where for part in ("--where", one))]
        code, out, _ = command("search", "how are refunds handled", *options, cwd=folder)
        assert code == 0
        return {json.loads(line)["url"] for line in out.splitlines()}

    first, second = sorted(urls())[:2]
    assert urls(f"url={first}", f"url={second}") == {first, second}
    assert urls("product=shop", "product=other", f"url={second}") == {second}
    assert urls("product=other") == set()


def test_metadata_that_is_given_twice_is_refused(folder: Path, tmp_path: Path) -> None:
    code, _, noise = command("index", folder, "-w", tmp_path / "ws", "--meta", "a=1", "--meta", "a=2", cwd=tmp_path)
    assert (code, noise) == (2, "wrac: --meta a: given 2 times; give it once\n")


@pytest.mark.parametrize("place", ["mysql://me:secret@host/db", "PostgreSQL://me:secret@h/db", "http://secret@h/"])
def test_a_workspace_at_a_url_of_something_else_makes_no_folder(folder: Path, tmp_path: Path, place: str) -> None:
    for verb in (["index", folder], ["search", "x"], ["status"], ["verify"]):
        code, out, noise = command(*verb, "-w", place, cwd=tmp_path)
        assert (code, out) == (2, "")
        assert "no workspace is at" in noise and "secret" not in noise
        assert list(tmp_path.iterdir()) == []


def test_a_search_loads_no_parser_no_planner_and_no_crawler(folder: Path) -> None:
    """What starts slowly is not needed: the time of a command is mostly what it imports."""
    program = (
        "import sys\nfrom wrac.cli.run import run\n"
        "assert run(['search', 'refunds', '-w', 'ws', '--json', '-k', '1']) == 0\n"
        "heavy = ('wrac.parsing', 'wrac.labelling', 'wrac.flow.pipeline', 'wrac.evaluation', 'turbohtml', 'rich', "
        "'httpx2', 'aiohttp', 'lancedb', 'psycopg')\n"
        "sys.exit(','.join(name for name in heavy if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
