"""Parsing measured on real documentation pages (BARS: speed against bare lexbor and semchunk).

    python scripts/bench_parse.py --speed [--pages 60]         time and memory as multiples, in one run
    python scripts/bench_parse.py --depth                      100,000 nested elements, options and the like

Without an option both. What is lost or torn apart is measured by scripts/bench_fidelity.py.

Pages are those of Debian's python3.11-doc and postgresql-doc-15 (scripts/fetch_debian_docs.sh, or WRAC_DEBIAN_DOCS).
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import debian

from wrac.chunking import chunk
from wrac.core.types import Page, Policy
from wrac.parsing import parse
from wrac.planning import plan


def speed(paths: Sequence[Path], policy: Policy, rounds: int) -> None:
    """Prints processor time of each way over the same pages, interleaved after a warm-up, as multiples."""
    pages = [Page(path.as_uri(), path.read_bytes()) for path in paths]
    size = sum(len(page.body) for page in pages)
    ways: dict[str, Callable[[Page], object]] = {
        "lexbor, bytes to tree": lambda page: LexborHTMLParser(page.body),
        "wrac, bytes to Document": parse,
        "wrac, bytes to chunks": lambda page: to_chunks(page, policy),
        "bs4 text + semchunk": peer(policy),
    }
    best = dict.fromkeys(ways, float("inf"))
    for way in ways.values():
        for page in pages[:8]:
            way(page)
    for _ in range(rounds):
        for name, way in ways.items():
            best[name] = min(best[name], clocked(way, pages))
    bare, theirs = best["lexbor, bytes to tree"], best["bs4 text + semchunk"]
    print(f"{len(paths)} documentation pages, {size / 1e6:.1f} MB, best of {rounds} rounds\n")
    print("| way | seconds | pages/CPU-s | MB/s | x bare lexbor | x faster than semchunk |\n|---|---|---|---|---|---|")
    for name, seconds in best.items():
        rate = f"{len(pages) / seconds:.1f} | {size / seconds / 1e6:.1f}"
        print(f"| {name} | {seconds:.3f} | {rate} | {seconds / bare:.2f} | {theirs / seconds:.2f} |")


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


MEMORY = """
import sys
from pathlib import Path
from wrac.core.types import Page
from wrac.parsing import parse
parse(Page("warm", b"<h1>a</h1><table><tr><th>b</table>"))
body = Path(sys.argv[1]).read_bytes()
def status(key):
    line = next(l for l in Path("/proc/self/status").read_text().splitlines() if l.startswith(key))
    return int(line.split()[1]) * 1024
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
document = parse(Page("page", body))
print(len(body), status("VmHWM") - before, len(document.places))
"""


def memory(paths: Sequence[Path]) -> None:
    """Prints peak resident memory of one parse above what stood before, as a multiple of the page (Linux)."""
    if not Path("/proc/self/clear_refs").exists():
        print("peak memory: needs Linux")
        return
    for path in paths:
        run = subprocess.run([sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True)
        size, peak, places = map(int, run.stdout.split())
        times = f"{peak / size:.1f} x the page"
        print(f"- {path.name}: {size / 1e3:.0f} kB, {places} places, peak {peak / 1e6:.1f} MB = {times}")


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
    options.add_argument("--depth", action="store_true", help="pages that nest or repeat 100,000 elements")
    options.add_argument("--pages", type=int, default=160)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    paths, policy = debian.sample(chosen.pages), Policy()
    if not paths:
        sys.exit(debian.ABSENT)
    everything = not (chosen.speed or chosen.depth)
    if chosen.depth or everything:
        depth()
        print()
    if chosen.speed or everything:
        speed(paths, policy, chosen.rounds)
        print()
        memory(sorted(debian.pages("python3.11-doc"), key=lambda path: path.stat().st_size)[-40::13])


if __name__ == "__main__":
    main()
