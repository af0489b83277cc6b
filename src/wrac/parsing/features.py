"""What the content score looks at: for each unit of a page a column of small whole numbers.

Whole numbers compare the same on every machine. A unit is described by itself (kind, role, size, links, punctuation),
by the names of the elements around it, by how much text and links the boxes around it hold, by the text under the same
heading and the units nearby, by its like (same path, same text), by where it stands, and by the page as a whole.
Everything is computed for all units at once; boxes are measured once each, however many units they hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wrac.core.types import Kind, Role
from wrac.parsing.boxes import Boxes
from wrac.parsing.frames import Draft
from wrac.parsing.names import GROUPS

Ints = NDArray[np.int64]

KINDS: Final[tuple[Kind, ...]] = (
    "heading", "paragraph", "list_item", "table_row", "caption", "code", "quote", "term", "definition", "question",
    "math", "image", "label",
)  # fmt: skip
ROLES: Final[tuple[Role, ...]] = (
    "cookie", "dialog", "nav", "footer", "control", "breadcrumb", "toc", "form", "header", "aside", "comment", "data",
    "main",
)  # fmt: skip
MEASURES: Final = (
    "units", "chars", "mean", "density", "long", "share", "long share", "stops", "headings", "images", "prices",
    "dates", "phrases", "main",
)  # fmt: skip
_SUMS: Final = ("chars", "linked", "long", "one", "stops", "heading", "image", "price", "date", "phrase", "main")
_UNIT: Final = (
    "role", "visible", "level", "nesting", "inside", "chars", "words", "density", "links", "stops", "word length",
    "stop share", "ends", "price", "date", "phrase", "in title", "to anchor", "same text", "text before", "from end",
    "after h1", "after heading", "heading level", "to heading", "head phrase", "depth", "in box", "boxes",
)  # fmt: skip
_NEAR: Final = (-2, -1, 1, 2)
_CORES: Final = (40, 60, 95)
_LEVELS: Final = ("box", "box2", "box3")
_WINDOWS: Final = (1, 8)
_PAGE: Final = (
    "units", "chars", "mean", "density", "long", "long chars", "headings", "images", "prices", "dates", "main",
    "inside", "items", "rows", "h1",
)  # fmt: skip
_PAGE_GROUPS: Final = ("comment", "forum", "product", "price", "card")


def _names() -> Iterator[str]:
    yield from _UNIT
    yield from (f"kind {kind}" for kind in KINDS)
    yield from (f"{what} {step:+d}" for what in ("role", "words", "density") for step in _NEAR)
    yield from (f"{part} {group}" for part in ("near", "around", "above") for group in GROUPS)
    for what in (*_LEVELS, "part", *(f"window{reach}" for reach in _WINDOWS)):
        yield from (f"{what} {measure}" for measure in MEASURES)
    yield from (f"{path} {what}" for path in ("path", "path2") for what in ("units", "mean", "density", "long share"))
    yield from (f"core{share}{what}" for share in _CORES for what in ("", " size"))
    yield from (f"page {what}" for what in (*_PAGE, *_PAGE_GROUPS))


NAMES: Final = tuple(_names())
"""The names of the rows of `features`, in their order."""

_KIND: Final = {kind: number for number, kind in enumerate(KINDS)}
_ROLE: Final = {role: number for number, role in enumerate(ROLES)}
_VISIBLE: Final = {"hidden": 0, "collapsed": 1, "visible": 2}
_GROUP: Final = {group: number for number, group in enumerate(GROUPS)}
_SHIFTS: Final = np.arange(len(GROUPS))[:, None]
_ENDS: Final = frozenset(".!?…。！？:;")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_DIGIT: Final = re.compile(r"\d")
_PRICE: Final = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[$€£¥₹]|USD|EUR|GBP|kr\b|zł)")
_DATE: Final = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b|\bago\b|\b\d{1,2}:\d\d\b")
_PHRASES: Final = frozenset(
    "share tweet read more view all show load login log sign subscribe newsletter follow reply report quote previous "
    "next back skip add cart bag basket wishlist buy cookies cookie privacy terms copyright © rights related also "
    "recommended comments comment leave posted by published updated min advertisement sponsored menu search contact "
    "download print email filter sort reviews review tags tag category categories teilen anmelden mehr weiterlesen "
    "kommentare impressum datenschutz warenkorb suche partager connexion lire plus commentaires panier rechercher "
    "compartir iniciar leer comentarios carrito buscar condividi accedi leggi commenti carrello cerca".split()
)
"""Words of what pages say around their content, in the languages most pages are in; a short unit may hold one."""


def features(drafts: Sequence[Draft], title: str = "") -> NDArray[np.int16]:
    """int16 (len(NAMES), units): one column for each unit of a page, which has at least one."""
    return Seen(drafts, title).table()


def _ratio(part: Ints, whole: Ints | int, scale: int = 100) -> Ints:
    """`scale * part / whole`, rounded down; by floats, which divide faster and are exact for such numbers."""
    return (scale * part / np.maximum(whole, 1)).astype(np.int64)


def _words(text: str) -> int:
    """About as many words as the text has, less one: spaces, and half the characters of scripts without spaces."""
    return text.count(" ") + (0 if text.isascii() else len(_UNSPACED.findall(text)) // 2)


class Seen:
    """A page's units as arrays; the drafts' frames are no longer needed."""

    def __init__(self, drafts: Sequence[Draft], title: str) -> None:
        self.title = title.casefold()
        self.texts = [draft.text for draft in drafts]
        n = self.n = len(drafts)
        self.at = np.arange(n)
        self.boxes = Boxes()
        frames = [draft.frame for draft in drafts]
        placed = list(map(self.boxes.place, frames, range(n)))
        self.boxes.close()
        self.box, self.leaf = np.array(placed, np.int64).T
        self.parent = np.array(self.boxes.parent)
        self.first, self.last = np.array(self.boxes.first), np.array(self.boxes.last)
        self.kind = np.array([_KIND[draft.kind] for draft in drafts])
        self.role = np.array([_ROLE[draft.role] for draft in drafts])
        self.level = np.where(self.kind == 0, [draft.level for draft in drafts], 0)
        self.visible = np.array([_VISIBLE[draft.visible] for draft in drafts])
        self.inside = np.array([frame.inside for frame in frames], np.int64)
        self.nesting = np.array([frame.lists for frame in frames])
        self._count_text()
        self._count_links(drafts)
        self._match()
        self._headings()
        self._sum()

    def table(self) -> NDArray[np.int16]:
        """`features`, filled in block by block: a page of many units has no room for all of them twice."""
        found = np.empty((len(NAMES), self.n), np.int32)
        row = 0
        for block in self._blocks():
            found[row : row + len(block)] = block
            row += len(block)
        return np.clip(found, -32000, 32000, out=found).astype(np.int16)

    def _blocks(self) -> Iterator[Ints]:
        """The rows of the table, in the order of `NAMES`."""
        yield self.units()
        yield self.kinds()
        yield self.neighbours()
        yield from self.named()
        yield from self.measured()
        yield self.alike()
        yield self.cores()
        yield self.whole()

    def _count_text(self) -> None:
        texts = self.texts
        self.chars = np.array(list(map(len, texts)))
        self.words = np.array(list(map(_words, texts)))
        self.stops = np.array([text.count(".") + text.count(",") for text in texts])

    def _count_links(self, drafts: Sequence[Draft]) -> None:
        links, linked, anchor = [], [], []
        for draft in drafts:
            count = covered = 0
            marks = draft.marks
            for mark in marks:
                if mark.kind == "link":
                    count += 1
                    covered += mark.end - mark.start
            links.append(count)
            linked.append(covered)
            anchor.append(count > 0 and marks[0].value[:1] == "#")
        self.links, self.anchor = np.array(links), np.array(anchor, np.int64)
        self.linked = np.minimum(np.array(linked), self.chars)
        self.density = _ratio(self.linked, self.chars)

    def _match(self) -> None:
        n, texts = self.n, self.texts
        self.price, self.date, self.phrase = np.zeros((3, n), np.int64)
        for ordinal, text in enumerate(texts):
            if len(text) < 100:
                if _DIGIT.search(text) is not None:
                    self.price[ordinal] = _PRICE.search(text) is not None
                    self.date[ordinal] = _DATE.search(text) is not None
                if not _PHRASES.isdisjoint(text.casefold().split()):
                    self.phrase[ordinal] = 1
        title = self.title
        longest = min(len(title), 199)
        self.titled = np.array([5 < len(text) <= longest and text.casefold() in title for text in texts], np.int64)

    def _headings(self) -> None:
        """`head` is the ordinal of the heading a unit stands under, -1 for none, `end` that of the last unit there."""
        self.head = np.maximum.accumulate(np.where(self.kind == 0, self.at, -1))
        heads = np.flatnonzero(self.kind == 0)
        self.end = np.append(heads, self.n)[np.searchsorted(heads, self.at, side="right")] - 1
        self.h1 = np.flatnonzero((self.level == 1) & (self.role == _ROLE["main"]))

    def _sum(self) -> None:
        long = np.where((self.words >= 15) & (self.density < 40) & (self.visible > 0), self.chars, 0)
        main = np.where(self.role == _ROLE["main"], self.chars, 0)
        rows = (
            self.chars, self.linked, long, np.ones(self.n, np.int64), self.stops, self.kind == 0,
            self.kind == _KIND["image"], self.price, self.date, self.phrase, main,
        )  # fmt: skip
        self.long = long
        self.sums = np.zeros((len(_SUMS), self.n + 1), np.int64)
        np.cumsum(np.array(rows), axis=1, out=self.sums[:, 1:])
        self.total = dict(zip(_SUMS, self.sums[:, -1].tolist(), strict=True))

    def units(self) -> Ints:
        """The rows `_UNIT`."""
        begin = np.maximum(self.head, 0)
        same = Counter(self.texts)
        before = 1000 * (self.sums[0, :-1]) // max(self.total["chars"], 1)
        depth = np.array(self.boxes.depth)
        siblings = np.bincount(self.parent, minlength=len(self.parent))
        return np.array((
            self.role, self.visible, self.level, self.nesting, self.inside, self.chars, self.words, self.density,
            self.links, self.stops,
            _ratio(self.chars, self.words, 10), _ratio(self.stops, self.chars, 1000),
            np.array([text[-1] in _ENDS for text in self.texts], np.int64), self.price, self.date, self.phrase,
            self.titled, self.anchor, np.array([same[text] for text in self.texts]), before,
            self.n - self.at, self.at - self.h1[0] if len(self.h1) else np.full(self.n, -1000), self.at - self.head,
            np.where(self.head >= 0, self.level[begin], 0), self.end - self.at,
            np.where(self.head >= 0, self.phrase[begin], 0), depth[self.box], self.at - self.first[self.box],
            siblings[self.box],
        ))  # fmt: skip

    def kinds(self) -> Ints:
        """A row of 0 and 1 for each kind."""
        found: Ints = (self.kind == np.arange(len(KINDS))[:, None]).astype(np.int64)
        return found

    def neighbours(self) -> Ints:
        """What the two units before and the two after are; -1 beyond the page."""
        wide = np.full((3, self.n + 4), -1)
        wide[:, 2:-2] = self.role, self.words, self.density
        return np.array([row[2 + step : 2 + step + self.n] for row in wide for step in _NEAR])

    def named(self) -> Iterator[Ints]:
        """Which groups of words name the unit's box and what shapes it, the two boxes around, all elements above."""
        names, above = np.array(self.boxes.names), np.array(self.boxes.above)
        around = self.parent[self.box]
        self.everything = self.leaf | above[self.box]
        near, beyond = self.leaf | names[self.box], names[around] | names[self.parent[around]]
        return (bits >> _SHIFTS & 1 for bits in (near, beyond, self.everything))

    def measured(self) -> Iterator[Ints]:
        """`MEASURES` of the boxes around, of the text under the same heading, and of the units nearby."""
        low, high = [self.first, np.maximum(self.head, 0)], [self.last, self.end]
        for reach in _WINDOWS:
            low.append(np.maximum(self.at - reach, 0))
            high.append(np.minimum(self.at + reach, self.n - 1))
        found = self._measure(np.concatenate(low), np.concatenate(high))
        row = self.box
        for _ in _LEVELS:
            yield found[:, row]
            row = self.parent[row]
        count = len(self.parent)
        for start in range(count, found.shape[1], self.n):
            yield found[:, start : start + self.n]

    def _measure(self, low: Ints, high: Ints) -> Ints:
        chars, linked, long, one, stops, *counts, main = self.sums[:, high + 1] - self.sums[:, low]
        heading, *shares = counts
        return np.array((
            one, chars // 4, _ratio(chars, one, 1), _ratio(linked, chars), _ratio(long, chars),
            _ratio(chars, self.total["chars"], 1000), _ratio(long, self.total["long"], 1000),
            _ratio(stops, chars, 1000), heading, *(_ratio(share, one) for share in shares), _ratio(main, chars),
        ))  # fmt: skip

    def alike(self) -> Ints:
        """How many units have the same path and kind, and how many have boxes of the same path; how long they are."""
        path = np.array(self.boxes.path)
        rows: list[Ints] = []
        for like in (path[self.box] * 16 + self.kind, path[self.parent[self.box]]):
            count = np.bincount(like)
            chars, linked, long = (
                np.bincount(like, row).astype(np.int64) for row in (self.chars, self.linked, self.long)
            )
            shares = _ratio(chars, count, 1), _ratio(linked, chars), _ratio(long, self.total["long"], 1000)
            rows += (row[like] for row in (count, *shares))
        return np.array(rows)

    def cores(self) -> Ints:
        """How far outside the smallest box with most of the long text a unit stands (0 inside), and the box's size."""
        first, last = self.first, self.last
        chars, long = (row[last + 1] - row[first] for row in (self.sums[0], self.sums[2]))
        rows = []
        for share in _CORES:
            holds = np.flatnonzero(100 * long >= share * self.total["long"])  # all, where there is no long text
            best = holds[np.argmin(chars[holds])] if self.total["long"] else 0
            low, high = first[best], last[best]
            rows.append(np.minimum(self.at - low, 0) + np.maximum(self.at - high, 0))
            rows.append(np.full(self.n, 1000 * chars[best] // max(self.total["chars"], 1)))
        return np.array(rows)

    def whole(self) -> Ints:
        """What the page is like, one column for all its units."""
        total, n = self.total, self.n
        chars = max(total["chars"], 1)
        groups = (int(self.chars[self.everything >> _GROUP[group] & 1 == 1].sum()) for group in _PAGE_GROUPS)
        values = (
            n, total["chars"] // 16, total["chars"] // n, 100 * total["linked"] // chars, 100 * total["long"] // chars,
            total["long"] // 16, total["heading"], total["image"], total["price"], total["date"],
            100 * total["main"] // chars, 100 * int(self.inside.sum()) // n,
            100 * int((self.kind == _KIND["list_item"]).sum()) // n,
            100 * int((self.kind == _KIND["table_row"]).sum()) // n, len(self.h1),
            *(1000 * group // chars for group in groups),
        )  # fmt: skip
        return np.array(values)[:, None]
