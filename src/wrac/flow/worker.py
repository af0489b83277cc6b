"""The parsing process: `python -m wrac.flow.worker` answers tasks on its standard input.

It is a program of its own, not a fork and not a re-run of the caller's main module: a script that uses wrac needs no
guard, threads of the caller cannot lock it up, and when the caller dies its input ends and so does it.
"""

from __future__ import annotations

import gc
import sys

from wrac.flow.frames import receive, send
from wrac.flow.prepare import answer


def main() -> None:
    """Answer tasks until the input ends: a Prepared, or the text that says why there is none."""
    gc.set_threshold(100_000, 20, 20)  # a page makes many small objects and no cycles that matter
    # A print in a parser must not tear the frames.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    while True:
        try:
            task = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(answers, answer(*task))


if __name__ == "__main__":
    main()
