"""The parsing process: `python -m wrac.flow.worker` answers tasks on its standard input.

It is a program of its own, not a fork and not a re-run of the caller's main module: a script that uses wrac needs no
guard, threads of the caller cannot lock it up, and when the caller dies its input ends and so does it.
"""

from __future__ import annotations

import gc
import sys

from wrac.core.errors import ConfigError
from wrac.flow.frames import receive, send


def main() -> None:
    """Answer tasks, each a function and its arguments, until the input ends: by its result or its ConfigError."""
    gc.set_threshold(100_000, 20, 20)  # a page makes many small objects and no cycles that matter
    # A print in a parser must not tear the frames.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    while True:
        try:
            function, given, named = receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = function(*given, **named)
        except ConfigError as error:  # nothing about this page: the caller's run cannot go on
            answer = error
        send(answers, answer)


if __name__ == "__main__":
    main()
