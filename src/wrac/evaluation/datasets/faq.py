"""Documentation pages of Debian packages: questions that stand as headings, and terms of a book's index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError
from wrac.core.types import Page
from wrac.evaluation.datasets.blocks import Block, blocks
from wrac.evaluation.datasets.checks import Drafts, checked
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.masking import mask
from wrac.evaluation.metrics.words import content_terms
from wrac.evaluation.values import DataSet, Excluded, Gold, Query

DOCUMENTS, QUERIES = ".documents.jsonl", ".queries.jsonl"
_CACHE = ".cache/debian"
_BOOK = ("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html")
_BOOK_INDEX = "bookindex.html"


def faq(stem: Path, roots: Sequence[str] = ()) -> DataSet:
    """The pages of `STEM.documents.jsonl` and the questions of `STEM.queries.jsonl`.

    Gold is the blocks of the answer; the question, which heads it and stands in tables of contents, is masked. Packages
    are looked for, extracted, under `roots`, WRAC_DEBIAN_DOCS, .cache/debian and /. Raises InputError with the command
    that gets them.
    """
    listed = list(lines(stem.with_name(stem.name + DOCUMENTS)))
    file = stem.with_name(stem.name + QUERIES)
    pages = _packaged(listed, roots, stem) if listed else []
    rows = list(lines(file))
    masks = [_value(row, "query", file) for row in rows]
    answers, hide = _Answers(pages), mask(masks)
    queries, excluded = [], []
    for row in rows:
        found, reason = answers.find(*(_value(row, key, file) for key in ("doc", "anchor", "answer")))
        told = _telling(found, hide)
        if not told:
            reason = reason or "its answer is little more than other questions"
            excluded.append(Excluded(_value(row, "id", file), row["answer"], reason))
        gold = tuple(Gold(text, frozenset((row["doc"],))) for text in told)
        queries.append(Query(_value(row, "id", file), row["query"], gold, {"level": str(row.get("level", ""))}))
    return checked(stem.name, stem.parent, pages, Drafts(queries, file, masks, excluded, taken=True))


def _telling(texts: Sequence[str], hide: Callable[[str], str]) -> list[str]:
    """The blocks of an answer that are more than masked questions; none where these are half of its words or more."""
    told = [text for text in texts if 2 * _size(hide(text)) > _size(text)]
    return told if 2 * sum(map(_size, told)) > sum(map(_size, texts)) else []


def _size(text: str) -> int:
    """Content words, numbers aside."""
    return sum(not term.isdecimal() for term in content_terms(text))


def is_index(file: Path) -> bool:
    """Whether the queries are terms of a book's index."""
    return all("targets" in row for row in islice(lines(file), 1))


def book_index(stem: Path, roots: Sequence[str] = ()) -> DataSet:
    """The PostgreSQL manual and the terms of its index; gold is what the index points to.

    A term's gold on each target is the first block of the section at the anchor that holds all its words, else the
    section's first block. The index itself is no page of the set: it would answer each query with its own entry.
    Raises InputError as `faq` does.
    """
    package, folder = _BOOK
    base = _root(f"{folder}/{_BOOK_INDEX}", package, roots, stem)
    paths = (path for path in sorted((base / folder).glob("*.html")) if path.name != _BOOK_INDEX)
    pages = [Page(path.name, path.read_bytes()) for path in paths]
    file = stem.with_name(stem.name + QUERIES)
    sections = _Sections(pages)
    queries = []
    for row in lines(file):
        targets = [str(target).partition("#")[::2] for target in _value(row, "targets", file, list)]
        ident, query = _value(row, "id", file), _value(row, "query", file)
        gold = tuple(one for doc, anchor in targets for one in sections.gold(doc, anchor, query))
        queries.append(Query(ident, query, gold))
    return checked(stem.name, stem.parent, pages, Drafts(queries, file, taken=True))


def _value(row: Mapping[str, Any], key: str, file: Path, kind: type = str) -> Any:  # noqa: ANN401 - of that kind
    value = row.get(key)
    if not isinstance(value, kind):
        problem = "is of another kind" if key in row else "is absent"
        raise InputError(str(file), f"{key!r} of {row.get('id', 'a page')} {problem}", "get the data set again")
    return value


