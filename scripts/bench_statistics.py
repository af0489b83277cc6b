"""What statistics cost: a log read the first time, read again, and summed.

    python scripts/bench_statistics.py [--events 1000000]

The log is made up: searches with ten hits each, some of them judged, over 20,000 chunks of 2,000 pages and 5,000
queries. Times are of the processor, so that what else runs on the machine matters less.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from wrac.observing.columns import Journal
from wrac.observing.statistics import asked as queries
from wrac.observing.statistics import counted, days, latency, searched

CHUNKS, QUERIES = 20_000, 5_000


def events(count: int) -> Iterator[dict[str, object]]:
    """At least so many events, in the order of time."""
    draw, at, made = random.Random(1), 1.79e9, 0
    while made < count:
        at += draw.random() * 3
        run = f"{draw.getrandbits(48):012x}"
        query, took = f"how do I set up part {draw.randrange(QUERIES)}", round(draw.expovariate(20), 4)
        asked = {"query": query, "k": 10, "budget": None, "hits": 10, "seconds": took}
        yield {"at": round(at, 3), "name": "query", "run": run, **asked}
        for rank in range(1, 11):
            chunk = int(draw.paretovariate(0.5)) % CHUNKS
            where = {"chunk": f"c1:{chunk:032x}", "url": f"https://docs.example.com/{chunk // 10}.html"}
            yield {"at": round(at, 3), "name": "hit", "run": run, **where, "rank": rank, "confidence": 0.5}
        if draw.random() < 0.05:
            yield {"at": round(at, 3), "name": "feedback", "run": run, **where, "verdict": draw.choice((1, -1))}
        made += 11


def timed(what: str, work: Callable[[], object]) -> None:
    """Does the work and prints what it took."""
    started = time.process_time()
    work()
    print(f"{what:24} {time.process_time() - started:8.3f} s")


def main() -> None:
    """Print what each step took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "2026-09.jsonl"
        with file.open("w") as out:
            out.writelines(json.dumps(one, separators=(",", ":")) + "\n" for one in events(wanted.events))
        timed("json.loads of each line", lambda: [json.loads(line) for line in file.read_bytes().splitlines()])
        journal = Journal(Path(folder))
        timed("read", journal.read)
        with file.open("a") as out:
            out.write(json.dumps(next(events(1))) + "\n")
        timed("read one more", journal.read)
        found = journal.read()
        timed("latency", lambda: latency(found))
        timed("days", lambda: days(found, ZoneInfo("Europe/Berlin")))
        timed("hits by chunk", lambda: counted(found, "chunk"))
        timed("hits by page", lambda: counted(found, "url"))
        timed("queries", lambda: queries(found))
        timed("searches of a page", lambda: searched(found, url="https://docs.example.com/7.html"))


if __name__ == "__main__":
    main()
