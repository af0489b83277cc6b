"""How `wrac serve` stands many searchers at once, indexing beside them, and being killed.

    python scripts/bench_serve.py [DATA] [--chunks 20000] [--clients 50] [--seconds 60] [--workspace FOLDER]

Passages are those of RAG-Multi-Corpus (below WRAC_DATA or ../shared/data), each with words of its own until there are
enough; their vectors are random, those of the queries MiniLM's. Every client searches, waits for the answer, and
searches again, over one connection; the clients run on the same machine. FOLDER keeps the workspace for the next time.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from html import escape
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from wrac.embedding import load
from wrac.evaluation.datasets import load as data_set
from wrac.evaluation.strategies import Corpus, strategy
from wrac.flow import Workspace

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).parents[1] / "../shared/data") / "rmc"
PAGE = 50


class Quick:
    """MiniLM by name, with random vectors: what is measured is the server."""

    window, dimensions = 256, 384

    def __init__(self) -> None:
        self.name = load().name
        self._random = np.random.default_rng(0)

    def tokens(self, text: str) -> int:
        return len(text.split()) + 2

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:  # noqa: ARG002 - the seam's
        rows = self._random.standard_normal((len(texts), self.dimensions))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@dataclass
class Told:
    """What the clients of one phase saw: seconds of each search, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def row(self, name: str, took: float, spent: float) -> str:
        """A line of the table: `took` seconds by the clock, `spent` by the server's processors."""
        middle, late = (np.percentile(self.seconds, [50, 95]) * 1000) if self.seconds else (0, 0)
        rate = len(self.seconds) / took
        return (
            f"| {name} | {len(self.seconds):,} | {len(self.errors)} | {rate:.1f} | {middle:.0f} | {late:.0f} | "
            f"{spent / max(1, len(self.seconds)) * 1000:.0f} |"
        )


