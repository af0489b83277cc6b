"""Parsing measured on real documentation pages (BARS: fidelity against lxml, speed against bare lexbor and semchunk).

    python scripts/bench_parse.py --fidelity [--pages 160]     what is lost or torn apart, in units and in chunks
    python scripts/bench_parse.py --speed [--pages 60]         time and memory as multiples, in one run
    python scripts/bench_parse.py --depth                      100,000 nested elements, options and the like

Without an option all three.

Pages are those of Debian's python3.11-doc and postgresql-doc-15 (scripts/fetch_debian_docs.sh, or WRAC_DEBIAN_DOCS).
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import lxml.html  # type: ignore[import-untyped]
from selectolax.lexbor import LexborHTMLParser

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests import debian

from wrac.chunking import chunk
from wrac.core.structure import trail
from wrac.core.types import Chunk, Document, Page, Policy
from wrac.parsing import parse
from wrac.planning import plan
from wrac.text.render import markdown

Element: TypeAlias = Any  # lxml has no types
BLOCK = frozenset(
    "address article aside blockquote caption dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def words(text: str) -> str:
    """The text with white space runs as one space."""
    return " ".join(text.split())


# -- ground truth by lxml ---------------------------------------------------------------------------------------------


def main_content(body: bytes) -> Element | None:
    """What a reader came for: Sphinx's body, or DocBook's page without its navigation tables."""
    tree = lxml.html.document_fromstring(body)
    for noise in tree.xpath("//script|//style|//div[@class='navheader' or @class='navfooter']"):
        noise.drop_tree()
    for line in tree.iter("br"):  # lxml's text of an element knows no line breaks
        line.tail = "\n" + (line.tail or "")
    found = tree.xpath("//div[@role='main']") or tree.xpath("//body")
    return found[0] if found else None


def own_text(element: Element) -> str:
    """An element's text, folded."""
    return words(str(element.text_content()))


def leaves(main: Element) -> Iterator[Element]:
    """Blocks that hold text and no other block: each is a unit a reader would point at."""
    for element in main.iter(*BLOCK):
        if own_text(element) and not any(child.tag in BLOCK for child in element.iterdescendants()):
            yield element


