"""Sources to pages: files, directories, standard input and URLs, in a stable order, one page in memory at a time."""

from __future__ import annotations

from wrac.fetching.media import READABLE
from wrac.fetching.skip import Skip
from wrac.fetching.sources import MAX_SIZE, pages

__all__ = ["MAX_SIZE", "READABLE", "Skip", "pages"]
