"""Pages of a data set through the product's own fetching."""

from __future__ import annotations

from collections.abc import Sequence

from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import Page
from wrac.evaluation.values import Excluded
from wrac.fetching import Skip, pages


def read(sources: Sequence[str]) -> list[Page]:
    """The pages of files, folders and URLs. Raises InputError where there is none."""
    found = [page for page in pages(sources) if not isinstance(page, Skip)]
    if not found:
        raise InputError(" ".join(sources), "holds no page", "give the files or the folder that the queries are about")
    return found


def unread(page: Page, error: InputError | MissingExtraError) -> Excluded:
    """A page that is left out, since its parser raised the error."""
    reason = error.problem if isinstance(error, InputError) else str(error)
    return Excluded(page.url, "", f"the page cannot be read: {reason}")
