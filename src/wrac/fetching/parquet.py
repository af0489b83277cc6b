"""Parquet files as sources: a row a page, as crawls and data sets hand them on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import NOTHING, Page
from wrac.fetching import media
from wrac.fetching.skip import Skip

ADDRESSES: Final = ("url", "uri", "target_uri", "warc_target_uri", "page_url", "source_url", "id")
BODIES: Final = ("html", "raw_html", "html_content", "page_html", "body", "raw_content", "content", "markdown", "text")
"""Names of columns, the likeliest first; upper and lower case are alike."""
BATCH: Final = 64


def read(path: Path | str, max_size: int, meta: Mapping[str, str] = NOTHING) -> Iterator[Page | Skip]:
    """The pages of a file in its order: address and body from the first columns that are called so.

    A column of Markdown or plain text is read as such. Rows without an address or a body are Skips, named by their
    number. Raises InputError where no column is called so, or the file cannot be read.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("parquet", "reading Parquet files") from error
    name = str(path)
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names: Sequence[str] = file.schema_arrow.names
            address, body = _column(name, names, ADDRESSES, "addresses"), _column(name, names, BODIES, "pages")
            number = 0
            for batch in file.iter_batches(BATCH, columns=list(dict.fromkeys((address, body)))):
                for row in batch.to_pylist():
                    number += 1
                    yield _page(f"{name}#{number}", row[address], row[body], body, max_size, meta)
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(name, f"no Parquet file that can be read ({str(error).splitlines()[0]})") from error


def _column(name: str, names: Sequence[str], wanted: Sequence[str], what: str) -> str:
    lower = {one.lower(): one for one in names}
    found = next((lower[one] for one in wanted if one in lower), None)
    if found is None:
        known = ", ".join(names[:12])
        raise InputError(name, f"no column of {what} among {known}", f"name it {wanted[0]}")
    return found


def _page(place: str, url: Any, body: Any, column: str, max_size: int, meta: Mapping[str, str]) -> Page | Skip:  # noqa: ANN401, PLR0913, PLR0917 - a cell is of any type
    if not isinstance(url, str) or not url.strip():
        return Skip(place, "a row without an address")
    if not isinstance(body, str | bytes) or not body.strip():
        return Skip(url, "empty")
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    kind = {"markdown": "text/markdown", "text": "text/plain"}.get(column.lower(), media.HTML)
    return Page(url.strip(), data[: max_size + 1], kind, "utf-8" if isinstance(body, str) else "", meta=meta)
