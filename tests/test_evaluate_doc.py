"""docs/evaluate.md: each command of the page runs, and prints the lines that are shown, figures and machines aside."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evaluate.md"
BLOCK = re.compile(r"<!-- run -->\n```console\n(.*?)```", re.DOTALL)


def shape(text: str) -> list[str]:
    """The lines of an output without what differs from machine to machine and from version to version."""
    lines = [re.sub(r"[\d.,:+=-]+", "0", line) for line in text.splitlines()]
    return [" ".join(line.split()) for line in lines if not line.startswith(("machine", "versions"))]


def run(command: str, folder: Path) -> str:
    """What a command prints in a folder that has the example site. Output goes to a file where the command says so."""
    line, _, file = command.partition(" > ")
    program = [sys.executable, "-m", "wrac.cli.main", *shlex.split(line)[1:]]
    done = subprocess.run(
        program,
        cwd=folder,
        env=os.environ | {"WRAC_CACHE": str(folder / "cache"), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    if file:
        (folder / file).write_text(done.stdout, "utf-8")
    return "" if file else done.stdout


def test_the_page_is_what_the_program_does(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    parts = [
        part for block in BLOCK.findall(PAGE.read_text("utf-8")) for part in re.split(r"^\$ ", block, flags=re.M)[1:]
    ]
    assert len(parts) == 4
    for part in parts:
        command, _, output = part.partition("\n")
        assert shape(run(command, tmp_path)) == shape(output)
    assert "<title>" in (tmp_path / "report.html").read_text("utf-8")
