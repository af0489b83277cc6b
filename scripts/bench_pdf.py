"""PDFs measured against the HTML pages they were made of, by kind of unit.

    python scripts/bench_pdf.py [--worst 5] [FOLDER HTML_FOLDER]

Without folders the shared documents (WRAC_DATA or ../shared/data): `formats/cloudway/pdf` and `rmc/cloudway/html`. A
unit is found when a PDF's unit has its text, quotes, dashes and white space made equal; it is right when kind and level
are the same too. Words in order is the longest common subsequence of the words, as a share of the HTML page's.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from wrac.core.types import Document, Page
from wrac.parsing import account, parse, resolve

DATA = Path(os.environ.get("WRAC_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
ALIKE = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--")


class Twin(NamedTuple):
    """What one PDF says of its HTML page's words and units, by kind: wanted, found, right."""

    name: str
    words: int
    in_order: int
    wanted: Counter[str]
    found: Counter[str]
    right: Counter[str]
    pages: int
    seconds: float
    lawful: bool


def units(document: Document) -> Iterator[tuple[str, str, int]]:
    """Kind, text and heading level of each unit of the main text."""
    for place in document.places:
        if place.role == "main":
            unit = document.unit(place.ordinal)
            text = re.sub(r"\s+", " ", unit.text.translate(ALIKE)).strip()
            yield unit.kind, text, place.level if unit.kind == "heading" else 0


def words_of(side: Iterable[tuple[str, str, int]]) -> list[str]:
    """The words of units, in lower case."""
    return re.findall(r"\w+", " ".join(text for _, text, _ in side).lower())


def compare(pdf: Path, html: Path) -> Twin:
    """One PDF against its page."""
    page = Page(pdf.name, pdf.read_bytes(), "application/pdf")
    started = time.process_time()
    document = parse(page)
    seconds = time.process_time() - started
    said = list(units(document))
    wanted = list(units(parse(Page(html.name, html.read_bytes()))))
    words = words_of(wanted)
    blocks = difflib.SequenceMatcher(None, words, words_of(said), autojunk=False).get_matching_blocks()
    texts, whole = {text for _, text, _ in said}, set(said)
    lawful = account(page, document).balanced and all(
        resolve(place.address, page.body, page.media_type) == document.text(place.ordinal)
        for place in document.places[:40]
    )
    return Twin(
        pdf.stem,
        len(words),
        sum(block.size for block in blocks),
        Counter(kind for kind, _, _ in wanted),
        Counter(kind for kind, text, _ in wanted if text in texts),
        Counter(unit[0] for unit in wanted if unit in whole),
        max((getattr(place.address, "page", 1) for place in document.places), default=0),
        seconds,
        lawful,
    )


def main() -> int:
    """Prints a table by kind, and the documents that are read worst."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--worst", type=int, default=5)
    options = parser.parse_args()
    pdfs, htmls = options.folders or (DATA / "formats/cloudway/pdf", DATA / "rmc/cloudway/html")
    twins = [compare(pdf, htmls / f"{pdf.stem.strip()}.html") for pdf in sorted(pdfs.glob("*.pdf"))]
    if not twins:
        print(f"no PDF in {pdfs}: set WRAC_DATA", file=sys.stderr)
        return 1
    wanted = sum((twin.wanted for twin in twins), Counter[str]())
    found = sum((twin.found for twin in twins), Counter[str]())
    right = sum((twin.right for twin in twins), Counter[str]())
    words, in_order = sum(twin.words for twin in twins), sum(twin.in_order for twin in twins)
    print(f"{len(twins)} PDFs, {words} words, {in_order / words:.2%} in order; laws broken by", end=" ")
    print(sum(not twin.lawful for twin in twins), "documents")
    pages, seconds = sum(twin.pages for twin in twins), sum(twin.seconds for twin in twins)
    print(f"{pages} pages, {1000 * seconds / pages:.1f} ms of processor a page\n")
    print("| units of the HTML | number | found verbatim | with kind and level |\n|---|---|---|---|")
    for kind, number in wanted.most_common():
        print(f"| {kind} | {number} | {found[kind] / number:.1%} | {right[kind] / number:.1%} |")
    total = wanted.total()
    print(f"| all | {total} | {found.total() / total:.1%} | {right.total() / total:.1%} |\n")
    for twin in sorted(twins, key=lambda twin: twin.found.total() / twin.wanted.total())[: options.worst]:
        share = twin.found.total() / twin.wanted.total()
        print(f"{share:6.1%} of units, {twin.in_order / twin.words:6.1%} of words: {twin.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
