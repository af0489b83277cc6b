"""Files that a command is told to write: tried before the work, written after it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wrac.cli import paint
from wrac.core.errors import StorageError


def write(file: Path, text: str) -> None:
    """Writes the text and says so. Raises StorageError where the place takes none."""
    with _place(file):
        file.write_text(text, "utf-8")
    sys.stderr.write(paint.safe(f"wrote {file}\n"))


def probe(file: Path) -> None:
    """Leaves all as it was. Raises StorageError where the file could not be written."""
    with _place(file):
        known = file.exists()
        file.open("a").close()
        if not known:
            file.unlink()


@contextmanager
def _place(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{file}: {(error.strerror or str(error)).lower()}; choose another place") from error
