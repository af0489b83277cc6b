"""Document + Plan -> Chunks and Occurrences: no model, no network, every code point from the stored text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from wrac.core.errors import WracError
from wrac.core.ids import content_id
from wrac.core.seams import Embedder
from wrac.core.structure import trails
from wrac.core.types import Chunk, Document, Entry, Kind, Occurrence, Place, Plan, Policy, Slice
from wrac.text.partition import LARGE_ABOVE, Terrain, cheapest, curve, lot
from wrac.text.render import Renderer
from wrac.text.sentences import ends, split
from wrac.text.tokens import counter
from wrac.text.topics import PROSE, breaks, unheaded

VERSION: Final = "chunks@2"
"""Rises with every change of what a plan's groups become: joining, splitting, prefixes, renderings."""

RUNS: Final = frozenset[Kind](("list_item", "table_row"))
"""Kinds whose neighbours of the same kind stand on the next line; all others are set apart by an empty line."""

DEFAULT: Final = Policy()
_SITE: Final = re.compile(r"\s*[-–—|·•:»/]\s")
TOPIC: Final = 15.0
"""What a clear change of topic between two sentences is worth, in cuts between any two."""
SENTENCE: Final = 64
"""Tokens up to which no sentence is cut, however small the pieces should be."""
HEADINGS: Final = 12.0
"""What a part costs that is all headings."""
SEPARATOR: Final = " > "
"""What stands between the parts of a prefix."""


@dataclass(frozen=True, slots=True)
class Chunked:
    """A page's chunks in reading order of their groups, and their occurrences on it: `occurrences[i]` is `chunks[i]`'s.

    Two groups of equal text under an equal trail give the same chunk twice.
    """

    chunks: tuple[Chunk, ...]
    occurrences: tuple[Occurrence, ...]


class Piece(NamedTuple):
    """The code points `[start, end)` of the unit at an ordinal."""

    ordinal: int
    start: int
    end: int


def join(kinds: Sequence[Kind], texts: Sequence[str]) -> str:
    """A chunk's text: its slices joined by what the kinds at each seam say, nothing else.

    >>> join(["heading", "list_item", "list_item"], ["Fees", "none", "later"])
    'Fees\\n\\nnone\\nlater'
    """
    return _interleaved(texts, _seams(kinds))


def _seams(kinds: Sequence[Kind]) -> list[str]:
    """What stands between units of these kinds."""
    return ["\n" if kind == before and kind in RUNS else "\n\n" for before, kind in pairwise(kinds)]


def _interleaved(texts: Sequence[str], seams: Sequence[str]) -> str:
    pieces = [""] * (2 * len(texts) - 1) if texts else []
    pieces[::2], pieces[1::2] = texts, seams
    return "".join(pieces)


def chunk(document: Document, plan: Plan, policy: Policy = DEFAULT, page: str = "") -> Chunked:
    """The chunks of a plan's groups, each within the policy's maximum (tokens of its tokenizer, counted on the text).

    A group that is larger is cut between units, and a unit that is larger at a line, sentence or cell end; a paragraph
    far from headings that is longer than a piece of such text, where its topic changes. Such a group gives several
    chunks.
    """
    return Chunked(*_Cutter(document, policy, page).all(plan)) if plan.groups else Chunked((), ())


