"""The process of a job, from outside: started, followed, interrupted as Ctrl-C would."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

# -P: a file of the server's folder that is called like a module must not be imported for it.
COMMAND: Final = (sys.executable, "-P", "-m", "wrac.api.work")
PATIENCE: Final = 20.0
"""Seconds that a job has for ending in order; then it is killed, which loses no page: pages are transactions."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended: with a report, with a problem, or with neither where it was stopped."""

    report: Mapping[str, Any] | None = None
    problem: Mapping[str, str] | None = None


class Process:
    """A running job."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `ended`
        # A group of its own: Ctrl-C reaches the server alone, which ends its jobs in order.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True
        )
        self._said: Ended | None = None
        self._stopped = False
        self._timer: threading.Timer | None = None
        assert self._process.stdin is not None  # noqa: S101
        # Its input stays open: where it ends the server has, and the job does too.
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()

    def progress(self) -> Iterator[Mapping[str, Any]]:
        """How far it is, as it says so, until it ends."""
        assert self._process.stdout is not None  # noqa: S101
        for line in self._process.stdout:
            said = json.loads(line)
            if "progress" in said:
                yield said["progress"]
            else:
                self._said = Ended(said.get("report"), said.get("problem"))

    def ended(self) -> Ended:
        """How it ended; it is gone then, with all it had open."""
        code = self._process.wait()
        if self._timer is not None:
            self._timer.cancel()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        self._errors.close()
        if self._said is not None:
            return self._said
        if self._stopped:
            return Ended()
        return Ended(problem={"error": "", "detail": f"the job's process died ({lines[-1] if lines else code})"})

    def interrupt(self, patience: float = PATIENCE) -> None:
        """Make it stop; where it has not within `patience` seconds, it is killed."""
        self._stopped = True
        self._process.send_signal(signal.SIGINT)
        self._timer = threading.Timer(patience, self._process.kill)
        self._timer.daemon = True
        self._timer.start()
