"""What makes queries and gold usable; what is not is left out with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wrac.core.errors import InputError, MissingExtraError
from wrac.core.types import Page
from wrac.evaluation.datasets.blocks import blocks
from wrac.evaluation.datasets.reading import unread
from wrac.evaluation.metrics.blocks import covered
from wrac.evaluation.metrics.words import content_terms
from wrac.evaluation.values import DataSet, Excluded, Gold, Query

_MARKUP = frozenset(("text/html", "application/xhtml+xml"))


class Drafts(NamedTuple):
    """Queries as an adapter reads them, what it left out itself, masks, and the file that errors name.

    `taken` says that the gold was read from the pages, so that it need not be looked for.
    """

    queries: Sequence[Query]
    file: Path
    masks: Sequence[str] = ()
    excluded: Sequence[Excluded] = ()
    spans: bool = False
    taken: bool = False


def checked(name: str, root: Path, pages: Sequence[Page], drafts: Drafts) -> DataSet:
    """The data set without queries and gold that cannot count: empty, or nowhere in the pages.

    Raises InputError for an id that stands twice, and where no query is left.
    """
    _refuse_twins(drafts)
    texts = _Texts(pages, drafts)
    kept, excluded = [], list(drafts.excluded)
    told = {one.query for one in excluded}
    for query in drafts.queries:
        if not query.text.strip():
            excluded.append(Excluded(query.id, "", "the query is empty"))
            continue
        faults = [(gold, texts.fault(gold)) for gold in query.gold]
        excluded += [Excluded(query.id, gold.text, fault) for gold, fault in faults if fault]
        if not query.gold and query.id not in told:
            excluded.append(Excluded(query.id, query.text, "the query has no gold"))
        if good := tuple(gold for gold, fault in faults if not fault):
            kept.append(replace(query, gold=good))
    if not kept:
        raise InputError(str(drafts.file), *_nothing(excluded))
    masks = tuple(dict.fromkeys(drafts.masks))
    return DataSet(name, root, tuple(pages), tuple(kept), masks, tuple(excluded), drafts.spans)


def _refuse_twins(drafts: Drafts) -> None:
    twins = [one for one, times in Counter(query.id for query in drafts.queries).items() if times > 1]
    if twins:
        raise InputError(str(drafts.file), f"query id {twins[0]} stands twice", "ids must be unique")


def _nothing(excluded: Sequence[Excluded]) -> tuple[str, str]:
    """Problem and advice where no query is left."""
    if not excluded:
        return "holds no queries", "one object a line"
    reason, times = Counter(one.reason for one in excluded).most_common(1)[0]
    return f"no query is left: {reason} ({times} times)", "check that the pages are those of the queries"


class _Texts:
    """What the pages say, each read when first asked for."""

    def __init__(self, pages: Iterable[Page], drafts: Drafts) -> None:
        self._pages = {page.url: page for page in pages}
        self._spans, self._taken = drafts.spans, drafts.taken
        self._read: dict[str, frozenset[str]] = {}
        self._parsed: dict[str, frozenset[str]] = {}
        self._sources: dict[str, str] = {}
        self._unread: dict[str, str] = {}

    def fault(self, gold: Gold) -> str:
        """Why the gold cannot be found, "" where it can: by the judge's own rule, or by its code points."""
        if not gold.pages:
            return "its page is not in the set"
        if self._spans:
            same = all(self._source(page)[gold.start : gold.end] == gold.text for page in gold.pages)
            return "" if same and gold.text else "it is not what stands there in the source"
        terms = frozenset(content_terms(gold.text))
        if not terms:
            return "it has no words that tell it apart"
        urls = sorted(gold.pages)
        if self._taken or any(covered(terms, read(url)) for read in (self._terms, self._units) for url in urls):
            return ""
        return next((self._unread[url] for url in urls if url in self._unread), "it is nowhere on its page")

    def _terms(self, url: str) -> frozenset[str]:
        """The content words of a page's blocks, which are read faster than the page is parsed."""
        page = self._pages[url]
        if url not in self._read:
            html = blocks(page) if page.media_type in _MARKUP else ()
            self._read[url] = frozenset(term for block in html for term in content_terms(block.text))
        return self._read[url]

    def _units(self, url: str) -> frozenset[str]:
        """The content words of all a page's units, those of scripts too; none of one that cannot be read."""
        from wrac.parsing import parse  # most gold is found without

        if url not in self._parsed:
            try:
                texts = [unit.text for unit in parse(self._pages[url]).units.values()]
            except (InputError, MissingExtraError) as error:
                texts, self._unread[url] = [], unread(self._pages[url], error).reason
            self._parsed[url] = frozenset(term for text in texts for term in content_terms(text))
        return self._parsed[url]

    def _source(self, url: str) -> str:
        from wrac.parsing.source import decode

        if url not in self._sources:
            self._sources[url] = decode(self._pages[url].body, self._pages[url].charset)[0]
        return self._sources[url]
