"""Conservation, addresses and structure on real pages, as they are and broken on purpose.

    python scripts/bench_laws.py [--every N]              WCXB's development pages, then one page of 50 MB
    python scripts/bench_laws.py --mutate 1500            so many of them, broken at one to five places
    python scripts/bench_laws.py --trees FOLDER           the inputs of html5lib's tree-construction tests (*.dat)

WCXB is read from `wcxb/dev.tar.xz` in WRAC_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.mutation import mutated
from tests.lawbook import check_shape, check_spans

from wrac.core.types import HtmlAddress, Page
from wrac.parsing import Resolver, account, parse

ROOT = Path(__file__).resolve().parent.parent
ARCHIVE = Path(os.environ.get("WRAC_DATA") or ROOT / "../shared/data") / "wcxb/dev.tar.xz"
SEED = 7


def pages(every: int) -> Iterator[Page]:
    """Each `every`-th page of the archive."""
    if not ARCHIVE.exists():
        sys.exit(f"no {ARCHIVE} (set WRAC_DATA)")
    number = 0
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".html.gz") else None
            if file is not None:
                number += 1
                if number % every == 0:
                    yield Page(member.name, gzip.decompress(file.read()))


def broken_pages(count: int) -> Iterator[Page]:
    """The first pages of the archive, over and over, broken by a fixed seed; splices take of the page before."""
    made, other = 0, b""
    while made < count:
        for page in pages(1):
            if made == count:
                return
            made += 1
            yield Page(f"{page.url} #{made}", mutated(page.body, Random(SEED * 1_000_000 + made), other))
            other = page.body


def trees(folder: Path) -> Iterator[Page]:
    """The input of each test; what stands after `#data` to the line before the next `#`."""
    for path in sorted(folder.rglob("*.dat")):
        tests = path.read_bytes().replace(b"\r\n", b"\n").split(b"#data\n")[1:]
        for number, test in enumerate(tests, 1):
            source = test.partition(b"\n#errors")[0]
            if source.strip():
                yield Page(f"{path.name} #{number}", source, charset="utf-8")


def faults(page: Page, sums: Counter[str]) -> Iterator[str]:
    """What laws a page breaks; its counts are added to the sums."""
    document = parse(page)
    check_shape(document)
    check_spans(document)
    resolver = Resolver(page.body, charset=page.charset)
    wrong = 0
    for place in document.places:
        address = place.address
        sums["by page"] += isinstance(address, HtmlAddress) and address.context == "document"
        wrong += resolver.text(address) != document.text(place.ordinal)
    sums.update({"pages": 1, "places": len(document.places), "wrong": wrong})
    if wrong:
        yield f"{wrong} addresses do not read back"
    found = account(page, document)
    if not found.balanced:
        sums["unbalanced"] += 1
        yield f"{found.sources} code points in its source, {found.units} in units and {found.losses} in losses"


def measure(found: Iterable[Page], what: str) -> bool:
    """Prints one line of sums, and the pages that break a law; whether none does."""
    sums: Counter[str] = Counter()
    slowest = 0.0
    for page in found:
        begin = time.process_time()
        for fault in faults(page, sums):
            print(f"- {page.url}: {fault}")
        slowest = max(slowest, time.process_time() - begin)
    print(f"- {sums['pages']:,} {what}: {sums['places']:,} places, {sums['by page']:,} addressed by the whole page")
    print(f"- addresses that do not read back: {sums['wrong']}; pages that lose a code point: {sums['unbalanced']}")
    print(f"- the slowest took {slowest:.1f} s with all checks")
    return not sums["wrong"] and not sums["unbalanced"]


def long_page() -> None:
    """Prints time and balance of a page of 50 MB."""
    body = b"<h1>Long</h1>" + b"<p>" + b"Words of a long page. " * 40 + b"</p>"
    page = Page("long.html", body * (50_000_000 // len(body)))
    begin = time.process_time()
    document = parse(page)
    took = time.process_time() - begin
    said = "balanced" if account(page, document).balanced else "not balanced"
    print(f"- one page of 50 MB: {len(document.places):,} places in {took:.1f} s, {said}")


def main() -> int:
    """0 when every page keeps the laws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=10, metavar="N", help="take each N-th page")
    parser.add_argument("--mutate", type=int, metavar="COUNT", help="take so many pages, broken")
    parser.add_argument("--trees", type=Path, metavar="FOLDER", help="take html5lib's tests")
    options = parser.parse_args()
    if options.trees:
        return int(not measure(trees(options.trees), "inputs of tree-construction tests"))
    if options.mutate:
        return int(not measure(broken_pages(options.mutate), "broken pages"))
    kept = measure(pages(options.every), "pages")
    long_page()
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
