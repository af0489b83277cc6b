"""JSON lines files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wrac.core.errors import InputError


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file. Raises InputError naming the line that is none."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", "give the data set's folder") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number}", "is not JSON", "one object a line") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}", "is not a JSON object", "one object a line")
        yield row
