"""The command as a stranger uses it: in a process of its own, by its documented output."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.commands import command

ROOT = Path(__file__).parent.parent
SITE = ROOT / "examples" / "site"
COMMAND = [sys.executable, "-m", "wrac.cli.main"]
PAGE = """<!doctype html><html lang="en"><title>Sensor</title><h1>Sensor</h1>
<p>To reset:</p><ol start="3"><li>hold</li><li>wait</li></ol>
<h2 id="power">Power</h2><table><tr><th>Mode</th><th>mA</th></tr><tr><td rowspan="2">Idle</td><td>2</td></tr>
<tr><td>3</td></tr></table><footer>Imprint</footer><script>x()</script>"""

PLACE_KEYS = {
    "ordinal", "id", "kind", "text", "level", "role", "score", "visible", "language", "direction",
    "selector", "anchor", "name", "ranges", "marks", "trail",
}  # fmt: skip
CHUNK_KEYS = {"id", "text", "markdown", "trail", "units", "occurrences", "tokens", "entities"}
OCCURRENCE_KEYS = {"url", "title", "link", "meta", "ordinals", "anchor", "label", "selectors", "ranges"}


def wrac(*arguments: str | Path, cwd: Path, stdin: str = "", code: int = 0) -> str:
    """The stdout of a command that is to leave with `code`."""
    left, out, noise = command(*arguments, cwd=cwd, stdin=stdin.encode())
    assert left == code, noise
    return out


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "sensor.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


# parse


def test_parse_json_is_a_line_a_place_and_a_last_line(page: Path) -> None:
    *places, last = lines(wrac("parse", page.name, "--json", cwd=page.parent))
    assert [place["ordinal"] for place in places] == list(range(len(places)))
    for place in places:
        assert set(place) - {"cells", "number"} == PLACE_KEYS
        (start, end), = place["ranges"]  # fmt: skip
        assert 0 <= start < end <= len(PAGE)
        assert re.fullmatch(r"u1:[0-9a-f]{32}", place["id"])
    assert set(last) == {"spans", "losses"}
    assert {"script"} <= {loss["reason"] for loss in last["losses"]}
    by_text = {place["text"]: place for place in places}
    assert by_text["hold"]["number"] == 3
    assert by_text["3"]["cells"] == ["Idle", "3"]
    assert by_text["Power"]["anchor"] == "power"
    assert by_text["Mode\tmA"]["trail"] == [by_text["Sensor"]["ordinal"], by_text["Power"]["ordinal"]]
    assert by_text["Imprint"]["role"] == "footer"
    assert "number" not in by_text["Sensor"]
    assert "cells" not in by_text["Sensor"]


def test_parse_formats(page: Path) -> None:
    tree = wrac("parse", page.name, cwd=page.parent)
    assert "h2_1.tr_2" in tree
    assert "[footer]" in tree
    assert "\x1b" not in tree, "no colours where nobody sees them"
    assert "## Power" in wrac("parse", page.name, "--format", "markdown", cwd=page.parent)
    assert "Idle\t2" in wrac("parse", page.name, "-f", "text", cwd=page.parent)
    html = wrac("parse", page.name, "-f", "html", cwd=page.parent)
    assert html.startswith('<!doctype html>\n<html lang="en">')
    assert "<title>Sensor</title>" in html
    assert '<ol start="3">\n<li>hold</li>' in html
    assert wrac("parse", page.name, "-f", "json", cwd=page.parent) == wrac(
        "parse", "-", "--json", cwd=page.parent, stdin=PAGE
    )


def test_losses_by_reason_with_counts_first(page: Path) -> None:
    found = wrac("parse", page.name, "--losses", cwd=page.parent).splitlines()
    assert found[0] == "Sensor  2 losses, 9 characters in no unit"
    assert [" ".join(line.split()) for line in found[1:3]] == ["6 in 1 title of the page", "3 in 1 script"]
    assert "  line 1, offset 31        6  Sensor" in found
    assert f"  line 4, offset {PAGE.index('<script')}" in wrac("parse", page.name, "--losses", cwd=page.parent)
    (row,) = lines(wrac("parse", page.name, "--losses", "--json", cwd=page.parent))
    assert [(loss["reason"], loss["chars"], loss["text"]) for loss in row["losses"]] == [
        ("title of the page", 6, "Sensor"), ("script", 3, "")
    ]  # fmt: skip
    assert (
        wrac("parse", "-", "--losses", cwd=page.parent, stdin="<p>all")
        == "(no title)  0 losses, 0 characters in no unit\n"
    )


def test_json_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "parse", "-", "--json"], cwd=tmp_path, input="<p>日本 ü".encode(), capture_output=True, check=True,
        env=os.environ | {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert "日本 ü" in done.stdout.decode()


def test_what_would_steer_a_terminal_is_shown_not_obeyed(tmp_path: Path) -> None:
    body = "<h1>A [bold]title[/bold]</h1><p>esc \x1b[31mred \x9b31m [link=x]y"
    for name in ("parse", "chunk"):
        out = wrac(name, "-", cwd=tmp_path, stdin=body)
        assert "\x1b" not in out
        assert "\x9b" not in out
        assert "[bold]title[/bold]" in out


# plan


def test_plan_json(page: Path) -> None:
    (row,) = lines(wrac("plan", page.name, "--json", cwd=page.parent))
    assert set(row) == {"document", "groups", "omitted", "planner", "usage"}
    *places, _ = lines(wrac("parse", page.name, "--json", cwd=page.parent))
    used = sorted([o for group in row["groups"] for o in group] + [int(o) for o in row["omitted"]])
    assert used == list(range(len(places)))
    assert row["usage"] == {"input": 0, "cached": 0, "output": 0, "calls": 0, "seconds": 0.0, "cost": 0.0}


def test_plan_for_people_names_what_is_left_out(page: Path) -> None:
    out = wrac("plan", page.name, "--target", "20", "--max-tokens", "60", cwd=page.parent)
    assert "target 20, maximum 60 tokens" in out
    assert "omitted: 1 footer" in out


# chunk


def test_chunk_json_is_a_line_a_chunk(page: Path) -> None:
    *places, _ = lines(wrac("parse", page.name, "--json", cwd=page.parent))
    chunks = lines(wrac("chunk", page.name, "--json", "--target", "20", "--max-tokens", "60", cwd=page.parent))
    assert len(chunks) > 1
    for chunk in chunks:
        assert set(chunk) == CHUNK_KEYS
        assert 0 < chunk["tokens"] <= 60
        for occurrence in chunk["occurrences"]:
            assert set(occurrence) == OCCURRENCE_KEYS
            assert occurrence["url"] == "sensor.html"
            assert len(occurrence["selectors"]) == len(occurrence["ranges"]) == len(occurrence["ordinals"])
            for ordinal, selector, pair in zip(
                *(occurrence[k] for k in ("ordinals", "selectors", "ranges")), strict=True
            ):
                assert (selector, [pair]) == (places[ordinal]["selector"], places[ordinal]["ranges"])


def test_the_same_section_on_two_pages_is_one_line_with_two_occurrences(tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text(PAGE, encoding="utf-8")
    chunks = lines(wrac("chunk", "a.html", "b.html", "--json", "--meta", "product=wrac", cwd=tmp_path))
    assert all(o["meta"] == {"product": "wrac"} for chunk in chunks for o in chunk["occurrences"])
    assert all([o["url"] for o in chunk["occurrences"]] == ["a.html", "b.html"] for chunk in chunks)


def test_chunk_reads_a_folder_and_says_what_it_skipped(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "chunk", str(SITE), "--json"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    urls = {o["url"] for chunk in lines(done.stdout) for o in chunk["occurrences"]}
    assert urls == {f"site/{path.relative_to(SITE).as_posix()}" for path in SITE.rglob("*.html")}
    assert done.stderr == "wrac: skipped 2 not a page (.js, .css)\n"


# A workspace

INDEX_KEYS = {"pages", "units", "chunks", "embedded", "reused", "skipped", "usage", "seconds"}
HIT_KEYS = {"rank", "score", "chunk", "url", "link", "trail", "text", "markdown", "focus", "tokens", "confidence"}
QUERY = "what does exit code 75 mean?"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with an indexed workspace, and what `wrac index --json` said."""
    folder = tmp_path_factory.mktemp("indexed")
    sources = [SITE / "faq.html", SITE / "errors.html", SITE / "de", SITE / "assets"]
    (report,) = lines(wrac("index", *sources, "--json", "--meta", "product=wrac", "--workers", "1", cwd=folder))
    return folder, report


