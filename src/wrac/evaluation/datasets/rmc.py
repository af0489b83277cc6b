"""RAG-Multi-Corpus: companies' pages, and queries whose gold is blocks of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError
from wrac.core.types import NOTHING, Page
from wrac.evaluation.datasets.checks import Drafts, checked
from wrac.evaluation.datasets.jsonl import lines
from wrac.evaluation.datasets.reading import read
from wrac.evaluation.values import DataSet, Gold, Query, name
from wrac.fetching.media import HTML, by_name


def rmc(root: Path, pages: Sequence[str] = (), *, form: str = "html", where: Mapping[str, str] = NOTHING) -> DataSet:
    """RAG-Multi-Corpus: the companies' pages and the queries with gold blocks.

    A page's URL is its path below `root`. `form` is the folder and extension of the pages (html, md); `pages` are
    sources to read instead, whose files have the same names, as the same documents in an office format have.
    `where` keeps the queries of a company or type. Raises InputError where there are no pages or a query no usable
    gold.
    """
    found = tuple(read(pages)) if pages else _own(root, form)
    urls: dict[str, list[str]] = {}
    for page in found:
        urls.setdefault(name(page.url), []).append(page.url)
    file = root / "queries.jsonl"
    queries = [_query(row, urls, file) for row in lines(file)]
    wanted = [query for query in queries if where.items() <= query.groups.items()]
    return checked("rmc", root, found, Drafts(wanted, file))


def _own(root: Path, form: str) -> tuple[Page, ...]:
    paths = sorted(root.glob(f"*/{form}/*.{form}"))
    if not paths:
        raise InputError(str(root), f"holds no COMPANY/{form}/*.{form}", "give the folder of RAG-Multi-Corpus")
    return tuple(
        Page(path.relative_to(root).as_posix(), path.read_bytes(), by_name(path.name) or HTML) for path in paths
    )


def _query(row: Mapping[str, Any], urls: Mapping[str, Sequence[str]], path: Path) -> Query:
    try:
        gold = tuple(Gold(_text(one, "text"), _pages(_named(one), urls)) for one in row["gold"])
        groups = {group: _text(row, group) for group in ("company", "type")}
        query = Query(_text(row, "id"), _text(row, "query"), gold, groups)
    except (KeyError, TypeError) as error:
        problem = f"lacks {error}" if isinstance(error, KeyError) else f"is not as published ({error})"
        raise InputError(str(path), f"query {row.get('id')} {problem}", "see the data set's README") from error
    if not gold:
        raise InputError(str(path), f"query {query.id} has no gold", "leave it out")
    return query


def _named(block: Mapping[str, Any]) -> Sequence[str]:
    """The file names of the pages that a gold block stands on. Raises as `_text` does."""
    names = block["pages"] if "pages" in block else [_text(block, "page")]
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise TypeError("a block's pages are no list of texts")
    return names


def _text(row: Mapping[str, Any], key: str) -> str:
    """A value that must be text. Raises KeyError where there is none, TypeError for another kind."""
    value = row[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} {value!r:.40} is no text")
    return value


def _pages(names: Sequence[str], urls: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The pages meant: those of that file name, in whichever folder, as the published comparison counts."""
    return frozenset(url for page in names for url in urls.get(name(page), ()))
