"""Where a text may be cut: sentence ends, and pieces that fit a limit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator

from wrac.core.errors import ConfigError
from wrac.text.characters import IDEOGRAPHS, KANA, UNSPACED, boundary
from wrac.text.languages import primary

Fits = Callable[[str], bool]

_CLOSERS = "\"'”’“‘»«›‹)\\]）】」』〉》〕］｣"
_STOPS = ".!?…‽؟۔։।॥"
# A stop with the quotes, brackets and footnote marks behind it, then white space; CJK stops need no space; a line end.
# Each run is tried once and never given back: dots and spaces by the hundred thousand are real pages.
_STOP = re.compile(
    f"(?<![{_STOPS}])(?P<stop>[{_STOPS}]++)(?:[{_CLOSERS}]|\\s»(?=\\s|$)|\\[\\w{{1,3}}\\])*+(?:\\s++|$)"
    f"|[。！？｡．]++[{_CLOSERS}]*+\\s*+|\\n\\s*+"
)
_SPELLED = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_BEFORE = re.compile(r"[^\s(\[{\"'“„«‚‘»/]*$")
_LOOK_BACK = 40

_NEVER_LAST = {
    "": "dr mr mrs ms prof st sr jr vs eds gen col sgt capt lt rev hon approx cf viz al ca resp incl excl tel",
    "de": "bzw ggf evtl inkl exkl zzgl abzgl bd bspw dipl ing frl hr hrsg jh lfd mio mrd sog u.u vgl z.zt zit zt",
    "fr": "mm mme mlle mgr me p.ex apr éd",
    "es": "sra srta dña ud uds p.ej aprox ee.uu",
    "it": "sig sig.ra dott dott.ssa ing avv p.es ecc",
    "pt": "sra srta dra p.ex aprox",
    "nl": "dhr mevr drs ir bijv",
    "sv": "t.ex bl.a",
    "da": "f.eks bl.a hhv",
    "no": "f.eks bl.a",
    "pl": "np tzn tj m.in ok ul inż mgr",
    "ru": "гг вв ул им рис см напр др руб тыс млн млрд",
    "cs": "např tj tzv ing mgr mj",
}
_BEFORE_NUMBERS = frozenset(
    "no nos nr fig figs eq eqs sec ch vol p pp ed art abs s str st n núm n.º pág págs pag pagg cap chap tab abb blz č "
    "čl odst стр kap max min".split()
)
_ABBREVIATIONS = {tag: frozenset(words.split()) for tag, words in _NEVER_LAST.items()}
_ORDINAL_DOT = frozenset("de da nb nn no fi cs sk hu pl hr sl sr et lv tr eu is fo".split())


def ends(text: str, language: str = "") -> list[int]:
    """Ascending offsets just behind each sentence and the white space that follows it; the last is the text's length.

    A line end ends a sentence. `language` is a BCP 47 tag; its abbreviations and ordinals ("3. Oktober") are known.

    >>> ends("Dr. Li paid $3.50. Why? No idea")
    [19, 24, 31]
    """
    tag = primary(language)
    abbreviations = _ABBREVIATIONS[""] | _ABBREVIATIONS.get(tag, frozenset())
    found = [
        match.end()
        for match in _STOP.finditer(text)
        if "\n" in match.group() or match["stop"] is None or _is_end(text, match, abbreviations, tag in _ORDINAL_DOT)
    ]
    if text and (not found or found[-1] < len(text)):
        found.append(len(text))
    return found


def _is_end(text: str, match: re.Match[str], abbreviations: frozenset[str], ordinals: bool) -> bool:
    """Whether a stop before a space ends its sentence."""
    follower = text[match.end() : match.end() + 1]
    if not follower:
        return True
    if follower.islower():
        return False
    if match["stop"] != ".":
        return True
    start = match.start()
    word = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    before = word.group() if word else ""
    if before.isdecimal():
        return not (_opens_line(text, start - len(before)) or (ordinals and len(before) <= 2))
    if _SPELLED.fullmatch(before) and (before[0].isupper() or len(before) > 1):  # an initial, U.S., z.B.
        return False
    folded = before.casefold()
    return folded not in abbreviations and not (folded in _BEFORE_NUMBERS and follower.isdigit())


def _opens_line(text: str, offset: int) -> bool:
    """Whether only blanks (few) stand between the line's start and `offset`, as before the 1 of "1. Install"."""
    before = text[max(0, offset - 8) : offset].rstrip(" \t")
    return before.endswith("\n") or (not before and offset <= 8)


