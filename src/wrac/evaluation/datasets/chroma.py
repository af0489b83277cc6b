"""Chroma's chunking evaluation: plain texts, and questions whose gold is spans of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

from wrac.core.errors import InputError
from wrac.core.types import Page
from wrac.evaluation.datasets.checks import Drafts, checked
from wrac.evaluation.datasets.jsonl import read
from wrac.evaluation.values import DataSet, Gold, Query
from wrac.fetching.media import TEXT

QUESTIONS = "questions_df.csv"
_COLUMNS = ("question", "references", "corpus_id")


def chroma(root: Path) -> DataSet:
    """The texts as plain text pages, named like their files, and the questions with gold as code points of the source.

    Queries are grouped by `corpus`. Raises InputError for a row that is not as published or a text that is absent.
    """
    file = root / QUESTIONS
    rows = _rows(file)
    names = {corpus: _file(root, corpus, file) for corpus in dict.fromkeys(row["corpus_id"] for row in rows)}
    queries = [_query(number, row, names, file) for number, row in enumerate(rows)]
    pages = [Page(name, (root / name).read_bytes(), TEXT) for name in names.values()]
    return checked("chroma", root, pages, Drafts(queries, file, spans=True))


def _rows(file: Path) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(read(file), newline=""))
    try:
        if missing := [name for name in _COLUMNS if name not in (reader.fieldnames or ())]:
            raise InputError(str(file), f"has no column {missing[0]}", f"its columns are {', '.join(_COLUMNS)}")
        return list(reader)
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num + 1}", str(error), "get the data set again") from error


def _file(root: Path, corpus: str, file: Path) -> str:
    for name in (corpus, f"{corpus}.md", f"{corpus}.txt"):
        if corpus and (root / name).is_file():
            return name
    raise InputError(str(file), f"corpus {corpus!r} has no text {corpus}.md beside it", "get the data set again")


def _query(number: int, row: Mapping[str, str], names: Mapping[str, str], file: Path) -> Query:
    page = frozenset((names[row["corpus_id"]],))
    try:
        spans = json.loads(row["references"])
        gold = tuple(Gold(one["content"], page, int(one["start_index"]), int(one["end_index"])) for one in spans)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(str(file), f"row {number + 1}: references are no list of spans", "see its format") from error
    return Query(f"q{number:04d}", row["question"] or "", gold, {"corpus": row["corpus_id"]})