class _Cutter:
    """What the chunks of one page share: trails, anchors, renderer, counter."""

    def __init__(self, document: Document, policy: Policy, page: str) -> None:
        self._document, self._maximum, self._page = document, policy.maximum, page
        self._piece, self._prose = min(policy.prose, policy.target), unheaded(document)
        self._counter = counter(policy.tokenizer)
        self._trails, self._renderer = trails(document), Renderer(document, lean=True)
        self._anchors = _anchors(document, self._trails)
        self._units = [document.units[place.unit] for place in document.places]

    def all(self, plan: Plan) -> tuple[tuple[Chunk, ...], tuple[Occurrence, ...]]:
        """Chunks and occurrences, aligned."""
        made = [self._one(part, text, tokens) for group in plan.groups for part, text, tokens in self._parts(group)]
        return tuple(one for one, _ in made), tuple(occurrence for _, occurrence in made)

    def _one(self, part: Sequence[Piece], text: str, tokens: int) -> tuple[Chunk, Occurrence]:
        ordinals = tuple(dict.fromkeys(piece.ordinal for piece in part))
        inside = frozenset(ordinals)
        first = ordinals[0]
        units, places = self._units, self._document.places
        trail = tuple(places[o].unit for o in self._trails[first] if o not in inside)
        slices = tuple([Slice(units[o].id, start, end) for o, start, end in part])
        made = Chunk(slices, trail, text, tokens)
        cuts = {o: (a, b) for o, a, b in part if b - a != len(units[o].text)}
        shown = self._renderer.markdown(ordinals, cuts)
        return made, Occurrence(made.id, self._page, ordinals, self._anchors[first], markdown=shown)

    def _parts(self, group: Sequence[int]) -> Iterator[tuple[list[Piece], str, int]]:
        """The group's parts with text and tokens: one, unless it is too large or has prose that runs on."""
        if any(map(self._runs_on, group)):
            parts = self._turns(group)
        else:
            whole = [Piece(ordinal, 0, len(self._units[ordinal].text)) for ordinal in group]
            text, tokens = self._measured(whole)
            if tokens <= self._maximum:
                yield whole, text, tokens
                return
            parts = self._pack(group)
        for part in parts:
            yield part, *self._measured(part)

    def _measured(self, part: Sequence[Piece]) -> tuple[str, int]:
        """The text of a part, and its tokens."""
        units = self._units
        texts = [units[o].text[start:end] for o, start, end in part]
        seams = _seams([units[o].kind for o, _, _ in part])
        return _interleaved(texts, seams), self._counter.joined(texts, seams)

    def _fits(self, part: Sequence[Piece]) -> bool:
        return self._measured(part)[1] <= self._maximum

    def _pack(self, group: Sequence[int]) -> Iterator[list[Piece]]:
        """Parts filled from the front with whole units; headings move on with the unit after them."""
        part: list[Piece] = []
        for ordinal in group:
            unit = self._units[ordinal]
            whole = Piece(ordinal, 0, len(unit.text))
            if self._fits([*part, whole]):
                part.append(whole)
                continue
            kept = self._without_headings(part)
            if kept:
                yield part[:kept]
                part = part[kept:]
            if self._fits([*part, whole]):
                part.append(whole)
                continue
            *full, part = self._slices(part, ordinal)
            yield from full
        if part:
            yield part

    def _runs_on(self, ordinal: int) -> bool:
        """Whether a unit is prose far from headings and longer than a piece of such text should be."""
        unit, longest = self._units[ordinal], self._longest
        if ordinal not in self._prose or unit.kind not in PROSE or len(unit.text.encode("utf-8", "replace")) <= longest:
            return False
        return self._counter.count(unit.text) > longest

    @property
    def _longest(self) -> int:
        """Tokens up to which a piece of prose is not cut."""
        return int(LARGE_ABOVE * self._piece)

    def _turns(self, group: Sequence[int]) -> Iterator[list[Piece]]:
        """Parts of a group with long prose: its sentences and other units, cut where the topic changes."""
        atoms = [atom for ordinal in group for atom in self._atoms(ordinal)]
        texts = [self._units[o].text[start:end] for o, start, end in atoms]
        headings = [self._units[atom.ordinal].kind == "heading" for atom in atoms]
        turns = zip(texts, breaks(texts, self._document.language), strict=True)
        cuts = [1 - lot(content_id("s", [text])) - TOPIC * depth for text, depth in turns]
        sizes = [self._counter.count(text) + 1 for text in texts]
        price = curve(self._piece, min(self._maximum, sum(sizes)))
        starts = cheapest(Terrain(sizes, headings, cuts, [price] * len(atoms)), HEADINGS)
        for start, end in zip(starts, [*starts[1:], len(atoms)], strict=True):
            part = _merged(atoms[start:end])
            yield from [part] if self._fits(part) else ([atom] for atom in atoms[start:end])

    def _atoms(self, ordinal: int) -> Iterator[Piece]:
        """A unit whole, or what it is cut into: its sentences, those that are longer than a piece in parts."""
        unit = self._units[ordinal]
        if not self._runs_on(ordinal):
            yield Piece(ordinal, 0, len(unit.text))
            return
        language = self._document.places[ordinal].language or self._document.language
        start = 0
        for end in ends(unit.text, language):
            for first, last in split(unit.text[start:end], self._short, language):
                yield Piece(ordinal, start + first, start + last)
            start = end

    def _short(self, text: str) -> bool:
        """Whether a part of a sentence is no longer than a piece, or than words can be held to."""
        return self._counter.count(text) <= min(max(self._longest, SENTENCE), self._maximum)

    def _without_headings(self, part: Sequence[Piece]) -> int:
        """How many pieces stand before the headings at the part's end."""
        kept = len(part)
        while kept and self._units[part[kept - 1].ordinal].kind == "heading":
            kept -= 1
        return kept

    def _slices(self, heads: list[Piece], ordinal: int) -> list[list[Piece]]:
        """Parts of a unit too long for one chunk, the first under its headings unless they fill half of it."""
        unit, place = self._units[ordinal], self._document.places[ordinal]
        titles, size = self._measured(heads) if heads else ("", 0)
        above = heads if size <= self._maximum // 2 else []
        # Every slice leaves the room that the headings take in the first: one predicate, and pieces of like size.
        lead, count = f"{titles}\n\n" if above else "", self._counter.count
        ranges = split(unit.text, lambda text: count(lead + text) <= self._maximum, place.language)
        slices = [Piece(ordinal, start, end) for start, end in ranges]
        parts = [[*above, slices[0]], *([piece] for piece in slices[1:])]
        return parts if above or not heads else [heads, *parts]


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with those that follow one another in a unit as one."""
    made: list[Piece] = []
    for piece in pieces:
        if made and made[-1].ordinal == piece.ordinal and made[-1].end == piece.start:
            made[-1] = made[-1]._replace(end=piece.end)
        else:
            made.append(piece)
    return made


def _anchors(document: Document, above: Sequence[Sequence[int]]) -> list[str]:
    """For each place the nearest anchor at or before it in its section, else that of a heading above, else none."""
    result = []
    latest = -1
    for place in document.places:
        ordinal = place.ordinal
        if place.anchor:
            latest = ordinal
        heads = above[ordinal]
        opens = document.units[place.unit].kind == "heading"
        start = ordinal if opens else heads[-1] if heads else 0
        if latest >= start:
            result.append(document.places[latest].anchor)
        else:
            result.append(next((a for o in reversed(heads) if (a := document.places[o].anchor)), ""))
    return result


def verify(document: Document, chunk: Chunk) -> None:
    """Nothing, when the chunk's text is its slices of the document's units joined, nothing else (law 3).

    Raises WracError naming the chunk and the first fault.
    """
    kinds, texts = [], []
    for unit_id, start, end in chunk.slices:
        unit = document.units.get(unit_id)
        if unit is None:
            raise WracError(f"{chunk.id} holds {unit_id}, which {document.id} does not have; index the page again")
        if not 0 <= start < end <= len(unit.text) and (start, end) != (0, len(unit.text)):
            raise WracError(f"{chunk.id} holds {start}-{end} of {unit_id}, which has {len(unit.text)} code points")
        kinds.append(unit.kind)
        texts.append(unit.text[start:end])
    if join(kinds, texts) != chunk.text:
        raise WracError(f"the text of {chunk.id} is not its slices joined; index the page again")
    if missing := [unit_id for unit_id in chunk.trail if unit_id not in document.units]:
        raise WracError(f"{chunk.id} stands under {missing[0]}, which {document.id} does not have")


def limits(chunk: Chunk, policy: Policy = DEFAULT) -> None:
    """Nothing, when the chunk's tokens are exact and within the policy's maximum (law 8).

    Raises WracError naming the chunk and both numbers.
    """
    tokens = counter(policy.tokenizer).count(chunk.text)
    if tokens != chunk.tokens:
        raise WracError(f"{chunk.id} says {chunk.tokens} tokens, its text has {tokens}; index the page again")
    if tokens > policy.maximum:
        raise WracError(f"{chunk.id} has {tokens} tokens, the policy's maximum is {policy.maximum}")


def prefix(document: Document, chunk: Chunk, page: str = "") -> str:
    """The line a chunk is embedded under: page title or file name, the headings above, the chunk's own headings.

    Parts are joined by " > ", own headings by " / ". That a chunk's own headings are said again makes them weigh more
    than its running text, as a title field would, and a part from the middle of a section reads like its first part.
    White space is folded; permalinks, and the site's name in "Refunds - Example Inc.", are left out, and what repeats
    the part before it is not said twice.
    """
    return prefixes(document, (chunk,), page)[0]


def prefixes(document: Document, chunks: Sequence[Chunk], page: str = "") -> tuple[str, ...]:
    """The prefix of each of a page's chunks, in one pass over the page."""
    titles = _headings(document)
    title = _title(document, titles) or name(page)
    result = []
    for chunk in chunks:
        own = dict.fromkeys(titles[piece.unit] for piece in chunk.slices if piece.unit in titles)
        parts = [title]
        for part in (*(titles[unit] for unit in chunk.trail), " / ".join(own)):
            if part and part.casefold() != parts[-1].casefold():
                parts.append(part)
        result.append(SEPARATOR.join(filter(None, parts)))
    return tuple(result)


