"""What the process of a job does: `python -m wrac.api.work`, its order a line of JSON on standard input.

It writes a line of JSON for each step, and at the end one with the report or the problem. Ctrl-C ends it as any
command; so does the end of its input, which is the end of the server.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TextIO

from wrac import contract
from wrac.core.errors import WracError
from wrac.flow import Workspace

OFTEN: Final = 0.1
"""Seconds between two lines that tell how far the job is."""
INTERRUPTED: Final = 130
GIVES_WAY: Final = 5
"""How much a job's process, and those that parse for it, stand behind the searches of the server."""


def main() -> None:
    """Does the job and leaves with the exit code of the command of the same name."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_watch, daemon=True).start()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as lines:
        os.dup2(2, 1)  # whatever else prints must not stand among the lines
        if hasattr(os, "nice"):
            os.nice(GIVES_WAY)
        sys.exit(_done(order, _Told(lines)))


def _done(order: Mapping[str, Any], tell: _Told) -> int:
    """The exit code of an order, once it is done."""
    try:
        with Workspace(order["workspace"], create=False) as workspace:
            tell.say(report=VERBS[order["kind"]](workspace, order, tell))
    except KeyboardInterrupt:
        return INTERRUPTED
    except WracError as error:
        tell.say(problem={"error": type(error).__name__, "detail": str(error)})
        return error.exit_code
    return 0


class _Told:
    """Writes how far the job is, now and then, and how it ended."""

    def __init__(self, lines: TextIO) -> None:
        self._lines, self._last = lines, 0.0

    def __call__(self, verb: str, done: int, total: int | None, what: str = "") -> None:
        now = time.monotonic()
        if now - self._last >= OFTEN or done == total:
            self._last = now
            self.say(progress={"verb": verb, "done": done, "total": total, "what": what})

    def say(self, **line: object) -> None:
        """Write a line."""
        self._lines.write(json.dumps(line) + "\n")
        self._lines.flush()


def _index(workspace: Workspace, order: Mapping[str, Any], tell: _Told) -> contract.Json:
    from wrac.flow.sites import Site

    how: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in order["site"].items()
    }
    report = workspace.index(
        order["sources"], meta=order["meta"], base=order["base"], policy=_policies(workspace, order),
        site=Site(**how, meta=order["meta"]), progress=tell,
    )  # fmt: skip
    return contract.index_row(report)


def _refresh(workspace: Workspace, order: Mapping[str, Any], tell: _Told) -> contract.Json:
    report = workspace.refresh(due=order["due"], since=order["since"], progress=tell)
    changed = report.pages - report.unchanged - report.added
    return {"added": report.added, "changed": changed, "tokens_saved": report.saved, **contract.index_row(report)}


def _replan(workspace: Workspace, order: Mapping[str, Any], tell: _Told) -> contract.Json:
    from wrac.flow.planners import RULES

    planning = RULES if order["planner"] == "rules" else None
    report = workspace.replan(policy=_policies(workspace, order), planning=planning, progress=tell)
    return contract.replan_row(report)


def _reindex(workspace: Workspace, _order: Mapping[str, Any], tell: _Told) -> contract.Json:
    started = time.perf_counter()
    pages = workspace.reindex(progress=tell)
    place = workspace.shelf.place or workspace.place
    return {"pages": pages, "store": place, "seconds": round(time.perf_counter() - started, 3)}


VERBS: Final[Mapping[str, Callable[[Workspace, Mapping[str, Any], _Told], contract.Json]]] = {
    "index": _index,
    "refresh": _refresh,
    "replan": _replan,
    "reindex": _reindex,
}


def _policies(workspace: Workspace, order: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Policies, imported where needed
    """What the workspace plans by, with what the order says for every page; None where it says nothing."""
    from wrac.planning.policies import Policies

    return (workspace.remembered().policies or Policies()).override(**order["policy"]) if order["policy"] else None


def _watch() -> None:
    """Interrupts the job when its input ends."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
