"""The entry point: argv in, an exit code out. A user's error is one line on stderr, never a traceback."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs `wrac` with the process's arguments and leaves with the exit code `wrac.core.errors` gives."""
    if sys.argv[1:] in ([], ["--help"], ["-h"]):
        _help()
    else:
        from wrac.cli.run import run

        sys.exit(run(sys.argv[1:]))


def _help() -> None:
    """Prints the stored help: building it takes ten times as long. `make check` compares it with the live commands."""
    from pathlib import Path

    text = (Path(__file__).parent / "help.txt").read_text(encoding="utf-8")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()


if __name__ == "__main__":
    main()
