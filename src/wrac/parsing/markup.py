"""A document of another format as HTML for the segmenter, and the way back from each unit to where it stood."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from wrac.core.types import NOTHING, Document, Loss, Page, PartAddress
from wrac.parsing.dom import document
from wrac.parsing.emit import Emitter
from wrac.parsing.finish import nest, places_of
from wrac.parsing.frames import Draft
from wrac.parsing.html import segment_tree


class Piece(NamedTuple):
    """A stretch of a line with one format: HTML, and what it says about it."""

    html: str
    href: str = ""
    hidden: bool = False
    code: bool = False
    strong: bool = False
    em: bool = False
    shift: str = ""  # "sup" or "sub"


class Markup:
    """HTML under construction. Text that follows `at` stands there in the file until `at` is called again."""

    def __init__(self) -> None:
        self.losses: list[Loss] = []
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._places: list[tuple[str, str]] = []

    def at(self, part: str, shape: str) -> None:
        """What comes now stands in this shape of this part."""
        self._starts.append(self._length)
        self._places.append((part, shape))

    def put(self, markup: str) -> None:
        """Adds HTML as it is."""
        self._pieces.append(markup)
        self._length += len(markup)

    def text(self, text: str) -> None:
        """Adds text."""
        self.put(escape(text, quote=False))

    def lose(self, reason: str, text: str = "") -> None:
        """Records text that becomes no unit, or a thing without text."""
        self.losses.append(Loss(reason, sum(map(len, text.split())), text=text.strip()))

    def source(self) -> str:
        """The HTML so far."""
        return "".join(self._pieces)

    def address(self, drafts: Sequence[Draft]) -> None:
        """Gives each draft its place in the file; the second one of a shape is `shape#2`."""
        seen: Counter[tuple[str, str]] = Counter()
        for draft in drafts:
            place = self._places[max(bisect_right(self._starts, draft.start) - 1, 0)]
            seen[place] += 1
            part, shape = place
            draft.native = PartAddress(part, shape if seen[place] == 1 else f"{shape}#{seen[place]}")


def attribute(name: str, value: str) -> str:
    """` name="value"`, or nothing for an empty value."""
    return f' {name}="{escape(value)}"' if value else ""


def rendered(pieces: Sequence[Piece]) -> str:
    """The pieces as HTML, equal formats in one element, a link around all of its formats."""
    return "".join(_rendered(pieces))


def _rendered(pieces: Sequence[Piece]) -> Iterator[str]:
    at = 0
    while at < len(pieces):
        first, texts = pieces[at], []
        while at < len(pieces) and pieces[at].href == first.href:
            form, run = pieces[at]._replace(html=""), []
            while at < len(pieces) and pieces[at]._replace(html="") == form:
                run.append(pieces[at].html)
                at += 1
            texts.append(_formatted("".join(run), form))
        text = "".join(texts)
        yield f"<a{attribute('href', first.href)}>{text}</a>" if first.href else text


def _formatted(text: str, form: Piece) -> str:
    tags = [("code", form.code), ("strong", form.strong), ("em", form.em), (form.shift, form.shift)]
    for tag, wanted in reversed(tags):
        if wanted:
            text = f"<{tag}>{text}</{tag}>"
    return f"<span hidden>{text}</span>" if form.hidden else text


def document_of(page: Page, parser: str, markup: Markup, about: Mapping[str, str]) -> Document:
    """The Document of a page whose content is `markup`; `about` as in `assembled`."""
    source = markup.source()
    walk = segment_tree(document(source), lambda: source)
    markup.address(walk.drafts)
    walk.losses[:0] = markup.losses
    return assembled(page, parser, walk, about)


def assembled(page: Page, parser: str, walk: Emitter, about: Mapping[str, str]) -> Document:
    """The Document of a file from what was found in it; `about` holds its title, language and metadata.

    A file without a title is called by its first heading, and one without anything has a loss that says so.
    """
    places, units = places_of(walk.drafts)
    heading = next((draft.text for draft in walk.drafts if draft.kind == "heading"), "")
    meta = {name: text for name, text in about.items() if name not in ("title", "language")}
    losses = tuple(walk.losses)
    return Document(
        body=page.body_id,
        media_type=page.media_type,
        encoding="UTF-8",
        parser=parser,
        title=about.get("title", "") or " ".join(heading.split()),
        language=about.get("language", ""),
        units=units,
        places=places,
        spans=nest(walk.spans, len(places)),
        losses=losses if places or losses else (Loss("file without text", 0),),
        meta=MappingProxyType(meta) if meta else NOTHING,
    )
