"""Texts that no search may see: the question that stands as a heading over its answer gives the answer away."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

SURE = 3
"""Words from which on a mask is taken out wherever it stands; a shorter one only where it is a line or a trail's part.

`Overview` is a heading here and a word of the text there."""


def mask(masks: Sequence[str]) -> Callable[[str], str]:
    """A function that takes the masked texts out of a text, white space and case aside."""
    folded = sorted({" ".join(one.split()) for one in masks if one.strip()}, key=len, reverse=True)
    if not folded:
        return lambda text: text
    long = [rf"(?<!\w){_loose(one)}(?!\w)" for one in folded if len(one.split()) >= SURE]
    short = [_alone(one) for one in folded if len(one.split()) < SURE]
    pattern = re.compile("|".join((*long, *short)), re.IGNORECASE)
    return lambda text: pattern.sub(" ", text)


def _alone(text: str) -> str:
    """A pattern for the text as a whole line or part of a trail, with or without a section number before it."""
    return rf"(?m:^|(?<= [>/] ))[\d.]*\s*{_loose(text)}\s*(?m:$|(?= [>/] ))"


def _loose(text: str) -> str:
    return r"\s+".join(re.escape(word) for word in text.split())
