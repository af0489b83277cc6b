"""Files in a workspace's folder that quote pages: labelled questions, and results of evaluations."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from wrac.core.errors import StorageError

GOLD: Final = "gold.jsonl"
"""Labelled questions, a JSON object a line, with the `page` or `pages` that answer them and their `text`."""
RESULTS: Final = "evaluations"
"""The folder with results of evaluations, which quote pages where chunks did worst."""


def erase(folder: Path, urls: Iterable[str]) -> int:
    """How many questions about some pages, and results that name them, were erased. Raises StorageError."""
    gone = set(urls)
    try:
        return _questions(folder / GOLD, gone) + sum(map(_erased, _naming(folder / RESULTS, gone)))
    except OSError as error:
        raise StorageError(f"{folder}: {(error.strerror or str(error)).lower()}; then forget again") from error


def _questions(file: Path, gone: set[str]) -> int:
    """How many lines were dropped; what is no JSON stays."""
    lines = file.read_text("utf-8").split("\n") if file.exists() else []
    kept = [line for line in lines if gone.isdisjoint(_pages(line))]
    if len(kept) < len(lines):
        _blank(file)
        file.write_text("\n".join(kept), "utf-8")
    return len(lines) - len(kept)


def _pages(line: str) -> list[str]:
    try:
        row: Any = json.loads(line)
    except ValueError:
        return []
    named = [row.get("page"), *(row.get("pages") or ())] if isinstance(row, dict) else []
    return [one for one in named if isinstance(one, str)]


def _naming(folder: Path, gone: set[str]) -> list[Path]:
    """The results that name one of the pages."""
    said = [json.dumps(url, ensure_ascii=plain).encode() for url in gone for plain in (True, False)]
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    return [file for file in files if any(one in file.read_bytes() for one in said)]


def _erased(file: Path) -> int:
    _blank(file)
    file.unlink()
    return 1


def _blank(file: Path) -> None:
    """Overwrite the file where it stands."""
    with file.open("r+b") as stream:
        stream.write(b" " * file.stat().st_size)
        stream.flush()
