"""A workspace's own questions with the units that answer them: the harness's JSON lines in the workspace's folder.

A line is `{"id": …, "query": …, "page": URL, "text": [units' texts]}`, with `pages` where the units stand on several;
what else a line says, such as `type` or `mask`, stays. The file may be edited by hand, and is what `wrac eval` reads.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from wrac import catalog
from wrac.core.errors import InputError, NotFoundError, StorageError
from wrac.core.types import NOTHING, Page
from wrac.evaluation.datasets.jsonl import numbered
from wrac.evaluation.datasets.own import SHAPE, of_pages
from wrac.evaluation.strategies.corpus import Corpus
from wrac.evaluation.strategies.ours import chunks
from wrac.evaluation.values import DataSet, Passage, Passages
from wrac.flow.leavings import GOLD as FILE
from wrac.flow.workspace import Workspace
from wrac.observing.statistics import same

_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, the pages its gold stands on, and the gold: texts of units, in the order they were picked."""

    id: str
    query: str
    pages: tuple[str, ...]
    texts: tuple[str, ...]
    others: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def row(self) -> dict[str, Any]:
        """The line it stands in."""
        where = {"page": self.pages[0]} if len(self.pages) == 1 else {"pages": list(self.pages)}
        return {"id": self.id, "query": self.query, **where, "text": list(self.texts), **self.others}


def gold(folder: Path) -> list[Labelled]:
    """The labelled questions of a workspace's folder, in the order of the file; none without it.

    Raises InputError, with the line, for one that is no such thing.
    """
    file = folder / FILE
    return [_read(f"{file}:{number}", number, row) for number, row in numbered(file)] if file.exists() else []


def _read(place: str, number: int, row: Mapping[str, Any]) -> Labelled:
    known = ("id", "query", "page", "pages", "text")
    pages, texts = (_texts(row.get(name)) for name in ("pages" if "pages" in row else "page", "text"))
    if not isinstance(query := row.get("query"), str) or not pages or not texts:
        raise InputError(place, "is no labelled question", SHAPE)
    others = {name: value for name, value in row.items() if name not in known}
    return Labelled(str(row.get("id", f"line {number}")), query, pages, texts, others)


def _texts(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever a file holds
    found: list[Any] = value if isinstance(value, list) else [value]
    return tuple(found) if all(isinstance(one, str) for one in found) else ()


def labelled(folder: Path, query: str) -> Labelled | None:
    """What a question is labelled with; None where it is not."""
    return next((one for one in gold(folder) if same(one.query) == same(query)), None)


def label(folder: Path, query: str, page: str, picked: Sequence[str], units: Collection[str]) -> Labelled | None:
    """Make units of a page the gold of a question, in place of what was picked on that page before.

    `picked` are texts, `units` the texts of all units of the page; what was picked on other pages stays. None where
    nothing is left, and the question is not labelled any more. Raises StorageError where the file cannot be written.
    """
    with _LOCK:
        rows = gold(folder)
        at = next((i for i, one in enumerate(rows) if same(one.query) == same(query)), len(rows))
        before = rows[at] if at < len(rows) else Labelled(_identity(query), query, (), ())
        kept = tuple(text for text in before.texts if text not in units)
        others = [one for one in before.pages if one != page] if kept else []
        pages = (*others, *([page] if picked or (kept and not others) else []))
        made = Labelled(before.id, before.query, pages, (*kept, *dict.fromkeys(picked)), before.others)
        rows[at : at + 1] = [made] if made.texts else []
        _write(folder, rows)
    return made if made.texts else None


def remove(folder: Path, identity: str) -> None:
    """Take a question out. Raises NotFoundError where there is none of that id, StorageError as `label` does."""
    with _LOCK:
        rows = gold(folder)
        rest = [one for one in rows if one.id != identity]
        if len(rest) == len(rows):
            raise NotFoundError(str(folder / FILE), f"no question has the id {identity}", "see the list of questions")
        _write(folder, rest)


def _identity(query: str) -> str:
    return f"q{blake2b(same(query).encode('utf-8', 'surrogatepass'), digest_size=5).hexdigest()}"


def _write(folder: Path, rows: Sequence[Labelled]) -> None:
    """The file is the old one or the new one, whatever happens meanwhile."""
    file, fresh = folder / FILE, folder / f"{FILE}.{os.getpid()}"
    lines = "".join(json.dumps(one.row, ensure_ascii=False) + "\n" for one in rows)
    try:
        fresh.write_text(lines, "utf-8", errors="backslashreplace")
        fresh.replace(file)
    except OSError as error:
        raise StorageError(f"{file}: {(error.strerror or str(error)).lower()}; free space, then label again") from error


# -- to evaluate ------------------------------------------------------------------------------------------------------


def data_set(workspace: Workspace) -> DataSet:
    """The workspace's questions over its own pages, as they were fetched. Raises InputError where there are none."""
    file = workspace.path / FILE
    if not file.exists():
        raise InputError(str(file), "nothing is labelled yet", "label some questions first")
    return of_pages(file, _pages(workspace))


def _pages(workspace: Workspace) -> list[Page]:
    with workspace.database.read() as connection:
        found = (catalog.stored(connection, url) for url in catalog.urls(connection))
        return [one[0] for one in found if one is not None]


class Stored:
    """The workspace's chunks as they are: each page under the policy it was planned by."""

    name = "workspace"

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage an occurrence, in reading order."""
        corpus = Corpus()
        found: list[Passage] = []
        for page in pages:
            record = self._workspace.record(page.url)
            corpus.know(page, record.document)
            found += chunks(corpus, page, record.plan, record.policy)
        return Passages(tuple(found))
