"""The index made anew from the catalog: nothing is fetched, parsed, planned or embedded."""

from __future__ import annotations

from wrac.flow.report import Progress
from wrac.flow.shelf import Shelf


def reindex(shelf: Shelf, to: str, progress: Progress, wait: float) -> int:
    """How many pages are in the new index; `to` is a store's URL, `workspace`, or empty for where it is now."""

    def waiting() -> None:
        progress("wait", 0, None, "another process is writing to this workspace")

    with shelf.database.writer(wait, waiting):
        pages = shelf.rebuild(to, progress)
        shelf.settle()
    return pages
