"""Data sets in one form: pages, and queries whose gold is blocks of text that stand on named pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError
from wrac.core.types import Page


@dataclass(frozen=True, slots=True)
class Gold:
    """A block a good answer rests on, and the page names it stands on verbatim (see `name`)."""

    text: str
    pages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Query:
    """A question with its gold; `groups` are the ways results are broken down, such as company and type."""

    id: str
    text: str
    gold: tuple[Gold, ...]
    groups: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DataSet:
    """Pages and queries; `root` is the folder they came from, where published artefacts may lie beside them."""

    name: str
    root: Path
    pages: tuple[Page, ...]
    queries: tuple[Query, ...]


def name(page: str) -> str:
    """The page's file name without folder and suffix, white space folded, lower case: what gold is matched by.

    >>> name("zx-bank/html/ Awards  & Recognitions.html")
    'awards & recognitions'
    """
    return " ".join(page.replace("\\", "/").split("/")[-1].rsplit(".", 1)[0].split()).lower()


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file. Raises InputError naming the line that is none."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "give the data set's folder") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number}", "is not JSON", "one object a line") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}", "is not a JSON object", "one object a line")
        yield row


def rmc(root: Path) -> DataSet:
    """RAG-Multi-Corpus: the companies' html pages and the queries with gold blocks.

    A page's URL is its path below `root`. Raises InputError where the folder has no pages or a query no usable gold.
    """
    paths = sorted(root.glob("*/html/*.html"))
    if not paths:
        raise InputError(str(root), "holds no COMPANY/html/*.html", "give the folder of RAG-Multi-Corpus with --data")
    pages = tuple(Page(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths)
    queries = tuple(_query(row, root / "queries.jsonl") for row in lines(root / "queries.jsonl"))
    ids = [query.id for query in queries]
    if len(ids) != len(set(ids)):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise InputError(str(root / "queries.jsonl"), f"query id {twice} stands twice", "ids must be unique")
    return DataSet("rmc", root, pages, queries)


def _query(row: Mapping[str, Any], path: Path) -> Query:
    try:
        gold = tuple(
            Gold(block["text"], frozenset(name(page) for page in block.get("pages", [block["page"]])))
            for block in row["gold"]
        )
        query = Query(row["id"], row["query"], gold, {"company": row["company"], "type": row["type"]})
    except (KeyError, TypeError) as error:
        raise InputError(str(path), f"query {row.get('id')} lacks {error}", "see the data set's README") from error
    if not gold:
        raise InputError(str(path), f"query {query.id} has no gold", "leave it out")
    return query
