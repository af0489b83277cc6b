"""Laws 1 and 4 on the WCXB development pages: every code point in a unit or a loss, every address back to its text.

    python scripts/bench_laws.py [--every N]

Then one page of 50 MB, parsed and accounted for. The pages are read from `wcxb/dev.tar.xz` in WRAC_DATA or
../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from wrac.core.types import DataAddress, HtmlAddress, Page
from wrac.parsing import Resolver, account, parse

ROOT = Path(__file__).parents[1]
ARCHIVE = Path(os.environ.get("WRAC_DATA") or ROOT / "../shared/data") / "wcxb/dev.tar.xz"


def pages(every: int) -> Iterator[Page]:
    """Each `every`-th page of the archive."""
    number = 0
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".html.gz") else None
            if file is not None:
                number += 1
                if number % every == 0:
                    yield Page(member.name, gzip.decompress(file.read()))


def broken(page: Page) -> tuple[int, int, int, bool]:
    """Places of a page, those addressed by the whole page, those that do not read back, and whether it balances."""
    document = parse(page)
    resolver = Resolver(page.body)
    whole = wrong = 0
    for place in document.places:
        address = place.address
        if not isinstance(address, HtmlAddress | DataAddress):
            continue
        if isinstance(address, HtmlAddress) and address.context == "document":
            whole += 1
        wrong += resolver.text(address) != document.text(place.ordinal)
    return len(document.places), whole, wrong, account(page, document).balanced


def main() -> None:
    """Prints one line of sums, and the pages that break a law."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=10, help="take each N-th page")
    every = parser.parse_args().every
    if not ARCHIVE.exists():
        sys.exit(f"no {ARCHIVE} (set WRAC_DATA)")
    seen = places = whole = wrong = unbalanced = 0
    for page in pages(every):
        here, by_page, bad, balanced = broken(page)
        seen, places, whole, wrong = seen + 1, places + here, whole + by_page, wrong + bad
        unbalanced += not balanced
        if bad or not balanced:
            print(f"- {page.url}: {bad} addresses wrong, balanced: {balanced}")
    print(f"- {seen} pages, {places} places ({whole} by the whole page): {wrong} wrong, {unbalanced} unbalanced")
    body = b"<h1>Long</h1>" + b"<p>" + b"Words of a long page. " * 40 + b"</p>"
    long = Page("long.html", body * (50_000_000 // len(body)))
    begin = time.process_time()
    document = parse(long)
    took = time.process_time() - begin
    print(f"- 50 MB page: {len(document.places)} places in {took:.1f} s, balanced: {account(long, document).balanced}")


if __name__ == "__main__":
    main()
