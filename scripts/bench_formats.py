"""The same documents in several formats: how much of the HTML's text each of the others gives back, and as which units.

Data: `formats/<company>` (docx, pdf, pptx) and `rmc/<company>` (html, md) below the data folder (WRAC_DATA, else
../shared/data). Words are those of all units in reading order, without list numbers, which HTML draws and does not say.

    python scripts/bench_formats.py            # a table, a row for each format
    python scripts/bench_formats.py --worst 5  # and the documents with the fewest words in order
"""

from __future__ import annotations

import argparse
import os
import re
import time
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

from wrac.core.errors import MissingExtraError
from wrac.core.types import Document, Page
from wrac.fetching import pages
from wrac.parsing import Resolver, account, parse

FORMATS = ("html", "md", "docx", "pptx", "pdf")
_WORD = re.compile(r"\w+", re.UNICODE)


class Score(NamedTuple):
    """One document in one format against its HTML: counts, and whether the laws hold."""

    name: str
    words: int
    in_order: int
    units: int
    verbatim: int
    headings: int
    headed: int
    lawful: bool
    seconds: float
    missing: Sequence[str]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--company", default="cloudway")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="documents to show for each format")
    options = parser.parse_args()
    data = Path(os.environ.get("WRAC_DATA", "../shared/data"))
    names = sorted(path.stem for path in (data / "rmc" / options.company / "html").glob("*.html"))
    print(f"{options.company}: {len(names)} documents\n")
    print("| format | documents | words in order % | html units verbatim % | headings % | laws | ms / document |")
    print("|---|---|---|---|---|---|---|")
    for form in FORMATS:
        found = [score for name in names if (score := _scored(data, options.company, name, form)) is not None]
        if found:
            _print(form, found, options.worst)


def _scored(data: Path, company: str, name: str, form: str) -> Score | None:
    folder = data / ("rmc" if form in ("html", "md") else "formats") / company
    path = folder / form / f"{name}.{form}"
    if not path.exists():
        path = next((p for p in (folder / form).glob(f"*.{form}") if p.stem.strip() == name.strip()), path)
    if not path.exists():
        return None
    truth = parse(_page(data / "rmc" / company / "html" / f"{name}.html"))
    page = _page(path)
    started = time.perf_counter()
    try:
        document = parse(page)
    except MissingExtraError as error:
        print(f"| {form} | {error} |")
        return None
    seconds = time.perf_counter() - started
    return _compare(name, truth, document, seconds)._replace(lawful=_lawful(page, document))


def _page(path: Path) -> Page:
    (page,) = pages([str(path)])
    if not isinstance(page, Page):
        raise SystemExit(f"{path}: {page.reason}")
    return page


def _lawful(page: Page, document: Document) -> bool:
    """Conservation, and every address leading to its text."""
    resolver = Resolver(page.body, page.media_type, page.charset)
    resolved = all(resolver.text(place.address) == document.text(place.ordinal) for place in document.places)
    return account(page, document).balanced and resolved


def _compare(name: str, truth: Document, document: Document, seconds: float) -> Score:
    wanted, found = _words(truth), _words(document)
    blocks = SequenceMatcher(None, wanted, found, autojunk=False).get_matching_blocks()
    texts, mine = _texts(truth), _texts(document)
    heads, ours = _headings(truth), _headings(document)
    return Score(
        name, len(wanted), sum(block.size for block in blocks), sum(texts.values()), (texts & mine).total(),
        sum(heads.values()), (heads & ours).total(), False, seconds, list(texts - mine),
    )  # fmt: skip


def _words(document: Document) -> list[str]:
    return [word for place in document.places for word in _WORD.findall(document.text(place.ordinal).casefold())]


def _texts(document: Document) -> Counter[str]:
    return Counter(" ".join(document.text(place.ordinal).split()) for place in document.places)


def _headings(document: Document) -> Counter[str]:
    kinds = ((document.unit(place.ordinal).kind, place) for place in document.places)
    return Counter(" ".join(document.text(place.ordinal).split()) for kind, place in kinds if kind == "heading")


def _share(pairs: Sequence[tuple[int, int]]) -> float:
    return 100 * sum(part for part, _ in pairs) / max(sum(whole for _, whole in pairs), 1)


def _print(form: str, scores: list[Score], worst: int) -> None:
    words = _share([(score.in_order, score.words) for score in scores])
    units = _share([(score.verbatim, score.units) for score in scores])
    headings = _share([(score.headed, score.headings) for score in scores])
    laws = f"{sum(score.lawful for score in scores)}/{len(scores)}"
    speed = 1000 * sum(score.seconds for score in scores) / len(scores)
    print(f"| {form} | {len(scores)} | {words:.2f} | {units:.2f} | {headings:.2f} | {laws} | {speed:.0f} |")
    for score in sorted(scores, key=lambda s: s.in_order / max(s.words, 1))[:worst]:
        print(f"  {score.name}: {100 * score.in_order / score.words:.2f} % of {score.words} words; not found as units:")
        for text in score.missing[:8]:
            print(f"    {text[:110]!r}")


if __name__ == "__main__":
    main()