def split(text: str, fits: Fits, language: str = "") -> list[tuple[int, int]]:
    """Pieces `(start, end)` that tile `text`, none empty, each with `fits(text[start:end])`.

    Each piece but the last two fills at least half of what would fit, and ends, where it can, at a paragraph, else a
    line, a sentence or table cell, a word, else between two characters; the last two are about equally long. `fits` is
    asked about ten times a piece and need not be monotone. White space behind a cut belongs to the piece before it.

    Raises ConfigError when not even one character fits.
    """
    levels = _levels(text, language)
    pieces: list[tuple[int, int]] = []
    start, room = 0, 1024
    while start < len(text):
        reach = _reach(text, start, room, fits)
        end = len(text) if reach == len(text) else _cut(text, start, reach, levels, fits)
        pieces.append((start, end))
        start, room = end, max(reach - start, 1)
    return pieces


def _levels(text: str, language: str) -> list[list[int]]:
    """Offsets of paragraph, line, sentence or cell, and word ends."""
    stops = {*ends(text, language), *(match.end() for match in re.finditer(r"(?<=\S)\t+", text))}
    words = re.finditer(f"\\s+|[，、；：,;:](?=[{UNSPACED}])|(?<=[{IDEOGRAPHS}{KANA}])[，、；：]", text)
    return [
        [match.end() for match in re.finditer(r"\n(?:[^\S\n]*\n)+", text)],
        [match.end() for match in re.finditer(r"\n+", text)],
        sorted(stops),
        [match.end() for match in words],
    ]


def _reach(text: str, start: int, room: int, fits: Fits) -> int:
    """An offset up to which the text from `start` fits, within a sixteenth of the furthest; `start` when none fits."""
    good, probe = start, min(start + room + room // 8 + 1, len(text))
    while fits(text[start:probe]):
        good = probe
        if probe == len(text):
            return good
        probe = min(start + 2 * (probe - start), len(text))
    bad = probe
    while bad - good > max(1, (good - start) // 16):
        probe = (good + bad) // 2
        if fits(text[start:probe]):
            good = probe
        else:
            bad = probe
    return good


def _cut(text: str, start: int, reach: int, levels: list[list[int]], fits: Fits) -> int:
    """The best offset to end a piece in `(start, reach]`."""
    for end in _candidates(text, start, reach, levels):
        if fits(text[start:end]):
            return end
    raise ConfigError(f"the limit is too small for {text[start : start + 1]!r}; raise the maximum")


def _candidates(text: str, start: int, reach: int, levels: list[list[int]]) -> Iterator[int]:
    """Offsets to try, best first: each level's best one in the upper half, then ever shorter pieces."""
    room, rest = reach - start, len(text) - start
    last_two = rest < room * 3 // 2
    low = max(len(text) - room if last_two else start + room // 2, start + 1)
    wish = start + rest // 2 if last_two else reach
    for offsets in levels:
        inside = offsets[bisect_left(offsets, low) : bisect_right(offsets, reach)]
        if inside:
            yield min(inside, key=lambda offset: abs(offset - wish))
    end = reach
    while end > start:
        end = boundary(text, end, start)
        yield end
        end = min(end - 1, start + (end - start) * 7 // 8)
    yield from (start + 1,)
