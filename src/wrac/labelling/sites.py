"""What a site's pages say in common, counted at one moment: a named input of labels, so no new page changes others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from wrac.core.ids import content_id
from wrac.core.types import NOTHING, Document, frozen
from wrac.labelling.chains import COMMON
from wrac.labelling.terms import terms


@dataclass(frozen=True)
class SiteTerms:
    """How many pages of a site hold a content word, by stem. Equal counts are one snapshot, whatever their order."""

    pages: int = 0
    holding: Mapping[str, int] = field(default_factory=lambda: NOTHING)

    @classmethod
    def of(cls, documents: Iterable[tuple[Document, str]]) -> SiteTerms:
        """The snapshot of documents, each with its language where it declares none."""
        count, holding = 0, Counter[str]()
        for document, language in documents:
            count += 1
            holding.update({term.stem for own in terms(document, language) for term in own})
        return cls(count, frozen({stem: holding[stem] for stem in sorted(holding)}))

    @cached_property
    def id(self) -> str:
        """The id of the counts."""
        parts = [str(self.pages), *(f"{stem}\t{self.holding[stem]}" for stem in sorted(self.holding))]
        return content_id("t1", parts)

    def common(self) -> frozenset[str]:
        """Stems on so many pages that they tell none of them from its siblings; of a handful of pages none is."""
        least = max(COMMON * self.pages, 3)
        return frozenset(stem for stem, count in self.holding.items() if count > least)
