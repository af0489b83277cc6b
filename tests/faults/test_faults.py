"""Whatever happens to a run, the next one finishes it, and the workspace is what an undisturbed run makes."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from tests.fakes_index import WordEmbedder
from tests.site import build

from wrac.core.errors import BusyError, StorageError
from wrac.core.types import Page
from wrac.flow import Workspace
from wrac.flow.pipeline import BATCH
from wrac.flow.workers import Workers

ROOT = Path(__file__).parents[2]
PAGES = 4


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("faults"), PAGES)


@pytest.fixture(scope="module")
def undisturbed(site: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("undisturbed")
    with Workspace(folder / "ws", embedder=WordEmbedder()) as workspace:
        workspace.index([site], workers=0)
    return digest(folder / "ws")


def digest(folder: Path) -> str:
    with Workspace(folder, create=False, embedder=WordEmbedder()) as workspace:
        report = workspace.verify(digest=True)
    assert report.problems == ()
    return report.digest


def start(  # noqa: PLR0913 - what can be done to a program
    site: Path,
    folder: Path,
    *,
    wait: float = 60,
    workers: int = 0,
    before: Callable[[], None] | None = None,
    mark: str = "",
) -> subprocess.Popen[str]:
    arguments = [site, folder / "ws", folder / "log", wait, workers]
    command = [sys.executable, "-m", "tests.faults.program", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=before,  # noqa: PLW1509 - sets a limit, takes no lock
        env={**os.environ, "WRAC_TEST_MARK": mark},
    )  # fmt: skip


def after(process: subprocess.Popen[str], lines: int) -> None:
    """Wait until the program has said so much."""
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()


def finish(site: Path, folder: Path) -> None:
    process = start(site, folder)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


@pytest.mark.parametrize("lines", [0, 3, 5])
def test_a_killed_run_is_gone_on_with(site: Path, undisturbed: str, tmp_path: Path, lines: int) -> None:
    process = start(site, tmp_path, workers=int(lines == 3))
    after(process, lines)
    time.sleep(0.002 * lines)
    process.kill()
    process.communicate(timeout=60)
    finish(site, tmp_path)
    assert digest(tmp_path / "ws") == undisturbed
    asked = (tmp_path / "log").read_text().split()
    assert len(asked) - len(set(asked)) <= BATCH


def test_an_interrupted_run_leaves_in_order(site: Path, undisturbed: str, tmp_path: Path) -> None:
    mark = uuid4().hex
    process = start(site, tmp_path, workers=1, mark=mark)
    after(process, 4)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "interrupted\n")
    assert alive(mark) == []
    finish(site, tmp_path)
    assert digest(tmp_path / "ws") == undisturbed


def alive(mark: str) -> list[str]:
    """Processes that were started under a mark and still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_text(errors="replace"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_two_runs_at_once_take_turns(site: Path, undisturbed: str, tmp_path: Path) -> None:
    both = [start(site, tmp_path), start(site, tmp_path)]
    for process in both:
        _, errors = process.communicate(timeout=90)
        assert process.returncode == 0, errors
    assert digest(tmp_path / "ws") == undisturbed
    asked = (tmp_path / "log").read_text().split()
    assert len(asked) == len(set(asked))


def test_a_second_writer_is_told_whom_it_waits_for_and_gives_up_in_time(site: Path, tmp_path: Path) -> None:
    told: list[str] = []
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as first, first.database.writer(0, lambda: None):
        process = start(site, tmp_path, wait=0.3)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == BusyError.exit_code
        assert "another process has been writing" in errors
        assert output.startswith("wait 0")
        with pytest.raises(BusyError):
            first.index([site], workers=0, wait=0, progress=lambda *what: told.append(what[0]))
    assert told == ["wait"]


def test_searches_go_on_while_a_page_is_written(site: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
        workspace.index([site], workers=0)
        with workspace.database.writer(0, lambda: None), workspace.database.write() as connection:
            connection.exec_driver_sql("DELETE FROM index_places")
            found: list[int] = []
            searcher = threading.Thread(target=lambda: found.append(len(workspace.search("refunds"))))
            searcher.start()
            searcher.join(10)
            assert found and found[0] > 0
            connection.rollback()


def test_a_limit_on_files_is_one_line_and_what_was_written_is_sound(tmp_path: Path) -> None:
    finish(build(tmp_path, 1, name="first"), tmp_path)

    def limit() -> None:
        size = (tmp_path / "ws" / "wrac.db").stat().st_size + 60_000
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    process = start(build(tmp_path, 40, name="large"), tmp_path, before=limit)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == StorageError.exit_code, errors
    assert "free space and run again" in errors
    assert len(errors.splitlines()) == 1
    digest(tmp_path / "ws")


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", disk], capture_output=True, check=False
    ).returncode:
        pytest.skip("a file system can only be mounted as root")
    return disk


def test_a_full_disk_is_one_line_and_goes_on_when_there_is_room(site: Path, undisturbed: str, small_disk: Path) -> None:
    try:
        filler = small_disk / "filler"
        filler.write_bytes(bytes(1_000_000))
        process = start(site, small_disk)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == StorageError.exit_code, errors
        assert len(errors.splitlines()) == 1
        filler.unlink()
        finish(site, small_disk)
        assert digest(small_disk / "ws") == undisturbed
        # What is left holds the 32 kB that readers of one database share, and not the matrix.
        next((small_disk / "ws").glob("vectors-*")).unlink()
        filler.write_bytes(bytes(os.statvfs(small_disk).f_bavail * 4096 - 36_000))
        with Workspace(small_disk / "ws", embedder=WordEmbedder()) as workspace:
            assert workspace.search("refunds")
    finally:
        subprocess.run(["umount", "-l", small_disk], check=True)


FAULTY = """
import os, signal, sys, time
from wrac.flow.frames import receive, send
while True:
    try:
        _, (page,), _ = receive(sys.stdin.buffer)
    except EOFError:
        break
    if b"die" in page.body: os.kill(os.getpid(), signal.SIGKILL)
    if b"hang" in page.body: time.sleep(60)
    if b"raise" in page.body: raise RecursionError("too deep a nest")
    send(sys.stdout.buffer, "answered")
"""


def test_a_dead_or_stuck_process_costs_its_page() -> None:
    bodies = (b"<p>one</p>", b"<p>die</p>", b"<p>two</p>", b"<p>hang</p>", b"<p>raise</p>", b"<p>three</p>")
    with Workers(2, patience=3, command=(sys.executable, "-c", FAULTY)) as workers:
        asked = [workers.submit(repr, Page(f"{number}.html", body)) for number, body in enumerate(bodies)]
        found = [answer.result(timeout=60) for answer in asked]
    assert found == [
        "answered",
        "the parsing process died (exit -9)",
        "answered",
        "took longer than 3 s (raise it with --max-seconds)",
        "the parsing process died (RecursionError: too deep a nest)",
        "answered",
    ]
