"""Plain text to a Document: paragraphs at empty lines, verbatim."""

from __future__ import annotations

import re
from typing import Final

from wrac.core.types import Document, Page
from wrac.parsing.emit import Emitter
from wrac.parsing.finish import places_of
from wrac.parsing.frames import Frame
from wrac.parsing.run import Line
from wrac.parsing.source import decode

PARSER: Final = "text@1"
CONTEXT: Final = "text"
_PARAGRAPH: Final = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


def parse_text(page: Page) -> Document:
    """The Document of a plain text: a paragraph is what stands between lines of white space."""
    source, encoding = decode(page.body, page.charset)
    walk = Emitter(lambda: source)
    frame = Frame(None, "", iter(()), None, 0)
    for found in _PARAGRAPH.finditer(source):
        draft = walk.add("paragraph", Line(found[0], (), ()), frame)
        draft.start, draft.end, draft.context = found.start(), found.end(), CONTEXT
    places, units = places_of(walk.drafts)
    return Document(page.body_id, page.media_type, encoding, PARSER, "", "", units, places, ())
