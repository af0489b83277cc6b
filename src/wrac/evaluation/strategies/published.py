"""Chunks and plans that others published, replayed: what they made of the pages, and what their models were paid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wrac.core.errors import InputError
from wrac.core.types import Document, Page, Usage
from wrac.evaluation.cost import pace
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.strategies.corpus import Corpus, indexed
from wrac.evaluation.values import Passage, Passages

Row = Mapping[str, Any]
FOREIGN: Final = "rows of pages not in the set"
_MARKUP: Final = re.compile(r"\]\([^)\s]*\)|</?[A-Za-z][^<>]*>")


@dataclass(frozen=True, slots=True)
class Published:
    """Chunks that others published for these pages, replayed as they are."""

    corpus: Corpus
    path: Path
    name: str

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The published chunks of `pages` and the account of their making.

        Rows for other pages are counted in the notes, never indexed or paid for; faults of plans are counted too, and
        what of the pages stands in no chunk as it is.
        """
        found, notes = rows(self.path, pages)
        by_url = {page.url: page for page in pages}
        for row in found:
            if "plan" in row:
                notes.update(faults(row["units"], row["plan"]))
            notes.update(lost(self.corpus.document(by_url[row["page"]]), row["chunks"]))
        items = (Passage(row["page"], text, indexed(row["page"], text)) for row in found for text in row["chunks"])
        told = {**notes, **pace([row["seconds"] for row in found])}
        return Passages(tuple(items), told, account(found))


def rows(path: Path, pages: Sequence[Page]) -> tuple[list[Row], Counter[str]]:
    """The published rows of `pages`, and how many there are for other pages.

    Raises InputError where the data set has none beside it.
    """
    if not path.is_file():
        raise InputError(str(path), "is absent", "leave the strategy out with --strategies")
    known = {page.url for page in pages}
    all_rows = list(lines(path))
    found: list[Row] = [row for row in all_rows if row.get("page") in known]
    foreign = len(all_rows) - len(found)
    return found, Counter({FOREIGN: foreign} if foreign else {})


def account(found: Iterable[Row]) -> Usage:
    """The sum of the rows' published usage, a call a row; `input` includes what was `cached`, `cost` is left open."""
    usages = [(row["usage"], row["seconds"]) for row in found]
    return Usage(
        input=sum(usage["input_tokens"] for usage, _ in usages),
        cached=sum(usage["input_tokens_details"]["cached_tokens"] for usage, _ in usages),
        output=sum(usage["output_tokens"] for usage, _ in usages),
        calls=len(usages),
        seconds=round(sum(seconds for _, seconds in usages), 3),
    )


def faults(units: Sequence[Mapping[str, str]], plan: Sequence[Sequence[str]]) -> Counter[str]:
    """What a published plan did to its units: given, dropped, repeated and unknown, in units and in words."""
    texts = {unit["id"]: unit["text"] for unit in units if any(c.isalnum() for c in unit["text"])}
    ids = {unit["id"] for unit in units}
    used = Counter(one for group in plan for one in group)
    dropped = [text for one, text in texts.items() if one not in used]
    several = [one for one in texts if sum(one in group for group in plan) > 1]
    return Counter({
        "units": len(texts),
        "units dropped": len(dropped),
        "words": sum(len(text.split()) for text in texts.values()),
        "words dropped": sum(len(text.split()) for text in dropped),
        "units repeated": sum(1 for one in texts if used[one] > 1),
        "headings repeated": sum(1 for one in texts if used[one] > 1 and one.startswith("heading")),
        "units in several groups": len(several),
        "unknown ids": sum(1 for one in used if one not in ids),
    })  # fmt: skip


def lost(document: Document, chunks: Iterable[str]) -> Counter[str]:
    """How much of a page stands in none of the chunks, letter by letter: whole units, and their words."""
    held = "\n".join(letters(chunk) for chunk in chunks)
    texts = [document.text(place.ordinal) for place in document.places if document.unit(place.ordinal).kind != "image"]
    gone = [text for text in texts if letters(text) not in held]
    return Counter({
        "page units": len(texts),
        "page units in no chunk": len(gone),
        "page words": sum(len(text.split()) for text in texts),
        "page words in no chunk": sum(len(text.split()) for text in gone),
    })  # fmt: skip


def letters(text: str) -> str:
    """The text's letters and digits in lower case, without link targets and tags: what Markdown and a page share."""
    return "".join(filter(str.isalnum, _MARKUP.sub("", text).casefold()))
