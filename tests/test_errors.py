"""One tree of errors; through the command each is one line on stderr that says what to do, and an exit code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wrac.core import errors
from wrac.core.errors import WracError

PAGE = b"<!doctype html><title>T</title><h1>Head</h1><p>Text of the page.</p>"


def run(*arguments: str | Path, cwd: Path, stdin: bytes = b"") -> tuple[int, str, str]:
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
    ("empty.html", b"", "empty.html: empty; give a page in HTML, Markdown or plain text"),
    ("blank.html", b" \n\t\n", "blank.html: empty; give a page in HTML, Markdown or plain text"),
    (
        "picture.html",
        b"\x89PNG\r\n\x1a\n\0\0",
        "picture.html: not text: PNG image; give a page in HTML, Markdown or plain text",
    ),
    ("paper.html", b"%PDF-1.7\n%\xe2", "paper.html: not text: PDF; give a page in HTML, Markdown or plain text"),
    (
        "random.html",
        bytes(range(256)) * 8,
        "random.html: not text: binary data; give a page in HTML, Markdown or plain text",
    ),
    ("table.csv", b"a,b\n", "table.csv: not a page: .csv; give a page in HTML, Markdown or plain text"),
]


@pytest.mark.parametrize(("name", "body", "message"), CASES, ids=[case[0] for case in CASES])
def test_a_source_that_is_no_page(name: str, body: bytes | None, message: str, tmp_path: Path) -> None:
    if body is not None:
        (tmp_path / name).write_bytes(body)
    assert run("parse", name, cwd=tmp_path) == (3, "", f"wrac: {message}\n")


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
    for reason in ("empty", "not text: ZIP archive or office file", "unreadable: link to nothing",
                   "link to a folder above", "not a regular file"):  # fmt: skip
        assert f"1 {reason}" in stderr


def test_a_folder_without_a_page(tmp_path: Path) -> None:
    (tmp_path / "empty.html").touch()
    assert run("chunk", ".", cwd=tmp_path) == (
        3, "", "wrac: no page was found: skipped 1 empty; give HTML, Markdown or plain text\n",
    )  # fmt: skip


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