def _title(document: Document, titles: Mapping[str, str]) -> str:
    """The page's title on one line, without the site's name where it begins with the page's main heading."""
    title = " ".join(document.title.split())
    for place in document.places:
        if place.level == 1 and (main := titles.get(place.unit)) and title.casefold().startswith(main.casefold()):
            return title[: len(main)] if _SITE.match(title, len(main)) else title
    return title


def _headings(document: Document) -> dict[str, str]:
    """The texts of headings, and of whatever else opens a section, on one line, as their first places mark them."""
    opening = {span.first for span in document.spans if span.kind == "section"}
    found: dict[str, str] = {}
    for place in document.places:
        unit = document.units[place.unit]
        if (unit.kind == "heading" or place.ordinal in opening) and unit.id not in found:
            found[unit.id] = _plain(unit.text, place)
    return found


def name(page: str) -> str:
    """A page's name from its URL or path: the last segment without its suffix, the folder's for an index page.

    >>> name("https://docs.example.com/refunds/index.html"), name("guides/Gold Loan.md")
    ('refunds', 'Gold Loan')
    """
    path = unquote(urlsplit(page).path if "://" in page else page).replace("\\", "/")
    segments = [segment for segment in path.split("/") if segment]
    while segments:
        stem = PurePosixPath(segments.pop()).stem
        if stem.casefold() not in ("index", "default"):
            return " ".join(stem.split())
    return urlsplit(page).netloc if "://" in page else ""


