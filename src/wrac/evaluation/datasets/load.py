"""Which data set is this?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wrac.core.errors import ConfigError, InputError
from wrac.core.types import NOTHING
from wrac.evaluation.datasets.chroma import QUESTIONS, chroma
from wrac.evaluation.datasets.faq import DOCUMENTS, QUERIES, book_index, faq, is_index
from wrac.evaluation.datasets.own import own
from wrac.evaluation.datasets.rmc import rmc
from wrac.evaluation.values import DataSet
from wrac.flow.leavings import GOLD

ACCEPTED = (
    "give a JSONL file of {query, page, text} and its pages, a folder that holds queries.jsonl beside its pages, a "
    "workspace with labelled questions, or the folder of RAG-Multi-Corpus or of Chroma's chunking evaluation"
)


def load(source: str, pages: Sequence[str] = (), *, form: str = "html", where: Mapping[str, str] = NOTHING) -> DataSet:
    """The data set at `source`, told by its files.

    RAG-Multi-Corpus (`queries.jsonl` beside COMPANY/html), Chroma's evaluation (`questions_df.csv`), documentation
    with questions as headings (`NAME.documents.jsonl` and `NAME.queries.jsonl`, named by FOLDER/NAME), a workspace's
    labelled questions over its stored pages, or the user's own lines with their pages. `pages` are files, folders and
    URLs to read the pages from. Of RAG-Multi-Corpus `form` is that of its pages (html, md) and `where` the company or
    type of the queries wanted. Raises InputError saying what is accepted.
    """
    path = Path(source)
    if path.is_dir():
        return _folder(path, pages, form, where)
    _refuse(form, where)
    stem = _stem(path)
    if stem.with_name(stem.name + DOCUMENTS).is_file():
        return faq(stem, pages)
    queries = stem.with_name(stem.name + QUERIES)
    if queries.is_file() and is_index(queries):
        return book_index(stem, pages)
    if not path.is_file():
        raise InputError(source, "no such data set", ACCEPTED)
    if not pages:
        raise InputError(source, "has no pages", "name the site the queries are about with --pages")
    return own(path, pages)


def _folder(path: Path, pages: Sequence[str], form: str, where: Mapping[str, str]) -> DataSet:
    queries = path / "queries.jsonl"
    if queries.is_file() and (any(path.glob("*/html/*.html")) or any(path.glob(f"*/{form}/*.{form}"))):
        return rmc(path, pages, form=form, where=where)
    _refuse(form, where)
    if (path / QUESTIONS).is_file():
        return chroma(path)
    if queries.is_file():
        return own(queries, pages or [str(path)])
    if (path / GOLD).is_file():
        return _labelled(path, pages)
    names = sorted(file.name.removesuffix(QUERIES) for file in path.glob(f"*{QUERIES}"))
    if names:
        raise InputError(str(path), f"holds several data sets: {', '.join(names)}", f"give one, as {path / names[0]}")
    raise InputError(str(path), "is no data set", ACCEPTED)


def _labelled(path: Path, pages: Sequence[str]) -> DataSet:
    """A workspace's labelled questions, over pages that are named or its own."""
    from wrac.evaluation.gold import data_set
    from wrac.flow.workspace import Workspace

    if pages:
        return own(path / GOLD, pages)
    with Workspace(path, create=False, events=False) as workspace:
        return data_set(workspace)


def _refuse(form: str, where: Mapping[str, str]) -> None:
    """Raises ConfigError where something was asked for that only one data set has."""
    if form != "html" or where:
        raise ConfigError("--form and --where are for RAG-Multi-Corpus; leave them out for this data set")


def _stem(path: Path) -> Path:
    """`FOLDER/NAME` of a data set of several files, whichever of them is given."""
    return path.with_name(path.name.removesuffix(QUERIES).removesuffix(DOCUMENTS))
