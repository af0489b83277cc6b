"""The user's own data: one query a line, the page that answers it, and the text there that does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError
from wrac.core.types import Page
from wrac.evaluation.datasets.checks import Drafts, checked
from wrac.evaluation.datasets.jsonl import numbered
from wrac.evaluation.datasets.matching import Names
from wrac.evaluation.datasets.reading import read
from wrac.evaluation.values import DataSet, Excluded, Gold, Query

SHAPE = 'a line is {"query": "…", "page": "…", "text": "…"}'


def own(file: Path, pages: Sequence[str]) -> DataSet:
    """A data set of the lines of `file` over the pages of `pages` (files, folders, URLs).

    A line has `query`, `page` (URL, path, end of a path or file name; or `pages`, where the text stands on several) and
    `text` (one gold block or a list); `id`, `type`, `answer` (a right one, or a list of them) and `mask` (a text or a
    list that no search may see) as one likes. Raises InputError for a line that is not so.
    """
    return of_pages(file, read(pages))


def of_pages(file: Path, found: Sequence[Page]) -> DataSet:
    """The same over pages that are there already."""
    names = Names(found)
    queries: list[Query] = []
    masks: list[str] = []
    excluded: list[Excluded] = []
    for number, row in numbered(file):
        fields = _Fields(f"{file}:{number}", row)
        ident, (urls, reasons) = fields.text("id", f"line {number}"), _pages(fields, names)
        texts = fields.texts("text")
        excluded += [Excluded(ident, text, reason) for reason in reasons for text in texts]
        groups = {"type": fields.text("type")} if "type" in row else {}
        gold = tuple(Gold(text, urls) for text in texts) if urls else ()
        answers = tuple(fields.texts("answer")) if "answer" in row else ()
        queries.append(Query(ident, fields.text("query"), gold, groups, answers))
        masks += fields.texts("mask") if "mask" in row else []
    return checked(file.stem, file.parent, found, Drafts(queries, file, masks, excluded))


def _pages(fields: _Fields, names: Names) -> tuple[frozenset[str], list[str]]:
    """The URLs of the pages a line names, and the reasons where one is not found."""
    wanted = fields.texts("pages" if "pages" in fields.row else "page")
    found = [names.find(one) for one in wanted]
    return frozenset(url for url, _ in found if url), [reason for _, reason in found if reason]


class _Fields:
    """A line's values by name. Raises InputError, with the line, for one that is absent or of another kind."""

    def __init__(self, place: str, row: Mapping[str, Any]) -> None:
        self._place, self.row = place, row

    def text(self, name: str, default: str | None = None) -> str:
        value = self.row.get(name, default)
        if isinstance(value, int) and not isinstance(value, bool) and name == "id":
            return str(value)
        if not isinstance(value, str):
            raise self._wrong(name, "is no text")
        return value

    def texts(self, name: str) -> list[str]:
        value = self.row.get(name)
        texts = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
        if not texts or (isinstance(value, list) and len(texts) < len(value)):
            raise self._wrong(name, "is neither a text nor a list of texts")
        return texts

    def _wrong(self, name: str, problem: str) -> InputError:
        problem = f"lacks {name!r}" if name not in self.row else f"{name!r} {problem}"
        return InputError(self._place, problem, SHAPE)
