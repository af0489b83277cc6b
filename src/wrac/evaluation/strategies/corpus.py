"""The pages as all strategies read them: parsed once, so a row's difference is chunking and never parsing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from wrac.core.types import Document, HtmlAddress, Page, Slice
from wrac.evaluation.values import Passage, Ranges, name
from wrac.evaluation.vectors import VectorCache
from wrac.llm.asking import Model
from wrac.text.detection import detect

JOIN = " > "
SOURCES = frozenset(("text/plain", "text/markdown"))
"""Media types whose source is the text that people cut; of all others they cut what was extracted."""


class Corpus:
    """Pages parsed once for all strategies that read them; the run's vectors and its model for those that need some."""

    def __init__(self, vectors: Callable[[], VectorCache] | None = None, model: Model | None = None) -> None:
        self.vectors = cache(vectors or VectorCache.of("minilm"))
        self.model = model
        self._documents: dict[str, Document] = {}
        self._languages: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def document(self, page: Page) -> Document:
        """The page's document."""
        from wrac.parsing import parse  # replaying published chunks needs no parser

        if page.id not in self._documents:
            self._documents[page.id] = parse(page)
        return self._documents[page.id]

    def know(self, page: Page, document: Document) -> None:
        """Take a page's document as it was parsed before."""
        self._documents[page.id] = document

    def language(self, page: Page) -> str:
        """The page's language, its own or guessed, as the index has it; "" where nobody knows."""
        if page.id not in self._languages:
            document = self.document(page)
            self._languages[page.id] = document.language or detect("\n".join(texts(document)))
        return self._languages[page.id]

    def text(self, page: Page) -> str:
        """What strategies that cut text read: the source of a text or of Markdown, else the units' texts, a line each.

        Reading units and not another extractor's text gives these baselines wrac's parser: a head start.
        """
        if page.id not in self._texts:
            self._texts[page.id] = source(page) if page.media_type in SOURCES else "\n".join(texts(self.document(page)))
        return self._texts[page.id]

    def cut(self, page: Page, ranges: Iterable[tuple[int, int]]) -> Iterator[Passage]:
        """Passages of the ranges of the page's text that hold more than white space, with their place in the source."""
        text, known = self.text(page), page.media_type in SOURCES
        for start, end in ranges:
            part = text[start:end]
            if part and not part.isspace():
                yield Passage(page.url, part, indexed(page.url, part), ((start, end),) if known else ())


def source(page: Page) -> str:
    """The decoded source in which addresses of texts and Markdown count."""
    from wrac.parsing.source import decode

    return decode(page.body, page.charset)[0]


def texts(document: Document) -> list[str]:
    """The units' texts in reading order, hidden panels and site chrome too; images and data scripts left out."""
    return [
        document.text(place.ordinal)
        for place in document.places
        if place.role != "data" and document.unit(place.ordinal).kind != "image"
    ]


def placed(document: Document, parts: Iterable[tuple[int, Slice]]) -> Ranges:
    """The source ranges of slices of the units at ordinals, ascending, neighbours with nothing between them as one.

    Exact in plain text. Of marked up sources a part of a unit has the whole unit's range; units inside attributes,
    scripts and archives have none.
    """
    found: list[tuple[int, int]] = []
    for ordinal, (_, start, end) in sorted(parts):
        address = document.places[ordinal].address
        if not isinstance(address, HtmlAddress) or address.within is not None or address.nth:
            continue
        one = (address.start, address.end)
        if document.media_type == "text/plain":
            one = (address.start + start, address.start + end)
        if found and one[0] <= found[-1][1]:
            one = (found[-1][0], max(found.pop()[1], one[1]))
        found.append(one)
    return tuple(found)


def headed(head: Iterable[str], body: str) -> str:
    """The body under its headings on one line; whichever is there where the other is empty."""
    line = JOIN.join(" ".join(part.split()) for part in head)
    return f"{line}\n{body}" if line and body else line or body


def indexed(page: str, text: str) -> str:
    """What is searched of a passage that knows no more of its page than the file name."""
    return f"{name(page)}\n{text}"
