"""docling's HTML reader and hybrid chunker; importing this module imports docling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO

from docling.backend.html_backend import HTMLDocumentBackend
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer


class Counted(BaseTokenizer):  # type: ignore[misc]  # docling is untyped where it is not installed
    """A tokenizer that only counts."""

    counts: Callable[[str], int]
    limit: int

    def count_tokens(self, text: str) -> int:
        return self.counts(text)

    def get_max_tokens(self) -> int:
        return self.limit

    def get_tokenizer(self) -> object:
        return self.counts


def cutter(counts: Callable[[str], int], limit: int) -> Callable[[str], Iterator[str]]:
    """HTML to chunks of at most `limit` tokens with their headings, as docling's `contextualize` writes them."""
    chunker = HybridChunker(tokenizer=Counted(counts=counts, limit=limit))

    def cut(html: str) -> Iterator[str]:
        body = BytesIO(html.encode())
        source = InputDocument(body, InputFormat.HTML, HTMLDocumentBackend, filename="page.html")
        document = HTMLDocumentBackend(source, body).convert()
        return (str(chunker.contextualize(one)) for one in chunker.chunk(document))

    return cut
