"""One paragraph inserted: which ids stay, and what has to be embedded again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from wrac.core.types import Page
from wrac.evaluation.audit.cuts import Cutter, Made
from wrac.evaluation.audit.figures import MOST_NEW, Count, Example

PARAGRAPH: Final = "A paragraph that nobody wrote was inserted here by the audit."
PAGES: Final = 12
"""Pages that are edited."""
_AFTER = re.compile(rb"</h1\s*>", re.IGNORECASE), re.compile(rb"</h[2-6]\s*>", re.IGNORECASE)


def edited(page: Page) -> Page | None:
    """The page with a paragraph after its h1 or, without one, its first heading; None without any.

    Its URL has another folder and the same name, so that nobody takes it for the page they have read.
    """
    at = next((match.end() for after in _AFTER if (match := after.search(page.body))), -1)
    if at < 0:
        return None
    body = page.body[:at] + f"<p>{PARAGRAPH}</p>".encode() + page.body[at:]
    return replace(page, url=f"edited/{page.url}", body=body)


def stability(cutter: Cutter, page: Page, after: Page, counts: Mapping[str, Count]) -> None:
    """Adds what of the page kept its id, and how many passages of the edited page were not there before."""
    old, new = cutter.cut(page), cutter.cut(after)
    if old.failed or new.failed:
        return
    before = {piece.indexed for piece in old.pieces}
    fresh = [piece for piece in new.pieces if piece.indexed not in before]
    counts["again"].add(len(fresh), len(new.pieces))
    counts["each"].add(len(fresh))
    if len(fresh) > MOST_NEW:
        what = f"{len(fresh)} of {len(new.pieces)} chunks are new"
        counts["each"].fault(Example(page.url, fresh[0].text[:120], what))
    if old.made is not None and new.made is not None:
        had, has = _ids(old.made), _ids(new.made)
        counts["ids"].add((had & has).total(), had.total())


def _ids(made: Made) -> Counter[str]:
    return Counter(place.unit for place in made.document.places)


class Spread:
    """At most twice `most` pages, spread evenly over all that were offered, whatever their number."""

    def __init__(self, most: int = PAGES) -> None:
        self._most, self._step, self._count = most, 1, 0
        self._kept: list[Page] = []

    def offer(self, page: Page) -> None:
        """Keeps every n-th page, and every second of those kept when there are too many."""
        if self._count % self._step == 0:
            self._kept.append(page)
            if len(self._kept) > 2 * self._most:
                self._kept, self._step = self._kept[::2], self._step * 2
        self._count += 1

    def pages(self) -> list[Page]:
        """`most` of the pages kept, or all there were."""
        step = max(1, len(self._kept) // self._most)
        return self._kept[::step][: self._most]
