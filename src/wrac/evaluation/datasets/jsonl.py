"""JSON lines files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError
from wrac.text.characters import scalars


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file. Raises InputError naming the line that is none."""
    return (row for _, row in numbered(path))


def numbered(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON lines file with their line numbers, from 1. Raises InputError as `lines` does."""
    for number, line in enumerate(read(path).split("\n"), 1):  # a string may hold other line separators
        if not line.strip():
            continue
        try:
            row = scalars(json.loads(line), line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}", "is not JSON", "one object a line") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}", "is not a JSON object", "one object a line")
        yield number, row


def read(path: Path) -> str:
    """The text of a UTF-8 file, a byte order mark aside. Raises InputError where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        problem = f"cannot be read ({(error.strerror or str(error)).lower()})"
        raise InputError(str(path), problem, "give the data set's folder or file") from error
    except UnicodeDecodeError as error:
        raise InputError(str(path), "is not UTF-8", "save it as UTF-8") from error