def test_index_json(workspace: tuple[Path, dict[str, Any]]) -> None:
    _, report = workspace
    assert set(report) >= INDEX_KEYS
    assert report["pages"] == 3
    assert report["embedded"] >= report["chunks"] > 6
    assert {skip["reason"] for skip in report["skipped"]} == {"not a page: .css", "not a page: .js"}
    assert 0 < report["stages"]["parse"] < report["seconds"]


def test_indexing_again_embeds_nothing(workspace: tuple[Path, dict[str, Any]]) -> None:
    folder, first = workspace
    sources = [SITE / "faq.html", SITE / "errors.html", SITE / "de"]
    out = wrac("index", *sources, "--meta", "product=wrac", "--workers", "1", cwd=folder)
    assert f"3 pages, {first['units']} units, {first['chunks']} chunks in .wrac" in out
    assert "embedded 0, " in out
    assert "3 pages unchanged" in out


def test_search_json_is_a_line_a_hit(workspace: tuple[Path, dict[str, Any]]) -> None:
    hits = lines(wrac("search", QUERY, "--json", "-k", "3", cwd=workspace[0]))
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    for hit in hits:
        assert set(hit) == HIT_KEYS
        assert all(set(unit) == {"unit", "text", "score"} for unit in hit["focus"])
        assert all(unit["text"] in hit["text"] for unit in hit["focus"])
        assert ":~:text=" in hit["link"]
    assert "75\tBusyError" in hits[0]["text"]
    assert hits[0]["url"] == "errors.html"


