"""An answer in pieces: its marks as links to what they cite, what is not borne out made to be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from wrac.core.answers import Answer, Citation

_GROUP: Final = re.compile(r"[\[【][^\[\]【】]{1,200}[\]】]")
"""Where marks stand: in brackets, one or several."""


class Said(NamedTuple):
    """A piece of an answer; `fault` is "uncited", "misquoted" or nothing, `citation` what a mark stands for."""

    text: str
    fault: str = ""
    citation: Citation | None = None


def marked(answer: Answer) -> list[Said]:
    """The answer's text in pieces, in its order; joined they are the text."""
    cited = {citation.mark: citation for citation in answer.citations if citation.mark}
    named = "|".join(map(re.escape, sorted(cited, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w.])(?:{named})(?![\w.])" if cited else "(?!)")
    return [piece for text, fault in _spans(answer) for piece in _pieces(text, fault, pattern, cited)]


def _spans(answer: Answer) -> Iterator[tuple[str, str]]:
    """The text in stretches of one fault or none; a misquotation shows inside a sentence that cites nothing."""
    edges = sorted({0, len(answer.text), *(edge for span in (*answer.uncited, *answer.misquoted) for edge in span)})
    for start, end in pairwise(edges):
        fault = "misquoted" if _in(start, answer.misquoted) else "uncited" if _in(start, answer.uncited) else ""
        yield answer.text[start:end], fault


def _in(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in spans)


def _pieces(text: str, fault: str, pattern: re.Pattern[str], cited: Mapping[str, Citation]) -> Iterator[Said]:
    at = 0
    for found in _marks(text, pattern):
        if found.start() > at:
            yield Said(text[at : found.start()], fault)
        yield Said(found[0], fault, cited[found[0]])
        at = found.end()
    if at < len(text):
        yield Said(text[at:], fault)


def _marks(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The marks in the brackets of a text."""
    for group in _GROUP.finditer(text):
        yield from pattern.finditer(text, group.start(), group.end())
