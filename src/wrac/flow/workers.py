"""A small pool of parsing processes: tasks in, answers in any order, a dead or stuck process costs its one page."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import IO, Any, ParamSpec, TypeVar

from wrac.core.errors import ConfigError
from wrac.flow.frames import receive, send

# -P: a file of the caller's folder that is called like a module must not be imported for it.
COMMAND = (sys.executable, "-P", "-m", "wrac.flow.worker")
PATIENCE = 120.0
"""Seconds a page may take before its process is ended, unless the caller says otherwise."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


class Died(str):
    """The reason of a page whose process was killed or took too long: it says nothing lasting about the page."""

    __slots__ = ()


class Workers:
    """`count` threads, each with a process that is started for its first task and again after a death.

    A `count` of 0 does the work where it is asked for: for a handful of pages, starting a process takes longer.
    """

    def __init__(self, count: int, patience: float = PATIENCE, command: tuple[str, ...] = COMMAND) -> None:
        self._patience, self._command = patience, command
        self._local = threading.local()
        self._lock = threading.Lock()
        self._processes: set[_Process] = set()
        self._closed = False
        self._threads = ThreadPoolExecutor(count, "wrac-parse") if count else None

    def submit(
        self, function: Callable[Given, Made | str], *given: Given.args, **named: Given.kwargs
    ) -> Future[Made | str]:
        """What a module's function makes of its arguments in a process, or the reason why it makes nothing.

        Raises ConfigError where the function does.
        """
        if self._threads is not None:
            return self._threads.submit(self._ask, (function, given, named))
        done: Future[Made | str] = Future()
        done.set_result(function(*given, **named))
        return done

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End every process; what was not answered will not be."""
        with self._lock:
            self._closed = True
            for process in self._processes:
                process.stop()
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
        for process in self._processes:
            process.end()

    def _ask(self, task: tuple[object, ...]) -> Any:  # noqa: ANN401 - what the function gives
        reason = ""
        for _ in range(2):  # what kills a process once, such as the system short of memory, may spare the next
            process = self._process()
            if process is None:
                return Died("the run was stopped")
            answer = process.ask(task, self._patience)
            if isinstance(answer, ConfigError):
                raise answer
            if not process.reason:
                return answer
            self._forget(process)
            reason = process.reason
            if process.late:
                break
        return Died(reason)

    def _process(self) -> _Process | None:
        process: _Process | None = getattr(self._local, "process", None)
        if process is None:
            with self._lock:
                if self._closed:
                    return None
                process = self._local.process = _Process(self._command)
                self._processes.add(process)
        return process

    def _forget(self, process: _Process) -> None:
        self._local.process = None
        with self._lock:
            self._processes.discard(process)


class _Process:
    """One parsing process; `reason` says how it died, and is empty while it lives."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self.reason = ""
        self.late = False
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        # A process group of its own: Ctrl-C reaches the caller alone, who ends the processes in order.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
        )

    def ask(self, task: object, patience: float) -> Any:  # noqa: ANN401 - what the process answers
        """The process's answer; None, and a `reason`, when it died or took longer than `patience` seconds."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.stop()

        timer = threading.Timer(patience, stop)
        timer.daemon = True
        timer.start()
        try:
            assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101
            send(self._process.stdin, task)
            return receive(self._process.stdout)
        except (EOFError, OSError):
            code = self._process.wait()
            self.late = late.is_set()
            self.reason = (
                f"took longer than {patience:g} s (raise it with --max-seconds)" if self.late else self._obituary(code)
            )
            self.end()
            return None
        finally:
            timer.cancel()

    def stop(self) -> None:
        """Kill the process; the thread that waits for it sees its output end."""
        self._process.kill()

    def end(self) -> None:
        """Stop the process and wait until it is gone."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                _close(stream)
        self._errors.close()

    def _obituary(self, code: int) -> str:
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return f"the parsing process died ({lines[-1] if lines else f'exit {code}'})"


def _close(stream: IO[bytes]) -> None:
    try:
        stream.close()
    except OSError:  # what was buffered for a process that is gone
        return
