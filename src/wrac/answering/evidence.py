"""What a model is given to answer from: passages, every unit of them behind a mark that it can cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wrac.answering.fencing import fence, harmless, inset, series


class Said(NamedTuple):
    """A unit as a passage says it: the `ordinal`-th place of its page.

    `text` is what of the unit is sent, verbatim, and `shown` how it is written where that differs: a list item with its
    number, the row of a table with what spans into it. A heading, of a `level` above 0, has no mark.
    """

    unit: str
    ordinal: int
    text: str
    shown: str = ""
    level: int = 0


class Passage(NamedTuple):
    """Units of a page in reading order; `heading` is what stands above them and was not said before."""

    url: str
    title: str
    heading: str
    said: tuple[Said, ...]


class Source(NamedTuple):
    """A unit that can be cited, and the page it is sent from."""

    mark: str
    url: str
    said: Said


@dataclass(frozen=True, slots=True)
class Evidence:
    """Passages as a model reads them, between two lines with a word that is in no passage; and their units by mark."""

    text: str
    sources: Mapping[str, Source]

    def of(self, url: str, unit: str) -> Source | None:
        """A unit as it was sent from a page."""
        return next((one for one in self.sources.values() if (one.url, one.said.unit) == (url, unit)), None)


def evidence(passages: Iterable[Passage]) -> Evidence:
    """The passages as one text. Marks are `[2.3]`, the third unit of the second passage.

    Every line of it begins with a mark, with `#`, or is set in, so nothing that a page says can begin one.
    """
    given = list(passages)
    letters = series(text for passage in given for text in _texts(passage))
    sources: dict[str, Source] = {}
    lines: list[str] = []
    for number, passage in enumerate(given, 1):
        fresh = number == 1 or given[number - 2].url != passage.url
        lines += _heads(passage, fresh=fresh)
        lines += _units(passage, f"{letters}{number}", sources)
    word = fence(lines)
    return Evidence("\n".join((f"<passages-{word}>", *lines, f"</passages-{word}>")), sources)


def _heads(passage: Passage, *, fresh: bool) -> Iterator[str]:
    """The lines above a passage: of a new page its title and URL, and the headings."""
    if fresh:
        yield _line("# ", f"{passage.title} ({passage.url})" if passage.title else passage.url)
    if passage.heading:
        yield _line("## ", passage.heading)


def _units(passage: Passage, number: str, sources: dict[str, Source]) -> Iterator[str]:
    """The lines of a passage's units, which become sources."""
    marked = 0
    said = passage.said if any(not one.level for one in passage.said) else _cited(passage.said)
    for one in said:
        if one.level:
            yield _line(f"{'#' * (one.level + 1)} ", one.shown or one.text)
            continue
        marked += 1
        mark = f"{number}.{marked}"
        sources[mark] = Source(mark, passage.url, one)
        yield _line(f"[{mark}] ", one.shown or one.text)


def _cited(said: Sequence[Said]) -> tuple[Said, ...]:
    """Headings as units to be cited: there is nothing else to cite."""
    return tuple(one._replace(level=0) for one in said)


def _line(lead: str, text: str) -> str:
    return lead + inset(harmless(text).strip())


def _texts(passage: Passage) -> Iterator[str]:
    yield from (passage.url, passage.title, passage.heading)
    yield from (one.shown or one.text for one in passage.said)
