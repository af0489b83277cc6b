"""The entry point: argv in, an exit code out. A user's error is one line on stderr, never a traceback."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
_LINE = "wrac: interrupted; what was finished is kept, run it again to go on\n"


def main() -> None:
    """Runs `wrac` with the process's arguments and leaves with an exit code of `wrac.core.errors`, 130 on Ctrl-C."""
    if sys.argv[1:] in ([], ["--help"], ["-h"]):
        _help()
        return
    try:
        _heed_interrupts()
        _hush()
        from wrac.cli.run import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.stderr.write(_LINE)
        sys.exit(INTERRUPTED)


def _help() -> None:
    """Prints the stored help: building it takes ten times as long. `make check` compares it with the live commands."""
    # Importing pathlib would take as long as all the rest.
    with open(__file__.removesuffix("main.py") + "help.txt", encoding="utf-8") as stored:  # noqa: PTH123
        text = stored.read()
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stderr.close()


def _hush() -> None:
    """Keeps warnings of libraries, which are for programmers, from what is said to people, unless they are wanted."""
    import warnings

    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _heed_interrupts() -> None:
    """Makes Ctrl-C raise KeyboardInterrupt, but leave at once while modules are imported.

    A class body that is interrupted raises RuntimeError (CPython up to 3.11), which nobody could tell from a fault.
    Leaving is safe at any moment: what is written is written in transactions.
    """
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(_signal: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            import os

            os.write(2, _LINE.encode())
            os._exit(INTERRUPTED)
        frame = frame.f_back
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
