"""The `wrac` command for tests: in this process, which is ten times as fast as in one of its own."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from wrac.cli.run import run


def command(*arguments: str | Path, cwd: Path, stdin: bytes = b"") -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    out, noise = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(noise):
            code = run([str(argument) for argument in arguments])
    finally:
        sys.stdin = before
    texts = []
    for stream in (out, noise):
        stream.flush()
        assert isinstance(stream.buffer, io.BytesIO)
        texts.append(stream.buffer.getvalue().decode())
    return code, texts[0], texts[1]
