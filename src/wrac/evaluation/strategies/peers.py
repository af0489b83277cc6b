"""Other chunkers, each run as its documentation tells a user to: HTML in, 512 cl100k tokens at most, no overlap.

All are of the extra `peers` but docling, whose core pins typer below what wrac's own command needs. A chunker that
counts characters has 2,000 of them. chonkie's Markdown recipe would be fetched from a hub: its rule, headings before
paragraphs, is written here. unstructured is run where spaCy's small English model is installed; it would fetch it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, TypeAlias

from wrac.core.errors import ConfigError, InputError, MissingExtraError
from wrac.core.types import Page
from wrac.evaluation.strategies.corpus import Corpus, headed, indexed
from wrac.evaluation.strategies.docling import cutter
from wrac.evaluation.values import Passage, Passages
from wrac.text.tokens import counter

BUDGET: Final = 512
CHARACTERS: Final = 2000
HEADERS: Final = [(f"h{level}", f"Header {level}") for level in range(1, 5)]

Part: TypeAlias = tuple[Iterable[str], str]
"""Headings that a chunk carries as metadata, and its text."""
Cut: TypeAlias = Callable[[str], Iterable[Part]]


@dataclass(frozen=True, slots=True)
class Peer:
    """Someone else's chunker: its text to the reader, headings it keeps as metadata to the search as well."""

    corpus: Corpus
    name: str

    def passages(self, pages: Sequence[Page]) -> Passages:
        """The peer's chunks of HTML pages; those without text are left out.

        Raises MissingExtraError or ConfigError where it is not installed, InputError for a page that is no HTML or that
        it cannot cut.
        """
        try:
            cut = PEERS[self.name]()
        except ImportError as error:
            raise MissingExtraError("peers", f"the strategy {self.name} ({error.name} is missing)") from error
        return Passages(tuple(one for page in pages for one in self._page(page, cut)))

    def _page(self, page: Page, cut: Cut) -> list[Passage]:
        html = self._html(page)
        try:
            parts = list(cut(html))
        except Exception as error:  # whatever their code may raise ends their row, with its reason, and no other
            raise InputError(page.url, f"{self.name} fails on it: {error!r}", "leave the strategy out") from error
        kept = ((heads, text) for heads, text in parts if text.strip())
        return [Passage(page.url, text, indexed(page.url, headed(heads, text))) for heads, text in kept]

    def _html(self, page: Page) -> str:
        from wrac.parsing.source import source_of

        if page.media_type not in ("text/html", "application/xhtml+xml"):
            raise InputError(page.url, f"{self.name} reads HTML, this is {page.media_type}", "leave the strategy out")
        return source_of(page.body, self.corpus.document(page).encoding)


def count(text: str) -> int:
    """cl100k tokens: the length function given to every peer that takes one."""
    return counter("cl100k").count(text)


SIZE: Final[Mapping[str, Any]] = {"chunk_size": BUDGET, "chunk_overlap": 0, "length_function": count}


def _plain(texts: Iterable[str]) -> list[Part]:
    return [((), text) for text in texts]


def _soup() -> Callable[[str], str]:
    from bs4 import BeautifulSoup

    return lambda html: str(BeautifulSoup(html, "lxml").get_text())


def _langchain_recursive() -> Cut:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter, soup = RecursiveCharacterTextSplitter(**SIZE), _soup()
    return lambda html: _plain(splitter.split_text(soup(html)))


def _langchain_header() -> Cut:
    from langchain_text_splitters import HTMLHeaderTextSplitter, RecursiveCharacterTextSplitter

    header, splitter = HTMLHeaderTextSplitter(HEADERS), RecursiveCharacterTextSplitter(**SIZE)
    return lambda html: _documents(splitter.split_documents(header.split_text(html)))


def _langchain_semantic() -> Cut:
    from langchain_text_splitters import HTMLSemanticPreservingSplitter

    splitter = HTMLSemanticPreservingSplitter(
        HEADERS,
        max_chunk_size=CHARACTERS,
        chunk_overlap=0,
        separators=["\n\n", "\n", ". ", "! ", "? "],
        elements_to_preserve=["table", "ul", "ol", "dl", "pre"],
        denylist_tags=["script", "style", "head"],
    )
    return lambda html: _documents(splitter.split_text(html))


def _documents(documents: Iterable[Any]) -> list[Part]:
    keys = [key for _, key in HEADERS]
    return [([one.metadata[key] for key in keys if key in one.metadata], one.page_content) for one in documents]


def _markdown() -> Callable[[str], str]:
    from markdownify import markdownify

    return lambda html: str(markdownify(html, heading_style="ATX"))


def _chonkie() -> Cut:
    from chonkie import MarkdownChef, RecursiveChunker, RecursiveLevel, RecursiveRules, TableChunker

    chef, table, markdown = MarkdownChef(count), TableChunker(count, BUDGET), _markdown()
    levels = [RecursiveLevel(delimiters=[f"\n{'#' * level} "], include_delim="next") for level in range(1, 7)]
    rules = RecursiveRules(levels=[*levels, *RecursiveRules().levels])
    text = RecursiveChunker(count, BUDGET, rules)

    def cut(html: str) -> list[Part]:
        document = chef.parse(markdown(html))
        fences = [document.content[one.start_index : one.end_index] for one in document.code]
        starts = [one.start_index for one in document.code]
        found = [
            (chunk.start_index, chunk.text) for chunk in table.chunk_document(text.chunk_document(document)).chunks
        ]
        found += [(at, part.text) for at, code in zip(starts, fences, strict=True) for part in text.chunk(code)]
        return _plain(one for _, one in sorted(found, key=lambda pair: pair[0]))

    return cut


def _semchunk() -> Cut:
    chunker, soup = import_module("semchunk").chunkerify(count, BUDGET), _soup()
    return lambda html: _plain(chunker(soup(html)))


def _text_splitter() -> Cut:
    from semantic_text_splitter import MarkdownSplitter

    splitter, markdown = MarkdownSplitter.from_callback(count, BUDGET), _markdown()
    return lambda html: _plain(splitter.chunks(markdown(html)))


def _unstructured() -> Cut:
    os.environ.setdefault("DO_NOT_TRACK", "true")  # a comparison reports to nobody
    os.environ.setdefault("UNSTRUCTURED_DISABLE_NOTICE", "1")
    from unstructured.chunking.title import chunk_by_title
    from unstructured.partition.html import partition_html

    if find_spec("en_core_web_sm") is None:
        raise ConfigError("unstructured needs a language model: python -m spacy download en_core_web_sm")
    return lambda html: _plain(
        one.text for one in chunk_by_title(partition_html(text=html), max_characters=CHARACTERS) if one.text
    )


def _docling() -> Cut:
    try:
        cut = cutter(count, BUDGET)
    except ImportError as error:
        need = 'pip install "docling-core[chunking]" "docling-slim[format-html]"'
        raise ConfigError(
            f"docling ({error.name} is missing) takes typer back; in an environment apart: {need}"
        ) from error
    return lambda html: _plain(cut(html))


PEERS: Final[Mapping[str, Callable[[], Cut]]] = {
    "langchain-header": _langchain_header,
    "langchain-semantic": _langchain_semantic,
    "langchain-recursive": _langchain_recursive,
    "chonkie": _chonkie,
    "semchunk": _semchunk,
    "text-splitter": _text_splitter,
    "unstructured": _unstructured,
    "docling": _docling,
}
"""Makers of peers by the name of the strategy. Each raises ImportError where a package is missing."""
