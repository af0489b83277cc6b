"""What an interrupted run had finished: rows on disk by strategy, until the run is whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import wrac
from wrac.core.errors import StorageError
from wrac.evaluation.values import DataSet


class Saved:
    """Finished strategies of one run, told apart by data, settings and the files of wrac itself.

    Another data set, another search or a changed line of code is another run, so nothing stale is ever read. Runs of
    the same data at the same time do not disturb each other.
    """

    def __init__(self, folder: Path, data: DataSet, settings: Sequence[str]) -> None:
        self._folder, self._run = folder / "runs", _digest(data, settings)

    def get(self, strategy: str) -> list[dict[str, Any]] | None:
        """The rows of a strategy that an earlier, interrupted run finished."""
        file = self._file(strategy)
        try:
            rows = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError):  # absent, or cut short by the kill: the strategy is run
            return None
        return rows if isinstance(rows, list) else None

    def put(self, strategy: str, rows: Sequence[dict[str, Any]]) -> None:
        """Keeps the rows of a finished strategy. Raises StorageError where the disk does not take them."""
        file = self._file(strategy)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            partial = file.with_suffix(f".{os.getpid()}")  # another process may be at the same strategy
            partial.write_text(json.dumps(rows), "ascii")
            partial.replace(file)
        except OSError as error:
            raise StorageError(f"{file}: {error.strerror}; set WRAC_CACHE to a folder that can be written") from error

    def forget(self, strategies: Iterable[str]) -> None:
        """Drops the rows of these strategies: their run is whole."""
        for strategy in strategies:
            with suppress(OSError):  # what cannot be dropped is as true as it was
                self._file(strategy).unlink()

    def _file(self, strategy: str) -> Path:
        return self._folder / f"{self._run}-{blake2b(strategy.encode(), digest_size=8).hexdigest()}.json"


def _digest(data: DataSet, settings: Sequence[str]) -> str:
    digest = blake2b(digest_size=12)
    for text in (data.name, *settings, *data.masks):
        digest.update(text.encode() + b"\0")
    for page in data.pages:
        digest.update("\0".join((page.url, page.body_id, page.media_type, page.charset)).encode())
    for query in data.queries:
        gold = [(one.text, sorted(one.pages), one.start, one.end) for one in query.gold]  # sets have no order to print
        digest.update(repr((query.id, query.text, gold, sorted(query.groups.items()))).encode("utf-8", "replace"))
    for file in sorted(Path(wrac.__file__).parent.rglob("*")):
        if file.is_file() and file.suffix != ".pyc":
            digest.update(file.read_bytes())
    return digest.hexdigest()
