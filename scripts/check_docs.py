"""Keeps what is written about the program true: the command reference, the stored help text, README's transcript.

Without an option the script compares and leaves with 1 where they differ; `--write` writes them anew.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command

from wrac.cli.app import app
from wrac.cli.run import run

ROOT = Path(__file__).resolve().parent.parent
HELP = ROOT / "src/wrac/cli/help.txt"
REFERENCE = ROOT / "docs/reference/cli.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- transcript -->\n", "<!-- end of transcript -->\n"


def help_text(*command: str) -> str:
    """The help of a command as a terminal of 80 columns shows it."""
    os.environ["COLUMNS"] = "80"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run([*command, "--help"])
    if code:
        raise SystemExit(f"wrac {' '.join(command)} --help left with {code}")
    return out.getvalue().strip() + "\n"


def reference() -> str:
    """The command reference in Markdown, one section a command."""
    names = list(getattr(get_command(app), "commands"))  # noqa: B009 - a group's own attribute, unknown to the base type
    parts = [
        "# The wrac command\n",
        "Written by `make docs` from the program itself.\n",
        f"```text\n{help_text()}```\n",
    ]
    parts.extend(f"## wrac {name}\n\n```text\n{help_text(name)}```\n" for name in names)
    return "\n".join(parts)


def transcript(readme: str) -> str:
    """README with the outputs of its transcript's commands as they are now. Commands run in a fresh folder."""
    before, rest = readme.split(BEGIN)
    block, after = rest.split(END)
    commands = re.findall(r"^\$ (wrac .*)$", block, re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        outputs = "\n".join(f"$ {command}\n{_output(command, folder)}" for command in commands)
    return f"{before}{BEGIN}\n```console\n{outputs}```\n\n{END}{after}"


def _output(command: str, folder: str) -> str:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        shlex.split(command), cwd=folder, env=environment, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    if done.returncode:
        raise SystemExit(f"{command} left with {done.returncode}: {done.stderr}")
    return done.stdout


def steady(text: str) -> str:
    """The text without what differs from run to run: seconds."""
    return re.sub(r"\d+(\.\d+)? s\b", "N s", text)


def wanted() -> Iterator[tuple[Path, str]]:
    """Each file that is written from the program, with what it should say."""
    yield HELP, help_text()
    yield REFERENCE, reference()
    yield README, transcript(README.read_text(encoding="utf-8"))


def main() -> int:
    """0 when all is in sync or written, 1 with a diff when not."""
    write, stale = "--write" in sys.argv[1:], False
    for path, text in wanted():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if steady(old) == steady(text):
            continue
        name = str(path.relative_to(ROOT))
        if write:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
        else:
            stale = True
            sys.stdout.writelines(
                difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, "the program")
            )
    if stale:
        print("docs are behind the program: run `make docs` and commit what it writes")
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