def test_search_takes_a_budget_in_place_of_a_number(workspace: tuple[Path, dict[str, Any]]) -> None:
    everything = lines(wrac("search", QUERY, "--json", "-k", "100", cwd=workspace[0]))
    assert len(lines(wrac("search", QUERY, "--json", cwd=workspace[0]))) == min(10, len(everything))
    for budget in (300, 100_000):
        hits = lines(wrac("search", QUERY, "--json", "--budget", str(budget), cwd=workspace[0]))
        assert 0 < sum(hit["tokens"] for hit in hits) <= budget
    assert len(hits) == len(everything)


def test_search_filters(workspace: tuple[Path, dict[str, Any]]) -> None:
    folder = workspace[0]
    assert {h["url"] for h in lines(wrac("search", QUERY, "--json", "--where", "language=de", cwd=folder))} == {
        "de/schnellstart.html"
    }
    assert lines(wrac("search", QUERY, "--json", "--where", "product=wrac", cwd=folder))
    assert wrac("search", QUERY, "--json", "--where", "product=other", cwd=folder) == ""


def test_search_for_people(workspace: tuple[Path, dict[str, Any]]) -> None:
    out = wrac("search", QUERY, "-k", "1", cwd=workspace[0])
    assert re.match(r" 1  Errors and exit codes  c1:[0-9a-f]{8}  errors\.html\n", out)
    assert "Another process is writing to this workspace. Try again later. |\n" in out
    assert out.splitlines()[-1].startswith("    errors.html#exit-codes:~:text=")


def test_show_prints_units_addresses_and_the_link(workspace: tuple[Path, dict[str, Any]]) -> None:
    folder = workspace[0]
    (hit,) = lines(wrac("search", QUERY, "--json", "-k", "1", cwd=folder))
    out = wrac("show", hit["chunk"][:12], cwd=folder)
    assert out.startswith(hit["chunk"])
    assert re.search(r"^h2_1\.tr_\d +table_row +u1:[0-9a-f]{8}  \d+-\d+  .+$", out, re.MULTILINE)
    assert f"open  {hit['link'].partition(':~:')[0]}" in out
    (shown,) = lines(wrac("show", hit["chunk"], "--json", cwd=folder))
    assert shown["text"] == hit["text"]
    source = (SITE / "errors.html").read_text(encoding="utf-8")
    for unit in shown["units"]:
        (start, end) = unit["ranges"][0]
        assert re.sub(r"<[^>]*>|\s", "", source[start:end]) == re.sub(r"\s", "", unit["text"])


def test_status_and_verify(workspace: tuple[Path, dict[str, Any]]) -> None:
    folder, report = workspace
    (held,) = lines(wrac("status", "--json", cwd=folder))
    assert (held["pages"], held["chunks"]) == (3, report["chunks"])
    assert "minilm" in wrac("status", cwd=folder)
    (verdict,) = lines(wrac("verify", "--json", "--digest", cwd=folder))
    assert (verdict["ok"], verdict["problems"], verdict["pages"]) == (True, [], 3)
    out = wrac("verify", "--digest", cwd=folder)
    assert out.startswith("sound  3 pages, ")
    assert verdict["digest"] in out


# The process


def test_help_is_stored_and_names_every_command(tmp_path: Path) -> None:
    def stored(*arguments: str) -> str:
        return subprocess.run([*COMMAND, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    out = stored("--help")
    assert out == stored() == stored("-h")
    for name in ("parse", "plan", "chunk", "index", "search", "show", "status", "verify"):
        assert re.search(rf"^  {name} ", out, re.MULTILINE)


def test_help_costs_no_more_than_four_bare_pythons(tmp_path: Path) -> None:
    bare: list[float] = []
    helped: list[float] = []
    for _ in range(8):  # in turns: what else the machine does hits both
        for times, arguments in (
            (bare, ["-c", "pass"]),
            (helped, ["-c", "from wrac.cli.main import main; main()", "-h"]),
        ):
            start = time.perf_counter()
            subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, check=True)
            times.append(time.perf_counter() - start)
    assert min(helped) <= 4 * min(bare)


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "chunk", str(SITE), "--json"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        noise = process.stderr.read().decode()
    assert "Traceback" not in noise
    assert "BrokenPipe" not in noise


def test_an_unwritable_output_is_one_line(page: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, "parse", page], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 74
    assert done.stderr == "wrac: no space left on device; free space or choose another place, then run again\n"


def test_a_terminal_gets_lines_that_fit(page: Path) -> None:
    main, side = pty.openpty()
    environment = os.environ | {"COLUMNS": "70", "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([*COMMAND, "parse", page], stdout=side, stderr=side, env=environment)
    os.close(side)
    seen = b""
    while select.select([main], [], [], 20)[0]:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(main)
    assert process.wait(20) == 0
    assert b"\x1b[1m" in seen, "headings are bold"
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", seen).decode().splitlines()
    assert max(map(len, plain)) <= 70
