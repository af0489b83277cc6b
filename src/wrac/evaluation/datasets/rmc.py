"""RAG-Multi-Corpus: companies' pages, and queries whose gold is blocks of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError
from wrac.core.types import Page
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.values import DataSet, Gold, Query, name


def rmc(root: Path) -> DataSet:
    """RAG-Multi-Corpus: the companies' html pages and the queries with gold blocks.

    A page's URL is its path below `root`. Raises InputError where the folder has no pages or a query no usable gold.
    """
    paths = sorted(root.glob("*/html/*.html"))
    if not paths:
        raise InputError(str(root), "holds no COMPANY/html/*.html", "give the folder of RAG-Multi-Corpus with --data")
    pages = tuple(Page(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths)
    urls: dict[str, list[str]] = {}
    for page in pages:
        urls.setdefault(name(page.url), []).append(page.url)
    queries = tuple(_query(row, urls, root / "queries.jsonl") for row in lines(root / "queries.jsonl"))
    ids = [query.id for query in queries]
    if len(ids) != len(set(ids)):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise InputError(str(root / "queries.jsonl"), f"query id {twice} stands twice", "ids must be unique")
    return DataSet("rmc", root, pages, queries)


def _query(row: Mapping[str, Any], urls: Mapping[str, Sequence[str]], path: Path) -> Query:
    try:
        gold = tuple(Gold(block["text"], _pages(block.get("pages", [block["page"]]), urls)) for block in row["gold"])
        query = Query(row["id"], row["query"], gold, {"company": row["company"], "type": row["type"]})
    except (KeyError, TypeError) as error:
        raise InputError(str(path), f"query {row.get('id')} lacks {error}", "see the data set's README") from error
    if not gold:
        raise InputError(str(path), f"query {query.id} has no gold", "leave it out")
    return query


def _pages(names: Sequence[str], urls: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The pages meant: those of that file name, in whichever folder, as the published comparison counts."""
    return frozenset(url for page in names for url in urls.get(name(page), ()))