@dataclass
class Truth:
    """What must stay together on one page, all as white-space-folded text (code lines as they are)."""

    words: Counter[str] = field(default_factory=Counter)
    units: list[str] = field(default_factory=list)
    headed: list[tuple[str, str]] = field(default_factory=list)
    defined: list[tuple[str, str]] = field(default_factory=list)
    rows: list[tuple[list[str], list[str]]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


def truth(main: Element) -> Truth:
    """The facts of a page that a chunk or a unit must not tear."""
    blocks = [(element.tag, own_text(element)) for element in leaves(main)]
    found = Truth(words=Counter(words(" ".join(text for _, text in blocks)).split()))
    found.units = [text for tag, text in blocks if tag != "pre" and len(text.split()) >= 4]
    found.headed = [(a[1], b[1]) for a, b in pairwise(blocks) if a[0] in HEADINGS and b[0] not in HEADINGS]
    for term in main.iter("dt"):
        after = term.getnext()
        if after is not None and after.tag == "dd" and own_text(term):
            first = next((own_text(leaf) for leaf in (*leaves(after), after) if own_text(leaf)), "")
            found.defined += [(own_text(term), first)] if first else []
    for table in main.iter("table"):
        if not any(inner.tag == "table" for inner in table.iterdescendants()):
            found.rows += rows(table)
    found.code = [line for pre in main.iter("pre") for line in str(pre.text_content()).split("\n") if line.strip()]
    return found


def rows(table: Element) -> Iterator[tuple[list[str], list[str]]]:
    """Each body row's cells with the cells of the table's header row."""
    header: list[str] = []
    for row in table.iter("tr"):
        cells = [own_text(cell) for cell in row if cell.tag in {"td", "th"}]
        if all(cell.tag == "th" for cell in row):
            header = header or cells
        elif any(cells):
            yield cells, header


# -- fidelity ---------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """Counts of a column: how many of how many."""

    good: int = 0
    all: int = 0

    def add(self, good: bool) -> None:
        self.good += good
        self.all += 1

    @property
    def share(self) -> float:
        return 100 * self.good / self.all if self.all else 100.0


@dataclass(frozen=True)
class Piece:
    """A unit or chunk as text: its own, folded; the same with trail and repeated header; its lines as they are."""

    own: str
    shown: str
    lines: frozenset[str]


COLUMNS = ("units exact", "heading with text", "dt+dd", "rows whole", "row with header", "code lines")


def judge(facts: Truth, pieces: Sequence[Piece], tallies: dict[str, Tally], lost: list[int]) -> None:
    """Adds one page's figures."""
    have = Counter(word for piece in pieces for word in piece.own.split())
    lost[0] += sum((facts.words - have).values())
    lost[1] += facts.words.total()
    together: dict[str, Iterator[bool]] = {
        "units exact": (any(unit in piece.own for piece in pieces) for unit in facts.units),
        "heading with text": (any(h in p.shown and t in p.own for p in pieces) for h, t in facts.headed),
        "dt+dd": (any(term in p.shown and dd[:200] in p.own for p in pieces) for term, dd in facts.defined),
        "rows whole": (any(in_order(cells, p.own) for p in pieces) for cells, _ in facts.rows),
        "row with header": (
            any(in_order(cells, p.own) and all(h in p.shown for h in header) for p in pieces)
            for cells, header in facts.rows if header
        ),
        "code lines": (any(line in piece.lines for piece in pieces) for line in facts.code),
    }  # fmt: skip
    for column, results in together.items():
        for result in results:
            tallies[column].add(result)


def in_order(parts: Sequence[str], text: str) -> bool:
    """Whether the parts stand in the text one after the other."""
    position = 0
    for part in parts:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


def section_pieces(document: Document) -> list[Piece]:
    """Units with what their place and spans say: the trail, the row's table header, the definition list around."""
    heads = {o: span for span in document.spans if span.kind == "table" for o in range(span.first, span.last + 1)}
    pieces, terms = [], ""
    for place in document.places:
        text, kind = document.text(place.ordinal), document.units[place.unit].kind
        terms = f"{terms} {text}" if kind == "term" else terms
        above = [document.text(o) for o in trail(document, place.ordinal)]
        header = heads[place.ordinal].data.get("header_rows", ()) if place.ordinal in heads else ()
        context = [*above, terms[-2000:], *(document.text(o) for o in header), text]
        pieces.append(Piece(words(text), words(" ".join(context)), frozenset(text.split("\n"))))
    return pieces


def chunk_pieces(document: Document, chunks: Sequence[Chunk], ordinals: Sequence[Sequence[int]]) -> list[Piece]:
    """Chunks with their trail and rendering."""
    pieces = []
    for one, places in zip(chunks, ordinals, strict=True):
        above = " ".join(document.units[unit].text for unit in one.trail)
        shown = f"{above} {one.text} {markdown(document, places)} {table_headers(document, places)}"
        pieces.append(Piece(words(one.text), words(shown), frozenset(one.text.split("\n"))))
    return pieces


def table_headers(document: Document, places: Sequence[int]) -> str:
    """The header rows of tables that a chunk holds rows of; a rendering repeats them."""
    rows_ = {o for span in document.spans if span.kind == "table" and any(span.first <= p <= span.last for p in places)
             for o in span.data.get("header_rows", ())}  # fmt: skip
    return " ".join(document.text(ordinal) for ordinal in sorted(rows_))


def fidelity(paths: Sequence[Path], policy: Policy) -> None:
    """Prints the table."""
    kinds = ("units", "chunks")
    tallies = {kind: {column: Tally() for column in COLUMNS} for kind in kinds}
    lost = {kind: [0, 0] for kind in kinds}
    for path in paths:
        body = path.read_bytes()
        main = main_content(body)
        if main is None:
            continue
        facts, document = truth(main), parse(Page(path.as_uri(), body))
        result = chunk(document, plan(document, policy), policy)
        judge(facts, section_pieces(document), tallies["units"], lost["units"])
        places = [occurrence.ordinals for occurrence in result.occurrences]
        judge(facts, chunk_pieces(document, result.chunks, places), tallies["chunks"], lost["chunks"])
    print(f"| {len(paths)} pages | words lost % | " + " | ".join(f"{column} %" for column in COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for kind in kinds:
        share = 100 * lost[kind][0] / max(1, lost[kind][1])
        cells = " | ".join(f"{tallies[kind][column].share:.2f}" for column in COLUMNS)
        print(f"| {kind} | {share:.3f} | {cells} |")
    print("of: " + ", ".join(f"{column} {tallies['units'][column].all}" for column in COLUMNS))


# -- speed ------------------------------------------------------------------------------------------------------------


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
        print(f"{path.name}: {size / 1e3:.0f} kB, {places} places, peak {peak / 1e6:.1f} MB = {times}")


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
    options.add_argument("--fidelity", action="store_true", help="what is lost or torn apart")
    options.add_argument("--speed", action="store_true", help="time and memory as multiples")
    options.add_argument("--depth", action="store_true", help="pages that nest or repeat 100,000 elements")
    options.add_argument("--pages", type=int, default=160)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    paths, policy = debian.sample(chosen.pages), Policy()
    if not paths:
        sys.exit(debian.ABSENT)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {date.today()}")
    everything = not (chosen.fidelity or chosen.speed or chosen.depth)
    if chosen.fidelity or everything:
        fidelity(paths, policy)
    if chosen.depth or everything:
        depth()
    if chosen.speed or everything:
        speed(paths, policy, chosen.rounds)
        memory(sorted(debian.pages("python3.11-doc"), key=lambda path: path.stat().st_size)[-40::13])


if __name__ == "__main__":
    main()
