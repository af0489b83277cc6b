"""One tree of errors; through the command each is one line on stderr that says what to do, and an exit code."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.commands import command as run

from wrac.catalog import FILE, Database
from wrac.core import errors
from wrac.core.errors import WracError
from wrac.fetching import READABLE

PAGE = b"<!doctype html><title>T</title><h1>Head</h1><p>Text of the page.</p>"


def process(*arguments: str | Path, cwd: Path, stdin: bytes = b"") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "wrac.cli.main", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# The tree


def _tree(cls: type[WracError], depth: int = 0) -> list[tuple[int, str, int]]:
    lower = sorted(cls.__subclasses__(), key=lambda c: list(vars(errors)).index(c.__name__))
    return [(depth, cls.__name__, cls.exit_code)] + [line for c in lower for line in _tree(c, depth + 1)]


def test_the_docstring_prints_the_real_tree() -> None:
    printed = [
        (len(indent) // 4, name, int(code))
        for indent, name, code in re.findall(r"^( *)(\w+Error) +exit (\d+)", errors.__doc__ or "", re.MULTILINE)
    ]
    real = [line for line in _tree(WracError) if getattr(errors, line[1], None)]
    assert sorted(printed) == sorted(real)
    for depth, name, _ in printed[1:]:
        parents = [n for d, n, _ in printed[: [p[1] for p in printed].index(name)] if d == depth - 1]
        assert issubclass(getattr(errors, name), getattr(errors, parents[-1]))


def test_every_error_carries_its_facts() -> None:
    error = errors.InputError("x.html", "empty", "give another")
    assert (error.source, error.problem, error.advice, str(error)) == ("x.html", "empty", "give another",
                                                                       "x.html: empty; give another")  # fmt: skip
    assert (
        str(errors.LimitError("x", "depth", 512, 90_000))
        == "x: depth is 90000, the cap is 512; raise it with --max-depth"
    )
    assert str(errors.MissingExtraError("llm", "Planning by a model")).endswith('pip install "wrac[llm]"')


# Bad sources

CASES = [
    ("missing.html", None, "missing.html: no such file or directory; check the path; a URL starts with https://"),
    ("empty.html", b"", f"empty.html: empty; give {READABLE}"),
    ("blank.html", b" \n\t\n", f"blank.html: empty; give {READABLE}"),
    (
        "picture.html",
        b"\x89PNG\r\n\x1a\n\0\0",
        f"picture.html: not text: PNG image; give {READABLE}",
    ),
    (
        "random.html",
        bytes(range(256)) * 8,
        f"random.html: not text: binary data; give {READABLE}",
    ),
    ("table.toml", b"a = 1\n", f"table.toml: not a page: .toml; give {READABLE}"),
]


@pytest.mark.parametrize(("name", "body", "message"), CASES, ids=[case[0] for case in CASES])
def test_a_source_that_is_no_page(name: str, body: bytes | None, message: str, tmp_path: Path) -> None:
    if body is not None:
        (tmp_path / name).write_bytes(body)
    assert run("parse", name, cwd=tmp_path) == (3, "", f"wrac: {message}\n")


@pytest.mark.parametrize("command", ["parse", "plan"])
def test_a_page_beyond_the_size_cap_names_the_option(command: str, tmp_path: Path) -> None:
    body = PAGE.ljust(2**17)
    (tmp_path / "big.html").write_bytes(body)
    assert run(command, "big.html", "--max-size", "0.125", cwd=tmp_path)[::2] == (0, "")
    (tmp_path / "big.html").write_bytes(body + b" ")
    message = f"larger than 0.125 MB (raise it with --max-size); give {READABLE}"
    assert run(command, "big.html", "--max-size", "0.125", cwd=tmp_path) == (3, "", f"wrac: big.html: {message}\n")
    piped = run(command, "-", "--max-size", "0.125", cwd=tmp_path, stdin=body + b" ")
    assert piped == (3, "", f"wrac: -: {message}\n")


def test_sources_that_cannot_be_named(tmp_path: Path) -> None:
    (tmp_path / "loop.html").symlink_to("loop.html")
    assert run("parse", "loop.html", cwd=tmp_path)[::2] == (3, "wrac: loop.html: too many levels of symbolic links\n")
    assert run("parse", ".", cwd=tmp_path) == (
        3,
        "",
        "wrac: .: is a folder; give one page; `wrac chunk` and `wrac index` read folders\n",
    )
    assert run("parse", "ftp://e.org/", cwd=tmp_path) == (
        3, "", "wrac: ftp://e.org/: ftp:// is not read; give https://, http://, a file, a folder or -\n",
    )  # fmt: skip
    code, _, stderr = run("parse", "http://127.0.0.1:9/", cwd=tmp_path)
    assert code == 69
    assert re.fullmatch(r"wrac: http://127\.0\.0\.1:9/: cannot be fetched \(.*\); check the address\n", stderr)


def test_wrong_options(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(PAGE)
    assert run("chunk", "x.html", "--target", "600", cwd=tmp_path) == (
        2, "", "wrac: --target 600 is above --max-tokens 512; lower one or raise the other\n",
    )  # fmt: skip
    assert run("chunk", "x.html", "--meta", "product", cwd=tmp_path)[::2] == (
        2,
        "wrac: --meta product: write it as key=value\n",
    )
    assert run("chunk", "x.html", "--base", "docs", cwd=tmp_path)[0] == 2
    code, _, stderr = run("chunk", "x.html", "--nothing", cwd=tmp_path)
    assert (code, "No such option: --nothing" in stderr) == (2, True)


def test_in_a_process_of_its_own_it_is_the_same(tmp_path: Path) -> None:
    code, stdout, stderr = process("parse", "missing.html", cwd=tmp_path)
    assert (code, stdout, stderr.count("\n")) == (3, "", 1)
    code, stdout, stderr = process("search", "x", cwd=tmp_path)
    assert (code, stdout, stderr.count("\n")) == (4, "", 1)
    code, stdout, stderr = process("parse", "x", "--nothing", cwd=tmp_path)
    assert (code, stdout, "Traceback" in stderr) == (2, "", False)


def test_a_folder_with_everything_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "inner.html").mkdir(parents=True)
    (folder / "inner.html" / "good.html").write_bytes(PAGE)
    (folder / "empty.html").touch()
    (folder / "zip.html").write_bytes(b"PK\x03\x04\0\0")
    (folder / "gone.html").symlink_to("nothing.html")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.html")
    code, stdout, stderr = run("chunk", "site", "--json", cwd=tmp_path)
    assert code == 0
    assert [line for line in stdout.splitlines() if '"url": "site/inner.html/good.html"' in line]
    assert stderr.startswith("wrac: skipped ")
    for reason in ("empty", "damaged or truncated ZIP archive or office file", "unreadable: link to nothing",
                   "link to a folder above", "not a regular file"):  # fmt: skip
        assert f"1 {reason}" in stderr


def test_a_folder_without_a_page(tmp_path: Path) -> None:
    (tmp_path / "empty.html").touch()
    assert run("chunk", ".", cwd=tmp_path) == (
        3, "", f"wrac: no page was found: skipped 1 empty; give {READABLE}\n",
    )  # fmt: skip


# Bad workspaces


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page and a workspace of it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "x.html").write_bytes(PAGE)
    assert run("index", "x.html", "--workers", "1", cwd=folder)[0] == 0
    return folder


@pytest.mark.parametrize("command", [("search", "x"), ("show", "c1:0"), ("status",), ("verify",)], ids=lambda c: c[0])
def test_there_is_no_workspace(command: tuple[str, ...], tmp_path: Path) -> None:
    message = "wrac: .wrac: there is no workspace; run `wrac index` first, or give --workspace\n"
    assert run(*command, cwd=tmp_path) == (4, "", message)
    assert not (tmp_path / ".wrac").exists(), "looking makes nothing"


def test_a_folder_that_is_no_workspace_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(PAGE)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    code, _, stderr = run("index", "x.html", "-w", "mine", cwd=tmp_path)
    assert (code, stderr) == (
        4,
        "wrac: mine: the folder holds something else, no workspace; choose another --workspace\n",
    )
    code, _, stderr = run("index", "x.html", "-w", "x.html", cwd=tmp_path)
    assert (code, stderr) == (4, "wrac: x.html: it is a file, not a workspace; choose another --workspace\n")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_a_workspace_of_another_version(workspace: Path, tmp_path: Path) -> None:
    shutil.copytree(workspace / ".wrac", tmp_path / ".wrac")
    with contextlib.closing(sqlite3.connect(tmp_path / ".wrac" / FILE)) as database, database:
        database.execute("UPDATE meta SET value = '999' WHERE name = 'schema'")
    for command in (("search", "x"), ("index", str(workspace / "x.html"))):
        code, stdout, stderr = run(*command, cwd=tmp_path)
        assert (code, stdout) == (4, "")
        assert re.fullmatch(r"wrac: \.wrac: it has schema 999 .*\n", stderr)


def test_a_damaged_workspace(workspace: Path, tmp_path: Path) -> None:
    shutil.copytree(workspace / ".wrac", tmp_path / ".wrac")
    (tmp_path / ".wrac" / FILE).write_bytes(b"no database at all, not even a page of one" * 100)
    for command in (("search", "x"), ("status",), ("verify",)):
        code, _, stderr = run(*command, cwd=tmp_path)
        assert code == 4
        assert re.fullmatch(r"wrac: \.wrac\S*: .*\n", stderr)


def test_a_chunk_that_is_not_there(workspace: Path) -> None:
    code, stdout, stderr = run("show", "c1:ffffffffffff", cwd=workspace)
    assert (code, stdout) == (4, "")
    assert re.fullmatch(r"wrac: \.wrac: .*c1:ffffffffffff.*\n", stderr)


def test_a_second_writer_gives_up_with_a_line(workspace: Path) -> None:
    with Database(workspace / ".wrac").writer(1.0, lambda: None):
        code, _, stderr = run("index", "x.html", "--workers", "1", "--wait", "0.2", cwd=workspace)
    assert code == 75
    assert re.fullmatch(r"wrac: \.wrac: another process has been writing .*; wait for it, then run again\n", stderr)
    assert run("index", "x.html", "--workers", "1", cwd=workspace)[0] == 0


def test_ctrl_c_leaves_with_a_line_and_a_sound_workspace(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    for number in range(40):
        (tmp_path / "site" / f"{number}.html").write_bytes(PAGE.replace(b"Text", b"Text %d" % number))
    process = subprocess.Popen(
        [sys.executable, "-m", "wrac.cli.main", "index", "site", "--workers", "1"], cwd=tmp_path, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / ".wrac" / FILE).exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    stderr = process.communicate(timeout=30)[1].decode()
    if process.returncode != 0:  # a fast machine may have been done
        assert (process.returncode, stderr) == (
            130, "wrac: interrupted; what was finished is kept, run it again to go on\n",
        )  # fmt: skip
    assert run("index", "site", "--workers", "1", cwd=tmp_path)[0] == 0
    assert run("verify", cwd=tmp_path)[1].startswith("sound  40 pages")


def test_nothing_but_skips_is_an_error_after_the_report(tmp_path: Path) -> None:
    (tmp_path / "empty.html").touch()
    code, stdout, stderr = run("index", "empty.html", "--json", cwd=tmp_path)
    assert code == 3
    assert '"skipped": [{"url": "empty.html", "reason": "empty"}]' in stdout
    assert stderr == f"wrac: no page was found: skipped 1 empty; give {READABLE}\n"


# Pages that are odd and still pages


@pytest.mark.parametrize(
    "body",
    [
        b"<p>ni\0hao",
        b"<html><body><div><p>cut off <b>in the mid",
        b"<meta charset=utf-8><p>caf\xe9 in another charset",
        "<p>UTF-16 with a mark".encode("utf-16"),
        b"<p>lone \xed\xa0\x80 surrogate &#xD800; twice",
    ],
    ids=["nul", "truncated", "wrong-charset", "utf-16", "surrogates"],
)
def test_odd_pages_are_read(body: bytes, tmp_path: Path) -> None:
    code, stdout, stderr = run("parse", "-", "--json", cwd=tmp_path, stdin=body)
    assert (code, stderr) == (0, "")
    assert '"kind": "paragraph"' in stdout
    stdout.encode()


def test_an_argument_that_is_no_utf8_is_answered(tmp_path: Path) -> None:
    code, _, stderr = run("parse", os.fsdecode(b"caf\xe9.html"), cwd=tmp_path)
    assert code == 3
    assert "no such file" in stderr
