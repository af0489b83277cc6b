"""Many searches at once: what each finds is what it would find alone, whoever else searches or writes."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.fakes_index import WordEmbedder
from tests.site import TOPICS, build, page

from wrac.flow import Workspace
from wrac.flow.turns import Turns
from wrac.indexing.vectors import MatrixFile, scan

THREADS, EACH, PAGES = 50, 20, 60


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("many"), PAGES)


@pytest.fixture(scope="module")
def workspace(site: Path) -> Iterator[Workspace]:
    with Workspace(site.parent / "ws", embedder=WordEmbedder()) as found:
        found.index(site, workers=0)
        yield found


def query(number: int) -> str:
    return f"how is {TOPICS[number % len(TOPICS)]} of kind {number % PAGES} handled"


def found(workspace: Workspace, asked: str) -> list[tuple[str, str, float]]:
    return [(hit.chunk, hit.url, hit.score) for hit in workspace.search(asked, k=3)]


def all_at_once(run: Callable[[int], object], threads: int) -> None:
    """Run in so many threads that start together. Raises what one of them raised."""
    start = threading.Barrier(threads)

    def one(number: int) -> None:
        start.wait()
        run(number)

    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(one, number) for number in range(threads)]:
            done.result()


def test_fifty_threads_find_what_one_finds(workspace: Workspace) -> None:
    alone = {query(number): found(workspace, query(number)) for number in range(EACH)}
    assert all(alone.values())

    def run(thread: int) -> None:
        for turn in range(EACH):
            asked = query((thread + turn) % EACH)
            assert found(workspace, asked) == alone[asked]

    all_at_once(run, THREADS)


def test_every_search_is_in_the_log_once(workspace: Workspace) -> None:
    before = sum(event.name == "query" for event in workspace.log.read())
    all_at_once(lambda number: workspace.search(query(number)), THREADS)
    assert sum(event.name == "query" for event in workspace.log.read()) == before + THREADS
    assert workspace.log.lost == 0


def test_searches_go_on_while_pages_are_written(tmp_path: Path) -> None:
    site = build(tmp_path, 12)
    with Workspace(tmp_path / "ws", embedder=WordEmbedder()) as workspace:
        workspace.index(site, workers=0)
        done = threading.Event()

        def write() -> None:
            for number in range(100, 106):
                (site / f"{number}.html").write_text(page("refunds", number), encoding="utf-8")
                workspace.index(site, workers=0)
            done.set()

        def read(number: int) -> None:
            while not done.is_set():
                hits = workspace.search(query(number), k=3)
                assert len(hits) == 3
                assert f"kind {number} " in hits[0].text

        all_at_once(lambda number: read(number) if number else write(), 9)
        assert workspace.verify().problems == ()
        assert "kind 105" in workspace.search("refunds of kind 105", k=1)[0].text


def test_processes_search_at_once(site: Path, workspace: Workspace) -> None:
    code = (
        "import sys; from tests.fakes_index import WordEmbedder; from wrac.flow import Workspace\n"
        "with Workspace(sys.argv[1], create=False, embedder=WordEmbedder()) as found:\n"
        "    print([hit.chunk for n in range(10) for hit in found.search(f'how is refunds of kind {n} handled', k=3)])"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(site.parent / "ws")], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [process.communicate(timeout=60)[0] for process in started]
    alone = [hit.chunk for n in range(10) for hit in workspace.search(f"how is refunds of kind {n} handled", k=3)]
    assert said == [f"{alone}\n"] * 3


def test_the_matrix_is_derived_once_however_many_wait_for_it(tmp_path: Path) -> None:
    file, fetched = MatrixFile(tmp_path, "words@1"), list[int]()
    vectors = {number: np.eye(8, dtype="<f4")[number] for number in range(8)}

    def fetch(keys: Iterable[bytes]) -> dict[bytes, bytes]:
        fetched.append(1)
        time.sleep(0.05)
        return {key: vectors[int(key)].tobytes() for key in keys}

    def run(number: int) -> None:
        matrix = file.current(1, lambda: np.arange(8), lambda numbers: {n: b"%d" % n for n in numbers}, fetch)
        assert scan(matrix, vectors[number % 8], 1, None)[0] == [number % 8]

    all_at_once(run, 16)
    assert fetched == [1]


def test_no_more_have_a_turn_than_there_are_places() -> None:
    turns, lock, inside, most = Turns(3), threading.Lock(), 0, 0

    def run(_: int) -> None:
        nonlocal inside, most
        for _ in range(20):
            with turns:
                with lock:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0)
                with lock:
                    inside -= 1

    all_at_once(run, 20)
    assert most <= 3
    assert inside == 0
    with turns, turns, turns:
        pass  # every place was given back


def test_who_waits_longest_is_next_and_who_asks_again_waits_too() -> None:
    turns, order = Turns(1), list[int]()
    turns.__enter__()
    threads = [threading.Thread(target=lambda n=number: _note(turns, order, n)) for number in range(10)]
    for waiting, thread in enumerate(threads, 1):
        thread.start()
        while len(turns._waiting) < waiting:
            time.sleep(0.001)
    turns.__exit__(None, None, None)
    with turns:
        order.append(-1)
    for thread in threads:
        thread.join()
    assert order == [*range(10), -1]


def _note(turns: Turns, order: list[int], number: int) -> None:
    with turns:
        order.append(number)


def test_an_error_inside_gives_the_turn_back() -> None:
    turns = Turns(1)
    with pytest.raises(ValueError, match="inside"), turns:
        raise ValueError("inside")
    with turns:
        pass
