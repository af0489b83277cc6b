"""The shipped model made ready while a command imports the rest: making its session leaves the interpreter free."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing


def load(workspace: str) -> None:
    """Start to load the model of a workspace in a folder, where it is the shipped one: who needs it waits less."""
    if _embedder(workspace) == "minilm":
        ThreadPoolExecutor(1, "wrac-ahead").submit(_load)  # what goes wrong there goes wrong again where it is needed


def _embedder(workspace: str) -> str:
    """What `flow.embedders.recalled` says, without what that imports; nothing where there is no such folder."""
    try:
        with closing(sqlite3.connect(f"file:{_quoted(workspace)}/wrac.db?mode=ro", uri=True)) as database:
            row = database.execute("SELECT value FROM meta WHERE name = 'embedder'").fetchone()
    except sqlite3.Error:  # the command will say what is wrong
        return ""
    return str(row[0]) if row else "minilm"


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _load() -> None:
    from wrac.embedding import load

    load().prepare()
