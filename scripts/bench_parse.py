"""Parsing measured on real documentation pages (BARS: speed against bare lexbor and semchunk).

    python scripts/bench_parse.py --speed [--pages 60]         time and memory as multiples, in one run
    python scripts/bench_parse.py --speed --compiled           the same beside the compiled package (a minute, once)
    python scripts/bench_parse.py --depth                      100,000 nested elements, options and the like
    python scripts/bench_parse.py --curve                      time and memory from 10 kB to 50 MB

Without an option --depth and --speed. What is lost or torn apart is measured by scripts/bench_fidelity.py.

Pages are those of Debian's python3.11-doc and postgresql-doc-15 (scripts/fetch_debian_docs.sh, or WRAC_DEBIAN_DOCS).
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.compile_hot import compile_into
from tests import debian

from wrac.chunking import chunk
from wrac.core.types import Page, Policy
from wrac.parsing import parse
from wrac.planning import plan


def speed(paths: Sequence[Path], policy: Policy, rounds: int, *, compiled: bool) -> None:
    """Prints processor time of each way over the same pages, interleaved after a warm-up, as multiples."""
    pages = [Page(path.as_uri(), path.read_bytes()) for path in paths]
    size = sum(len(page.body) for page in pages)
    ways: dict[str, Callable[[], float]] = {
        "lexbor, bytes to tree": lambda: clocked(lambda page: LexborHTMLParser(page.body), pages),
        "wrac, bytes to Document": lambda: clocked(parse, pages),
        "wrac, bytes to chunks": lambda: clocked(lambda page: to_chunks(page, policy), pages),
        "bs4 text + semchunk": lambda: clocked(theirs, pages),
    }
    theirs = peer(policy)
    if compiled:
        other = Compiled(paths)
        ways["wrac compiled, bytes to Document"] = lambda: other.clocked("parse")
        ways["wrac compiled, bytes to chunks"] = lambda: other.clocked("chunks")
    best = {name: way() and float("inf") for name, way in ways.items()}  # a cold first pass is twice as slow
    for _ in range(rounds):
        for name, way in ways.items():
            best[name] = min(best[name], way())
    bare, peers = best["lexbor, bytes to tree"], best["bs4 text + semchunk"]
    print(f"{len(paths)} documentation pages, {size / 1e6:.1f} MB, best of {rounds} rounds\n")
    print("| way | seconds | pages/CPU-s | MB/s | x bare lexbor | x faster than semchunk |\n|---|---|---|---|---|---|")
    for name, seconds in best.items():
        rate = f"{len(pages) / seconds:.1f} | {size / seconds / 1e6:.1f}"
        print(f"| {name} | {seconds:.3f} | {rate} | {seconds / bare:.2f} | {peers / seconds:.2f} |")


class Compiled:
    """A process that runs the package with its hot modules compiled, one pass over the pages when asked."""

    def __init__(self, paths: Sequence[Path]) -> None:
        folder = Path(__file__).parents[1] / ".cache/compiled"
        compile_into(folder)
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, __file__, "--serve", *map(str, paths)]
        self._process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def clocked(self, way: str) -> float:
        """Processor seconds of one pass."""
        ask, answer = self._process.stdin, self._process.stdout
        if ask is None or answer is None:
            sys.exit("the compiled package has no pipes")
        print(way, file=ask, flush=True)
        return float(answer.readline())


def serve(paths: Sequence[Path]) -> None:
    """Answers each line of standard input, `parse` or `chunks`, with the processor seconds of that pass."""
    pages = [Page(path.as_uri(), path.read_bytes()) for path in paths]
    ways: dict[str, Callable[[Page], object]] = {"parse": parse, "chunks": lambda page: to_chunks(page, Policy())}
    for line in sys.stdin:
        print(clocked(ways[line.strip()], pages), flush=True)


def clocked(way: Callable[[Page], object], pages: Sequence[Page]) -> float:
    """Processor seconds of one pass over the pages."""
    gc.collect()
    begin = time.process_time()
    for page in pages:
        way(page)
    return time.process_time() - begin


def to_chunks(page: Page, policy: Policy) -> object:
    """The whole way by wrac."""
    document = parse(page)
    return chunk(document, plan(document, policy), policy)


def peer(policy: Policy) -> Callable[[Page], object]:
    """The fastest peer of BARS: semchunk over BeautifulSoup's text, with wrac's own token counter."""
    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
    from semchunk.semchunk import chunkerify

    from wrac.text.tokens import counter

    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)
    split = chunkerify(counter(policy.tokenizer).count, policy.maximum)
    return lambda page: split(BeautifulSoup(page.body, "lxml").get_text())


LINUX = Path("/proc/self/clear_refs").exists()  # where a process's peak memory can be read and reset
MEMORY = """
import sys, time
from pathlib import Path
from wrac.core.types import Page
from wrac.parsing import parse
parse(Page("warm", b"<h1>a</h1><table><tr><th>b</table>" + b"<p>c</p>" * 20))  # enough for the content score
head, part, tail = (Path(sys.argv[1]).read_bytes(), b"", b"")
if len(sys.argv) > 2:  # the page's body again and again, up to a size
    head, part, tail = head.partition(b"</body>")
    start = head.index(b"<body")
    head, part = head[:start], head[start:]