def _packaged(rows: Sequence[Mapping[str, Any]], roots: Sequence[str], stem: Path) -> list[Page]:
    file = stem.with_name(stem.name + DOCUMENTS)
    listed = [[_value(row, key, file) for key in ("doc", "path", "debian_package")] for row in rows]
    _, first, package = listed[0]
    base = _root(first, package, roots, stem)
    for _, path, package in listed:
        if not (base / path).is_file():
            raise _absent(stem, path, package)
    return [Page(doc, (base / path).read_bytes()) for doc, path, _ in listed]


def _root(path: str, package: str, roots: Sequence[str], stem: Path) -> Path:
    """The folder that packages were extracted into; of one that names `usr/share/doc` itself, what holds that."""
    named = os.environ.get("WRAC_DEBIAN_DOCS", "")
    for root in (*map(Path, roots), *([Path(named)] if named else []), Path(_CACHE), Path("/")):
        for base in (root, *root.absolute().parents[2:3]):
            if (base / path).is_file():
                return base
    raise _absent(stem, path, package)


def _absent(stem: Path, path: str, package: str) -> InputError:
    command = f"apt-get download {package} && dpkg -x {package}_*.deb {_CACHE}"
    return InputError(str(stem), f"its page {path} is not here", f"run: {command}, or set WRAC_DEBIAN_DOCS")


class _Answers:
    """The blocks of answers, read from the pages by anchor."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = {page.url: page for page in pages}
        self._blocks: dict[str, list[Block]] = {}

    def find(self, doc: str, anchor: str, answer: str) -> tuple[list[str], str]:
        """The texts of the blocks that make up the answer, headings left out; or why there are none."""
        if doc not in self._pages:
            return [], f"page {doc} is not among the pages"
        found = self.of(doc)
        start = next((i for i, block in enumerate(found) if anchor in block.anchors), -1)
        if start < 0:
            return [], f"page {doc} has no anchor {anchor}"
        whole, at = _compact(answer), 0
        told: list[str] = []
        for block in found[start + 1 :]:
            part = _compact(block.text)
            if not whole.startswith(part, at):
                break
            at += len(part)
            if not block.heading:
                told.append(block.text)
        return (told, "") if at >= 0.9 * len(whole) else ([], f"its answer is not what follows #{anchor} on page {doc}")

    def of(self, doc: str) -> list[Block]:
        """The blocks of a page, read once."""
        if doc not in self._blocks:
            self._blocks[doc] = blocks(self._pages[doc])
        return self._blocks[doc]


class _Sections:
    """What a book's index points to."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._known = {page.url for page in pages}
        self._answers = _Answers(pages)
        self._terms: dict[str, frozenset[str]] = {}

    def gold(self, doc: str, anchor: str, term: str) -> Iterator[Gold]:
        """The block of the section at the anchor (of the page where there is none) that the term points to."""
        if doc not in self._known:
            return
        section = list(_section(self._answers.of(doc), anchor))
        words = frozenset(content_terms(term))
        body = [block for block in section if not block.heading] or section
        best = next((block for block in body if words and words <= self._words(block.text)), None)
        for block in [best] if best else body[:1]:
            yield Gold(block.text, frozenset((doc,)))

    def _words(self, text: str) -> frozenset[str]:
        if text not in self._terms:
            self._terms[text] = frozenset(content_terms(text))
        return self._terms[text]


def _section(page: Sequence[Block], anchor: str) -> Iterator[Block]:
    """The blocks from the anchor's to the next heading; without an anchor all from the first heading on."""
    starts = (i for i, block in enumerate(page) if (anchor in block.anchors if anchor else block.heading))
    start = next(starts, len(page))
    yield from page[start : start + 1]
    for block in page[start + 1 :]:
        if anchor and block.heading:
            return
        yield block


def _compact(text: str) -> str:
    return "".join(text.split()).replace("¶", "")
