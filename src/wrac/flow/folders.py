"""Where a workspace's files are kept."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from wrac.catalog import FILE, errors
from wrac.catalog.places import at, is_url
from wrac.core.errors import WorkspaceError


def folder(path: str | Path, *, create: bool) -> Path:
    """The workspace's folder, for one in a database a folder of the user's state by its name.

    Raises WorkspaceError for a folder that holds something else, and without `create` where there is none.
    """
    if not is_url(path):
        with errors(Path(path)):
            _claim(Path(path), create=create)
        return Path(path)
    home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    found = home / "wrac" / blake2b(at(path).place.encode(), digest_size=8).hexdigest()
    found.mkdir(parents=True, exist_ok=True)
    return found


def _claim(path: Path, *, create: bool) -> None:
    """The folder is there and is a workspace's, or empty and to become one."""
    if (path / FILE).is_file():
        return
    if path.exists() and not path.is_dir():
        raise WorkspaceError(path, "it is a file, not a workspace", "choose another --workspace")
    if path.is_dir() and any(path.iterdir()):
        raise WorkspaceError(path, "the folder holds something else, no workspace", "choose another --workspace")
    if not create:
        raise WorkspaceError(path, "there is no workspace", "run `wrac index` first, or give --workspace")
    path.mkdir(parents=True, exist_ok=True)
