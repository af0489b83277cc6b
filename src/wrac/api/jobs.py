"""Work that outlasts a request: one job after the other in a workspace, each in a process of its own.

A process, since a run is then stopped as Ctrl-C stops a command, at any moment and with what was finished kept, and
searches go on at full speed beside it. What is known of a job stands in the workspace's folder too: after the server
was killed its jobs are told as interrupted, and the same order goes on where they stopped.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias
from uuid import uuid4

from starlette.exceptions import HTTPException

from wrac.api.process import Ended, Process
from wrac.api.replies import Bell
from wrac.api.served import Served
from wrac.core.errors import NotFoundError, StorageError
from wrac.flow.forget import JOBS

Kind: TypeAlias = Literal["index", "refresh", "replan", "reindex"]
State: TypeAlias = Literal["queued", "running", "cancelling", "done", "failed", "cancelled", "interrupted"]
UNDER_WAY: Final = ("queued", "running", "cancelling")
KEPT: Final = 200
"""Jobs of a workspace that are remembered."""
QUEUE: Final = 50
"""Jobs of a workspace that may wait."""
_LOG: Final = logging.getLogger("uvicorn.error")


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is at a moment; moments are seconds since 1970. `key` is a digest of its idempotency key.

    `server` is the process of the server that runs it, `since` when that began.
    """

    id: str
    kind: Kind
    workspace: str
    order: Mapping[str, Any]
    state: State = "queued"
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    progress: Mapping[str, Any] | None = None
    report: Mapping[str, Any] | None = None
    problem: Mapping[str, str] | None = None
    key: str = ""
    server: int = 0
    since: str = ""

    @property
    def row(self) -> dict[str, Any]:
        """Its public shape."""
        hidden = ("key", "server", "since")
        return {name: value for name, value in asdict(self).items() if name not in hidden}


