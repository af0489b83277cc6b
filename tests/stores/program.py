"""The program that tests of several writers disturb: fills a store page by page, a line for each batch.

python -m tests.stores.program URL FIRST COUNT
"""

from __future__ import annotations

import sys

from tests.stores.stores import SPACE
from tests.stores.test_conformance import change, row

from wrac.indexing import Change
from wrac.indexing.stores import open_index

BATCH, ROWS = 4, 5


def page_of(number: int) -> Change:
    """A page of some rows."""
    url = f"site/{number:03}.html"
    return change(url, [row(f"page{number} row{n} words", url, n) for n in range(ROWS)])


def main(url: str, first: int, count: int) -> None:
    index = open_index(url, SPACE)
    for start in range(first, first + count, BATCH):
        index.write([page_of(number) for number in range(start, min(start + BATCH, first + count))])
        sys.stdout.write(f"{start}\n")
        sys.stdout.flush()
    index.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
