"""Character classes that `re` lacks, and the places where a text may be cut without breaking a character."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

# Every block that holds combining marks; looking at all 1.1 million code points would cost a tenth of a second.
_MARK_BLOCKS = (
    (0x0300, 0x3100), (0xA66F, 0xAC00), (0xFB1E, 0xFB1F), (0xFE00, 0xFE30), (0x10000, 0x12000), (0x16A00, 0x17000),
    (0x1BC00, 0x1BD00), (0x1CF00, 0x1D300), (0x1DA00, 0x1EA00), (0xE0100, 0xE01F0),
)  # fmt: skip


def _ranges(points: Iterable[int]) -> str:
    """The inside of a character class that matches exactly the ascending code points."""
    runs: list[list[int]] = []
    for point in points:
        if runs and runs[-1][1] == point - 1:
            runs[-1][1] = point
        else:
            runs.append([point, point])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in runs)


def _marks() -> Iterator[int]:
    for first, end in _MARK_BLOCKS:
        yield from (point for point in range(first, end) if unicodedata.category(chr(point))[0] == "M")


MARKS = _ranges(_marks())
"""Combining marks (Unicode category M), as the inside of a character class."""

IDEOGRAPHS = "\u3005-\u3007\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
# Thai, Lao, Tibetan, Burmese, Khmer write no spaces between words either, so they are indexed like Chinese.
_SOUTH_EAST = "\u0e01-\u0e4e\u0e81-\u0ece\u0f40-\u0fbc\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
RUNNING = IDEOGRAPHS + KANA + _SOUTH_EAST
"""Scripts written without spaces between words, as the inside of a character class."""
UNSPACED = RUNNING + HANGUL
"""Scripts that are searched by pairs of characters, as the inside of a character class."""

# What clings to the character before it: marks, joiners with what they join, skin tones, tags, Hangul vowels and tails.
_EXTEND = f"{MARKS}\u200c\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff\ud7b0-\ud7fb"
_CLUSTER = re.compile(
    f"\r\n|[\U0001f1e6-\U0001f1ff]{{2}}|[\ud800-\udbff][\udc00-\udfff]|(?s:.)(?:[{_EXTEND}]|\u200d(?s:.)?)*"
)
_CLINGS = re.compile(f"[{_EXTEND}\u200d\n\udc00-\udfff\U0001f1e6-\U0001f1ff]|(?<=\u200d)(?s:.)")
_LONGEST_CLUSTER = 64
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


def clusters(text: str) -> list[str]:
    """The text's user-perceived characters, in order; they join to the text."""
    return [match.group() for match in _CLUSTER.finditer(text)] if _CLINGS.search(text) else list(text)


def boundary(text: str, offset: int, floor: int = 0) -> int:
    """The last offset in `(floor, offset]` that breaks no user-perceived character; `offset` itself if none does."""
    if offset >= len(text) or not _CLINGS.match(text, offset):
        return offset
    start = offset
    while start > floor and offset - start < _LONGEST_CLUSTER and _CLINGS.match(text, start):
        start -= 1
    inside = start
    for match in _CLUSTER.finditer(text, start):
        if match.end() > offset:
            break
        inside = match.end()
    return inside if inside > floor else offset


def scalar(text: str) -> str:
    """The text with each lone surrogate as U+FFFD, as compiled tokenizers take it."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def scalars(tree: Any, source: str) -> Any:  # noqa: ANN401 - JSON
    """The value of a JSON source with the halves of pairs that its escapes may leave as U+FFFD, as `scalar` does."""
    return json.loads(scalar(json.dumps(tree, ensure_ascii=False))) if _HALF.search(source) else tree
