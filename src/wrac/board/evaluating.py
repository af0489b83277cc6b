"""Evaluations of a workspace on its own gold set: one at a time in a thread, told how far it is, ended on request.

Results are files of `wrac eval --out` in the workspace's folder `evaluations`, whoever put them there.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from wrac import evaluation
from wrac.core.errors import BusyError, ConfigError, InputError, NotFoundError, StorageError, WracError
from wrac.evaluation.cost import costs
from wrac.evaluation.gold import Stored, data_set
from wrac.evaluation.report import reading
from wrac.evaluation.report.compare import read
from wrac.evaluation.vectors import VectorCache
from wrac.flow import Workspace
from wrac.flow.embedders import recalled
from wrac.flow.leavings import RESULTS as FOLDER
from wrac.llm.prices import MODELS

OURS: Final = "workspace"
"""The strategy that is the workspace's own chunks; the others are measured against it, or against `BASELINE`."""
BASELINE: Final = "sections"
STRATEGIES: Final = (OURS, "wrac", BASELINE, "page", "recursive-200/0", "recursive-512/0", "words-375/75")
SEARCHES: Final = ("bm25", "default")
_NAME: Final = re.compile(r"[\w][\w.+-]*\.json")


class Listed(NamedTuple):
    """A results file: what was run, its best strategy by the headline metric; or the `fault` why it cannot be read."""

    name: str
    data: str = ""
    date: str = ""
    queries: int = 0
    strategies: tuple[str, ...] = ()
    metric: str = ""
    best: str = ""
    value: str = ""
    fault: str = ""


class Stopped(Exception):  # noqa: N818 - no error: somebody wanted it
    """The run was told to end."""


@dataclass(slots=True)
class Run:
    """A run under way or ended, `steps` of `total` done: `name` is its results file, `problem` why there is none."""

    strategies: tuple[str, ...]
    searches: tuple[str, ...]
    steps: int = 0
    told: str = "reading the pages"
    name: str = ""
    problem: str = "it failed; the server's log says how"
    ended: bool = False
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def total(self) -> int:
        """Steps of the whole run: each strategy cuts, then searches in each way."""
        return len(self.strategies) * (1 + len(self.searches))

    def tell(self, message: str) -> None:
        """Take note of a step. Raises Stopped where the run is to end."""
        if self.stop.is_set():
            raise Stopped
        self.told = message
        self.steps += not message.startswith("embedding")


class Evaluations:
    """The runs of the workspaces that are served: one at a time for each."""

    def __init__(self) -> None:
        self._runs: dict[Path, Run] = {}
        self._lock = threading.Lock()

    def of(self, workspace: Workspace) -> Run | None:
        """The run under way, or the last one that ended; None where there was none."""
        return self._runs.get(workspace.path)

    def start(self, workspace: Workspace, strategies: Sequence[str], searches: Sequence[str]) -> Run:
        """A run that has begun. Raises BusyError where one is under way, ConfigError for what is not offered."""
        wanted = tuple(name for name in STRATEGIES if name in strategies)
        ways = tuple(name for name in SEARCHES if name in searches)
        if not wanted or not ways or {*strategies} - {*STRATEGIES} or {*searches} - {*SEARCHES}:
            raise ConfigError(f"choose from {', '.join(STRATEGIES)}, and from the searches {', '.join(SEARCHES)}")
        with self._lock:
            before = self._runs.get(workspace.path)
            if before is not None and not before.ended:
                raise BusyError(workspace.place, "an evaluation is under way", "wait, or cancel it")
            run = self._runs[workspace.path] = Run(wanted, ways)
        threading.Thread(target=_follow, args=(workspace, run), name="wrac-evaluation", daemon=True).start()
        return run

    def cancel(self, workspace: Workspace) -> None:
        """End the run under way, as soon as it has finished its step."""
        if run := self._runs.get(workspace.path):
            run.stop.set()


def _follow(workspace: Workspace, run: Run) -> None:
    """Do a run to its end, whatever that is."""
    try:
        run.name = _evaluate(workspace, run)
    except Stopped:
        run.problem = "it was cancelled"
    except WracError as error:
        run.problem = str(error)
    finally:
        run.ended = True


def _evaluate(workspace: Workspace, run: Run) -> str:
    """The name of the results file."""
    started, data = time.perf_counter(), data_set(workspace)
    embedder = recalled(workspace.database) or "minilm"
    chunkers = [Stored(workspace) if name == OURS else name for name in run.strategies]
    vectors = VectorCache.of(embedder)
    results = evaluation.run(data, chunkers, run.searches, vectors=vectors, tell=run.tell)
    run.tell("writing the results")
    baseline = BASELINE if BASELINE in run.strategies else run.strategies[0]
    results["differences"] = evaluation.differences(results, baseline)
    results["costs"] = costs(results, MODELS)
    results["settings"] = {"embedder": embedder, "baseline": baseline}
    results["seconds"] = round(time.perf_counter() - started, 1)
    return _keep(workspace.path / FOLDER, results)


def _keep(folder: Path, results: dict[str, Any]) -> str:
    """The name of the file that holds the results from now on."""
    name = f"gold-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.json"
    try:
        folder.mkdir(exist_ok=True)
        fresh = folder / f".{name}"
        fresh.write_text(json.dumps(results, ensure_ascii=False), "utf-8")
        fresh.replace(folder / name)
    except OSError as error:
        raise StorageError(f"{folder}: {(error.strerror or str(error)).lower()}; free space, then run again") from error
    return name


# -- results ----------------------------------------------------------------------------------------------------------


def results(workspace: Workspace) -> list[Listed]:
    """The results files of a workspace, the newest first."""
    folder = workspace.path / FOLDER
    files = [one for one in folder.glob("*.json") if _NAME.fullmatch(one.name)] if folder.is_dir() else []
    return [_listed(one) for one in sorted(files, key=lambda one: (-one.stat().st_mtime, one.name))]


def _listed(file: Path) -> Listed:
    try:
        found = read(file)
    except InputError as error:
        return Listed(file.name, fault=error.problem)
    metric, rows = reading.headline(found), found["rows"]
    best = max(rows, key=lambda row: row["metrics"][metric], default=None)
    return Listed(
        name=file.name,
        data=found["data"]["name"],
        date=reading.facts(found)["date"],
        queries=found["data"]["queries"],
        strategies=tuple(reading.strategies(found)),
        metric=metric,
        best=f"{best['strategy']}, {best['search']}" if best else "",
        value=reading.figure(best["metrics"][metric]) if best else "",
    )


def result(workspace: Workspace, name: str) -> dict[str, Any]:
    """The results in a file. Raises NotFoundError where there is none of that name, InputError where it holds none."""
    return read(path(workspace, name))


def path(workspace: Workspace, name: str) -> Path:
    """Where a results file is. Raises NotFoundError where there is none of that name."""
    file = workspace.path / FOLDER / name
    if not _NAME.fullmatch(name) or not os.path.isfile(file):  # noqa: PTH113 - false for a name that is too long
        raise NotFoundError(workspace.place, f"no evaluation is called {name[:100]}", "see the list of evaluations")
    return file