body = head + part * (max(1, int(sys.argv[2]) // len(part)) if part else 0) + tail
def status(key):
    line = next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith(key))
    return int(line.split()[1]) * 1024
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
begin = time.process_time()
document = parse(Page("page", body))
print(len(body), status("VmHWM") - before, len(document.places), time.process_time() - begin)
"""


def measured(path: Path, *size: int) -> tuple[int, int, int, float]:
    """Bytes, peak memory in bytes, places and processor seconds of one parse in a process of its own (Linux)."""
    command = [sys.executable, "-c", MEMORY, str(path), *map(str, size)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return int(found[0]), int(found[1]), int(found[2]), float(found[3])


def memory(paths: Sequence[Path]) -> None:
    """Prints peak resident memory of one parse above what stood before, as a multiple of the page."""
    for path in paths:
        size, peak, places, _ = measured(path)
        times = f"{peak / size:.1f} x the page"
        print(f"- {path.name}: {size / 1e3:.0f} kB, {places} places, peak {peak / 1e6:.1f} MB = {times}")


def curve(path: Path) -> None:
    """Prints time and peak memory of pages of five sizes, made of one page's body again and again."""
    print("| page | units | seconds | MB/s | peak memory, x the page |\n|---|---|---|---|---|")
    for wanted in (10_000, 100_000, 1_000_000, 10_000_000, 50_000_000):
        size, peak, places, seconds = measured(path, wanted)
        print(f"| {size / 1e6:.2f} MB | {places} | {seconds:.3f} | {size / seconds / 1e6:.1f} | {peak / size:.1f} |")


def depth() -> None:
    """Prints the processor time of pages that nest or repeat 100,000 elements."""
    from tests.laws.test_parse_laws import DEEP

    print("| 100,000 elements: page | units | seconds |\n|---|---|---|")
    for name, html in DEEP.items():
        page = Page(name, html.encode())
        took = min(clocked(parse, [page]) for _ in range(3))
        print(f"| {name} | {len(parse(page).places)} | {took:.2f} |")


def main() -> None:
    """Parses the options and runs the parts asked for."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--speed", action="store_true", help="time and memory as multiples")
    options.add_argument("--compiled", action="store_true", help="with --speed, also of the compiled package")
    options.add_argument("--depth", action="store_true", help="pages that nest or repeat 100,000 elements")
    options.add_argument("--curve", action="store_true", help="time and memory from 10 kB to 50 MB")
    options.add_argument("--pages", type=int, default=160)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--serve", nargs="+", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        serve(chosen.serve)
        return
    paths, policy = debian.sample(chosen.pages), Policy()
    if not paths:
        sys.exit(debian.ABSENT)
    everything = not (chosen.speed or chosen.depth or chosen.curve)
    if chosen.depth or everything:
        depth()
        print()
    if chosen.speed or everything:
        speed(paths, policy, chosen.rounds, compiled=chosen.compiled)
        print()
    largest = sorted(debian.pages("python3.11-doc"), key=lambda path: path.stat().st_size)
    if (chosen.speed or everything) and LINUX:
        memory(largest[-40::13])
    if chosen.curve and LINUX:
        curve(next(path for path in largest if path.stat().st_size > 9_000))


if __name__ == "__main__":
    main()