class Jobs:
    """The jobs of the workspaces that are served."""

    def __init__(self, served: Served, bell: Bell) -> None:
        self._places = {name: (served.place(name), one.path / JOBS) for name, one in served.workspaces.items()}
        self._bell = bell
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}
        self._lanes: dict[str, ThreadPoolExecutor] = {}
        self._processes: dict[str, Process] = {}
        for name, (_, folder) in self._places.items():
            for job in _stored(folder):
                self._jobs[job.id] = replace(job, workspace=name)

    def start(self, workspace: str, kind: Kind, order: Mapping[str, Any], key: str = "") -> tuple[Job, bool]:
        """A job, and whether it is new: with the idempotency key of another one it is that one.

        Raises HTTPException where the key was given with another order, and where too many jobs wait, StorageError
        where it cannot be written down.
        """
        digest = sha256(key.encode()).hexdigest() if key else ""
        with self._lock:
            for job in self._jobs.values() if key else ():
                if job.key == digest and job.workspace == workspace:
                    if (job.kind, dict(job.order)) != (kind, dict(order)):
                        raise HTTPException(422, "this Idempotency-Key was given with another order; take another key")
                    return job, False
            waiting = sum(one.workspace == workspace and one.state in UNDER_WAY for one in self._jobs.values())
            if waiting >= QUEUE:
                raise HTTPException(429, f"{waiting} jobs wait already; cancel one, or wait", {"Retry-After": "60"})
            job = Job(
                uuid4().hex[:12], kind, workspace, order, created=_now(), key=digest, server=os.getpid(),
                since=_since(os.getpid()),
            )  # fmt: skip
            try:
                self._write(job)
            except OSError as error:
                raise StorageError(
                    f"the job cannot be written down ({error.strerror}); free space, then try again"
                ) from error
            self._take(job)
            lane = self._lanes.setdefault(workspace, ThreadPoolExecutor(1, f"wrac-job-{workspace}"))
            lane.submit(self._run, job.id)
        return job, True

    def get(self, identity: str) -> Job:
        """The job of an id. Raises NotFoundError where there is none."""
        with self._lock:
            found = self._jobs.get(identity)
            if found is None:
                raise NotFoundError(identity, "there is no such job", "GET /v1/jobs lists them")
            return self._seen(found)

    def of(self, workspace: str) -> list[Job]:
        """The jobs of a workspace, the newest first."""
        with self._lock:
            found = [self._seen(job) for job in list(self._jobs.values()) if job.workspace == workspace]
        return sorted(found, key=lambda job: (job.created, job.id), reverse=True)

    def counts(self) -> dict[str, int]:
        """How many jobs there are in each state."""
        with self._lock:
            states = [job.state for job in self._jobs.values()]
        return {state: states.count(state) for state in sorted(set(states))}

    def cancel(self, identity: str) -> Job:
        """The job, which ends as soon as it can; one that has ended stays as it is.

        Raises HTTPException for one that another server runs.
        """
        with self._lock:
            job = self.get(identity)
            if job.state in UNDER_WAY and job.server != os.getpid():
                raise HTTPException(409, "another server runs this job; stop it there")
            if job.state == "queued":
                job = self._keep(replace(job, state="cancelled", ended=_now()))
            elif job.state == "running":
                job = self._keep(replace(job, state="cancelling"))
                if process := self._processes.get(identity):
                    process.interrupt()
        return job

    def close(self) -> None:
        """End the jobs under way; they are told as interrupted."""
        with self._lock:
            for job in list(self._jobs.values()):
                if job.state == "queued" and job.server == os.getpid():
                    self._keep(replace(job, state="interrupted", ended=_now()))
            running = list(self._processes.values())
        for process in running:
            process.interrupt(patience=1.0)
        for lane in self._lanes.values():
            lane.shutdown(wait=True, cancel_futures=True)

    def _seen(self, job: Job) -> Job:
        """The job as it is now: what another server runs, its file tells."""
        if job.state in UNDER_WAY and job.server != os.getpid():
            file = self._places[job.workspace][1] / f"{job.id}.json"
            job = self._jobs[job.id] = replace(_read(file) or job, workspace=job.workspace)
        return job

    # -- in the thread of a workspace

    def _run(self, identity: str) -> None:
        """Do a job, unless it was cancelled meanwhile."""
        try:
            ended = self._followed(identity)
        except (OSError, ValueError) as error:
            _LOG.exception("a job could not be followed")
            ended = Ended(problem={"error": "", "detail": f"its process cannot be followed ({error})"})
        if ended is None:
            return
        with self._lock:
            self._processes.pop(identity, None)
            job = self._jobs[identity]
            self._keep(replace(job, state=_state(job, ended), ended=_now(), report=ended.report, problem=ended.problem))

    def _followed(self, identity: str) -> Ended | None:
        """How the process of a job ended; None where the job was not to begin any more."""
        with self._lock:
            job = self._jobs[identity]
            if job.state != "queued":
                return None
            place, _ = self._places[job.workspace]
            process = self._processes[identity] = Process({"workspace": place, "kind": job.kind, **job.order})
            self._keep(replace(job, state="running", started=_now()))
        for progress in process.progress():
            with self._lock:
                self._jobs[identity] = replace(self._jobs[identity], progress=progress)
            self._bell.ring()
        return process.ended()

    def _keep(self, job: Job) -> Job:
        """The job, which is what is known from now on, in the workspace's folder too where there is room."""
        with self._lock:
            self._take(job)
            try:
                self._write(job)
            except OSError as error:
                _LOG.error("job %s is %s, which cannot be written down: %s", job.id, job.state, error)
        return job

    def _take(self, job: Job) -> None:
        """Know the job, and forget the oldest ones."""
        self._jobs[job.id] = job
        for old in self.of(job.workspace)[KEPT:]:
            if old.state not in UNDER_WAY:
                del self._jobs[old.id]
                (self._places[job.workspace][1] / f"{old.id}.json").unlink(missing_ok=True)
        self._bell.ring()

    def _write(self, job: Job) -> None:
        folder = self._places[job.workspace][1]
        folder.mkdir(exist_ok=True)
        half = folder / f"{job.id}.half"
        half.write_text(json.dumps(asdict(job)), encoding="utf-8")
        half.replace(folder / f"{job.id}.json")


def _state(job: Job, ended: Ended) -> State:
    if ended.report is not None:
        return "done"
    if ended.problem is not None:
        return "failed"
    return "cancelled" if job.state == "cancelling" else "interrupted"


def _stored(folder: Path) -> Iterator[Job]:
    """The jobs that are known of in a folder."""
    for path in sorted(folder.glob("*.json")):
        if (job := _read(path)) is not None:
            yield job


def _read(path: Path) -> Job | None:
    """The job of a file, interrupted where its server is gone; None where there is none, or one of another version."""
    try:
        job = Job(**json.loads(path.read_text("utf-8")))
        if job.state in UNDER_WAY and not _lives(job):
            return replace(job, state="interrupted", ended=round(path.stat().st_mtime, 3))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    return job


def _lives(job: Job) -> bool:
    """Whether the server of a job, which is not this one, still runs."""
    try:
        os.kill(job.server, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is somebody else's
    return job.server != os.getpid() and (not job.since or job.since == _since(job.server))


def _since(process: int) -> str:
    """When a process began, as the system counts it: after a restart its number may be another one's. Empty where
    nothing tells.
    """
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _now() -> float:
    return round(time.time(), 3)
