"""`make bench`: what docs/benchmarks.md says stands between markers, and is replaced there and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts.bench import BENCHES, DOCUMENT, ROOT, Bench, measured, replaced, update

NAMES = st.lists(st.sampled_from(["speed", "depth", "speed-2", "laws"]), min_size=1, unique=True)
TEXT = st.text(st.sampled_from("ab|\\1\n -<>"), max_size=30)


def block(name: str, content: str) -> str:
    return f"<!-- bench: {name} -->\n{content}\n<!-- end -->\n"


@given(NAMES, TEXT, TEXT, st.data())
def test_a_block_is_replaced_and_everything_else_stays(
    names: list[str], old: str, new: str, data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from(names))
    document = "# Title\n" + "between\n".join(block(name, old) for name in names)
    wanted = "# Title\n" + "between\n".join(block(name, new if name == chosen else old) for name in names)
    assert replaced(document, chosen, new) == wanted
    assert replaced(wanted, chosen, new) == wanted


@pytest.mark.parametrize("document", ["", block("other", "x"), block("speed", "x") * 2])
def test_a_name_without_one_block_is_refused(document: str) -> None:
    with pytest.raises(ValueError, match="one is needed"):
        replaced(document, "speed", "x")


def test_the_document_has_a_block_for_each_bench_and_each_script_is_there() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert sorted(re.findall(r"<!-- bench: (.*) -->", text)) == sorted(BENCHES)
    assert text.count("<!-- end -->") == len(BENCHES)
    scripts = [bench.command.split()[0] for bench in BENCHES.values()]
    assert all((ROOT / script).is_file() for script in scripts if script != "-m")


def test_a_command_that_fails_leaves_its_figures_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "benchmarks.md"
    document.write_text(block("good", "old") + block("bad", "old"), "utf-8")
    good = Bench("-c \"print('| a |')\"", "no time")
    bad = Bench("-c \"import sys; sys.exit('no data here')\"", "no time")
    assert update(["bad", "good"], document, {"good": good, "bad": bad}) == ["bad"]
    assert "bad: left as it was: left with 1: no data here" in capsys.readouterr().out
    text = document.read_text("utf-8")
    assert block("bad", "old") in text
    assert re.search(
        r"<!-- bench: good -->\n`python -c .*`: .* cores, Python 3.*; \d+ \w+ \d{4}\n\n\| a \|\n<!-- end", text
    )
    assert list(tmp_path.iterdir()) == [document]


def test_lines_that_are_no_markdown_are_fenced() -> None:
    assert "```text\nplain\nlines\n```" in measured(Bench("-c \"print('plain\\\\nlines')\"", "no time", lines=True))
