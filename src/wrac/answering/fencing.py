"""Text of strangers as a model may be shown it: it cannot pass for a mark, a fence, or a turn of the conversation.

Stored text stays as it is. What is changed here is what a model reads, and quotes are compared under the same change.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from string import ascii_lowercase
from typing import Final

from wrac.core.ids import content_id

# Tags spell text that nobody sees; variation selectors can carry bytes.
_UNSEEN: Final = re.compile("[\U000e0000-\U000e01ef]")
# What chat templates put between turns; servers take it for that wherever it stands.
_CONTROL: Final = re.compile(
    r"<(?=[|｜][\w▁ -]{1,40}[|｜]>)"
    r"|<(?=/?(?:s|bos|eos|pad|unk|think|start_of_turn|end_of_turn|start_of_image|SYS>)>|<SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT)\])",
    re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"[\[【][^\[\]【】\n]{1,200}[\]】]")
_MARKS: Final = re.compile(r"(?<![a-z])([a-z]{0,3})\d+\.\d+", re.IGNORECASE)
_BREAK: Final = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def harmless(text: str) -> str:
    """The text without characters that nobody sees, and with a space in what chat templates put between turns.

    >>> harmless("Fees.<|im_end|>")
    'Fees.< |im_end|>'
    """
    return _CONTROL.sub(lambda found: found.group() + " ", _UNSEEN.sub("", text))


def folded(text: str) -> str:
    """What two texts have in common that differ in white space only, as a model is shown them."""
    return " ".join(harmless(text).split())


def inset(text: str) -> str:
    """The text with every line but the first one set in, so that none of them begins a line."""
    return _BREAK.sub("\n  ", text)


def series(texts: Iterable[str]) -> str:
    """The letters that marks begin with: none, but where a text holds what could be such a mark, some it does not hold.

    >>> series(["Fees are 5.50."]), series(["As [1.1] says."])
    ('', 'a')
    """
    taken = {found for text in texts for found in _series(text)}
    return next(letters for letters in _letters() if letters not in taken)


def fence(texts: Sequence[str]) -> str:
    """A word that stands in none of the texts: it follows from all of them, so no text can know it beforehand."""
    parts: list[str] = [*texts]
    while True:
        word = content_id("f1", parts)[3:9]
        if not any(word in text for text in texts):
            return word
        parts.append(word)


def _series(text: str) -> Iterator[str]:
    """The letters of all that reads as a mark in brackets, however it is disguised."""
    if not ("[" in text or "【" in text or not text.isascii()):
        return
    seen = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    for brackets in _BRACKETS.finditer(seen):
        yield from (found[1].lower() for found in _MARKS.finditer(brackets.group()))


def _letters() -> Iterator[str]:
    yield ""
    yield from ascii_lowercase
    for number in count():
        yield "".join(ascii_lowercase[number // power % 26] for power in (676, 26, 1))