def _plain(text: str, place: Place) -> str:
    """A heading's text on one line without its permalink."""
    for mark in reversed(place.marks):
        if mark.kind == "permalink":
            text = text[: mark.start] + text[mark.end :]
    return " ".join(text.split())


def entry(document: Document, chunk: Chunk, page: str = "") -> Entry:
    """The chunk under its prefix, as one row of a lexical index. `entries` makes rows that an embedder can hold."""
    return Entry(chunk, prefix(document, chunk, page))


def entries(chunk: Chunk, prefix: str, embedder: Embedder) -> tuple[Entry, ...]:
    """Rows of an index for a chunk, each within the embedder's window by its own count (law 8); most often one.

    A prefix that does not fit beside the text loses its outermost parts, down to a quarter of the window; a text that
    still does not fit is cut at line, sentence or cell ends, and each part is a row under the same prefix. Nothing is
    truncated: the rows' parts tile the chunk's text.

    Raises ConfigError when the window holds not even one character.
    """
    whole = Entry(chunk, prefix)
    if embedder.tokens(whole.text) <= embedder.window:
        return (whole,)
    for shorter in _shorter(prefix, embedder):
        row = Entry(chunk, shorter)
        if embedder.tokens(row.text) <= embedder.window:
            return (row,)
        prefix = shorter
    head = f"{prefix}\n" if prefix else ""
    ranges = split(chunk.text, lambda text: embedder.tokens(head + text) <= embedder.window)
    return tuple(Entry(chunk, prefix, start, end) for start, end in ranges)


def _shorter(prefix: str, embedder: Embedder) -> Iterator[str]:
    """The prefix without its outermost part, two parts and so on, until it takes at most a quarter of the window.

    The last part alone is cut to words when it is longer than that: it is context beside the text, never the text.
    """
    room = embedder.window // 4
    parts = prefix.split(SEPARATOR)
    while embedder.tokens(SEPARATOR.join(parts)) > room and len(parts) > 1:
        parts = parts[1:]
        yield SEPARATOR.join(parts)
    words = SEPARATOR.join(parts).split(" ")
    while words and embedder.tokens(" ".join(words)) > room:
        words = words[: len(words) * 3 // 4]
    yield " ".join(words)
