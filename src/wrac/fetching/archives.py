"""Files that hold many pages: who reads them, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from wrac.core.types import Page
from wrac.fetching.skip import Skip

Reader = Callable[[str, int, Mapping[str, str]], Iterator[Page | Skip]]
_WARC: Final = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4")
_PARQUET: Final = ".parquet"


def holds_pages(name: str) -> bool:
    """Whether a file is called as archives are."""
    return name.lower().endswith((*_WARC, _PARQUET))


def reader(name: str) -> Reader | None:
    """Who reads the pages of a file with that name; None when it is one page."""
    if name.lower().endswith(_WARC):
        from wrac.fetching.warc import read

        return read
    if name.lower().endswith(_PARQUET):
        from wrac.fetching.parquet import read as read_rows

        return read_rows
    return None