def build(folder: Path, pages: Path, texts: list[str], count: int) -> None:
    """A workspace of about so many chunks, of pages that are written for it."""
    pages.mkdir()
    many = islice(enumerate(cycle(texts)), count)
    for page in range((count + PAGE - 1) // PAGE):
        parts = (f"<h2>Part n{number}</h2><p>{escape(text)} n{number}</p>" for number, text in islice(many, PAGE))
        (pages / f"{page}.html").write_text(f"<!doctype html><html lang=en><title>{page}</title>{''.join(parts)}")
    with Workspace(folder, embedder=Quick()) as workspace:
        workspace.index(pages)


@contextmanager
def server(workspace: Path, *options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """The port and the process of a server."""
    command = [sys.executable, "-m", "wrac.cli.main", "serve", "--port", "0", "-w", str(workspace), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r":(\d+) ", process.stdout.readline() if process.stdout else "")
        if found is None:
            raise SystemExit("the server did not start")
        yield int(found[1]), process
    finally:
        process.kill()
        process.wait()


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    """Status and body of an answer."""
    headers = {"Content-Type": "application/json"} if body is not None else {}
    connection.request(method, path, json.dumps(body) if body is not None else None, headers)
    response = connection.getresponse()
    return response.status, response.read()


def once(port: int, method: str, path: str, body: object = None) -> tuple[int, bytes]:
    """Status and body of an answer over a connection of its own."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        return ask(connection, method, path, body)


def pages(port: int) -> int:
    """How many pages the workspace holds."""
    return int(json.loads(once(port, "GET", "/v1/status")[1])["pages"])


def processor(process: subprocess.Popen[str]) -> float:
    """Seconds of processor time that a process has taken so far; 0 where the system does not tell."""
    stat = Path(f"/proc/{process.pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def searched(port: int, queries: list[str], clients: int, seconds: float) -> tuple[Told, float]:
    """What so many clients saw in so many seconds."""
    told, end, started = Told(), time.perf_counter() + seconds, time.perf_counter()

    def search(which: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for query in islice(cycle(queries), which * 7, None):
            began = time.perf_counter()
            if began >= end:
                break
            try:
                status, body = ask(connection, "GET", f"/v1/search?q={quote(query)}&k=5")
            except OSError as error:
                told.errors.append(repr(error))
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                continue
            told.seconds.append(time.perf_counter() - began)
            if status != 200:
                told.errors.append(f"{status} {body[:100]!r}")
        connection.close()

    threads = [threading.Thread(target=search, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told, time.perf_counter() - started


def killed(workspace: Path, clients: int, wanted: int = 500) -> tuple[int, int, int]:
    """Feedback that was acknowledged before the server was killed, how much of it is not in the log, torn lines."""
    acknowledged: list[str] = []
    with server(workspace) as (port, process):
        found = json.loads(once(port, "GET", "/v1/search?q=price&k=1")[1])
        chunk = found["hits"][0]["chunk"]

        def judge(which: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            for number in range(1_000_000):
                note = f"bench-{os.getpid()}-{which}-{number}"
                try:
                    status, _ = ask(connection, "POST", "/v1/feedback", {"chunk": chunk, "verdict": 1, "note": note})
                except (OSError, http.client.HTTPException):
                    return
                if status == 201:
                    acknowledged.append(note)

        threads = [threading.Thread(target=judge, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < wanted:
            time.sleep(0.01)
        process.kill()
        for thread in threads:
            thread.join()
    lines = [line for file in sorted((workspace / "events").glob("*.jsonl")) for line in file.read_text().splitlines()]
    kept = {match for line in lines for match in re.findall(r'"note":"(bench-[\d-]+)"', line)}
    torn = sum(not line.endswith("}") for line in lines)
    return len(acknowledged), len(set(acknowledged) - kept), torn


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default=str(DATA))
    parser.add_argument("--chunks", type=int, default=20_000, metavar="N")
    parser.add_argument("--clients", type=int, default=50, metavar="N")
    parser.add_argument("--seconds", type=float, default=60, metavar="N")
    parser.add_argument("--workspace", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    data = data_set(chosen.data)
    texts = [passage.indexed for passage in strategy("sections", data, Corpus()).passages(data.pages).items]
    queries = [query.text for query in data.queries]
    with tempfile.TemporaryDirectory() as temporary:
        place = chosen.workspace or Path(temporary) / "workspace"
        if not place.exists():
            build(place, Path(temporary) / "pages", texts, chosen.chunks)
        more = Path(temporary) / "more"
        more.mkdir()
        for number, text in enumerate(islice(cycle(texts), 2000)):
            (more / f"{number}.html").write_text(f"<title>{number}</title><p>{escape(text)} m{number}")
        with Workspace(place, create=False) as workspace:
            print(f"{workspace.status()['chunks']:,} chunks\n")
        print("| | searches | errors | a second | p50 ms | p95 ms | processor ms each |\n" + "|---" * 7 + "|")
        with server(place, "--allow-files", str(more)) as (port, process):
            searched(port, queries, 2, 5)  # the first ones pay for the model and the matrix
            for name, clients, seconds in (("1 searcher", 1, chosen.seconds / 3),
                                           (f"{chosen.clients} at once", chosen.clients, chosen.seconds)):  # fmt: skip
                before = processor(process)
                told, took = searched(port, queries, clients, seconds)
                print(told.row(name, took, processor(process) - before), flush=True)
            held = pages(port)
            job = json.loads(once(port, "POST", "/v1/jobs", {"kind": "index", "sources": ["."]})[1])
            before = processor(process)
            told, took = searched(port, queries, chosen.clients, chosen.seconds)
            spent = processor(process) - before
            now = json.loads(once(port, "GET", f"/v1/jobs/{job['id']}")[1])
            done = pages(port) - held
            print(told.row(f"{chosen.clients} at once, a job indexing", took, spent), flush=True)
            print(f"\nThe job indexed {done:,} pages meanwhile; it is {now['state']}.")
            once(port, "DELETE", f"/v1/jobs/{job['id']}")
            time.sleep(3)
        known, lost, torn = killed(place, chosen.clients)
        print(f"Killed (SIGKILL) after {known:,} acknowledged verdicts of {chosen.clients} clients: {lost} lost, "
              f"{torn} lines torn.")  # fmt: skip


if __name__ == "__main__":
    main()
