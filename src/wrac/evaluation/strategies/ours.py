"""wrac's own chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wrac.core.types import Page, Policy
from wrac.evaluation.strategies.corpus import Corpus, headed
from wrac.evaluation.values import Passage, Passages


@dataclass(frozen=True, slots=True)
class Wrac:
    """wrac's own chunks by the rules planner: trail and text to the reader, the product's index entry to the search."""

    corpus: Corpus
    policy: Policy | None = None
    name: str = "wrac"

    def passages(self, pages: Sequence[Page]) -> Passages:
        """One passage an occurrence, in reading order."""
        return Passages(tuple(passage for page in pages for passage in self._page(page)))

    def _page(self, page: Page) -> Iterator[Passage]:
        from wrac.chunking import chunk, entry
        from wrac.planning import plan

        document = self.corpus.document(page)
        policy = self.policy or Policy()
        for one in chunk(document, plan(document, policy), policy, page.url).chunks:
            text = headed((document.units[unit].text for unit in one.trail), one.text)
            yield Passage(page.url, text, entry(document, one, page.url).text)
