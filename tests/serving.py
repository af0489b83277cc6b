"""`wrac serve` as its users run it: a process on a free port, asked over HTTP."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2


@dataclass
class Running:
    """A server: where it listens, its process, and a client of it."""

    url: str
    process: subprocess.Popen[str]
    client: httpx2.Client

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def interrupt(self, patience: float = 10.0) -> int:
        """End it as Ctrl-C does; its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(patience)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-P", "-m", "wrac.cli.main", *map(str, arguments)]


@contextmanager
def running(
    workspaces: Sequence[Path | str], *options: str | Path, headers: dict[str, str] | None = None, **client: Any
) -> Iterator[Running]:
    """A server of the workspaces; it is killed at the end unless it has ended."""
    places = [part for place in workspaces for part in ("--workspace", place)]
    process = subprocess.Popen(
        command("serve", *places, "--port", "0", *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        found = re.search(r"http://(\S+):(\d+)", line)
        assert found, line + process.stderr.read()
        url = f"http://{found[1]}:{found[2]}"
        with httpx2.Client(base_url=url, headers=headers, timeout=30, **client) as asking:
            yield Running(url, process, asking)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
