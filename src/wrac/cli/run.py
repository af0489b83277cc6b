"""Runs a command line and answers its exit code; this is the one place where errors become lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from copy import copy

from typer import Typer
from typer.main import get_command
from typer.models import CommandInfo

from wrac.cli import paint, root
from wrac.cli.commands import queries  # noqa: F401 - registers its commands
from wrac.cli.main import INTERRUPTED
from wrac.core.errors import StorageError, WracError


def run(argv: Sequence[str]) -> int:
    """The exit code after running `wrac` with these arguments. Raises KeyboardInterrupt on Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = _leave(argv)
        sys.stdout.flush()
    except WracError as error:
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:
        _stop_writing()
        return 0
    except OSError as error:
        return _complain(_system(error), StorageError.exit_code)
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


def _leave(argv: Sequence[str]) -> int:
    """Typer always leaves by SystemExit: 2 after a wrong option, 130 after Ctrl-C, 1 when nobody reads the output."""
    try:
        get_command(_program(argv))(args=list(argv), prog_name="wrac")
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    return 0


def _program(argv: Sequence[str]) -> Typer:
    """The program; where it is asked to search, or another query, one of that command alone, which is made sooner."""
    named = [one for one in root.app.registered_commands if [_name(one)] == list(argv[:1])]
    if not named:
        from wrac.cli.app import app

        return app
    alone = copy(root.app)
    alone.registered_commands = named
    return alone


def _name(command: CommandInfo) -> str:
    return command.name or str(getattr(command.callback, "__name__", ""))


def _complain(message: str, code: int) -> int:
    """Writes one line to stderr; a message with line breaks would hide the advice that ends it."""
    sys.stderr.write(f"wrac: {paint.safe(paint.one_line(message))}\n")
    return code


def _system(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{(error.strerror or str(error)).lower()}; free space or choose another place, then run again"


def _stop_writing() -> None:
    """Keeps the interpreter from flushing into a pipe that nobody reads."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
