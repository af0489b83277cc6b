"""The pages as all strategies read them: parsed once, so a row's difference is chunking and never parsing."""

from __future__ import annotations

from collections.abc import Iterable

from wrac.core.types import Document, Page
from wrac.evaluation.values import name
from wrac.text.analysis import guess

JOIN = " > "


class Corpus:
    """Pages parsed once for all strategies that read them."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._languages: dict[str, str] = {}

    def document(self, page: Page) -> Document:
        """The page's document."""
        from wrac.parsing import parse  # replaying published chunks needs no parser

        if page.id not in self._documents:
            self._documents[page.id] = parse(page)
        return self._documents[page.id]

    def language(self, page: Page) -> str:
        """The page's language, its own or guessed, as the index has it; "" where nobody knows."""
        if page.id not in self._languages:
            document = self.document(page)
            self._languages[page.id] = document.language or guess("\n".join(texts(document)))
        return self._languages[page.id]


def texts(document: Document) -> list[str]:
    """The units' texts in reading order, questions of accordions and hidden panels too; images and data left out."""
    return [document.text(place.ordinal) for place in document.places if document.unit(place.ordinal).kind != "image"]


def headed(head: Iterable[str], body: str) -> str:
    """The body under its headings on one line; whichever is there where the other is empty."""
    line = JOIN.join(" ".join(part.split()) for part in head)
    return f"{line}\n{body}" if line and body else line or body


def indexed(page: str, text: str) -> str:
    """What is searched of a passage that knows no more of its page than the file name."""
    return f"{name(page)}\n{text}"
