"""Which module reads a document that is a file of parts or pages; it is imported when the first such file comes.

Such a module has two functions: `parse(page)` gives the Document, in which no two places have the same address, and
`sources(page)` the texts of the file, taken from it and not from the parse: what the law of conservation counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Final, NamedTuple, Protocol

from wrac.core.errors import MissingExtraError
from wrac.core.types import Document, Page

DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX: Final = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB: Final = "application/epub+zip"
PDF: Final = "application/pdf"


class Format(NamedTuple):
    """A parser's name with its version, its module in this package, and the extra it needs, "" for none."""

    parser: str
    module: str
    extra: str = ""


class Reader(Protocol):
    """What the module of a format can do."""

    def parse(self, page: Page) -> Document:
        """The Document of a page of this format. Raises InputError for bytes that are none."""
        ...

    def sources(self, page: Page) -> Iterator[str]:
        """The texts in the file, each once."""
        ...


FORMATS: Final = {
    DOCX: Format("docx@1", "docx"),
    PPTX: Format("pptx@1", "pptx"),
    XLSX: Format("xlsx@1", "xlsx"),
    EPUB: Format("epub@1", "epub"),
    PDF: Format("pdf@1", "pdf", "pdf"),
}


def reader(media_type: str) -> Reader:
    """The module that reads a media type of `FORMATS`.

    Raises MissingExtraError when what it needs is not installed.
    """
    form = FORMATS[media_type]
    try:
        return import_module(f"wrac.parsing.{form.module}")
    except ModuleNotFoundError as error:
        if not form.extra or (error.name or "").startswith("wrac"):
            raise
        raise MissingExtraError(form.extra, f"reading {form.module.upper()} files") from error
