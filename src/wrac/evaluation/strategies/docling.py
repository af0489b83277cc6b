"""docling's HTML reader and hybrid chunker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any


def cutter(counts: Callable[[str], int], limit: int) -> Callable[[str], Iterator[str]]:
    """HTML to chunks of at most `limit` tokens with their headings, as docling's `contextualize` writes them.

    Raises ImportError where docling is not installed.
    """
    from docling.backend.html_backend import HTMLDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker

    chunker = HybridChunker(tokenizer=_counting(counts, limit))

    def cut(html: str) -> Iterator[str]:
        body = BytesIO(html.encode())
        source = InputDocument(body, InputFormat.HTML, HTMLDocumentBackend, filename="page.html")
        document = HTMLDocumentBackend(source, body).convert()
        return (str(chunker.contextualize(one)) for one in chunker.chunk(document))

    return cut


def _counting(counts: Callable[[str], int], limit: int) -> Any:  # noqa: ANN401 - of a type that need not be there
    """A tokenizer of docling's kind that only counts."""
    from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer

    class Counting(BaseTokenizer):  # type: ignore[misc]  # untyped where docling is not installed
        def count_tokens(self, text: str) -> int:
            return counts(text)

        def get_max_tokens(self) -> int:
            return limit

        def get_tokenizer(self) -> object:
            return counts

    return Counting()
